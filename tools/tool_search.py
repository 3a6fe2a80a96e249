"""Find tools by words, or load them by name."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

_SELECT = "select:"


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "memory:catalogue"),)


def words(args: Args, scene: Scene) -> str:
    return "look for tools"


def run(args: Args, hands: Hands) -> Observation:
    import json

    query = args["query"].strip()
    if query.lower().startswith(_SELECT):
        names = [name.strip() for name in query[len(_SELECT) :].split(",") if name.strip()]
    else:
        names = hands.catalogue.search(query, args.get("max_results", 5))
    if not names:
        return Observation(True, f"no tool fits {query[:100]!r}; try other words", {"loaded": []})
    found = hands.catalogue.load(names)
    lines = [json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in found["tools"]]
    if found["unknown"]:
        lines.append(f"unknown: {', '.join(found['unknown'])}")
    loaded = [tool["name"] for tool in found["tools"]]
    return Observation(bool(loaded), "\n".join(lines), {"loaded": loaded, "unknown": found["unknown"]})


TOOL = Tool(
    name="tool_search",
    about="Find more tools by keywords and load their forms; they can be called from the next step on.",
    schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "keywords, or select:NAME,NAME"},
            "max_results": {"type": "integer", "minimum": 1, "maximum": 20},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=('query="search files"', "query=select:grep,glob"),
)
