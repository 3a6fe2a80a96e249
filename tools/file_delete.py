"""Delete a file or a folder: into the bounded trash of its root, from where file_move brings it back, or for good."""

from __future__ import annotations

from edge.call import TRASH, Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    """It is read too: its words can be brought back from the trash, and what is known of them goes with them."""
    on, deep = f"file:{args['path']}", bool(args.get("recursive"))
    return Effect("read", on, deep), Effect("write", on, deep, "" if args.get("forever") else TRASH)


def words(args: Args, scene: Scene) -> str:
    below = " with all below" * bool(args.get("recursive"))
    return f"delete {args['path']}{below}" + (" for good" if args.get("forever") else " into the trash")


def run(args: Args, hands: Hands) -> Observation:
    path = args["path"]
    done = hands.files.delete(path, bool(args.get("recursive")), bool(args.get("forever")))
    what = f"{done['files']} file{'s' * (done['files'] != 1)}"
    if done["folders"]:
        what += f" and {done['folders']} folder{'s' * (done['folders'] != 1)}"
    text = f"deleted {path} ({what}, {done['bytes']:,} bytes)"
    if done["trash"]:
        text += f"; it is in the trash: file_move brings it back from {done['trash']}"
    if done["dropped"]:
        text += f"; {done['dropped']} of the oldest left the trash for good to make room"
    return Observation(True, text, {"path": path, **done})


TOOL = Tool(
    name="file_delete",
    about="Delete a file or folder; it goes to a trash unless forever=true.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "recursive": {"type": "boolean", "description": "a folder with all below"},
            "forever": {"type": "boolean"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=old.log", "path=build recursive=true"),
)
