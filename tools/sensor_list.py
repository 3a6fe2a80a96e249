"""List the sensors that the board declares."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene, Sensor
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("list", "sensor:all"),)


def words(args: Args, scene: Scene) -> str:
    return "list the sensors"


def run(args: Args, hands: Hands) -> Observation:
    rows = [_row(sensor) for sensor in hands.scene.sensors]
    text = "\n".join(_say(sensor) for sensor in hands.scene.sensors)
    return Observation(True, text or "the board declares no sensors", {"sensors": rows})


def _row(sensor: Sensor) -> dict[str, Any]:
    states = {"states": list(sensor.states)} if sensor.states else {}
    return {"name": sensor.name, "label": sensor.label, "unit": sensor.unit, **states}


def _say(sensor: Sensor) -> str:
    if sensor.states:
        return f"{sensor.name}: {sensor.label}, {' (0) or '.join(sensor.states)} (1)"
    return f"{sensor.name}: {sensor.label}, in {sensor.unit}"


TOOL = Tool(
    name="sensor_list",
    about="List the declared sensors with label and unit.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    effects=effects,
    run=run,
    words=words,
    examples=("",),
)
