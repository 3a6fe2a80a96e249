"""Who may keep an output away from its safe value, and until when.

Rules this file keeps:
1. Every value that is not safe has a lease with an end. Nothing is on without one, and nothing beyond its end.
2. An output is on for at most `max_on` seconds without a break: a renewed lease ends no later than `max_on` after
   the output was switched on. Asking for more is refused, with what is left; asking for no time gets what is left.
3. The safe value is always granted, whatever else is wrong with the request, and needs no lease.
4. At most once: a set whose call id was seen is answered with the first result and changes nothing. The same id
   with another request is refused. The last CALLS ids are remembered.
5. Time is board time in seconds and is handed in; it is the caller's promise that it never goes back.
6. The state is the table `rows`; each row is a frozen record, and each change of one gives a Transition.
   Nothing is driven here: the caller drives what the transitions say.
"""

from __future__ import annotations

from edge.call import Output
from edge.faults import Refused, UsageFault
from edge.peripherals.guard.protocol import LEASE_ENDED, SET, Transition
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CALLS = 256
RULE_MAX_ON = "guard.max_on"
RULE_REUSED = "guard.call_reused"
FOREVER = float("inf")


class Row(Record):
    """One output as it stands. `since` and `end` are board time; a safe output has no end (infinite)."""

    output: Output
    state: bool
    since: float
    end: float = FOREVER
    why: str = ""
    call: str = ""

    @property
    def safe(self) -> bool:
        return self.state == self.output.safe

    def left(self, now: float) -> float:
        """Seconds of lease left, 0 for a safe output."""
        return 0.0 if self.safe else max(0.0, self.end - now)


class Leases:
    """The table of outputs. Starts with every output at its safe value."""

    __slots__ = ("_seen", "rows")

    def __init__(self, outputs: tuple[Output, ...], now: float) -> None:
        self.rows = {output.name: Row(output, output.safe, now) for output in outputs}
        self._seen: dict[str, tuple[tuple[str, bool, float | None], dict[str, Any]]] = {}

    def set(
        self, name: str, state: bool, seconds: float | None, call: str, now: float
    ) -> tuple[dict[str, Any], tuple[Transition, ...]]:
        """Grant or end a lease: the result (name, state, left, max_on) and what changed.

        UsageFault: no such output, or `seconds` is no time. Refused: longer than the output may be on, or `call`
        was used for another request. Nothing has changed when it raises.
        """
        row = self._row(name)
        asked = (name, state, seconds)
        if call and call in self._seen:
            first, result = self._seen[call]
            if first != asked:
                raise Refused(f"call {call} was already used for another request", RULE_REUSED, "use a new call id")
            return dict(result), ()
        fresh = self._granted(row, state, seconds, call, now)
        changed = not (row.safe and fresh.safe)
        if changed:
            self.rows[name] = fresh
        result = {"name": name, "state": state, "left": fresh.left(now), "max_on": row.output.max_on}
        self._remember(call, asked, result)
        return result, (Transition(now, name, state, SET, call),) if changed else ()

    def due(self, now: float) -> tuple[Transition, ...]:
        """End the leases that are over at `now`."""
        return self._make_safe([row for row in self.rows.values() if row.end <= now], LEASE_ENDED, now)

    def all_safe(self, why: str, now: float) -> tuple[Transition, ...]:
        """End every lease."""
        return self._make_safe([row for row in self.rows.values() if not row.safe], why, now)

    def next_end(self) -> float:
        """Board time of the next lease end; infinite when nothing is on."""
        return min((row.end for row in self.rows.values()), default=FOREVER)

    def states(self, now: float) -> dict[str, dict[str, Any]]:
        """name -> state, left (s; None: no lease), why, max_on (s)."""
        return {
            name: {
                "state": row.state,
                "left": None if row.safe else round(row.left(now), 3),
                "why": row.why,
                "max_on": row.output.max_on,
            }
            for name, row in self.rows.items()
        }

    def _row(self, name: str) -> Row:
        if name not in self.rows:
            known = ", ".join(self.rows) or "none"
            raise UsageFault(f"there is no output {name[:40]!r}", f"the outputs are: {known}")
        return self.rows[name]

    def _granted(self, row: Row, state: bool, seconds: float | None, call: str, now: float) -> Row:
        """The row as it will be, or the refusal."""
        output = row.output
        if state == output.safe:
            return Row(output, state, now, FOREVER, SET, call)
        since = now if row.safe else row.since
        longest = since + output.max_on - now
        if seconds is None:
            seconds = longest
        if not 0.0 < seconds < FOREVER:
            most = f"ask for at most {output.max_on:g} s"
            raise UsageFault(f"{seconds:g} s is no time for {output.name} to be on", most)
        if seconds > longest:
            raise Refused(_too_long(output, seconds, now - since, longest), RULE_MAX_ON, "ask for less time")
        return Row(output, state, since, now + seconds, SET, call)

    def _make_safe(self, rows: list[Row], why: str, now: float) -> tuple[Transition, ...]:
        for row in rows:
            fresh = replace(row, state=row.output.safe, since=now, end=FOREVER, why=why, call="")
            self.rows[row.output.name] = fresh
        return tuple(Transition(now, row.output.name, row.output.safe, why, row.call) for row in rows)

    def _remember(self, call: str, asked: tuple[str, bool, float | None], result: dict[str, Any]) -> None:
        if not call:
            return
        self._seen[call] = (asked, dict(result))
        if len(self._seen) > CALLS:
            del self._seen[next(iter(self._seen))]


def _too_long(output: Output, seconds: float, used: float, longest: float) -> str:
    if not used:
        return f"{output.name} may be on for at most {output.max_on:g} s, not {seconds:g} s"
    return (
        f"{output.name} has been on for {used:.0f} s and may be on for at most {output.max_on:g} s without a break: "
        f"{max(0.0, longest):.0f} s are left, not {seconds:g} s"
    )
