"""Tell what tools do and take, by name."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "memory:catalogue"),)


def words(args: Args, scene: Scene) -> str:
    return "tell what tools do"


def run(args: Args, hands: Hands) -> Observation:
    import json

    found = hands.catalogue.load(args["names"])
    lines = [json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in found["tools"]]
    lines += [f"{key}: {', '.join(found[key])}" for key in ("already_loaded", "unknown") if found[key]]
    loaded = [tool["name"] for tool in found["tools"]]
    facts = {"loaded": loaded, "tools": found["tools"]}
    facts.update({key: found[key] for key in ("already_loaded", "unknown")})
    return Observation(bool(loaded), "\n".join(lines) or "no names were given", facts)


TOOL = Tool(
    name="tool_describe",
    about="Tell name, description and parameters of tools, and load them for the next step.",
    schema={
        "type": "object",
        "properties": {"names": {"type": "array", "items": {"type": "string"}}},
        "required": ["names"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("""names='["grep", "fs.read"]'""",),
)
