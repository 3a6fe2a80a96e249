"""Drive one declared PWM output at a level for a time. The guard holds the lease and ends it."""

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
    from edge.tools.line_text import longest

    if ("level" in args) == ("percent" in args):
        raise UsageFault("output_pwm takes a level or a percent, one of them", "for example percent=40")
    name = args["name"]
    for output in scene.outputs:
        if output.name == name and not output.pwm:
            raise UsageFault(f"{name} is switched on and off, it has no levels between", "use output_set")
    if _away(args, scene):
        longest(name, args.get("for_seconds"), scene)
    return (Effect("actuate", f"output:{name}", detail=_how(args, scene)),)


def _level(args: Args) -> float:
    return float(args["level"] if "level" in args else args["percent"] / 100)


def _away(args: Args, scene: Scene) -> bool:
    """True when that is not the safe value: it takes a lease, as in output_set."""
    return _level(args) != float(any(output.safe for output in scene.outputs if output.name == args["name"]))


def _how(args: Args, scene: Scene) -> str:
    at = f"at {_level(args):.0%}"
    timed = _away(args, scene) and args.get("for_seconds") is not None
    return f"{at} for {span(args['for_seconds'])}" if timed else at


def words(args: Args, scene: Scene) -> str:
    from edge.tools.line_text import thing

    most = [span(one.max_on) for one in scene.outputs if one.name == args["name"]]
    bound = f" (at most {most[0]})" if most and _away(args, scene) and args.get("for_seconds") is None else ""
    return f"drive {thing(args['name'], scene)} {_how(args, scene)}{bound}"


def run(args: Args, hands: Hands) -> Observation:
    seconds, level = args.get("for_seconds"), _level(args)
    now = hands.outputs.set(args["name"], level > 0, None if seconds is None else float(seconds), level)
    text = f"{now['name']} is at {now.get('level', level):.0%}"
    if now.get("left"):
        text += f", {span(now['left'])} left, then it goes to its safe value by itself"
    return Observation(True, text, dict(now))


TOOL = Tool(
    name="output_pwm",
    about="Drive a PWM output at a level for a time.",
    schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "a name from output_list"},
            "level": {"type": "number", "minimum": 0, "maximum": 1},
            "percent": {"type": "number", "minimum": 0, "maximum": 100, "description": "instead of level"},
            "for_seconds": {"type": "number", "minimum": 0.1},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("name=fan percent=40 for=10m",),
)
