"""A network cable for an emulated board: a USB network card with ports of this machine behind it, and nothing else.

The models of the boards have no network card of their own, but their USB host works (tried with QEMU 10.0.2, all three
boards): QEMU's usb-net is a card for Linux's cdc_ether.

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
    return ("-device", "usb-net,netdev=cable,id=card", *network(served))


def network(served: Mapping[int, int]) -> tuple[str, ...]:
    """The same without the card: it is plugged in later, by device_add."""
    ways = [f"guestfwd=tcp:{SERVER}:{inside}-cmd:{_command(port)}" for inside, port in served.items()]
    return ("-netdev", ",".join(("user,id=cable,restrict=on", *ways)))


def _command(port: int) -> str:
    """As QEMU's options write it (a comma twice) and slirp takes it apart (as a shell)."""
    words = (sys.executable, "-I", "-S", str(_RELAY), str(port))
    return " ".join(f"'{word}'" for word in words).replace(",", ",,")
