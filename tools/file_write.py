"""Create or replace a file in the workspace, whole or not at all."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("write", f"file:{args['path']}"),)


def words(args: Args, scene: Scene) -> str:
    return f"write {len(_encoded(args))} bytes to {args['path']}, replacing what is there"


def _encoded(args: Args) -> bytes:
    content: str = args["content"]
    return content.encode("utf-8", "replace")


def run(args: Args, hands: Hands) -> Observation:
    count = hands.files.write(args["path"], _encoded(args))
    return Observation(True, f"wrote {count} bytes to {args['path']}", {"path": args["path"], "bytes": count})


TOOL = Tool(
    name="file_write",
    about="Create or replace one text file, atomically.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "content": {"type": "string", "maxLength": 1048576},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=notes.txt content='valve 3 sticks'",),
)
