"""Read one declared sensor: value, unit, quality, age, source."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.record import as_dict
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Reading, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("sense", f"sensor:{args['name']}"),)


def words(args: Args, scene: Scene) -> str:
    return f"read the sensor {args['name']}"


def say(reading: Reading) -> str:
    """One line with everything that makes a reading a reading."""
    if reading.value is None:
        return f"{reading.name} gave no value ({reading.quality}, source {reading.source})"
    value = f"{reading.value:.{0 if abs(reading.value) >= 1000 else 1}f}"  # 33.0 C, 20130 lux
    return (
        f"{reading.name} {value} {reading.unit} "
        f"({reading.quality}, {reading.age:.1f} s old, source {reading.source})"
    )


def run(args: Args, hands: Hands) -> Observation:
    reading = hands.sensors.read(args["name"])
    return Observation(reading.value is not None, say(reading), as_dict(reading))


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
