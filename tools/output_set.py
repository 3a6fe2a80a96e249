"""Switch one declared output on (for a time) or off. The guard holds the lease and ends it."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.text import span
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    seconds = args.get("for_seconds") if args["state"] else None
    for output in scene.outputs:
        if output.name == args["name"] and seconds is not None and seconds > output.max_on:
            raise UsageFault(f"{output.name} may be on for at most {span(output.max_on)} at a time", "ask for less")
    return (Effect("actuate", f"output:{args['name']}", detail=_how(args)),)


def _how(args: Args) -> str:
    if not args["state"]:
        return "off"
    return f"on for {span(args['for_seconds'])}" if args.get("for_seconds") is not None else "on"


def words(args: Args, scene: Scene) -> str:
    for output in scene.outputs:
        if output.name == args["name"]:
            longest = f" (at most {span(output.max_on)})" if args["state"] and args.get("for_seconds") is None else ""
            return f"switch {output.label} ({output.name}, {output.where}) {_how(args)}{longest}"
    return f"switch the output {args['name']} {_how(args)}"


def run(args: Args, hands: Hands) -> Observation:
    seconds = args.get("for_seconds")
    now = hands.outputs.set(args["name"], args["state"], None if seconds is None else float(seconds))
    if now["state"]:
        text = f"{now['name']} is on, {span(now['left'])} left, then it goes off by itself"
    else:
        text = f"{now['name']} is off"
    return Observation(True, text, dict(now))


TOOL = Tool(
    name="output_set",
    about="Switch one declared output on for a time, or off.",
    schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "a name from output_list"},
            "state": {"type": "boolean", "description": "true = on, false = off"},
            "for_seconds": {
                "type": "number",
                "minimum": 0.1,
                "description": "how long it stays on; without it the output's longest time",
            },
        },
        "required": ["name", "state"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("name=fan state=on for=2m", "name=fan state=off"),
)
