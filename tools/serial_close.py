"""Close a serial port that was opened."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool
from edge.tools.port_text import NAMED, called, meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("write", "memory:ports"),)


def words(args: Args, scene: Scene) -> str:
    return f"close {called(args['port'], scene)}"


def run(args: Args, hands: Hands) -> Observation:
    found = hands.port.close(meant(args["port"], hands.scene))
    if not found["why"]:
        return Observation(False, f"{found['port']} was told to close and is still open", found)
    return Observation(True, f"{found['words']}; {found['length']} bytes came from it in all", found)


TOOL = Tool(
    name="serial_close",
    about="Close a serial port that was opened; others can use it then.",
    schema={
        "type": "object",
        "properties": {"port": NAMED},
        "required": ["port"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("port=meter",),
    needs=("library:serial",),
)
