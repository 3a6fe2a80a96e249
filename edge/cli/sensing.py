"""The sensors of [sensors], read once now: lines of doctor and rows of `fieldhand wire`.

Rules:
1. Reading is the check: whether part, driver, node and rights are there, the reading says, with the fix.
2. One that does not answer, or whose value is doubted, is wrong: it was declared to be used.
"""

from __future__ import annotations

from edge.cli.finding import Finding, remedy
from edge.cli.wiring import Row
from edge.faults import HardwareFault
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.call import Sensor
    from edge.cli.board import Chosen

# What stands for an overlay on a card of ours, whose first partition has none.
CARD = 'i2c = "1/0x48" with part = reads a part without a driver; root binds one for this start (docs/sensors.md)'


def findings(chosen: Chosen | None) -> Iterator[Finding]:
    """A line for each sensor; `chosen`: None where the settings cannot be read."""
    for row in rows(chosen) if chosen is not None else ():
        told = f"{row.line}, {row.now}" if row.now and row.answers else row.said
        overlaid = "config.txt" in row.fix
        fix = remedy(row.fix, row.fix, row.fix, CARD) if overlaid else row.fix
        yield Finding(f"sensor {row.name}", "ok" if row.answers else "wrong", told, fix)


def rows(chosen: Chosen) -> tuple[Row, ...]:
    """A row for each sensor that is read without the guard, in the order of the settings."""
    return tuple([_read(sensor, chosen) for sensor in chosen.sensors])


def _read(sensor: Sensor, chosen: Chosen) -> Row:
    from edge.peripherals.sensors import engine

    row = Row(sensor.name, "sensor", sensor.label, "", sensor.where, 0, "", "", "", "", "")
    source = next(one for one in chosen.sources if one.name == sensor.name)
    try:
        found = engine.read(source, sensor, *engine.kernel())
    except HardwareFault as fault:
        return replace(row, answers=False, said=fault.sentence, fix=fault.fix)
    now = "" if found.value is None else f"{found.value:.{0 if abs(found.value) >= 1000 else 1}f} {found.unit}"
    good = found.quality == "ok"
    said = "answers" if good else f"its value{f' {now}' if now else ''} is {found.quality}: {found.source}"
    return replace(row, now=now, level=found.value, answers=good, said=said)
