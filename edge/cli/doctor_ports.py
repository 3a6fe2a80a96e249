"""Doctor on the serial ports that the settings declare: there, a port, no console, free, open to this user.

Rules:
1. No port is opened: that would raise DTR and may reset what is connected.
2. What stands in the settings and cannot be opened is wrong, whatever the board.
"""

from __future__ import annotations

import os

from edge.cli.doctor_nodes import joining, may_open, user
from edge.cli.finding import Finding, remedy
from edge.hands.needs import missing
from edge.peripherals.port import ttys
from edge.peripherals.port.ttys import System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.call import Port
    from edge.cli.doctor_nodes import Place

PI = "sudo raspi-config nonint do_serial_cons 1, then reboot, or use another port"
OTHER = "take its console= out of the kernel's command line and its getty away, then reboot, or use another port"
CARD = "the console of a card is its way in: use another port, such as a USB adapter"


def findings(ports: tuple[Port, ...], place: Place, system: System) -> Iterator[Finding]:
    why = missing(("library:serial",)) if ports else ""
    if why:
        yield Finding("serial ports", "wrong", f"none can be opened: {why.partition(':')[0]}", why.partition(": ")[2])
    for port in ports:
        sentence, fix = _trouble(port, place, system)
        how = f"{port.device}, {port.baud} baud {port.framing}"
        yield Finding(f"port {port.name}", "wrong" if sentence else "ok", f"{how}{sentence or ', free'}", fix)


def _trouble(port: Port, place: Place, system: System) -> tuple[str, str]:
    """What is wrong with a port, as the rest of a sentence, and what to do; nothing when it could be opened now."""
    if not os.path.exists(port.device):
        return ": it is not there", "plug it in; `ls -l /dev/serial/by-id` shows what is"
    if not ttys.is_tty(port.device):
        return ": it is no serial port", f"correct device of [ports.{port.name}]"
    console = ttys.console(port.device, system)
    if console:
        return f": it is a console, which is never opened ({console})", remedy(PI, OTHER, OTHER, CARD)
    if not may_open(place, port.device):
        return ": it may not be opened by this user", joining(user(place), "dialout")
    held = ttys.holders(port.device, system)
    return (f": held by {', '.join(held)}", "end that program first") if held else ("", "")
