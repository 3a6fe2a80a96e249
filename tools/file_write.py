"""Create, replace or lengthen a file in the workspace, whole or not at all; missing folders are made."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    _content(args)
    return (Effect("write", f"file:{args['path']}"),)


def words(args: Args, scene: Scene) -> str:
    size = _size(len(_content(args)))
    if args.get("append"):
        return f"append {size} to {args['path']}"
    return f"write {size} to {args['path']}, replacing it if it is there"


def _size(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"


def _content(args: Args) -> bytes:
    """The bytes to be written; UsageFault when base64 was said and it is none."""
    content: str = args["content"]
    if not args.get("base64"):
        return content.encode("utf-8", "replace")
    import base64

    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except ValueError as error:
        raise UsageFault("content is no base64", "letters, digits, + and /, filled with = to groups of four") from error


def run(args: Args, hands: Hands) -> Observation:
    path = args["path"]
    done = hands.files.put(path, _content(args), bool(args.get("append")))
    count, was, folders = done["bytes"], done["was"], list(done["folders"])
    size = _size(count)
    text = f"appended {size} to {path}" if was == "appended to" else f"wrote {size} to {path} ({was})"
    if folders:
        text += f"; made {', '.join(folders)}"
    return Observation(True, text, {"path": path, "bytes": count, "was": was, "folders": folders})


TOOL = Tool(
    name="file_write",
    about="Create or replace a file with its folders, or append.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "content": {"type": "string", "maxLength": 1048576},
            "append": {"type": "boolean"},
            "base64": {"type": "boolean"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=notes.txt content='valve 3 sticks'", "path=log.txt content='12:00 ok' append=true"),
)
