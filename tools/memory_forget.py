"""Forget what was remembered under a key."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("write", "memory:store"),)


def words(args: Args, scene: Scene) -> str:
    from edge.text import visible

    return f"forget what was remembered under {visible(args['key'])}"


def run(args: Args, hands: Hands) -> Observation:
    key = args["key"].strip()
    versions = hands.memory.forget(key)
    older = f", and {versions - 1} older versions of it" if versions > 1 else ""
    return Observation(
        True,
        f"forgot {key}{older}, from the memory; the records of conversations stay as they are",
        {"key": key, "versions": versions},
    )


TOOL = Tool(
    name="memory_forget",
    about="Forget what was remembered under a key.",
    schema={
        "type": "object",
        "properties": {"key": {"type": "string", "minLength": 1, "maxLength": 200}},
        "required": ["key"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("key=pump",),
)
