"""A model that knows one call: for `fieldhand tool NAME` and for text commands, where a person chose the step.

First reply: the call. Second reply: what came of it, as the answer, to the letter: given to `final`, for the text of
a reply is trimmed and freed of thoughts. The call passes the same table, gate and tape as any other.
"""

from __future__ import annotations

from edge.model import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args
    from edge.model import Request


class Direct:
    """Implements the model protocol for one call of `tool` with `args`."""

    name = "direct"
    mode = "native"
    endpoint = ""

    def __init__(self, tool: str, args: Args) -> None:
        self._call: dict[str, Any] | None = {"function": {"name": tool, "arguments": dict(args)}}
        self.failed = False

    def ask(self, request: Request) -> Reply:
        if self._call is not None:
            call, self._call = self._call, None
            return Reply({"role": "assistant", "content": "", "tool_calls": [call]}, "native")
        last = request.context.entries[-1]
        self.failed = last.role == "observation" and not last.ok
        seen = any(letter.isprintable() and not letter.isspace() for letter in last.text)
        done = {"function": {"name": "final", "arguments": {"text": last.text if seen else "(nothing)"}}}
        return Reply({"role": "assistant", "content": "", "tool_calls": [done]}, "native")

    def cut(self) -> None:
        """Nothing runs that could be cut."""

    def close(self) -> None:
        """Nothing is open."""
