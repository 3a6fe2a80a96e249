"""Read what a background shell wrote.

Rules:
1. Offsets count characters of both streams together, in the order they came in, from the first one on. An offset is
   brought into 0..length. The same page can be read as often as wanted, also after the end.
2. One page is at most PAGE bytes of text, or what `limit` asks for up to MOST; `next_offset` is behind what is shown.
3. What is shown is without terminal escapes; offsets count what was written.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.text import plain
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

PAGE = 2048  # bytes without a limit
MOST = 7168  # bytes with one
_FACTS = ("shell_id", "status", "exit_code", "signal", "why", "length", "age")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "memory:jobs"),)


def words(args: Args, scene: Scene) -> str:
    return f"read what the background shell {args['shell_id']} wrote"


def run(args: Args, hands: Hands) -> Observation:
    limit = args.get("limit")
    most = PAGE if limit is None else MOST
    found = hands.jobs.output(args["shell_id"], args.get("offset", 0), most if limit is None else min(limit, most))
    text = _within(found["output"], most)
    after = found["start"] + len(text)
    said = [f"[{found['skipped']} characters before this are not kept: the newest are]"] if found["skipped"] else []
    said += [plain(text).rstrip("\n")] if text else []
    more = found["length"] - after
    if more > 0:
        said.append(f"[{more} characters more: go on with offset={after}]")
    said.append(f"[{found['words']}; next_offset={after}]")
    facts = {name: found[name] for name in _FACTS}
    return Observation(True, "\n".join(said), {**facts, "output": plain(text), "next_offset": after}, True)


def _within(text: str, most: int) -> str:
    """The beginning of `text` that takes at most `most` bytes."""
    raw = text.encode("utf-8", "replace")
    return text if len(raw) <= most else raw[:most].decode("utf-8", "ignore")


TOOL = Tool(
    name="bash_output",
    about="Read what a background shell wrote, from any character on, and whether it still runs.",
    schema={
        "type": "object",
        "properties": {
            "shell_id": {"type": "string", "minLength": 1, "maxLength": 80},
            "offset": {"type": "integer", "description": "in characters"},
            "limit": {"type": "integer", "minimum": 0},
        },
        "required": ["shell_id"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("shell_id=sh-3", "shell_id=sh-3 offset=4096 limit=2000"),
)
