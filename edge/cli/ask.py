"""Asks the person at the terminal, without ever waiting longer than a tick.

What is asked is shown whole and written out (edge.cli.asked): the physical words, and under them what the gate says
the call touches, by its normalised name.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time

from edge.approve import LONGEST_TEXT, Answer, no, unanswered, yes
from edge.cli import telling
from edge.cli.asked import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.approve import Question
    from edge.cli.printer import Printer

_YES = ("y", "yes")
_NO = ("", "n", "no")
_TEXT = ("t", "text")


class Terminal:
    """An approver that reads whole lines from stdin and shows questions on stderr, or on what it is given."""

    def __init__(self, descriptor: int = -1, printer: Printer | None = None) -> None:
        self._descriptor = descriptor if descriptor >= 0 else sys.stdin.fileno()
        self._printer = printer or telling()
        self._until = 0.0
        self._seconds = 0.0
        self._typed = b""
        self._open = False
        self._wants_text = False

    def at_once(self, question: Question) -> Answer | None:
        """Show the whole question; the answer comes through `poll`. What was typed before it is not an answer."""
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        self._seconds = question.seconds
        self._until = time.monotonic() + question.seconds
        self._typed = b""
        self._open, self._wants_text = True, False
        # One piece: a printer that nobody reads drops all of it, never the question without its prompt.
        shown = lines(question, (self._printer.width or 80) - 1)
        self._printer.ask("\n".join([*shown, "  Allow it, or tell it something else? [y/N/t] "]))
        return None

    def poll(self, seconds: float) -> Answer | None:
        """Wait at most `seconds` for a line: y, n or nothing, t with words for the model; else it is asked again."""
        if not self._open:
            return None
        if time.monotonic() > self._until:
            return self._ended(unanswered(self._seconds), "")
        ready, _, _ = select.select([self._descriptor], [], [], seconds)
        if not ready:
            return None
        try:
            piece = os.read(self._descriptor, 4096)
        except OSError:
            piece = b""
        if not piece:
            return self._ended(Answer(False, "nobody", "the terminal was closed before there was an answer"), "")
        self._typed = (self._typed + piece)[: 4 * LONGEST_TEXT]
        if b"\n" not in piece:
            return None
        said = self._typed.decode("utf-8", "replace").strip()
        self._typed = b""
        answer = self._read(said)
        return None if answer is None else self._ended(answer)

    def over(self, said: str) -> None:
        """Somebody else answered, or the question is void: what is being typed answers nothing."""
        if self._open:
            self._open = False
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            self._printer.answered(f"\n  (no answer is needed any more: {said})")

    def close(self) -> None:
        """The terminal stays as it is."""
        self._open = False
        self._printer.answered()

    def _ended(self, answer: Answer, *last: str) -> Answer:
        """`last` ends the line of a question behind which nobody typed."""
        self._open = False
        self._printer.answered(*last)
        return answer

    def _read(self, said: str) -> Answer | None:
        """What one line means; None, and another prompt, when it is no answer yet."""
        if self._wants_text:
            return no("operator", said)
        word, _, text = said.partition(" ")
        if said.lower() in _YES:
            return yes("operator")
        if said.lower() in _NO:
            return no("operator")
        if word.lower() in _TEXT and text.strip():
            return no("operator", text)
        if word.lower() in _TEXT:
            self._wants_text = True
            self._printer.ask("  What shall the model be told instead? ")
        else:
            self._printer.ask("  Please answer y, n or t (t: words for the model instead): ")
        return None


def announce(question: Question, name: str) -> None:
    """Say on stderr that a question waits for `fieldhand approvals`: whole, with how to answer it."""
    printer = telling()
    shown = lines(question, (printer.width or 80) - 1)
    waits = f"  waits at most {question.seconds:.0f} s: fieldhand approvals approve {name}, or deny {name} [TEXT]"
    printer.say("\n".join([*shown, waits]))


def trace_asked(question: Question, name: str) -> None:
    """The same as one JSON object on a line of its own, for `--trace json`."""
    import json

    told = {
        "event": "asked",
        "mono": round(time.monotonic(), 6),
        "id": name,
        "call": question.call.id,
        "words": question.words,
        "risk": question.risk,
        "rule": question.rule,
        "sentence": question.sentence,
        "effects": question.effects,
        "remarks": question.remarks,
        "digest": question.digest,
        "seconds": question.seconds,
    }
    telling().say(json.dumps(told, ensure_ascii=True))
