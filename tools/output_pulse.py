"""Switch one declared output on for a moment, once or several times. Each pulse is a lease that the guard ends."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.text import span
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

PAUSE = 1.0


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    from edge.tools.line_text import longest

    name, times = args["name"], args.get("times", 1)
    longest(name, args["seconds"], scene)
    for output in scene.outputs:
        if output.name == name and times > 1 and _pause(args, scene) < output.min_off:
            raise UsageFault(f"{name} needs at least {span(output.min_off)} between pulses", "ask for a longer pause")
        if output.name == name and 0 < output.max_per_hour < times:
            raise UsageFault(f"{name} may be switched {output.max_per_hour} times an hour", "ask for fewer pulses")
    return (Effect("actuate", f"output:{name}", detail=_how(args, scene)),)


def _pause(args: Args, scene: Scene) -> float:
    """Seconds between two pulses: as asked, else what the output needs, at least PAUSE."""
    least = [output.min_off for output in scene.outputs if output.name == args["name"]]
    return float(args.get("pause", max(PAUSE, *least) if least else PAUSE))


def _how(args: Args, scene: Scene) -> str:
    times = args.get("times", 1)
    away = "off" if any(output.safe for output in scene.outputs if output.name == args["name"]) else "on"
    if times == 1:
        return f"{away} for {span(args['seconds'])}"
    return f"{away} {times} times for {span(args['seconds'])} each, {span(_pause(args, scene))} between"


def words(args: Args, scene: Scene) -> str:
    from edge.tools.line_text import thing

    return f"switch {thing(args['name'], scene)} {_how(args, scene)}"


def run(args: Args, hands: Hands) -> Observation:
    times = args.get("times", 1)
    found = hands.outputs.pulse(args["name"], float(args["seconds"]), times, _pause(args, hands.scene))
    done = f"{found['done']} of {times} pulses" if found["why"] or times > 1 else "1 pulse"
    text = f"{found['name']}: {done} of {span(args['seconds'])} {'on' if found['state'] else 'off'}"
    text += f", then {found['why']}" if found["why"] else "; it is safe again"
    return Observation(not found["why"], text, dict(found))


TOOL = Tool(
    name="output_pulse",
    about="Switch an output on for a moment, several times if wanted.",
    schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "a name from output_list"},
            "seconds": {"type": "number", "minimum": 0.1, "maximum": 60, "description": "length of a pulse"},
            "times": {"type": "integer", "minimum": 1, "maximum": 10},
            "pause": {"type": "number", "minimum": 0, "maximum": 600, "description": "seconds between"},
        },
        "required": ["name", "seconds"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("name=pump seconds=2", "name=pump seconds=2 times=3 pause=5"),
)
