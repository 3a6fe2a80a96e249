"""How soon and how often an output may leave its safe value.

Rules this file keeps:
1. `min_off`: an output stays safe for at least that long. It became so when it was driven so, when the guard began, or
   when the record of an earlier guard says.
2. `max_per_hour`: it leaves safe at most so often within any HOUR. A renewal of a lease is none; a drive that failed is
   one, for it may have switched. What is refused has not switched and is none.
3. Times are board seconds and are handed in. `past` are those of earlier switches, from whoever keeps a record.
4. Both are refused with what is left to wait, rounded up.
"""

from __future__ import annotations

from edge.faults import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from edge.call import Output

HOUR = 3600.0
RULE_MIN_OFF = "guard.min_off"
RULE_PER_HOUR = "guard.max_per_hour"


class Limits:
    """The latest times at which each output left safe; kept only of those that may do so a number of times."""

    __slots__ = ("starts",)

    def __init__(self, outputs: Iterable[Output], now: float, past: Mapping[str, Iterable[float]]) -> None:
        self.starts: dict[str, list[float]] = {}
        for output in outputs:
            if output.max_per_hour:
                times = sorted(min(at, now) for at in past.get(output.name, ()))
                self.starts[output.name] = times[-output.max_per_hour :]

    def left(self, output: Output, now: float) -> None:
        """Note that an output leaves its safe value."""
        times = self.starts.get(output.name)
        if times is not None:
            times.append(now)
            del times[: -output.max_per_hour]

    def wait(self, output: Output, since: float, now: float) -> float:
        """Seconds until an output that became safe at `since` has been so for long enough; 0 when it has."""
        return max(0.0, since + output.min_off - now)

    def hourly(self, output: Output, now: float) -> float:
        """Seconds until the output may leave safe once more by its number an hour; 0 when it may."""
        times = self.starts.get(output.name, ())
        if len(times) < output.max_per_hour or not times:
            return 0.0
        return max(0.0, times[-output.max_per_hour] + HOUR - now)

    def check(self, output: Output, since: float, now: float, hourly: bool = True) -> None:
        """Refused when an output that became safe at `since` may not leave it at `now`; `hourly`: by rule 2 too."""
        wait = self.wait(output, since, now)
        if wait > 0.0:
            sentence = f"{output.name} must stay as it is for {output.min_off:g} s between two times"
            raise Refused(f"{sentence}: {_up(wait)} s are left", RULE_MIN_OFF, f"ask again in {_up(wait)} s")
        wait = self.hourly(output, now) if hourly else 0.0
        if wait > 0.0:
            most = output.max_per_hour
            sentence = f"{output.name} may be switched {most} time{'s' * (most > 1)} an hour, and was"
            raise Refused(f"{sentence}: {_up(wait)} s are left", RULE_PER_HOUR, f"ask again in {_up(wait)} s")


def _up(seconds: float) -> int:
    """Whole seconds, never too few."""
    return int(seconds) + (seconds > int(seconds))
