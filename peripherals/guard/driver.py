"""What moves outputs: the plant is driven, read back, and what became of it is noted.

Rules this file keeps:
1. The plant is driven first, then the table and the notes say so.
2. Away from safe an output is driven once. When that fails its state is not known: it is driven safe at once, its
   leaving of safe is counted, and what is known of it after that is what is read back.
3. A safe drive that fails is told once and tried again at each look (`again`) until it succeeds; until then its lease
   is over, nothing else is driven there, and no transition says that it is safe.
4. What is read back and differs from what was driven is a failed drive. A level that cannot be read back is unknown.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.guard.leases import OVERRIDE_KEY, Row
from edge.peripherals.guard.protocol import EVERYBODY, FAILED, STARTED, Transition
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.peripherals.guard.core import Plant
    from edge.peripherals.guard.feedback import Watch
    from edge.peripherals.guard.leases import Leases
    from edge.peripherals.guard.manual import Manual

TOLERANCE = 0.01  # of a pwm level that is read back: whole nanoseconds of a period


class Driver:
    """Drives the rows of one table. `stuck`: name -> (what failed, the transition that is due once it succeeds)."""

    def __init__(self, plant: Plant, leases: Leases, watches: dict[str, Watch], manual: Manual) -> None:
        self.plant = plant
        self.leases = leases
        self.watches = watches
        self.manual = manual
        self.stuck: dict[str, tuple[str, Transition]] = {}
        self.notes: list[Transition] = []
        self.changed = False

    def begin(self, now: float, since: Mapping[str, float]) -> None:
        """Take what the plant has at the start: made safe, or held until its longest time where it is declared so.

        `since`: when an output left safe, where that is known.
        """
        for row in list(self.leases.rows.values()):
            level = self.level(row.output.name, now)
            if level is None or same(level, row.level):
                continue
            left = min(since.get(row.output.name, now), now)
            found = replace(row, level=level, since=left, end=left + row.output.max_on, why=STARTED)
            if row.output.on_start != "hold":
                self.safe(found, STARTED, now)
                continue
            self.leases.rows[row.output.name] = found
            self._watch(found, now, False)

    def level(self, name: str, now: float) -> float | None:
        """The level that is read back; None when it cannot be."""
        try:
            return self.plant.level(name, now)
        except HardwareFault:
            return None

    def known(self, name: str, now: float) -> float | None:
        """The level of an output that obeys; None when it is in a fault or unknown."""
        return None if self.fault(name) else self.level(name, now)

    def fault(self, name: str) -> str:
        """What is wrong with an output, "" when nothing is known to be."""
        if name in self.stuck:
            return self.stuck[name][0]
        watch = self.watches.get(name)
        return watch.fault if watch else ""

    def waits(self, name: str) -> bool:
        """True for an output of real lines that is only taken when it is first switched."""
        asks = getattr(self.plant, "waits", None)
        return asks is not None and bool(asks(name))

    def away(self, row: Row, now: float) -> None:
        """Drive an output to the level of a granted row; HardwareFault when it failed, and then it was made safe."""
        try:
            self._drive(row, now)
        except HardwareFault as fault:
            self.leases.put(row, now)
            self.tell("fault", row, fault.sentence, now)
            self.safe(row, FAILED, now, told=fault.sentence)
            raise
        self.leases.put(row, now)
        self._watch(row, now, False)
        self._note(row, row.why, row.call, "", now)

    def safe(self, row: Row, why: str, now: float, by: str = "", call: str | None = None, told: str = "") -> str:
        """End the lease of a row and drive it safe; what failed, or "".

        `by`: the key of the agent that asked, `call` its call. `told`: what everybody was told already.
        """
        name = row.output.name
        fresh = self.leases.made_safe(row, why, now)
        self.leases.put(fresh, now)
        if row.owner == OVERRIDE_KEY:
            self.manual.spent.add(name)
        tell = row.owner if row.owner not in (by, OVERRIDE_KEY) else ""
        moved = replace(fresh, shown=row.shown)
        note = self._transition(moved, why, row.call if call is None else call, tell, now)
        try:
            self._drive(fresh, now)
        except HardwareFault as fault:
            new = name not in self.stuck
            self.stuck[name] = (fault.sentence, note if new else self.stuck[name][1])
            if new and fault.sentence != told:
                self.tell("fault", row, fault.sentence, now)
            return fault.sentence
        self._watch(fresh, now, bool(by))
        if name in self.stuck:
            self._freed(name, now)
        elif not row.safe:
            self.notes.append(note)
        return ""

    def again(self, now: float) -> None:
        """Try the safe drives that failed once more."""
        for name in list(self.stuck):
            fresh = self.leases.rows[name]
            try:
                self._drive(fresh, now)
            except HardwareFault as fault:
                self.stuck[name] = (fault.sentence, self.stuck[name][1])
                continue
            self._watch(fresh, now, False)
            self._freed(name, now)

    def tell(self, kind: str, row: Row, why: str, now: float) -> None:
        """Note news about an output that everybody is told; a fault leaves it not known to be safe."""
        state = not row.output.safe if kind == "fault" else row.state
        self.notes.append(Transition(now, row.output.name, state, why, row.call, row.level, row.shown, EVERYBODY, kind))

    def _freed(self, name: str, now: float) -> None:
        """A safe drive succeeded at last: only now it has become safe."""
        _, note = self.stuck.pop(name)
        row = replace(self.leases.rows[name], since=now)
        self.leases.rows[name] = row
        self.notes.append(replace(note, at=now))
        self.tell("cleared", row, f"{name} obeys again", now)

    def _drive(self, row: Row, now: float) -> None:
        self.changed = True
        self.plant.drive(row.output.name, row.level, now)
        found = self.level(row.output.name, now)
        if found is not None and not same(found, row.level):
            said = _other(row.output.name, row.level, found)
            raise HardwareFault(said, "check its wiring; its state is read back with output_list")

    def _watch(self, row: Row, now: float, asked: bool) -> None:
        watch = self.watches.get(row.output.name)
        if watch:
            watch.driven(row.state, now, asked and row.safe)

    def _note(self, row: Row, why: str, call: str, tell: str, now: float) -> None:
        self.notes.append(self._transition(row, why, call, tell, now))

    def _transition(self, row: Row, why: str, call: str, tell: str, now: float) -> Transition:
        return Transition(now, row.output.name, row.state, why, call, row.level, row.shown, tell)


def same(found: float, wanted: float) -> bool:
    """True when a level that was read back is the one that was driven. Off is nothing at all, and on is all."""
    return found == wanted if wanted in (0.0, 1.0) else abs(found - wanted) <= TOLERANCE


def _other(name: str, wanted: float, found: float) -> str:
    return f"{name} was driven to {wanted:g} and reads back {found:g}"


def states(driver: Driver, said: dict[str, str], now: float) -> dict[str, dict[str, object]]:
    """The rows of states as they are read back, with faults and what holds them by hand."""
    from edge.peripherals.guard.protocol import WAITS, WORD, clip

    rows = driver.leases.states(now)
    for name, row in rows.items():
        wanted = driver.leases.rows[name].level
        level = driver.level(name, now)
        fault = driver.fault(name)
        if level is None and not fault:  # a plant of real lines knows of each whether it could be had
            fault = getattr(driver.plant, "missing", {}).get(name, "")
        differs = level is not None and not same(level, wanted)
        unknown = level is None or (bool(fault) and differs)
        if differs and not fault:  # another program, a wire: nobody asked for that, and nobody calls it safe
            fault = _other(name, wanted, level)  # type: ignore[arg-type]
        row.update(
            state=None if unknown else level > 0.0,  # type: ignore[operator]
            level=None if unknown else round(level, 4),  # type: ignore[arg-type]
            why=WAITS if level is None and driver.waits(name) else clip(row["why"], 2 * WORD),
            fault=clip(fault, 2 * WORD),
            override=clip(said.get(name, ""), 2 * WORD),
        )
    return rows
