"""List the declared outputs with their state as the guard reads it back."""

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
    return (Effect("list", "output:all"),)


def words(args: Args, scene: Scene) -> str:
    return "list the outputs and their states"


def _say(row: Mapping[str, Any]) -> str:
    left = f", {row['left']:.0f} s left" if row["left"] is not None else ""
    switched = {True: "on", False: "off"}.get(row["state"], "unknown")
    return f"{row['name']}: {row['label']}, {switched}{left}, at most {row['max_on']:.0f} s on, risk {row['risk']}"


def run(args: Args, hands: Hands) -> Observation:
    states = hands.outputs.states()
    rows = []
    for output in hands.scene.outputs:
        now = states.get(output.name, {})
        rows.append(
            {
                "name": output.name,
                "label": output.label,
                "state": now.get("state"),
                "left": now.get("left"),
                "max_on": output.max_on,
                "risk": output.risk,
            }
        )
    text = "\n".join(_say(row) for row in rows)
    return Observation(True, text or "the board declares no outputs", {"outputs": rows})


TOOL = Tool(
    name="output_list",
    about="List the declared outputs with state, lease left and limits.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    effects=effects,
    run=run,
    words=words,
    examples=("",),
)
