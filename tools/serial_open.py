"""Open a serial port that the settings declare. It stays open for the conversation."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool
from edge.tools.port_text import NAMED, called, declared, meant, set_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    port = declared(args["port"], scene)
    how = f"{port.baud} baud {port.framing}" if port is not None else ""
    return (Effect("write", f"serial:{meant(args['port'], scene)}", detail=how),)


def words(args: Args, scene: Scene) -> str:
    return f"open {called(args['port'], scene)}, which may reset what is connected"


def run(args: Args, hands: Hands) -> Observation:
    found = hands.port.open(meant(args["port"], hands.scene))
    how = set_as(found["device"], found["baud"], found["framing"], found["flow"])
    text = f"{found['port']} is open: {found['label']}, {how}"
    if found["fresh"]:
        text += "; what came before was discarded, and its first bytes may be noise"
    else:
        text += "; it was open already, and what came waits"
    return Observation(True, text, found)


TOOL = Tool(
    name="serial_open",
    about="Open a declared serial port, for the conversation. May reset what is connected.",
    schema={
        "type": "object",
        "properties": {"port": {**NAMED, "description": "its name"}},
        "required": ["port"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("port=meter",),
    needs=("library:serial",),
)
