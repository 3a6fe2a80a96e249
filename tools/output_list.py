"""List the declared outputs with their state as the guard reads it back."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("list", "output:all"),)


def words(args: Args, scene: Scene) -> str:
    return "list the outputs and their states"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.line_text import standing

    states = hands.outputs.states()
    rows, said = [], []
    for output in hands.scene.outputs:
        now = states.get(output.name, {})
        said.append(standing(output, now, hands.scene))
        row: dict[str, Any] = {"name": output.name, "label": output.label}
        row.update({field: now.get(field) for field in ("state", "left")})
        row.update({"max_on": output.max_on, "risk": output.risk})
        # What only some have is told where there is something to tell.
        row.update({field: now[field] for field in ("level", "owner", "fault", "override") if now.get(field)})
        rows.append(row)
    return Observation(True, "\n".join(said) or "the board declares no outputs", {"outputs": rows})


TOOL = Tool(
    name="output_list",
    about="List the declared outputs with state, lease left and limits.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    effects=effects,
    run=run,
    words=words,
    examples=("",),
)
