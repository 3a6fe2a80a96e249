"""What tests of `python -m hil` share: a bench without a board, a terminal with a command in it, a board on a desk."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edge.faults import HardwareFault, UsageFault
from edge.record import replace
from hil.live.control import Session
from hil.live.counter import Counter
from hil.live.place import Place
from hil.resources import Board, named
from tests.support.sources import ROOT

SECONDS = 120.0


class Lines:
    """Three lines: 17 is an input, 27 an output of the board, 14 is neither."""

    def __init__(self) -> None:
        self.all: dict[int, tuple[str, int]] = {14: ("other", 1), 17: ("in", 0), 27: ("out", 0)}

    def set(self, line: int, level: int) -> None:
        if line not in self.all:
            raise UsageFault(f"the board has no line {line}", "its lines are 0 to 53")
        if self.all[line][0] == "out":
            raise HardwareFault(f"line {line} is an output of the board", "set lines that the board reads")
        self.all[line] = (self.all[line][0], level)

    def release(self, line: int) -> None:
        self.set(line, 0)

    def level(self, line: int) -> int:
        return self.all[line][1]

    def seen(self) -> dict[int, tuple[str, int]]:
        return dict(self.all)


class Parts:
    """A thermometer, and a part of two quantities."""

    def __init__(self) -> None:
        self.all = {("t0", "temperature"): 20.0, ("m0", "mag-x"): 0.0, ("m0", "mag-y"): 1.5}
        self.modes: list[tuple[str, str]] = []

    def names(self) -> dict[str, tuple[str, ...]]:
        return {"t0": ("temperature",), "m0": ("mag-x", "mag-y")}

    def set(self, name: str, value: float, quantity: str = "") -> None:
        self.value(name, quantity)
        self.all[(name, quantity or self.names()[name][0])] = value

    def value(self, name: str, quantity: str = "") -> float:
        if name not in self.names():
            raise UsageFault(f"the board has no part {name!r}", "it has t0, m0")
        return self.all[(name, quantity or self.names()[name][0])]

    def mode(self, name: str, mode: str) -> None:
        self.value(name, "")
        if mode not in ("ok", "nak"):
            raise UsageFault(f"{mode!r} is no mode of a part")
        self.modes.append((name, mode))


class Bench:
    """A bench that nothing is behind. `has`: what its board can do."""

    def __init__(self, has: Sequence[str] = ("lines", "parts", "power", "resets")) -> None:
        self.board: Board = replace(named("raspi0"), has=tuple(has))
        self.lines, self.parts = Lines(), Parts()
        self.resets = 0
        self.notes: list[str] = []
        self.transcript = ""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"nobody asks this bench for {name}")


def hil(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command of a second terminal, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "hil", *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


class Terminal:
    """A terminal with a command of `python -m hil` in it, and all that was written there."""

    def __init__(self, *words: str | Path, env: dict[str, str] | None = None) -> None:
        self.leader, self._follower = pty.openpty()
        self.before = termios.tcgetattr(self._follower)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hil", *map(str, words)],
            stdin=self._follower,
            stdout=self._follower,
            stderr=self._follower,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            start_new_session=True,
        )
        self.written = ""

    def type(self, text: str) -> None:
        os.write(self.leader, text.encode())

    def read(self, seconds: float = 0.2) -> str:
        if select.select([self.leader], [], [], seconds)[0]:
            self.written += os.read(self.leader, 65536).decode("utf-8", "replace")
        return self.written

    def shows(self, text: str, seconds: float = SECONDS, behind: int = 0) -> int:
        """Wait until the text stands there, behind so many letters; where it ends."""
        end = time.monotonic() + seconds
        while text not in self.read()[behind:]:
            assert time.monotonic() < end and self.process.poll() is None, f"no {text!r} in: {self.written[-4000:]}"
        return self.written.index(text, behind) + len(text)

    def ended(self) -> int:
        """The exit code, with all that was still written."""
        code = self.process.wait(SECONDS)
        while len(self.written) != len(self.read(0.1)):
            pass
        return code

    def restored(self) -> bool:
        """Whether the terminal is as it was before."""
        return bool(termios.tcgetattr(self._follower) == self.before)

    def hang_up(self) -> None:
        os.close(self._follower)
        os.close(self.leader)
        self.leader = self._follower = -1

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.leader >= 0:
            self.hang_up()


@contextmanager
def terminal(*words: str | Path, env: dict[str, str] | None = None) -> Iterator[Terminal]:
    """See Terminal; whatever becomes of the test, the command ends."""
    found = Terminal(*words, env=env)
    try:
        yield found
    finally:
        found.close()


class Served:
    """A board that runs, as `hil set` and `hil watch` find it: a counter in a thread, until it is closed."""

    def __init__(self, place: Place, bench: Bench) -> None:
        self._over = threading.Event()
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(place, bench))
        self._thread.start()
        assert self.ready.wait(SECONDS)

    def _run(self, place: Place, bench: Bench) -> None:
        with place.held(), place.listening() as door:
            counter = Counter(door, Session(bench))
            self.ready.set()
            while not self._over.is_set():
                for one in select.select(counter.sockets(), [], [], 0.05)[0]:
                    counter.serve(one)
            counter.close()

    def close(self) -> None:
        self._over.set()
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()


@contextmanager
def served(name: str, bench: Bench) -> Iterator[Served]:
    """See Served."""
    found = Served(Place(name), bench)
    try:
        yield found
    finally:
        found.close()


class Echo:
    """A board on a desk: a serial port of this machine. What is typed there is `typed`, what it says is `say`."""

    def __init__(self, folder: Path) -> None:
        self._ours, self._far = pty.openpty()
        self.file = folder / "mine.toml"
        self.file.write_text(
            f'title = "a shell on a desk"\nproduct = "pi-arm64"\nhas = []\n'
            f'[console]\ndevice = "{os.ttyname(self._far)}"\n'
        )
        self._typed = b""

    def say(self, data: bytes) -> None:
        os.write(self._ours, data)

    def typed(self, text: bytes) -> None:
        """Wait until that was typed."""
        end = time.monotonic() + SECONDS
        while text not in self._typed:
            assert time.monotonic() < end, f"no {text!r} in {self._typed!r}"
            if select.select([self._ours], [], [], 0.2)[0]:
                self._typed += os.read(self._ours, 4096)

    def unplug(self) -> None:
        for end in (self._ours, self._far):
            os.close(end)
        self._ours = self._far = -1

    def close(self) -> None:
        if self._ours >= 0:
            self.unplug()


@contextmanager
def on_a_desk(folder: Path) -> Iterator[Echo]:
    """See Echo."""
    found = Echo(folder)
    try:
        yield found
    finally:
        found.close()
