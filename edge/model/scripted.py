"""A model that says what it was told to: for tests, demonstrations and replayed conversations.

A script is a list of replies, or a file with one JSON value a line: a string is a reply in mode `json`, an object
an assistant message in mode `native`; {"delay": seconds, "reply": ...} waits first, {"fault": "sentence"} fails.
"""

from __future__ import annotations

import time

from edge.faults import BudgetFault, ConfigFault, ModelFault
from edge.model import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from edge.model import Request

LOOK = 0.02


class Scripted:
    """Gives the replies in order; `mode` is that of the first."""

    endpoint = ""

    def __init__(self, replies: Sequence[Any], name: str = "scripted") -> None:
        self.name = name
        self._replies = list(replies)
        self._next = 0
        self._cut = False
        first = _bare(self._replies[0]) if self._replies else ""
        self.mode = "json" if isinstance(first, str) else "native"

    @classmethod
    def load(cls, path: str) -> Scripted:
        """The script of a file; ConfigFault with the line that cannot be read."""
        import json

        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigFault(f"the script {path} cannot be read: {error}", key="model") from error
        replies = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                replies.append(json.loads(line))
            except ValueError as error:
                raise ConfigFault(f"is no JSON value: {error}", "one reply a line", f"{path}:{number}") from error
            if not isinstance(replies[-1], (str, dict)):
                raise ConfigFault("is neither text nor an object", "one reply a line", f"{path}:{number}")
        return cls(replies, f"scripted:{path}")

    def ask(self, request: Request) -> Reply:
        """The next reply; ModelFault when the script is used up or says so, BudgetFault past the deadline."""
        self._cut = False
        if self._next >= len(self._replies):
            raise ModelFault(f"the script {self.name} is used up after {self._next} replies")
        reply = self._replies[self._next]
        self._next += 1
        if isinstance(reply, dict) and "delay" in reply:
            self._wait(float(reply["delay"]), request.seconds)
        if isinstance(reply, dict) and "fault" in reply:
            raise ModelFault(str(reply["fault"]))
        raw = _bare(reply)
        if isinstance(raw, str):
            request.heard(raw)
            return Reply(raw, "json")
        if isinstance(raw.get("content"), str) and raw["content"]:
            request.heard(raw["content"])
        return Reply(raw, "native")

    def _wait(self, seconds: float, allowed: float) -> None:
        now = time.monotonic()
        end, last = now + seconds, now + allowed
        while time.monotonic() < end:
            if self._cut:
                raise ModelFault(f"{self.name} was cut off")
            if time.monotonic() > last:
                raise BudgetFault(f"{self.name} gave no reply within {allowed:g} s")
            time.sleep(LOOK)

    def cut(self) -> None:
        self._cut = True

    def close(self) -> None:
        """Nothing is open."""


def _bare(reply: Any) -> Any:
    return reply["reply"] if isinstance(reply, dict) and "reply" in reply else reply
