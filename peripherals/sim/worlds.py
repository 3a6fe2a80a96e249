"""Which worlds there are, and the board of a description.

`text` in all of these is Owned.world: "" is the greenhouse, all else JSON text of a description
(edge.peripherals.sim.describe). What makes and checks descriptions is loaded only where there is one.
"""

from __future__ import annotations

from edge.peripherals.sim.board import SimBoard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Output, Sensor
    from edge.peripherals.sim.plan import Plan

NAMES = ("greenhouse", "yard")


def text(name: str) -> str:
    """The text of a shipped world; ValueError with those there are."""
    if name in ("", "greenhouse"):
        return ""
    if name != "yard":
        raise ValueError(f"the simulated worlds are: {', '.join(NAMES)}")
    from edge.peripherals.sim.describe import from_tables
    from edge.peripherals.sim.yard import TABLES

    return from_tables(TABLES)


def name_of(text: str) -> str:
    """How the world of a description is called, "" for the greenhouse. ValueError: it is no description."""
    return _plan(text).name if text else ""


def sim_board(text: str, kept: Any = None) -> SimBoard:
    """The board of a world: new, or as it was `kept`. ValueError: it is no description, or no kept state of it."""
    circuit = None
    if text:
        from edge.peripherals.sim.circuit import Described

        circuit = Described(_plan(text))
    if kept is None:
        return SimBoard(circuit)
    from edge.peripherals.sim.restore import restored

    return restored(kept, circuit)


def declared(text: str) -> tuple[tuple[Output, ...], tuple[Sensor, ...]]:
    """What a world declares: its outputs and sensors. ValueError: it is no description."""
    board = sim_board(text)
    return board.outputs, board.sensors


def _plan(text: str) -> Plan:
    from edge.peripherals.guard import line
    from edge.peripherals.sim.describe import plan

    return plan(line.read(text))
