"""Find what was remembered, by words or the newest."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

ROOM = 8000  # bytes of text
DATA = 16_000  # bytes of contents as JSON values
_HEAD = 400  # bytes at most of what stands before a content, its key's 200 characters cut to this


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "memory:store"),)


def words(args: Args, scene: Scene) -> str:
    return "look into what was remembered"


def run(args: Args, hands: Hands) -> Observation:
    query = args.get("query", "").strip()
    query = "" if query == "*" else query
    found = hands.memory.recall(query, args.get("limit", 5), args.get("since", ""), args.get("until", ""))
    entries = found["entries"]
    if not entries:
        return Observation(True, "nothing found", {"entries": []}, untrusted=True)
    said = ["[none has all these words; these have some]"] * bool(found["some"])
    more = ["[more: a larger limit, other words, or since= and until=]"] * bool(found["more"])
    whole = "\n".join([*said, *[_block(entry, 1 << 30) for entry in entries], *more])
    each = (ROOM - 200) // len(entries)
    text = "\n".join([*said, *[_block(entry, each) for entry in entries], *more])
    data = {"entries": [_cut(entry, DATA // len(entries)) for entry in entries], "some": found["some"]}
    return Observation(True, text, data, untrusted=True, whole="" if text == whole else whole)


def _block(entry: Mapping[str, Any], room: int) -> str:
    """One entry in at most `room` bytes, its further lines set in."""
    from edge.text import clip, plain

    source = f", untrusted, from {entry['source'][:60]}" if entry["source"] else ""
    head = clip(f"{plain(entry['key'])} ({plain(entry['category'])}, {entry['date']}{source}): ", min(room, _HEAD))
    content = plain(entry["content"]).strip().replace("\n", "\n  ")
    return head + clip(content, max(0, room - len(head.encode()) - 1))


def _cut(entry: Mapping[str, Any], room: int) -> dict[str, Any]:
    from edge.text import clip

    return {**entry, "content": clip(entry["content"], max(100, room - 500))}


TOOL = Tool(
    name="memory_recall",
    about="Find what was remembered, by words or the newest.",
    schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "maxLength": 1000},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
            "since": {"type": "string", "minLength": 1, "maxLength": 40},
            "until": {"type": "string", "minLength": 1, "maxLength": 40},
        },
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("query='pump voltage'", "limit=10 since=2026-05-20"),
)
