"""`[ports.NAME]`: serial ports that the agent may open, as records.

Rules:
1. A port is a device below /dev, given here and nowhere else: tools know its name alone.
2. Nothing is looked for on the board here: whether it is there, a terminal or a console, its opening says.
"""

from __future__ import annotations

import os

from edge.call import Port
from edge.faults import ConfigFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Check = tuple[Callable[..., Any], tuple[Any, ...]]

_ENDS = {"lf": "\n", "cr": "\r", "crlf": "\r\n", "none": ""}


def checks(shared: Mapping[str, Any], label: Check, word: Callable[..., str]) -> dict[str, Check]:
    """The keys of a port and how each is checked. `shared`: the checks of edge.config_keys; `word`: one of several."""
    return {
        **{"label": label, "device": (_device, (shared["string"],)), "baud": (shared["whole"], (50, 4_000_000))},
        **{"framing": (_framing, ()), "flow": (word, ("none", "rtscts", "xonxoff")), "end": (_end, (word,))},
        **{"risk": (word, ("low", "medium", "high"))},
    }


def port(key: str, name: str, found: dict[str, Any]) -> Port:
    """The port of a checked table. ConfigFault without a place: sentence, fix, key."""
    if "device" not in found:
        raise ConfigFault(f"{key} needs a device", 'for example device = "/dev/ttyUSB0"', key=key)
    return Port(name, found.pop("label", name.replace("_", " ")), **found)


def _device(value: Any, string: Callable[[Any], str]) -> str:
    found = string(value)
    if not found.startswith("/dev/") or os.path.normpath(found) != found:
        raise ValueError('must be a path below /dev, such as "/dev/ttyUSB0" or "/dev/serial/by-id/..."')
    return found


def _framing(value: Any) -> str:
    text = value.upper() if isinstance(value, str) else ""
    if len(text) != 3 or text[0] not in "5678" or text[1] not in "NEOMS" or text[2] not in "12":
        raise ValueError('must be data bits, parity (N, E, O, M or S) and stop bits, such as "8N1" or "7E1"')
    return str(text)


def _end(value: Any, word: Callable[..., str]) -> str:
    return _ENDS[word(value, *_ENDS)]
