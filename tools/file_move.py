"""Move or rename a file, a link or a folder; never onto something unless that is asked for."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    """The source is read too: its words stand under another name then, and what is known of them goes with them."""
    source, target = f"file:{args['source']}", f"file:{args['target']}"
    return Effect("read", source, True), Effect("write", source, True), Effect("write", target, True)


def words(args: Args, scene: Scene) -> str:
    return f"move {args['source']} to {args['target']}" + ", replacing what is there" * bool(args.get("overwrite"))


def run(args: Args, hands: Hands) -> Observation:
    source, target = args["source"], args["target"]
    done = hands.files.move(source, target, bool(args.get("overwrite")))
    what = _count(done["files"], "file") + f" and {_count(done['folders'], 'folder')}" * bool(done["folders"])
    text = f"moved {source} to {target} ({what}, {done['bytes']:,} bytes)"
    if done["made"]:
        text += f"; made {', '.join(done['made'])}"
    return Observation(True, text, {"source": source, "target": target, **done})


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


TOOL = Tool(
    name="file_move",
    about="Move or rename a file or folder; target is its whole new path.",
    schema={
        "type": "object",
        "properties": {
            "source": {"type": "string", "minLength": 1},
            "target": {"type": "string", "minLength": 1},
            "overwrite": {"type": "boolean", "description": "replace a file that is there"},
        },
        "required": ["source", "target"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("source=draft.txt target=notes/final.txt", "source=a.txt target=b.txt overwrite=true"),
)
