"""Opening a declared serial port, or the sentence of why that cannot be: which port, why, what to do.

Rules:
1. What is no terminal is not opened at all: opening a watchdog starts it.
2. No console is opened, whoever asks: its words would be the agent's own, and what is sent there goes to a login.
3. A port is had alone. Two who read one port each get a part of what comes, and nobody is told.
"""

from __future__ import annotations

import errno
import os

from edge.faults import HardwareFault, Refused
from edge.peripherals.port import ttys
from edge.peripherals.port.ttys import System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from edge.call import Port

    class Line(Protocol):
        """An open port. `read` and `write` raise OSError with the kernel's numbers; `close` may be called twice."""

        def read(self, seconds: float) -> bytes:
            """What came, b"" when nothing did within `seconds`."""

        def write(self, data: bytes, seconds: float) -> int:
            """How many of these bytes have left within `seconds`."""

        def close(self) -> None: ...


HERE = System()


def open_port(port: Port, system: System = HERE) -> Line:
    """The port, open for us alone, what had come before discarded. HardwareFault, or Refused for a console."""
    _fit(port, system)
    from edge.peripherals.via.port import Serial

    try:
        return Serial(port)
    except OSError as error:
        raise fault(error, port, system) from error


def _fit(port: Port, system: System) -> None:
    if not os.path.exists(port.device):
        fix = "plug it in, or see `ls -l /dev/serial/by-id` for what there is and correct `device` in the settings"
        raise HardwareFault(f"{called(port)} is not there", fix)
    if not ttys.is_tty(port.device):
        raise HardwareFault(f"{called(port)} is no serial port", f"correct `device` of [ports.{port.name}]")
    why = ttys.console(port.device, system)
    if why:
        fix = "free it first (fieldhand doctor says how), or use another port"
        raise Refused(f"{called(port)} is a console and is not opened: {why}", "port.console", fix)
    held = ttys.holders(port.device, system)
    if held:
        raise busy(port, held)


def called(port: Port) -> str:
    return f"the serial port {port.name} ({port.device})"


def busy(port: Port, held: list[str]) -> HardwareFault:
    """Somebody else has it."""
    who = f"held by {', '.join(held)}" if held else "held by another program"
    made = HardwareFault(f"{called(port)} is {who}", "end that program first, or have it let the port go")
    made.errno = errno.EBUSY
    return made


def fault(error: OSError, port: Port, system: System = HERE) -> HardwareFault:
    """What an error of the system means for this port."""
    number = error.errno or 0
    if number in (errno.EBUSY, errno.EAGAIN):
        return busy(port, ttys.holders(port.device, system))
    made = _meaning(number, str(error), port)
    made.errno = number or None
    return made


def _meaning(number: int, told: str, port: Port) -> HardwareFault:
    what = called(port)
    if number in (errno.EACCES, errno.EPERM):
        group = "sudo usermod -aG dialout USER, then log in again; as a service, SupplementaryGroups=dialout"
        return HardwareFault(f"{what} may not be opened by this user", group)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO):
        return HardwareFault(f"{what} is gone", "see that the adapter is plugged in (dmesg), and open it again")
    if number in (errno.ENOTTY, errno.EINVAL):
        fix = f"correct baud and framing of [ports.{port.name}]; not every adapter knows every speed"
        return HardwareFault(f"{what} does not take {port.baud} baud {port.framing}", fix)
    return HardwareFault(f"{what} failed: {told}", "see the kernel's messages (dmesg)")
