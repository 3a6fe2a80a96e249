"""Read one declared sensor: value, unit, quality, age, source."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.record import as_dict
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("sense", f"sensor:{args['name']}"),)


def words(args: Args, scene: Scene) -> str:
    return f"read the sensor {args['name']}"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.line_text import reading, state

    found = hands.sensors.read(args["name"])
    states = next((sensor.states for sensor in hands.scene.sensors if sensor.name == found.name), ())
    word = state(found.value, states)
    told = {**as_dict(found), "state": word} if word else as_dict(found)
    return Observation(found.value is not None, reading(found, states), told)


TOOL = Tool(
    name="sensor_read",
    about="Read one declared sensor: value, unit, quality and age.",
    schema={
        "type": "object",
        "properties": {"name": {"type": "string", "description": "a name from sensor_list"}},
        "required": ["name"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("name=temperature",),
)
