"""Who may keep an output away from its safe value, and until when.

Rules this file keeps:
1. Every level that is not safe has a lease with an end and an owner. Nothing is on without one, or beyond its end.
2. An output is away from safe for at most `max_on` seconds without a break: a renewed lease ends no later than `max_on`
   after the output left safe, whoever held it in between. Asking for more is refused, with what is left; asking for no
   time gets what is left. `min_off` and `max_per_hour` are those of edge.peripherals.guard.limits.
3. One owner: while one holds an output, another is refused, with how long. A lease whose owner has gone (it ran on, for
   the output says so) is free for the next.
4. The safe value is always granted, whatever else is wrong with the request, and needs no lease.
5. At most once: a call id that an owner used is answered with the first outcome and changes nothing. The same id with
   another request is refused. The last CALLS ids are remembered; a refused request is none.
6. Time is board time in seconds and is handed in; it is the caller's promise that it never goes back.
7. The state is the table `rows` of frozen records. Nothing is driven here: `granted` says what would be so, the caller
   drives it and then `put`s it.
"""

from __future__ import annotations

from edge.call import Output
from edge.faults import HardwareFault, Refused, UsageFault
from edge.peripherals.guard.limits import Limits
from edge.peripherals.guard.owners import FOREVER, NAMELESS
from edge.peripherals.guard.protocol import SET
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

CALLS = 128
RESULT = ("name", "state", "left", "max_on", "level")
RULE_MAX_ON = "guard.max_on"
RULE_REUSED = "guard.call_reused"
RULE_HELD = "guard.held"
OVERRIDE_KEY = "(override)"  # no connection's: a person holds the output by hand


class Row(Record):
    """One output as it is meant to be. `since` (when it left safe, or became so) and `end` are board time.

    `level`: 0 to 1. A safe output has no end (infinite) and no owner. `owner` is a key, `shown` its name for people.
    """

    output: Output
    level: float
    since: float
    end: float = FOREVER
    why: str = ""
    call: str = ""
    owner: str = ""
    shown: str = ""

    @property
    def state(self) -> bool:
        return self.level > 0.0

    @property
    def safe(self) -> bool:
        return self.level == safe_level(self.output)

    def left(self, now: float) -> float:
        """Seconds of lease left, 0 for a safe output."""
        return 0.0 if self.safe else max(0.0, self.end - now)


class Ask(Record):
    """A request for a level: by whom, for how long (None: as long as it may), as which call ("": none)."""

    owner: str
    shown: str
    name: str
    level: float
    seconds: float | None = None
    call: str = ""


def safe_level(output: Output) -> float:
    """The level of an output that nobody holds."""
    return 1.0 if output.safe else 0.0


def asked_level(output: Output, state: bool, level: float | None) -> float:
    """The level that a request means; UsageFault when it means none."""
    if level is None:
        return 1.0 if state else 0.0
    if not 0.0 <= level <= 1.0:
        raise UsageFault(f"{level:g} is no level for {output.name}", "a level is a number from 0 to 1")
    if (level > 0.0) != state:
        raise UsageFault(f"{output.name} cannot be {'on' if state else 'off'} at level {level:g}", "0 is off")
    if not output.pwm and level not in (0.0, 1.0):
        raise UsageFault(f"{output.name} has no levels: it is on or off", "its settings declare no pwm")
    return float(level)


