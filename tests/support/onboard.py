"""What the boards of tests/hil have wired to them, as their cards are told it.

Lines FAN, PUMP and DOOR are the guard's; others are free for programs of the tests themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from hil import cable
from hil.resources import Board

FAN, PUMP, DOOR = 5, 6, 13
ABSENT = 0x49
ASKED = r"\[y/N/t\] "
LATE = 600.0
# What lies on the card before the first start (provision.toml). The fan needs no approval, the pump does. The guard is
# as patient with a heartbeat as it can be told to be: on a loaded machine an emulated agent is slow, and not dead.
WIRED = """[guard]
heartbeat = 60
[outputs.fan]
line = "GPIO{fan}"{chip}
label = "cooling fan"
risk = "low"
max_on = 900
[outputs.pump]
line = "GPIO{pump}"{chip}
label = "irrigation pump"
active = "low"
max_on = 900
[inputs.door]
line = "GPIO{door}"{chip}
states = ["closed", "open"]
[sensors.t0]
i2c = "{bus}/{t0:#x}"
part = "tmp105"
label = "air in the box"
[sensors.attic]
i2c = "{bus}/{absent:#x}"
part = "tmp105"
words = ["attic"]
[ports.gauge]
device = "{port}"
baud = 115200
label = "level of the tank"
risk = "low"
"""
CHIP = """[gpio]
chip = "{chip}"
"""
WIRE = """[sensors.{name}]
onewire = "{wire}"
words = ["{name}"]
"""
# One board has its address from DHCP, the others one of their own.
BY_DHCP = "raspi3b"
CABLE = """[network]
wired = {wired}
"""


@pytest.fixture(scope="session")
def provision(board: Board) -> str:
    """The provision.toml of a board; "" for one that has no lines in reach."""
    if board.misses("lines", "parts"):
        return ""
    part = board.parts["t0"]
    own = {"bus": part.bus, "t0": part.address, "absent": ABSENT, "port": board.guest.port}
    wires = "".join(WIRE.format(name=name, wire=one.wire) for name, one in board.parts.items() if one.wire)
    chip = f'\nchip = "{board.guest.chip}"' if board.guest.chip else ""
    tools = CHIP.format(chip=board.guest.chip) if chip else ""
    return WIRED.format(fan=FAN, pump=PUMP, door=DOOR, chip=chip, **own) + wires + tools + network(board)


def network(board: Board) -> str:
    """What a board is told of its wired port; "" where no cable is plugged in."""
    wired = '"dhcp"' if board.name == BY_DHCP else f'{{address = "{cable.ADDRESS}"}}'
    return "" if board.misses("usb") else CABLE.format(wired=wired)


@pytest.fixture(scope="session")
def figures(board: Board, summary: list[str]) -> Iterator[dict[str, str]]:
    """What the tests saw of a board, for a line of its own at the end."""
    told: dict[str, str] = {}
    yield told
    if told:
        summary.append(f"{board.name}: " + ", ".join(f"{what} {value}" for what, value in told.items()))


def until(done: Callable[[], bool], what: str, seconds: float = LATE) -> None:
    """Wait for something that is seen from outside."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"{what} within {seconds:g} s"
        time.sleep(0.1)
