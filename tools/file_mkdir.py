"""Make a folder and what is missing above it."""

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
    return f"make the folder {args['path']}"


def run(args: Args, hands: Hands) -> Observation:
    made = list(hands.files.mkdir(args["path"])["folders"])
    text = f"made {', '.join(made)}" if made else f"{args['path']} is a folder already"
    return Observation(True, text, {"path": args["path"], "folders": made})


TOOL = Tool(
    name="file_mkdir",
    about="Make a folder, with missing ones above it.",
    schema={
        "type": "object",
        "properties": {"path": {"type": "string", "minLength": 1}},
        "required": ["path"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=logs/2024",),
)
