"""A simulated board as it was kept: plain values -> board, its outputs safe. Nothing in them is trusted."""

from __future__ import annotations

from edge.peripherals.sim import parts
from edge.peripherals.sim import relays as coils
from edge.peripherals.sim.board import LATEST, VERSION, SimBoard
from edge.peripherals.sim.parts import Part
from edge.peripherals.sim.relays import Relay
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.peripherals.sim.board import Circuit


def restored(kept: Any, circuit: Circuit | None = None) -> SimBoard:
    """The board that `kept` describes, its outputs safe; ValueError with a sentence when it describes none.

    `circuit`: a fresh one of the world that it should be of, None for the greenhouse.
    """
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        raise ValueError(f"it is no kept state of version {VERSION}")
    board = SimBoard(circuit)
    circuit = board.circuit
    now, values, modes, on = (kept.get(field) for field in ("now", circuit.state, "parts", "on"))
    relays, done = kept.get("relays", {}), kept.get("done", 0)
    if not isinstance(values, dict):
        raise ValueError(f"its {circuit.state} is not complete")
    circuit.restore({field: _numbers(value, field, field in circuit.tables) for field, value in values.items()})
    board.now = _finite(now, "now")
    if not circuit.birth <= circuit.time <= board.now <= LATEST:
        raise ValueError("its time is not one of a simulated board")
    if not isinstance(modes, dict) or not isinstance(on, list) or not isinstance(relays, dict):
        raise ValueError("its parts or outputs are not complete")
    for name, mode in modes.items():
        board.parts[name] = _part(board, name, mode)
    for name, relay in relays.items():
        board.relays[name] = _relay(board, name, relay)
    if type(done) is not int or not 0 <= done <= len(circuit.script):
        raise ValueError("it is of another script")
    board.done = done
    board.left_on = tuple(name for name in board.relays if name in on)
    return board


def _part(board: SimBoard, name: str, fields: Any) -> Part:
    if name not in board.parts or not isinstance(fields, dict) or fields.get("mode") not in parts.MODES:
        raise ValueError(f"it keeps an unknown part or mode: {name[:40]}")
    held, since, by = (_finite(fields.get(field, 0.0), field) for field in ("held", "since", "by"))
    if by and fields["mode"] not in (*parts.BY, "nak"):
        raise ValueError(f"it keeps a number for {fields['mode']}")
    return parts.turned(board.parts[name], fields["mode"], held, since, by)


def _relay(board: SimBoard, name: str, fields: Any) -> Relay:
    if name not in board.relays or not isinstance(fields, list) or len(fields) != 2 or fields[0] not in coils.MODES:
        raise ValueError(f"it keeps an unknown output or mode: {name[:40]}")
    held = _finite(fields[1], "relay")
    if not 0.0 <= held <= 1.0:
        raise ValueError(f"it keeps a contact that is neither open nor closed: {name}")
    return replace(board.relays[name], mode=fields[0], held=held)


def _numbers(value: Any, field: str, table: bool) -> Any:
    """A number, or where a table is due one of numbers; ValueError."""
    if not table:
        return _finite(value, field)
    if not isinstance(value, dict):
        raise ValueError(f"its {field[:40]} are not complete")
    return {name: _finite(inner, name) for name, inner in value.items()}


def _finite(value: Any, field: str) -> float:
    if type(value) not in (int, float) or not abs(value) < LATEST:
        raise ValueError(f"its {field[:40]} is no number")
    return float(value)
