"""Asks the person at the terminal, without ever waiting longer than a tick."""

from __future__ import annotations

import os
import select
import sys
import termios
import time

from edge.approve import Answer
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.approve import Question

_YES = ("y", "yes")


class Terminal:
    """An approver that reads whole lines from stdin and shows questions on stderr."""

    def __init__(self) -> None:
        self._until = 0.0
        self._seconds = 0.0
        self._typed = b""

    def at_once(self, question: Question) -> Answer | None:
        """Show the whole question; the answer comes through `poll`. What was typed before it is no answer."""
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        self._seconds = question.seconds
        self._until = time.monotonic() + question.seconds
        self._typed = b""
        sys.stderr.write(f"? {plain(question.words)}\n  {question.risk} risk [{question.rule}]. Allow it? [y/N] ")
        sys.stderr.flush()
        return None

    def poll(self, seconds: float) -> Answer | None:
        """Wait at most `seconds` for a line; anything but yes is a no."""
        if time.monotonic() > self._until:
            sys.stderr.write("\n")
            return Answer(False, "nobody", f"nobody answered within {self._seconds:.0f} s")
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        if not ready:
            return None
        piece = os.read(sys.stdin.fileno(), 4096)
        self._typed += piece
        if piece and b"\n" not in self._typed:
            return None
        said = self._typed.decode("utf-8", "replace").strip().lower()
        if said in _YES:
            return Answer(True, "operator")
        return Answer(False, "operator", "the operator said no")
