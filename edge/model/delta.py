"""One reply put together from what the server sent: a whole chat completion, or the pieces of a streamed one. Pure.

Rules:
1. What is not a chat completion is a ValueError with words for a sentence; members that are not known are ignored.
2. The pieces of a tool call belong together by `index`; another id at the same index begins another call, and a
   piece without index goes on with the last call (servers differ).
3. A surrogate pair that was torn between two pieces becomes its character; half of one becomes U+FFFD.
"""

from __future__ import annotations

from edge.model import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_CALLS = 256


class Built:
    """What there is of a reply so far. `finish` is "" until the server says why it stopped."""

    def __init__(self) -> None:
        self.finish = ""
        self.usage: Usage | None = None
        self.refusal = ""
        self._text: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._places: dict[Any, int] = {}

    @property
    def text(self) -> str:
        """The text so far."""
        return clean("".join(self._text))

    @property
    def begun(self) -> bool:
        """True when something of a reply came: whoever sent it speaks chat completions."""
        return bool(self._text or self._calls or self.finish)

    def message(self) -> dict[str, Any]:
        """The assistant message, as chat completions have it."""
        said: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self._calls:
            said["tool_calls"] = [_closed(call) for call in self._calls]
        return said

    def take(self, value: Any) -> str:
        """A whole chat completion or one chunk of a streamed one; the text that it added."""
        if not isinstance(value, dict):
            raise ValueError(f"it is {type(value).__name__}, not an object")
        self.usage = usage(value.get("usage")) or self.usage
        choices = value.get("choices")
        if choices == [] or (choices is None and "usage" in value):
            return ""
        if not isinstance(choices, list) or not isinstance(choices[0], dict):
            raise ValueError("it has no choices")
        choice = choices[0]
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]
        part = choice.get("message") or choice.get("delta")
        if part is None:
            return ""
        if not isinstance(part, dict):
            raise ValueError("its message is not an object")
        return self._part(part)

    def _part(self, part: Mapping[str, Any]) -> str:
        if isinstance(part.get("refusal"), str):
            self.refusal += part["refusal"]
        calls = part.get("tool_calls")
        if calls is not None and not isinstance(calls, list):
            raise ValueError("its tool_calls are not a list")
        for call in calls or ():
            self._call(call)
        text = _content(part.get("content"))
        if text:
            self._text.append(text)
        return text

    def _call(self, piece: Any) -> None:
        if not isinstance(piece, dict):
            raise ValueError("a tool call is not an object")
        function = piece.get("function") or {}
        if not isinstance(function, dict):
            raise ValueError("the function of a tool call is not an object")
        call = self._place(piece.get("index"), piece.get("id"))
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and name != call["name"] and not call["arguments"]:
            call["name"] += name
        if isinstance(arguments, str):
            call["arguments"].append(arguments)
        elif arguments is not None:
            call["value"] = arguments

    def _place(self, index: Any, name: Any) -> dict[str, Any]:
        """The call that a piece belongs to (rule 2)."""
        name = name if isinstance(name, str) else ""
        at = self._places.get(index) if isinstance(index, int) else len(self._calls) - 1
        if at is None or at < 0 or (name and self._calls[at]["id"] not in ("", name)):
            if len(self._calls) >= MOST_CALLS:
                raise ValueError(f"it has more than {MOST_CALLS} tool calls")
            at = len(self._calls)
            self._calls.append({"id": "", "name": "", "arguments": [], "value": None})
        if isinstance(index, int):
            self._places[index] = at
        call = self._calls[at]
        call["id"] = call["id"] or name
        return call


def _closed(call: Mapping[str, Any]) -> dict[str, Any]:
    """One finished tool call. Arguments stay as they came: text, or the value that some servers send."""
    given = call["value"] if call["value"] is not None else clean("".join(call["arguments"]))
    return {"id": call["id"], "type": "function", "function": {"name": clean(call["name"]), "arguments": given}}


def _content(content: Any) -> str:
    """Text, or the text of a list of parts."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    raise ValueError("its content is not text")


def usage(counted: Any) -> Usage | None:
    """Tokens as the server counted them; None when it did not, or not in whole numbers."""
    if not isinstance(counted, dict):
        return None
    prompt, completion = counted.get("prompt_tokens"), counted.get("completion_tokens")
    if type(prompt) is int and type(completion) is int and prompt >= 0 and completion >= 0:
        return Usage(prompt, completion)
    return None


def clean(text: str) -> str:
    """Text that can be encoded (rule 3)."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
