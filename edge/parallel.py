"""`parallel`: one to four reads in one step. Grammar of a step, no tool: each inner call is decided by itself. Pure.

Rules:
1. Its input is {"calls": [{"action": NAME, "input": OBJECT or its JSON text}, ...]}, 1 to MOST of them.
2. Only INNER may stand in it, and of requests only those that read: no shell, no writes, no `parallel`.
3. The observations come in the order of the calls and share SHARE bytes.
"""

from __future__ import annotations

from edge.faults import UsageFault
from edge.gate.names import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

NAME = "parallel"
MOST = 4
SHARE = 12288  # bytes of all observations together
INNER = ("file_read", "grep", "glob", "outline", "http_request", "web_fetch")
_READS = ("GET", "HEAD")
_FORM = '{"calls": [{"action": "grep", "input": {"pattern": "..."}}, ...]}'


def inner(given: Any) -> list[tuple[str, Any]]:
    """(action, input) of each inner call; UsageFault for what is none."""
    calls = given.get("calls") if hasattr(given, "get") else None
    if not isinstance(calls, (list, tuple)) or set(given) != {"calls"}:
        raise UsageFault("parallel takes one list, calls", _FORM)
    if not 1 <= len(calls) <= MOST:
        raise UsageFault(f"parallel takes 1 to {MOST} calls, not {len(calls)}")
    return [_one(call, number) for number, call in enumerate(calls, 1)]


def _one(call: Any, number: int) -> tuple[str, Any]:
    if not hasattr(call, "get") or not isinstance(call.get("action"), str) or not set(call) <= {"action", "input"}:
        raise UsageFault(f"call {number} of parallel is no object with action and input", _FORM)
    action: str = call["action"]
    if canonical(action) not in INNER:
        raise UsageFault(
            f"call {number} of parallel is {ascii(action[:40])[1:-1]}, and parallel only reads: {', '.join(INNER)}"
        )
    return action, call.get("input")


def changes(tool: str, args: Mapping[str, Any]) -> bool:
    """True for a request that does not only read, or that writes what it fetched."""
    if tool not in ("http_request", "web_fetch"):
        return False
    return str(args.get("method", "GET")).upper() not in _READS or bool(args.get("save_to") or args.get("body"))


def parent(number: int) -> str:
    """What stands as the parent of each of `number` calls."""
    return f"{NAME}:{number}"


def room(parent: str, most: int) -> int:
    """The bytes that an observation may have: its own `most`, or its part of SHARE."""
    name, _, number = parent.partition(":")
    return min(most, SHARE // int(number)) if name == NAME and number.isdecimal() else most


def branch(tools: Iterable[str]) -> dict[str, Any] | None:
    """A JSON schema of its input with these tools; None when none of them may stand in it."""
    names = [name for name in tools if name in INNER]
    if not names:
        return None
    call = {
        "type": "object",
        "properties": {"action": {"enum": names}, "input": {"type": "string"}},
        "required": ["action", "input"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"calls": {"type": "array", "items": call}},
        "required": ["calls"],
        "additionalProperties": False,
    }
