"""What happens by itself in a described world: `[[faults]]` -> events, as lines of `sim set` at their times."""

from __future__ import annotations

from edge.call import Output
from edge.peripherals.sim import checks, parts, relays
from edge.peripherals.sim.parts import Part
from edge.peripherals.sim.plan import Event, Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Table = Mapping[str, Any]

EVENTS = 64


def script(tables: Table, start: float, outputs: tuple[Output, ...], made: list[Part]) -> tuple[Event, ...]:
    """The faults in the order of their times."""
    rows = tables.get("faults", [])
    if not isinstance(rows, list) or len(rows) > EVENTS:
        raise ValueError(f"faults is a list of at most {EVENTS} tables: [[faults]]")
    found = []
    for number, row in enumerate(rows, 1):
        key = f"faults {number}"
        takes = ("at", "after", "lasts", "part", "mode", "by", "reads", "value")
        fields = checks.fields(row, takes, key)
        if ("at" in fields) == ("after" in fields):
            raise ValueError(f"{key} needs either at (a time of day) or after (seconds)")
        at = start + fields["after"] if "after" in fields else checks.moment(fields["at"], f"{key}.at")
        name, word = _happens(key, fields, outputs, made)
        found.append(Event(at, name, word))
        if "lasts" in fields:
            found.append(Event(at + fields["lasts"], name, "ok"))
    return tuple(sorted(found, key=lambda event: event.at))


def rehearse(made: Plan) -> None:
    """Try every line on a board of its own, so that none fails in the midst of a run. ValueError."""
    from edge.faults import UsageFault
    from edge.peripherals.sim.board import SimBoard
    from edge.peripherals.sim.circuit import Described

    board = SimBoard(Described(made))
    for event in made.script:
        try:
            board.adjust(event.name, event.word, made.start)
        except UsageFault as fault:
            raise ValueError(f"faults: {fault}") from fault


def _happens(key: str, fields: Table, outputs: tuple[Output, ...], made: list[Part]) -> tuple[str, str]:
    """The name and the word of one line of the script, as for `sim set`."""
    name = fields.get("part", "")
    sensors = {part.sensor.name: part.sensor for part in made}
    if name not in sensors and name not in [output.name for output in outputs]:
        raise ValueError(f"{key}.part names no sensor, contact or output")
    if ("mode" in fields) == ("value" in fields):
        raise ValueError(f"{key} needs either a mode or a value")
    if "value" in fields:
        value = fields["value"]
        if name not in sensors or (sensors[name].states and value not in sensors[name].states):
            states = sensors[name].states if name in sensors else ("nothing: the guard switches outputs",)
            raise ValueError(f"{key}.value of {name} is {' or '.join(states)}")
        return name, str(value)
    mode = "stuck" if fields["mode"] == "stick" else str(fields["mode"])
    if name not in sensors:
        if mode not in relays.MODES:
            raise ValueError(f"{key}.mode of a relay is one of {', '.join(relays.MODES)}")
        return name, mode
    number = fields.get("by", fields.get("reads"))
    word = mode if number is None else f"{mode}={number:g}"
    try:
        known = parts.way(word)
    except ValueError as error:
        raise ValueError(f"{key}.mode: {error}") from error
    if known is None:
        raise ValueError(f"{key}.mode of a sensor is one of stick, {', '.join(parts.MODES)}")
    return name, word
