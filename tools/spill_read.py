"""Read blocks of a long result that was kept aside."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

BLOCKS = 4  # in one call
_FACTS = ("cursor", "next_cursor", "complete", "blocks", "bytes", "chars", "lines", "tool")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "memory:spill"),)


def words(args: Args, scene: Scene) -> str:
    return f"read the kept result {args['handle']}"


def run(args: Args, hands: Hands) -> Observation:
    backwards = args.get("from_end", False)
    found = hands.spill.blocks(args["handle"], args.get("cursor", 0), args.get("count", 1), backwards)
    end = "beginning" if backwards else "end"
    on = "" if found["complete"] else f"; go on with cursor={found['next_cursor']}"
    said = f"[{found['blocks']} blocks of {found['tool']}{on}{f'; this is the {end}' if found['complete'] else ''}]"
    facts = {name: found[name] for name in _FACTS}
    return Observation(True, f"{found['text']}\n{said}", facts, untrusted=True)


TOOL = Tool(
    name="spill_read",
    about="Read a long result that was kept aside, block by block.",
    schema={
        "type": "object",
        "properties": {
            "handle": {"type": "string", "minLength": 1, "maxLength": 64},
            "cursor": {"type": "integer", "minimum": 0, "description": "block, from 0"},
            "count": {"type": "integer", "minimum": 1, "maximum": BLOCKS, "description": f"at most {BLOCKS}"},
            "from_end": {"type": "boolean", "description": "count backwards"},
        },
        "required": ["handle"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("handle=3fa9c21b", "handle=3fa9c21b cursor=2 count=2", "handle=3fa9c21b from_end=on"),
    most=BLOCKS * 16384 + 512,
)
