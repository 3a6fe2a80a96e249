"""A guard that runs as a service, and what it stands on, for tests: settings, chips in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from edge.faults import HardwareFault
from edge.peripherals.guard import door
from edge.peripherals.guard.client import Board
from tests.support.agent import command, environment
from tests.support.boards import eventually
from tests.support.chips import ChipServer

ROOT = Path(__file__).resolve().parents[2]
CHIP = "pinctrl-bcm2835"
PUMP, FAN = 17, 27
SETTINGS = """
board = "auto"
[gpio]
chips = "{chips}"
[outputs.pump]
line = "GPIO17"
max_on = 60
[outputs.fan]
line = "GPIO27"
on_start = "hold"
on_exit = "hold"
[inputs.door]
line = "GPIO4"
bias = "up"
"""


class Place:
    """A folder with a state folder, settings and chips. A `with` ends all that was started in it."""

    def __init__(self, folder: Path, release: str = "keep", settings: str = SETTINGS):
        self.state = folder / "state"
        self.state.mkdir(mode=0o700)
        self.settings = folder / "settings.toml"
        self.socket = str(folder / "guard.sock")
        self.chips = ChipServer(folder, "pi3", release)
        self.settings.write_text(settings.format(chips=self.chips.chips))
        self._outside = self.chips.outside()
        self._running: list[subprocess.Popen] = []

    @property
    def words(self) -> list[str]:
        return ["--config", str(self.settings), "--state", str(self.state), "--socket", self.socket]

    def start(self, *more: str, **env: str) -> subprocess.Popen:
        """`fieldhand guard run`; it is the guard's process itself in the end."""
        process = subprocess.Popen(
            command("guard", "run", *self.words, *more),
            cwd=ROOT,
            env=environment(None, **env),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._running.append(process)
        return process

    def up(self, *more: str, **env: str) -> subprocess.Popen:
        """The same, when it answers."""
        process = self.start(*more, **env)

        def answers():
            assert process.poll() is None, process.stderr.read()
            try:
                told = self.ask("show")
            except HardwareFault:  # the one before it is just ending
                return False
            return told is not None and told["pid"] == process.pid

        eventually(answers)
        return process

    def ask(self, do: str, **more):
        return door.ask(self.socket, {"do": do, **more})

    def join(self, run: str = "run-1") -> Board:
        return Board.join(self.socket, run, str(self.state))

    def level(self, line: int) -> bool:
        """What the wire shows from outside."""
        return self._outside.level(CHIP, line)

    def safe_all(self, *more: str, **env: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            command("safe-all", *self.words, *more),
            cwd=ROOT,
            env=environment(None, **env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        for process in self._running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate(timeout=60)
        self.chips.close()


def modules(code: str) -> set[str]:
    """What a bare interpreter loads beyond its own to run `code`, which gets the library as its first argument."""
    told = f"import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); {code}; "
    told += "print(*(set(sys.modules) - before))"
    words = [sys.executable, "-I", "-S", "-c", told, str(ROOT)]
    done = subprocess.run(words, check=True, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    return set(done.stdout.split())
