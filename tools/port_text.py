"""Serial ports in words: which one is meant, how it is set, what is sent and what came."""

from __future__ import annotations

from edge.faults import UsageFault
from edge.text import clip, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Port, Scene

SHOWN = 4096  # bytes of what came, in a text
NAMED = {"type": "string", "minLength": 1, "maxLength": 32}


def meant(name: str, scene: Scene) -> str:
    """The one name of a port: as it is declared, whatever the case; what is not declared as it was written."""
    low = name.strip().lower()
    return next((port.name for port in scene.ports if port.name == low), name.strip())


def declared(name: str, scene: Scene) -> Port | None:
    return next((port for port in scene.ports if port.name == meant(name, scene)), None)


def called(name: str, scene: Scene) -> str:
    """A port in physical words: `the serial port meter (energy meter, /dev/ttyUSB0)`."""
    port = declared(name, scene)
    return f"the serial port {port.name} ({port.label}, {port.device})" if port else f"the serial port {name}"


def set_as(device: str, baud: int, framing: str, flow: str) -> str:
    """`/dev/ttyUSB0, 9600 baud 8N1, no flow control`."""
    return f"{device}, {baud} baud {framing}, {'no' if flow == 'none' else flow} flow control"


def given(args: Args, scene: Scene) -> bytes:
    """The bytes that a call sends; UsageFault where it is not clear which."""
    if ("text" in args) == ("hex" in args):
        raise UsageFault("serial_send sends either text or hex", 'text="READ", or hex="01 03 00 00"')
    if "hex" in args:
        return digits(args["hex"])
    text: str = args["text"]
    port = declared(args["port"], scene)
    return (text if text.endswith(("\n", "\r")) or port is None else text + port.end).encode("utf-8", "replace")


def digits(text: str) -> bytes:
    """The bytes of `01 0a ff`, each of which may begin with 0x; UsageFault for what is none."""
    words = text.replace(",", " ").split()
    try:
        found = [bytes.fromhex(word[2:] if word[:2].lower() == "0x" else word) for word in words]
    except ValueError:
        found = []
    if not found or not all(found):
        raise UsageFault("hex holds something else than pairs of digits", 'hex="01 03 00 00"')
    return b"".join(found)


def shown(data: bytes, as_hex: bool) -> str:
    """All that is sent, on one line, with nothing hidden."""
    return data.hex(" ") if as_hex else f'"{visible(data.decode("utf-8", "replace"), 1 << 16)}"'


def heard(found: Mapping[str, Any], wanted: str) -> str:
    """What came of waiting, in lines: first how it ended, then the text itself."""
    name = found["port"]
    lines = [_outcome(found, wanted)]
    if found["dropped"]:
        lines.append(f"{found['dropped']} bytes that came before were dropped: nobody had read them in time")
    if found["noise"] > 0.3:
        share = f"{found['noise']:.0%}"
        lines.append(
            f"{share} of it is no text: it looks like the wrong speed for {name}, or like bytes that form=hex shows"
        )
    if found["rest"]:
        lines.append(f"{found['rest']} more bytes wait behind it")
    if found["text"].strip("\n") not in ("", found["match"]):
        lines.append("what came:\n" + clip(found["text"].strip("\n"), SHOWN))
    return "\n".join(lines)


def _outcome(found: Mapping[str, Any], wanted: str) -> str:
    name, size, seconds = found["port"], found["size"], f"{found['seconds']:.1f} s"
    early = f"; it ended early: {found['why']}" if found["why"] else ""
    if found["matched"]:
        return f"{name} said after {seconds}: {clip(found['match'], SHOWN)}"
    if not size:
        return f"{name} said nothing within {seconds}{early}"
    if wanted:
        return f"{name} did not say {wanted} within {seconds}; {size} bytes came and still wait{early}"
    return f"{size} bytes came from {name} within {seconds}{early}"
