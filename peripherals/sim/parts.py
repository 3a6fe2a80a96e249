"""Models of sensor parts, with the ways in which real ones fail.

Rules this file keeps:
1. Pure. A part is given the true value and the time it was sampled; it answers with a Reading or fails.
2. The modes: `ok`; `nak`, the part does not acknowledge its address (HardwareFault, never a made-up value);
   `stale`, the value stopped coming and its age grows, quality `stale` once it is older than STALE_AFTER;
   `stuck`, fresh samples that never change. A stuck part looks healthy: that is what makes it worth trying.
3. A value is what the part can resolve: rounded to its places, held within its range.
4. Ages and times are board time in seconds.
"""

from __future__ import annotations

from edge.call import Reading, Sensor
from edge.faults import HardwareFault
from edge.record import Record, replace

MODES = ("ok", "nak", "stale", "stuck")
STALE_AFTER = 30.0


class Part(Record):
    """One sensor part. `low` to `high` is its range in its unit, `address` how it is wired, for the error.

    `held` and `since` are the value and the time at which a stale or stuck part stopped.
    """

    sensor: Sensor
    low: float
    high: float
    places: int
    address: str
    mode: str = "ok"
    held: float = 0.0
    since: float = 0.0

    def check(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"{self.mode!r} is not a mode of a part")


def turned(part: Part, mode: str, truth: float, at: float) -> Part:
    """`part` in another mode from the sample `truth` at `at` on. Turning it to the mode it has changes nothing."""
    if mode == part.mode:
        return part
    return replace(part, mode=mode, held=_resolved(part, truth), since=at)


def measure(part: Part, truth: float, at: float, now: float) -> Reading:
    """The reading of a part at `now` whose last good sample would be `truth` at `at`."""
    if part.mode == "nak":
        raise HardwareFault(
            f"sensor {part.sensor.name} did not acknowledge ({part.address}, {part.sensor.where})",
            f"check its wiring and power; this one is simulated: sim set {part.sensor.name} ok",
        )
    value = _resolved(part, truth) if part.mode == "ok" else part.held
    age = now - (part.since if part.mode == "stale" else at)
    quality = "stale" if age > STALE_AFTER else "ok"
    return Reading(part.sensor.name, value, part.sensor.unit, quality, round(max(0.0, age), 1), part.sensor.where)


def _resolved(part: Part, value: float) -> float:
    return round(min(part.high, max(part.low, value)), part.places)
