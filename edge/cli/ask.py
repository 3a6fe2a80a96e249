"""Asks the person at the terminal, without ever waiting longer than a tick.

What is asked is shown whole and written out (edge.text.visible): the physical words, and under them what the gate
says the call touches, by its normalised name.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time

from edge.approve import Answer
from edge.cli import telling
from edge.text import fold, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.approve import Question

_YES = ("y", "yes")
_NO = ("", "n", "no")


class Terminal:
    """An approver that reads whole lines from stdin and shows questions on stderr."""

    def __init__(self) -> None:
        self._until = 0.0
        self._seconds = 0.0
        self._typed = b""
        self._printer = telling()

    def at_once(self, question: Question) -> Answer | None:
        """Show the whole question; the answer comes through `poll`. What was typed before it is not an answer."""
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        self._seconds = question.seconds
        self._until = time.monotonic() + question.seconds
        self._typed = b""
        width = self._printer.width or 80
        for line in (
            f"? {visible(question.words)}",
            f"  {question.risk} risk [{question.rule}]: {visible(question.sentence)}",
        ):
            self._printer.say(fold(line, width - 1, "  "))
        self._printer.ask("  Allow it? [y/N] ")
        return None

    def poll(self, seconds: float) -> Answer | None:
        """Wait at most `seconds` for a line: y or yes, n or no or nothing; anything else is asked again."""
        if time.monotonic() > self._until:
            self._printer.say("")
            return Answer(False, "nobody", f"nobody answered within {self._seconds:.0f} s")
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        if not ready:
            return None
        try:
            piece = os.read(sys.stdin.fileno(), 4096)
        except OSError:
            piece = b""
        if not piece:
            return Answer(False, "nobody", "the terminal was closed before there was an answer")
        self._typed += piece
        if b"\n" not in self._typed:
            return None
        said = self._typed.decode("utf-8", "replace").strip().lower()
        self._typed = b""
        if said in _YES:
            return Answer(True, "operator")
        if said in _NO:
            return Answer(False, "operator", "the operator said no")
        self._printer.ask("  Please answer y or n: ")
        return None
