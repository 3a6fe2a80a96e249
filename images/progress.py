"""What a person sees while an image is built or a card is written: one line that moves, or plain lines.

Rules:
1. On a terminal one line is drawn over and over, at most ten times a second, with the rate and the time left where
   they can be told. Elsewhere nothing is drawn over: a step says that it begins, and every 15 seconds how far it is.
2. A step that ends leaves one line: its name and its seconds. The times are kept for the report.
3. Whether anybody looks changes nothing: a stream that is closed or full is nobody, and the work goes on.
4. Time left is what the rate of this step so far says, not earlier than after a second.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

DRAWN_EVERY, SAID_EVERY = 0.1, 15.0
_BAR = 24


class Progress:
    """Tells on `out` (usually stderr) what goes on. Without `out` nothing is told, and times are kept all the same."""

    def __init__(
        self, out: TextIO | None, live: bool | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.out = out
        self.live = bool(out is not None and out.isatty()) if live is None else live
        self.clock = clock
        self.times: list[tuple[str, float]] = []
        self._name = ""
        self._began = self._shown = 0.0
        self._drawn = False

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One named step, timed. Steps follow each other; they do not nest."""
        self._name, self._began = name, self.clock()
        self._shown = self._began
        self._draw(name) if self.live else self._line(f"{name} ...")
        try:
            yield
        finally:
            self._wipe()
        seconds = self.clock() - self._began
        self.times.append((name, seconds))
        self._line(f"{name:<22} {seconds:6.1f} s")

    @contextmanager
    def phases(self, unit: str = "") -> Iterator[Callable[[str, int, int], None]]:
        """Steps that what runs names itself: a new name given to `told(name, done, total)` begins a new step."""
        with ExitStack() as stack:
            now = ""

            def told(name: str, done: int, total: int) -> None:
                nonlocal now
                if name != now:
                    stack.close()
                    stack.enter_context(self.step(name))
                    now = name
                self.at(done, total, unit)

            yield told

    def at(self, done: int, total: int = 0, unit: str = "B") -> None:
        """How far the step is: `done` of `total` (0: not known) bytes ("B") or things by their plural ("files")."""
        now = self.clock()
        if now - self._shown < (DRAWN_EVERY if self.live else SAID_EVERY) and not (self.live and done == total):
            return
        self._shown = now
        text = far(self._name, done, total, unit, now - self._began)
        self._draw(text) if self.live else self._line(text)

    def note(self, text: str) -> None:
        """A line that stays."""
        self._wipe()
        self._line(text)

    def _line(self, text: str) -> None:
        self._write(text + "\n")

    def _draw(self, text: str) -> None:
        width = max(20, shutil.get_terminal_size().columns - 1)
        self._write("\r" + text[:width] + "\x1b[K")
        self._drawn = True

    def _wipe(self) -> None:
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _write(self, text: str) -> None:
        if self.out is None:
            return
        try:
            self.out.write(text)
            self.out.flush()
        except (OSError, ValueError):
            self.out = None


def far(name: str, done: int, total: int, unit: str, seconds: float) -> str:
    """One line: name, bar, how much, how fast, how long still (what is not known is left out)."""
    words = [f"{name:<14}"]
    if total:
        full = min(_BAR, _BAR * done // total)
        words.append(f"[{'#' * full}{'.' * (_BAR - full)}] {100 * done // total:3d} %")
    words.append(amount(done, unit) + (f" of {amount(total, unit)}" if total else ""))
    if seconds >= 1 and done:
        rate = done / seconds
        words.append(f"{amount(int(rate))}/s" if unit == "B" else f"{rate:.1f} {unit}/s")
        if total > done:
            words.append(f"{span((total - done) / rate)} left")
    return "  ".join(words)


def amount(count: int, unit: str = "B") -> str:
    """A count of bytes in decimal units as cards are sold in, or of things."""
    if unit != "B":
        return f"{count} {unit}"
    for size, word in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= size:
            return f"{count / size:.1f} {word}"
    return f"{count} B"


def span(seconds: float) -> str:
    """A length of time for a person: `42 s`, `3 min 05 s`, `1 h 02 min`."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
