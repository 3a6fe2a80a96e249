"""A model that says what it was told to: for tests, demonstrations and replayed conversations.

A script is a list of replies, or a file with one JSON value a line: a string is a reply in mode `json`, an object
an assistant message in mode `native`; {"delay": seconds, "reply": ...} waits first, {"fault": "sentence"} fails.
"""

from __future__ import annotations

import json

from edge.faults import BudgetFault, ConfigFault, ModelFault
from edge.model import Reply
from edge.model.cut import Cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from edge.model import Request


class Scripted:
    """Gives the replies in order; `mode` is that of the first. `lines` are their line numbers in a file."""

    endpoint = ""

    def __init__(self, replies: Sequence[Any], name: str = "scripted", lines: Sequence[int] = ()) -> None:
        self.name = name
        self._replies = list(replies)
        self._lines = lines
        self._next = 0
        self._cut = Cut(name)
        said = [reply for reply in map(_bare, self._replies) if isinstance(reply, str) or "fault" not in reply]
        self.mode = "json" if not said or isinstance(said[0], str) else "native"

    @classmethod
    def load(cls, path: str) -> Scripted:
        """The script of a file; ConfigFault with the line that cannot be read."""
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except OSError as error:
            why = (error.strerror or "unknown error").lower()
            raise ConfigFault(
                f"the script {path} cannot be read: {why}", "name one that exists", key="model"
            ) from error
        except UnicodeDecodeError as error:
            raise ConfigFault(
                f"the script {path} cannot be read: it is not UTF-8", "save it as UTF-8", key="model"
            ) from error
        replies, numbers = [], []
        for number, line in enumerate(lines, 1):
            if line.strip():
                replies.append(_value(line, f"{path}:{number}"))
                numbers.append(number)
        return cls(replies, f"scripted:{path}", numbers)

    def ask(self, request: Request) -> Reply:
        """The next reply; ModelFault when the script is used up or says so, BudgetFault past the deadline."""
        self._cut.arm(request.made)
        if self._cut.done:
            raise self._cut.fault()
        if self._next >= len(self._replies):
            after = f"line {self._lines[-1]}" if self._lines else f"{self._next} replies"
            raise ModelFault(f"the script is used up: {self.name} has nothing after {after}")
        reply = self._replies[self._next]
        self._next += 1
        if isinstance(reply, dict) and "delay" in reply:
            self._wait(float(reply["delay"]), request.seconds)
        if isinstance(reply, dict) and "fault" in reply:
            raise ModelFault(str(reply["fault"]))
        raw = _bare(reply)
        text = raw if isinstance(raw, str) else raw.get("content")
        if isinstance(text, str) and text:
            request.heard(text)
        return Reply(raw, "json" if isinstance(raw, str) else "native")

    def _wait(self, seconds: float, allowed: float) -> None:
        """Time passes before the reply comes, and may be too much."""
        self._cut.pause(min(seconds, allowed))
        if seconds > allowed:
            raise BudgetFault(f"{self.name} gave no reply within {allowed:.3g} s")

    def cut(self) -> None:
        """A reply that is waited for does not come."""
        self._cut.cut()

    def close(self) -> None:
        """Nothing is open; a reply that is waited for does not come."""
        self._cut.cut()


def _bare(reply: Any) -> Any:
    return reply["reply"] if isinstance(reply, dict) and "reply" in reply else reply


def _value(line: str, where: str) -> Any:
    """The value of one line of a script."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigFault(f"is not a JSON value: {error}", "one reply a line", where) from error
    said = _bare(value)
    if not isinstance(said, (str, dict)):
        raise ConfigFault("is neither text nor an object", "one reply a line", where)
    delay = value.get("delay", 0) if isinstance(value, dict) else 0
    if type(delay) not in (int, float) or not 0 <= delay < 1e9:
        raise ConfigFault("the delay is not a number of seconds", "for example 0.5", where)
    return value
