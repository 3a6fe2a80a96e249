"""What people ask of a simulated board: `sim show`, `sim set`, and the lines of a script, which are `sim set` by time.

The board has come up to the time of the question already.
"""

from __future__ import annotations

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim import parts
from edge.peripherals.sim import relays as coils
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.peripherals.sim.board import SimBoard
    from edge.peripherals.sim.parts import Part


def steer(board: SimBoard, name: str, word: str) -> str:
    """Set a value (`35`, `open`) or turn a part or a relay to a mode (`nak`); what is so now. UsageFault."""
    if name in board.relays:
        return _turn(board, name, word)
    part = board.part(name)
    mode = _mode(name, word)
    if mode:
        truth, at = board.sample(name)
        board.parts[name] = parts.turned(part, mode[0], truth, at, mode[1])
        return f"sensor {name} is {board.parts[name].shown}"
    value = _number(board, part, word)
    try:
        board.circuit.put(name, value, board.relays, board.now)
    except ValueError as error:
        raise UsageFault(f"{name} cannot be set to {word[:40]}", str(error)) from error
    hidden = "" if part.mode == "ok" else f" (its sensor is {part.shown} and does not show it)"
    said = part.sensor.states[int(value)] if part.sensor.states else f"{value:g} {part.sensor.unit}".rstrip()
    return f"{name} is {said}{hidden}"


def shown(board: SimBoard) -> list[dict[str, Any]]:
    """Every sensor as it answers now, its part's mode, and a contact's `word`; `error` beside the empty value of
    one that fails. Looking uses up no reading."""
    found = []
    for name, part in board.parts.items():
        fields = {"name": name, "value": None, "unit": part.sensor.unit, "quality": "fault"}
        try:
            fields = as_dict(board.measured(part))
        except HardwareFault as fault:
            fields["error"] = fault.sentence
        if part.sensor.states and fields["value"] is not None:
            fields["word"] = part.sensor.states[int(fields["value"])]
        found.append({**fields, "mode": part.shown})
    return found


def told(board: SimBoard) -> dict[str, Any]:
    """What else there is to show: `world` (its name), `tanks`, `relays` (mode of those that are not ok) and
    `coming`, the next lines of the script."""
    relays = {name: relay.mode for name, relay in board.relays.items() if relay.mode != "ok"}
    coming = [as_dict(event) for event in board.circuit.script[board.done : board.done + 3]]
    return {"world": board.circuit.name, "tanks": board.circuit.tanks(), "relays": relays, "coming": coming}


def _turn(board: SimBoard, name: str, word: str) -> str:
    if word not in coils.MODES:
        ways = f"its relay takes {', '.join(coils.MODES)}"
        raise UsageFault(f"{name} is an output: only the guard switches it", f"use the tool output_set; {ways}")
    relay = board.relays[name] = coils.turned(board.relays[name], word, board.now)
    stays = f", its contact stays {'closed' if relay.held else 'open'}" if word == "stuck" else ""
    return f"the relay of {name} is {word}{stays}"


def _mode(name: str, word: str) -> tuple[str, float] | None:
    try:
        return parts.way(word)
    except ValueError as error:
        raise UsageFault(f"sensor {name} cannot be {word[:40]!r}: {error}", f"its modes: {parts.WAYS}") from error


def _number(board: SimBoard, part: Part, word: str) -> float:
    name, unit, states = part.sensor.name, part.sensor.unit, part.sensor.states
    if states:
        if word in states:
            return float(states.index(word))
        raise UsageFault(f"{word[:40]!r} is no state of {name}", f"it takes {', '.join(states)} or {parts.WAYS}")
    low, high = board.circuit.limits(name)
    takes = f"it takes a number from {low:g} to {high:g} ({unit}) or {parts.WAYS}"
    try:
        value = float(word)
    except ValueError as error:
        raise UsageFault(f"{word[:40]!r} is neither a number nor a mode of sensor {name}", takes) from error
    if not low <= value <= high:
        raise UsageFault(f"{name} cannot be {word[:40]} {unit}", takes)
    return value
