"""Search the whole record of this conversation, or show the lines around one of its numbers."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import ToolFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "memory:tape"),)


def words(args: Args, scene: Scene) -> str:
    return "search this conversation's own record"


def run(args: Args, hands: Hands) -> Observation:
    import json

    if ("query" in args) == ("seq" in args):
        raise ToolFault("recall wants either a query or a seq", "for example query=pump, or seq=12 context=2")
    if "query" in args:
        rows = hands.tape.search(args["query"], args.get("limit", 8))
    else:
        rows = hands.tape.around(args["seq"], args.get("context", 2))
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return Observation(True, "\n".join(lines) or "nothing found", {"rows": rows}, untrusted=True)


TOOL = Tool(
    name="recall",
    about="Find earlier messages of this conversation by text or by number.",
    schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "literal text to find"},
            "seq": {"type": "integer", "minimum": 1, "description": "number of a record"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
            "context": {"type": "integer", "minimum": 0, "maximum": 3},
        },
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("query=pump limit=4", "seq=12 context=2"),
    most=16384,
)
