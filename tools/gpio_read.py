"""Look at one line of the header, or at what is wired to it. Reading changes nothing."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    from edge.gate.lines import resolve

    kind, name = resolve(args["line"], scene)
    if kind == "sensor":
        return (Effect("sense", f"sensor:{name}"),)
    if kind == "output":
        return (Effect("list", "output:all"),)
    look = Effect("sense", f"line:{name}")
    # What the guard drives a lab line to only the guard can tell.
    return (look, Effect("list", "output:all")) if scene.gpio is not None and name in scene.gpio.lab else (look,)


def words(args: Args, scene: Scene) -> str:
    from edge.gate.lines import called, resolve

    kind, name = resolve(args["line"], scene)
    return f"look at the line {called(name, scene)}" if kind == "line" else f"look at the {kind} {name}"


def run(args: Args, hands: Hands) -> Observation:
    from edge.gate.lines import called, resolve

    kind, name = resolve(args["line"], hands.scene)
    if kind == "sensor":
        return _contact(name, hands)
    if kind == "output":
        return _output(name, hands)
    found = hands.lines.look(name)
    gpio = hands.scene.gpio
    if found["own"] and gpio is not None and name in gpio.lab:
        return _output(name, hands)
    # Who holds it chose its name itself, and any program can take that of the guard.
    return Observation(True, _say(called(name, hands.scene), found), found, untrusted=found["used"])


def _contact(name: str, hands: Hands) -> Observation:
    from edge.record import as_dict
    from edge.tools.line_text import reading, state

    found = hands.sensors.read(name)
    states = next((one.states for one in hands.scene.sensors if one.name == name), ())
    told = {"kind": "sensor", **as_dict(found), "state": state(found.value, states)}
    return Observation(found.value is not None, reading(found, states), told)


def _output(name: str, hands: Hands) -> Observation:
    from edge.tools.line_text import standing

    now = hands.outputs.states().get(name, {})
    (output,) = [one for one in hands.scene.outputs if one.name == name]
    told = {"kind": "output", "name": name, "state": now.get("state"), "left": now.get("left")}
    held = "the guard holds it" if now.get("state") is not None else "the guard cannot read it back"
    return Observation(True, f"{standing(output, now, hands.scene)}; {held}", told)


def _say(name: str, found: Mapping[str, Any]) -> str:
    if found["value"] is not None:
        return f"{name} is {'high (1)' if found['value'] else 'low (0)'}: an input that nobody holds"
    if found["used"]:
        return f"{name} is an {found['direction']}, {found['holder']}; only who holds it knows its value"
    return f"{name} is an output that nobody holds; to ask for its value could change what it drives"


TOOL = Tool(
    name="gpio_read",
    about="Look at a GPIO line, contact or output: level, direction, holder. Changes nothing.",
    schema={
        "type": "object",
        "properties": {
            "line": {"type": "string", "minLength": 1, "maxLength": 64, "description": "GPIO17, pin 11, or a name"}
        },
        "required": ["line"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("line=GPIO17", "line='pin 11'"),
)
