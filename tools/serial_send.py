"""Send text or bytes to an open serial port, once. A text gets the line end that the settings say for the port."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool
from edge.tools.port_text import NAMED, called, given, meant, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    told = shown(given(args, scene), "hex" in args)
    return (Effect("send", f"serial:{meant(args['port'], scene)}", detail=told),)


def words(args: Args, scene: Scene) -> str:
    return f"send {shown(given(args, scene), 'hex' in args)} to {called(args['port'], scene)}"


def run(args: Args, hands: Hands) -> Observation:
    data = given(args, hands.scene)
    found = hands.port.send(meant(args["port"], hands.scene), data, args.get("clear", False))
    name, sent, size = found["port"], found["sent"], found["size"]
    before = f"; {found['cleared']} bytes that had come were let go before" if found["cleared"] else ""
    if sent == size:
        return Observation(True, f"{size} bytes were sent to {name}{before}", found)
    why = "the rest waits for a device that does not take it (flow control), and is dropped when the port is closed"
    return Observation(False, f"{sent} of {size} bytes left for {name} in time: {why}{before}", found)


TOOL = Tool(
    name="serial_send",
    about="Send text (with the port's line end) or hex bytes to an open serial port.",
    schema={
        "type": "object",
        "properties": {
            "port": NAMED,
            "text": {"type": "string", "maxLength": 4096},
            "hex": {"type": "string", "minLength": 2, "maxLength": 8192, "description": "01 0a ff"},
            "clear": {"type": "boolean", "description": "drop what came first"},
        },
        "required": ["port"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("port=meter text=READ", "port=meter hex='01 03 00 00 00 01 84 0a' clear=true"),
    needs=("library:serial",),
)
