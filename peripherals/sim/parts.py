"""Models of sensor parts, with the ways in which real ones fail.

Rules this file keeps:
1. Pure. A part is given the true value and the time it was sampled; it answers with a Reading or fails.
2. The modes: `ok`; `nak`, the part does not acknowledge its address (HardwareFault, never a made-up value), `nak=3`
   after three more readings; `stale`, the value stopped coming and its age grows, quality `stale` once it is older
   than STALE_AFTER; `stuck`, fresh samples that never change; `jump=5`, off by 5 from now on; `drift=2`, off by 2 more
   with every hour; `noise=1`, off by at most 1, another way each time; `suspect`, the driver itself doubts the value.
   A part that is stuck, off or adrift looks healthy: that is what makes it worth trying.
3. A value is what the part can resolve: rounded to its places, held within its range.
4. Ages and times are board time in seconds. Noise is made of the time alone: the same time gives the same noise.
"""

from __future__ import annotations

from edge.call import Reading, Sensor
from edge.faults import HardwareFault
from edge.record import Record, replace

MODES = ("ok", "nak", "stale", "stuck", "jump", "drift", "noise", "suspect")
BY = ("jump", "drift", "noise")  # those that need a number; nak may have one
WAYS = "ok, nak, nak=READS, stale, stuck, jump=BY, drift=PER_HOUR, noise=BY, suspect"
STALE_AFTER = 30.0
MOST = 1e6


class Part(Record):
    """One sensor part. `low` to `high` is its range in its unit, `address` how it is wired, for the error.

    `held` and `since` are the value and the time at which it left the mode `ok`. `by`: how far off, in its unit; of
    `nak` how many readings it still gives.
    """

    sensor: Sensor
    low: float
    high: float
    places: int
    address: str
    mode: str = "ok"
    held: float = 0.0
    since: float = 0.0
    by: float = 0.0

    def check(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"{self.mode!r} is not a mode of a part")

    @property
    def shown(self) -> str:
        """The mode as it is set: `drift=2`."""
        return f"{self.mode}={self.by:g}" if self.by else self.mode


def way(word: str) -> tuple[str, float] | None:
    """The mode and number of a word like `nak` or `drift=2`; None when it is no mode. ValueError: the number."""
    mode, told, number = word.partition("=")
    if mode not in MODES:
        return None
    if not told and mode not in BY:
        return mode, 0.0
    if mode not in (*BY, "nak"):
        raise ValueError(f"{mode} takes no number")
    try:
        by = float(number)
    except ValueError:
        by = MOST + 1.0
    if not abs(by) <= MOST or (mode == "nak" and (by < 0 or by != int(by))):
        raise ValueError(f"{mode} needs {'a count' if mode == 'nak' else 'a number'}, for example {mode}=2")
    return mode, by


def turned(part: Part, mode: str, truth: float, at: float, by: float = 0.0) -> Part:
    """`part` in another mode from the sample `truth` at `at` on. Turning it to the mode it has changes nothing."""
    if (mode, by) == (part.mode, part.by):
        return part
    return replace(part, mode=mode, held=_resolved(part, truth), since=at, by=by)


def measure(part: Part, truth: float, at: float, now: float) -> Reading:
    """The reading of a part at `now` whose last good sample would be `truth` at `at`."""
    if part.mode == "nak" and part.by <= 0:
        raise HardwareFault(
            f"sensor {part.sensor.name} did not acknowledge ({part.address}, {part.sensor.where})",
            f"check its wiring and power; this one is simulated: sim set {part.sensor.name} ok",
        )
    value = part.held if part.mode in ("stale", "stuck") else _resolved(part, truth + _off(part, at))
    age = now - (part.since if part.mode == "stale" else at)
    quality = "stale" if age > STALE_AFTER else "suspect" if part.mode == "suspect" else "ok"
    return Reading(part.sensor.name, value, part.sensor.unit, quality, round(max(0.0, age), 1), part.sensor.where)


def after(part: Part) -> Part:
    """The part after one reading: one that fails after n of them has one less to give."""
    return replace(part, by=part.by - 1.0) if part.mode == "nak" and part.by > 0 else part


def chance(seed: int, number: int) -> float:
    """A number from 0 up to 1 that looks like chance and is always the same for the same two whole numbers."""
    mixed = (seed * 0x9E3779B97F4A7C15 + number * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    for shift in (30, 27, 31):  # the finish of splitmix64, which spreads neighbours apart
        mixed = ((mixed ^ mixed >> shift) * 0xD6E8FEB86659FD93) & 0xFFFFFFFFFFFFFFFF
    return (mixed >> 11) / (1 << 53)


def _off(part: Part, at: float) -> float:
    """How far the part is off at `at`."""
    if part.mode == "jump":
        return part.by
    if part.mode == "drift":
        return part.by * (at - part.since) / 3600.0
    if part.mode == "noise":
        return part.by * (2.0 * chance(sum(map(ord, part.sensor.name)), int(at * 1000.0)) - 1.0)
    return 0.0


def _resolved(part: Part, value: float) -> float:
    return round(min(part.high, max(part.low, value)), part.places)
