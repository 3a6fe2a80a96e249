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
    seconds = args.get("for_seconds") if _away(args, scene) else None
    for output in scene.outputs:
        if output.name == args["name"] and seconds is not None and seconds > output.max_on:
            sentence = f"{output.name} may be {_word(args['state'])} for at most {span(output.max_on)} at a time"
            raise UsageFault(sentence, "ask for less")
    return (Effect("actuate", f"output:{args['name']}", detail=_how(args, scene)),)


def _away(args: Args, scene: Scene) -> bool:
    """True when that is not the safe value: it takes a lease. An output that is not declared is safe when off."""
    safe = any(output.safe for output in scene.outputs if output.name == args["name"])
    return bool(args["state"]) is not safe


def _word(state: bool) -> str:
    return "on" if state else "off"


def _how(args: Args, scene: Scene) -> str:
    how = _word(args["state"])
    timed = _away(args, scene) and args.get("for_seconds") is not None
    return f"{how} for {span(args['for_seconds'])}" if timed else how


def words(args: Args, scene: Scene) -> str:
    from edge.tools.line_text import thing

    most = [output.max_on for output in scene.outputs if output.name == args["name"]]
    bounded = most and _away(args, scene) and args.get("for_seconds") is None
    longest = f" (at most {span(most[0])})" if bounded else ""
    return f"switch {thing(args['name'], scene)} {_how(args, scene)}{longest}"


def run(args: Args, hands: Hands) -> Observation:
    seconds = args.get("for_seconds")
    now = hands.outputs.set(args["name"], args["state"], None if seconds is None else float(seconds))
    text = f"{now['name']} is {_word(now['state'])}"
    if now["left"] and _away(args, hands.scene):
        text += f", {span(now['left'])} left, then it goes {_word(not now['state'])} by itself"
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
