"""What a person sees while an image is built or a card is written: one line that moves, or plain lines.

Rules:
1. On a terminal one line is drawn over and over, at most ten times a second, with the rate and the time left where
   they can be told. Elsewhere, and on a terminal that cannot draw (TERM=dumb), nothing is drawn over: a step says that
   it begins, and every 15 seconds how far it is. A line is as wide as the terminal that it is drawn on: first the bar
   is left out, then the rate, then the name.
2. A step that ends leaves one line: its name and its seconds. The times are kept for the report.
3. Whether anybody looks changes nothing: a stream that is closed or full is nobody, and the work goes on.
4. Time left is what the rate of this step so far says, not earlier than after a second.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

from edge.text import visible

DRAWN_EVERY, SAID_EVERY = 0.1, 15.0
_BAR, _SMALL = 24, 10


class Progress:
    """Tells on `out` (usually stderr) what goes on. Without `out` nothing is told, and times are kept all the same."""

    def __init__(
        self, out: TextIO | None, live: bool | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.out = out
        self.live = bool(out is not None and out.isatty() and _draws()) if live is None else live
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
        seconds = now - self._began
        if self.live:
            self._draw(far(self._name, done, total, unit, seconds, self._width()))
        else:
            self._line(far(self._name, done, total, unit, seconds))

    def note(self, text: str) -> None:
        """A line that stays."""
        self._wipe()
        self._line(text)

    def _line(self, text: str) -> None:
        self._write("\n".join(visible(line, 4000) for line in text.split("\n")) + "\n")

    def _draw(self, text: str) -> None:
        self._write("\r" + text[: self._width()] + "\x1b[K")
        self._drawn = True

    def _width(self) -> int:
        """Columns of the terminal that is drawn on, one left free; stdout may be another, or none."""
        try:
            columns = os.get_terminal_size(self.out.fileno()).columns if self.out is not None else 0
        except (OSError, ValueError):
            columns = 0
        return max(10, (columns or shutil.get_terminal_size().columns) - 1)

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


def _bar(done: int, total: int, length: int) -> str:
    full = min(length, length * done // total) if total else 0
    return f"[{'#' * full}{'.' * (length - full)}] " if total else ""


def _draws() -> bool:
    """Whether the terminal knows how to wipe a line: all do but those that say so."""
    return os.environ.get("TERM", "dumb") not in ("", "dumb")


def far(name: str, done: int, total: int, unit: str, seconds: float, width: int = 1000) -> str:
    """One line: name, bar, how much, how fast, how long still (what is not known is left out), in `width` columns."""
    bar, small = (_bar(done, total, length) for length in (_BAR, _SMALL))
    share = f"{100 * done // total:3d} %" if total else ""
    much = amount(done, unit) + (f" of {amount(total, unit)}" if total else "")
    rate = done / seconds if seconds >= 1 else 0.0
    fast = (f"{amount(int(rate))}/s" if unit == "B" else f"{rate:.1f} {unit}/s") if rate else ""
    left = f"{span((total - done) / rate)} left" if rate and total > done else ""
    forms = (
        (f"{name:<14}", bar + share, much, fast, left),
        (name, small + share, much, fast, left),
        (name, share, much, fast, left),
        (name, share, much, left),
        (name, share, left),
        (name, share),
        (share or much,),
    )
    lines = ["  ".join(word for word in form if word) for form in forms]
    return next((line for line in lines if len(line) <= width), lines[-1])


def amount(count: int, unit: str = "B") -> str:
    """A count of bytes in decimal units as cards are sold in, or of things."""
    if unit != "B":
        return f"{count} {unit}"
    for size, word in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= size:
            return f"{count / size:.1f} {word}"
    return f"{count} B"


def beyond(need: int, have: int) -> str:
    """An amount that is larger than another one, so that the difference shows: `15.9 GB, 512 B more`."""
    return amount(need) if amount(need) != amount(have) else f"{amount(need)}, {need - have} B more"


def span(seconds: float) -> str:
    """A length of time for a person: `42 s`, `3 min 05 s`, `1 h 02 min`."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
