"""The open question of one agent, as other threads see it.

Rules:
1. In memory alone. One question at a time; its id is random, belongs to its digest and is never used again.
2. An answer counts when the loop takes it, and whoever gave it hears of that: what was not taken within TAKEN seconds
   is taken back, so that a loop that hangs does not act on it later.
3. A question that the loop has not asked after for STALE seconds is not open: it cannot be answered.
4. What became of the last KEPT questions is remembered, for the sentence to whoever comes late.
"""

from __future__ import annotations

import os
import time

from edge.approve import no, unanswered, yes
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.approve import Answer, Question

TAKEN = 2.0
STALE = 3.0
KEPT = 64
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else
LENGTH = 6


class Open(Record):
    """A question with its id and its end (monotonic)."""

    id: str
    question: Question
    until: float


class Said(Record):
    """What came of an answer: `ok`, or why not; `known` is False when no question here ever had that id."""

    ok: bool
    known: bool
    sentence: str


class Queue:
    """Filled and asked after by the loop, answered by any thread."""

    def __init__(self) -> None:
        import _thread

        self._lock: Any = _thread.allocate_lock()
        self._bell: Any = _thread.allocate_lock()  # free when there is something for `poll` to see
        self._bell.acquire()
        self._open: Open | None = None
        self._answer: Answer | None = None
        self._asked = 0.0
        self._past: dict[str, str] = {}

    def put(self, question: Question) -> str:
        """Open a question: its id. The one before it is over."""
        with self._lock:
            self._end("it was replaced by another question")
            now = time.monotonic()
            self._open = Open(self._id(), question, now + question.seconds)
            self._asked = now
            return self._open.id

    def poll(self, seconds: float) -> Answer | None:
        """Take the answer, or no answer in time, once; None after at most `seconds` without either."""
        answer = self._take()
        if answer is None and self._open is not None and self._bell.acquire(True, max(0.0, seconds)):
            answer = self._take()
        return answer

    def over(self, said: str) -> None:
        """The question needs no answer any more."""
        with self._lock:
            self._end(said)

    def rows(self) -> list[dict[str, Any]]:
        """What is open, as plain values, whole."""
        with self._lock:
            one, now = self._open, time.monotonic()
            if one is None or self._answer is not None or self._closed(one, now):
                return []
            asked = one.question
            return [
                {
                    "id": one.id,
                    "tape": asked.tape,
                    "pid": os.getpid(),
                    "tool": asked.call.tool,
                    "args": dict(asked.call.args),
                    "words": asked.words,
                    "sentence": asked.sentence,
                    "risk": asked.risk,
                    "rule": asked.rule,
                    "effects": list(asked.effects),
                    "remarks": list(asked.remarks),
                    "digest": asked.digest,
                    "left": round(one.until - now, 1),
                }
            ]

    def answer(self, name: str, allow: bool, text: str, by: str) -> Said:
        """Answer the question called `name`, and wait until the loop has taken that."""
        given = yes(by) if allow else no(by, text)
        with self._lock:
            one = self._open
            if one is None or one.id != name:
                return self._late(name)
            if self._answer is not None:
                return Said(False, True, f"{name} was already answered by {self._answer.by}")
            if self._closed(one, time.monotonic()):
                return Said(False, True, f"{name} cannot be answered: its time is over, or the agent hangs")
            self._answer = given
            self._ring()
        until = time.monotonic() + TAKEN
        while time.monotonic() < until:
            with self._lock:
                if self._answer is not given:
                    taken = self._past.get(name) == _became(given)
                    return Said(True, True, "") if taken else self._late(name)
            time.sleep(0.005)
        with self._lock:
            if self._answer is given:
                self._answer = None
                return Said(False, True, f"{name} was not answered: the agent did not take it within {TAKEN:g} s")
            return Said(True, True, "") if self._past.get(name) == _became(given) else self._late(name)

    def _take(self) -> Answer | None:
        with self._lock:
            self._bell.acquire(False)
            one, now = self._open, time.monotonic()
            if one is None:
                return None
            self._asked = now
            answer = self._answer
            if now >= one.until:
                answer = unanswered(one.question.seconds)
            if answer is not None:
                self._end(_became(answer))
            return answer

    def _end(self, became: str) -> None:
        if self._open is None:
            return
        self._past[self._open.id] = became
        if len(self._past) > KEPT:
            del self._past[next(iter(self._past))]
        self._open = self._answer = None

    def _late(self, name: str) -> Said:
        became = self._past.get(name)
        if became is None:
            return Said(False, False, f"no question is called {name}")
        return Said(False, True, f"{name} is over: {became}")

    def _closed(self, one: Open, now: float) -> bool:
        return now >= one.until or now > self._asked + STALE

    def _ring(self) -> None:
        self._bell.acquire(False)
        self._bell.release()

    def _id(self) -> str:
        while True:
            made = "".join([LETTERS[byte % len(LETTERS)] for byte in os.urandom(LENGTH)])
            if made not in self._past:
                return made


def _became(answer: Answer) -> str:
    """How a question that was answered is remembered."""
    if answer.by == "nobody":
        return answer.sentence
    what = "allowed" if answer.yes else "answered with other words" if answer.text else "not allowed"
    return f"{what} by {answer.by}"