class Leases:
    """The table of outputs. Starts with every output safe: since `now`, or since when `rests` says it was.

    `past`: name -> times it left safe before.
    """

    __slots__ = ("_seen", "limits", "rows")

    def __init__(
        self,
        outputs: tuple[Output, ...],
        now: float,
        past: Mapping[str, Iterable[float]] | None = None,
        rests: Mapping[str, float] | None = None,
    ) -> None:
        since = {name: min(at, now) for name, at in (rests or {}).items()}
        self.rows = {output.name: Row(output, safe_level(output), since.get(output.name, now)) for output in outputs}
        self.limits = Limits(outputs, now, past or {})
        self._seen: dict[tuple[str, str], tuple[Any, ...]] = {}

    def row(self, name: str) -> Row:
        """UsageFault: there is no such output."""
        if name not in self.rows:
            known = ", ".join(self.rows) or "none"
            raise UsageFault(f"there is no output {name[:40]!r}", f"the outputs are: {known}")
        return self.rows[name]

    def again(self, ask: Ask) -> dict[str, Any] | None:
        """The outcome of a call that was done before, None of a new one; Refused: its id was another request's."""
        seen = self._seen.get((ask.owner, ask.call)) if ask.call else None
        if seen is None:
            return None
        outcome = seen[3:]
        if seen[:3] != (ask.name, ask.level, ask.seconds):
            raise Refused(f"call {ask.call} was already used for another request", RULE_REUSED, "use a new call id")
        if len(outcome) == 1:
            raise HardwareFault(outcome[0], "it is not done a second time: read the output back, then use a new call")
        return dict(zip(RESULT, outcome))

    def remember(self, ask: Ask, outcome: dict[str, Any] | str) -> None:
        """Keep what came of a call: its RESULT, or the sentence of a drive that failed. As tuples: they are small."""
        if not ask.call:
            return
        kept = (outcome,) if isinstance(outcome, str) else tuple([outcome[field] for field in RESULT])
        self._seen[(ask.owner, ask.call)] = (ask.name, ask.level, ask.seconds, *kept)
        if len(self._seen) > CALLS:
            del self._seen[next(iter(self._seen))]

    def granted(self, ask: Ask, now: float, hourly: bool = True) -> Row:
        """The row as it will be away from safe; Refused or UsageFault, and then nothing has changed.

        `hourly` False leaves out how often it may leave safe: what a person does by hand is counted, not refused.
        """
        row = self.row(ask.name)
        output = row.output
        if not row.safe and row.owner not in ("", ask.owner) and ask.owner != OVERRIDE_KEY:
            held = f"{ask.name} is held by {row.shown or NAMELESS} for another {row.left(now):.0f} s"
            raise Refused(held, RULE_HELD, "wait until then; making it safe is open to everybody")
        since = now if row.safe else row.since
        longest = output.max_on - (now - since)  # in this order: of one that was safe it is max_on itself
        seconds = longest if ask.seconds is None else ask.seconds
        if not 0.0 < seconds < FOREVER:
            most = f"ask for at most {output.max_on:g} s"
            raise UsageFault(f"{seconds:g} s is no time for {output.name} to be on", most)
        if seconds > longest:
            raise Refused(_too_long(output, seconds, now - since, longest), RULE_MAX_ON, "ask for less time")
        if row.safe:
            self.limits.check(output, row.since, now, hourly)
        return Row(output, ask.level, since, now + seconds, SET, ask.call, ask.owner, ask.shown)

    def made_safe(self, row: Row, why: str, now: float) -> Row:
        """The row as it will be at its safe value; one that is safe already keeps since when it is."""
        since = row.since if row.safe else now
        return Row(row.output, safe_level(row.output), since, FOREVER, why)

    def put(self, row: Row, now: float) -> None:
        """Take a row into the table: it was driven."""
        before = self.rows[row.output.name]
        if before.safe and not row.safe:
            self.limits.left(row.output, now)
        self.rows[row.output.name] = row

    def orphan(self, owner: str) -> None:
        """Let the leases of an owner that has gone run on to their ends, free for whoever asks."""
        for row in self.held(owner):
            self.rows[row.output.name] = replace(row, owner="")
        for key in [key for key in self._seen if key[0] == owner]:
            del self._seen[key]

    def due(self, now: float) -> list[Row]:
        """The rows whose leases are over at `now`."""
        return [row for row in self.rows.values() if row.end <= now]

    def away(self) -> list[Row]:
        """The rows that are not safe."""
        return [row for row in self.rows.values() if not row.safe]

    def held(self, owner: str) -> list[Row]:
        """The rows that an owner keeps away from safe."""
        return [row for row in self.rows.values() if row.owner == owner and not row.safe]

    def next_end(self) -> float:
        """Board time of the next lease end; infinite when nothing is on."""
        return min((row.end for row in self.rows.values()), default=FOREVER)

    def states(self, now: float) -> dict[str, dict[str, Any]]:
        """name -> state, level, left (s; None: no lease), why, max_on (s), owner, fault, override, since (board s).

        As it is meant to be: what is read back, faults and overrides are the guard's to add.
        """
        return {
            name: {
                "state": row.state,
                "level": round(row.level, 4),
                "left": None if row.safe else round(row.left(now), 3),
                "why": row.why,
                "max_on": row.output.max_on,
                "owner": row.shown,
                "fault": "",
                "override": "",
                "since": round(row.since, 3),
            }
            for name, row in self.rows.items()
        }


def _too_long(output: Output, seconds: float, used: float, longest: float) -> str:
    if not used:
        return f"{output.name} may be on for at most {output.max_on:g} s, not {seconds:g} s"
    return (
        f"{output.name} has been on for {used:.0f} s and may be on for at most {output.max_on:g} s without a break: "
        f"{max(0.0, longest):.0f} s are left, not {seconds:g} s"
    )
