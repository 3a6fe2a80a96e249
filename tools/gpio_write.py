"""Drive one lab line for a time. The guard holds the line and the lease, and ends it."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.text import span
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    from edge.gate.lines import meant

    name = meant(args["line"], scene)
    if args["value"]:
        from edge.tools.line_text import longest

        longest(name, args.get("for_seconds"), scene)
    return (Effect("actuate", f"line:{name}", detail=_how(args)),)


def _how(args: Args) -> str:
    if not args["value"]:
        return "low"
    return f"high for {span(args['for_seconds'])}" if args.get("for_seconds") is not None else "high"


def words(args: Args, scene: Scene) -> str:
    from edge.gate.lines import called, duty, meant

    name = meant(args["line"], scene)
    most = [span(one.max_on) for one in scene.outputs if one.name == name]
    bound = f" (at most {most[0]})" if most and args["value"] and args.get("for_seconds") is None else ""
    told = f"drive the lab line {called(name, scene)} {_how(args)}{bound}"
    other = duty(name, scene)
    return f"{told}; {name} {other}" if other else told


def run(args: Args, hands: Hands) -> Observation:
    from edge.gate.lines import called, meant

    name = meant(args["line"], hands.scene)
    seconds = args.get("for_seconds")
    now = hands.outputs.set(name, args["value"], None if seconds is None else float(seconds))
    text = f"{called(name, hands.scene)} is driven {'high' if now['state'] else 'low'}"
    if now["state"]:
        text += f", {span(now['left'])} left, then it goes low by itself"
    return Observation(True, text, dict(now))


TOOL = Tool(
    name="gpio_write",
    about="Drive a lab GPIO line high for a time, or low.",
    schema={
        "type": "object",
        "properties": {
            "line": {"type": "string", "minLength": 1, "maxLength": 64, "description": "GPIO22 or pin 15"},
            "value": {"type": "boolean", "description": "true = high"},
            "for_seconds": {"type": "number", "minimum": 0.1, "description": "how long it stays high"},
        },
        "required": ["line", "value"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("line=GPIO22 value=true for=5", "line=GPIO22 value=false"),
)
