"""List the sensors that the board declares."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("list", "sensor:all"),)


def words(args: Args, scene: Scene) -> str:
    return "list the sensors"


def run(args: Args, hands: Hands) -> Observation:
    sensors = hands.scene.sensors
    rows = [{"name": s.name, "label": s.label, "unit": s.unit} for s in sensors]
    text = "\n".join(f"{s.name}: {s.label}, in {s.unit}" for s in sensors)
    return Observation(True, text or "the board declares no sensors", {"sensors": rows})


TOOL = Tool(
    name="sensor_list",
    about="List the declared sensors with label and unit.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    effects=effects,
    run=run,
    words=words,
    examples=("",),
)
