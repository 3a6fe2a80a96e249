"""What is plugged into the USB of an emulated board: a network card with ports of this machine behind it, and nothing
else; a serial adapter.

The models of the boards have no network card of their own, but their USB host works: QEMU's usb-net is a card for
Linux's cdc_ether, its usb-serial one of FTDI. All is plugged in from the start: with QEMU 10.0.2 a device that comes
later, where nothing was, hangs the guest (an interrupt without end), and one that is pulled while something waits for
it ends QEMU (an assertion); behind a usb-hub it is the same.

Rules:
1. What is at the other end is QEMU's own network (slirp), restricted: no packet leaves this machine. It answers DHCP
   and ping at 10.0.2.2.
2. A port that is served stands at SERVER inside. Each connection there starts hil/relay.py: QEMU's own way
   (guestfwd=...-tcp:) keeps one connection for all, so the second one would find what the first left.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

SERVER = "10.0.2.100"
ADDRESS = "10.0.2.15/24"  # what DHCP gives
_RELAY = Path(__file__).with_name("relay.py")


def cable(served: Mapping[int, int]) -> tuple[str, ...]:
    """QEMU's arguments. `served`: port at SERVER -> port of this machine, at 127.0.0.1."""
    ways = [f"guestfwd=tcp:{SERVER}:{inside}-cmd:{_command(port)}" for inside, port in served.items()]
    return ("-netdev", ",".join(("user,id=cable,restrict=on", *ways)), "-device", "usb-net,netdev=cable")


def adapter(socket: Path) -> tuple[str, ...]:
    """QEMU's arguments for a serial port at USB, whose other end is a socket on this machine."""
    line = f"socket,id=adapter,path={socket},server=on,wait=off"
    return ("-chardev", line, "-device", "usb-serial,chardev=adapter,always-plugged=on")


def _command(port: int) -> str:
    """As QEMU's options write it (a comma twice) and slirp takes it apart (as a shell)."""
    words = (sys.executable, "-I", "-S", str(_RELAY), str(port))
    return " ".join(f"'{word}'" for word in words).replace(",", ",,")
