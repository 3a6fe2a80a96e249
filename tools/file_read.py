"""Read a window of lines of a file, or list a folder."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

LINES = 200


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", f"file:{args['path']}"),)


def words(args: Args, scene: Scene) -> str:
    return f"read {args['path']}"


def run(args: Args, hands: Hands) -> Observation:
    found = hands.files.read(args["path"], args.get("offset", 1), args.get("limit", LINES))
    if "entries" in found:
        return Observation(True, "\n".join(found["entries"]) or "the folder is empty", found, untrusted=True)
    text = found["text"]
    facts = {key: found[key] for key in ("path", "place", "first", "lines", "more")}
    if found["more"]:
        text += f"\n[more: go on with offset={found['first'] + found['lines']}]"
    return Observation(True, text or "[no lines here]", facts, untrusted=True)


TOOL = Tool(
    name="file_read",
    about="Read lines of a text file, or list a folder.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 2000, "description": f"lines, {LINES} if absent"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=notes.txt", "path=log.txt offset=200 limit=50", "path=."),
)
