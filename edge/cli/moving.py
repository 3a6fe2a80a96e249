"""How far something long is: one line of stderr that moves on a terminal, plain lines now and then elsewhere."""

from __future__ import annotations

import sys
import time

from edge.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DRAWN_EVERY = 0.2  # seconds, on a terminal
SAID_EVERY = 15.0  # seconds, elsewhere
WIDTH = 79


class Moving:
    """Call it with a phase, the bytes done and of how many (0: not known). `words` are what people call the phases."""

    def __init__(self, words: dict[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        self._words = words
        self._clock = clock
        self._drawn = sys.stderr is not None and sys.stderr.isatty()
        self._phase = ""
        self._from = 0
        self._began = self._shown = 0.0
        self._open = False

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = self._clock()
        if phase != self._phase:
            self.end()
            self._phase, self._from, self._began, self._shown = phase, done, now, now - SAID_EVERY
        whole = done == total
        if now - self._shown < (DRAWN_EVERY if self._drawn else SAID_EVERY) and not whole:
            return
        self._shown = now
        text = line(self._words.get(phase, phase), done, total, done - self._from, now - self._began)
        if not self._drawn:
            say(text)
            return
        self._write("\r" + text[:WIDTH].ljust(WIDTH))
        self._open = True

    def end(self) -> None:
        """What comes next begins on a line of its own."""
        if self._open:
            self._write("\n")
            self._open = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            self._drawn = False  # nobody looks any more


def line(what: str, done: int, total: int, moved: int, seconds: float) -> str:
    """`what`  12.0 of 34.0 MB  35 %  3.4 MB/s  6 s left, as far as it is known. `moved`: bytes in these seconds."""
    text = f"{what}  {done / 1e6:.1f} MB"
    if total:
        text = f"{what}  {done / 1e6:.1f} of {total / 1e6:.1f} MB  {100 * done // total} %"
    if seconds < 1.0 or moved <= 0:
        return text
    text += f"  {moved / seconds / 1e6:.1f} MB/s"
    left = (total - done) * seconds / moved
    return f"{text}  {_time(left)} left" if total > done else text


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
