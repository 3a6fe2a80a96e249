"""What a guard does with one request, and with time going by.

Rules this file keeps:
1. Pure: time is handed in as `real` (monotonic seconds); a time that lies back is no news. The wall clock is not in
   here. The process and the in-process double drive this same class, so they cannot differ in a decision.
2. Before anything else, what is due is made safe: a request never finds an output that should be off.
3. `take` hands the notes of what was driven to whoever records and sends them.
4. Two times. Heartbeats and looks are judged in real time, leases and limits in board time; Clock turns one into the
   other.
5. Each agent is an owner with a heartbeat of its own. A late heartbeat makes safe what that owner holds and is
   forgotten: the next sign of life makes the agent welcome again. An output that declares on_exit "hold" runs on to
   the end of its lease, then and when its owner leaves.
6. Away from safe an output goes only when nothing is stopped, nobody holds it by hand, it is in no fault, its
   interlocks hold (looked at first, and again immediately before the drive), and its lease is granted.
7. While an output that has them is away from safe, its interlocks, feedback and override are looked at again: every
   looks.CHECK seconds, and at once when another output was driven. What does not hold makes it safe.
8. The safe value is granted to everybody, but not against a person's hand; `safe_all`, a stop and every end of a lease
   go before that too.
9. While `stopped` says why, nothing is switched away from its safe value, whoever asks. Whoever drives the guard looks
   for the stop and hands it in with `halt`.
"""

from __future__ import annotations

from edge.faults import Fault, HardwareFault, Refused, UsageFault
from edge.peripherals.guard import feedback, protocol
from edge.peripherals.guard.driver import Driver, same, states
from edge.peripherals.guard.leases import OVERRIDE_KEY, Ask, Leases, Row, asked_level, safe_level
from edge.peripherals.guard.looks import LIFT, Looks
from edge.peripherals.guard.manual import Manual
from edge.peripherals.guard.owners import FOREVER, Owners
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Protocol

    from edge.call import Output, Reading, Sensor
    from edge.peripherals.guard.protocol import Request, Transition
else:
    Protocol = object


class Plant(Protocol):
    """What a guard owns: declared outputs it can drive and sensors it can read. `now` is board time.

    It is made with every output at its safe value, as far as that can be and is declared.
    """

    @property
    def outputs(self) -> tuple[Output, ...]: ...

    @property
    def sensors(self) -> tuple[Sensor, ...]: ...

    def drive(self, name: str, level: float, now: float) -> None:
        """0 is off and 1 on; between them for pwm only. HardwareFault: the state is unknown now."""

    def level(self, name: str, now: float) -> float | None:
        """What is read back from what is held; None when it is unknown."""

    def sense(self, name: str, now: float) -> Reading:
        """UsageFault: no such sensor. HardwareFault: it did not answer."""


class Clock(Record):
    """Board time: `base` (s) at the monotonic time `real`, going `speed` times as fast."""

    base: float
    real: float
    speed: float

    def board(self, real: float) -> float:
        """Board time at `real`; never before `base`."""
        return self.base + max(0.0, real - self.real) * self.speed

    def when(self, board: float) -> float:
        """The monotonic time at which it will be `board`; by rounding never one at which it is not yet."""
        from math import ulp

        real = self.real + (board - self.base) / self.speed
        step = ulp(real)
        while self.board(real) < board:
            real += step
            step *= 2  # the board's time may be much the coarser of the two
        return real


class Guard:
    """Owns the outputs of one plant on behalf of its agents. `past`: see edge.peripherals.guard.limits.

    `since`: name -> board time at which an output that was away from safe when an earlier guard ended had left it. One
    that is held from the start (on_start) has been away since then, so that no number of starts makes `max_on` longer.
    `rests`: the same of outputs that it left safe, so that `min_off` does not begin anew with every guard.
    """

    def __init__(
        self,
        plant: Plant,
        clock: Clock,
        heartbeat: float = protocol.HEARTBEAT,
        past: Mapping[str, Iterable[float]] | None = None,
        since: Mapping[str, float] | None = None,
        rests: Mapping[str, float] | None = None,
    ) -> None:
        self.plant = plant
        self.clock = clock
        self.leases = Leases(plant.outputs, clock.base, past, rests)
        self.owners = Owners(heartbeat)
        self.manual = Manual()
        self.driver = Driver(plant, self.leases, feedback.watches(plant.outputs, clock.base), self.manual)
        self.looks = Looks(self.driver)
        self._real = self._looked = clock.real
        self.driver.begin(clock.base, since or {})

    @property
    def stopped(self) -> str:
        """Why everything is stopped, "" when it is not."""
        return self.looks.stopped

    # --- agents come, ask and go ---

    def joined(self, owner: str, shown: str, real: float) -> None:
        """An agent is there: `owner` is its key, `shown` what its run calls itself. A hello does the same."""
        self._at(real)
        self.owners.joined(owner, shown, self._real)

    def answer(self, owner: str, request: Request | protocol.Damaged, real: float) -> dict[str, Any] | None:
        """The reply to one request of an owner, None for a beat. Whatever had to be made safe by now is."""
        self.tick(real)
        if isinstance(request, protocol.Damaged):
            return protocol.refusal(request.id, UsageFault(f"the board got a damaged request: {request.sentence}"))
        if request.do in ("beat", "set"):
            self.owners.alive(owner, min(request.seen or request.until or self._real, self._real))
        if request.do == "beat":
            return None
        try:
            return protocol.answer(request.id, self._do(owner, request, self.clock.board(self._real)))
        except Fault as fault:
            return protocol.refusal(request.id, fault)

    def left(self, owner: str, why: str, real: float) -> None:
        """An agent has gone for the reason `why`: what it holds goes safe, or runs on where that is declared."""
        self._drop(owner, why, self._at(real))
        self.leases.orphan(owner)
        self.owners.forget(owner)

    # --- time goes by ---

    def tick(self, real: float) -> None:
        """Make safe what is due: leases that are over, what a late owner holds, what a look finds."""
        now = self._at(real)
        for row in self.leases.due(now):
            self.driver.safe(row, protocol.LEASE_ENDED, now)
        for owner in self.owners.late(self._real):
            self._drop(owner, protocol.LATE, now)
        if self._real >= self._next_look():
            self._looked = self._real
            self.looks.look(now)

    def wake(self) -> float:
        """The monotonic time of the next thing due, infinite when nothing is."""
        end = self.leases.next_end()
        ends = FOREVER if end == FOREVER else self.clock.when(end)
        return min(ends, self.owners.next_late(row.owner for row in self.leases.away()), self._next_look())

    # --- from outside ---

    def make_safe(self, why: str, real: float, leave: bool = False) -> None:
        """End every lease now. `leave`: but of outputs that are declared to hold what they have when a guard ends."""
        now = self._at(real)
        for row in self.leases.away():
            if not (leave and row.output.on_exit == "hold"):
                self.driver.safe(row, why, now)

    def safe_all(self, real: float) -> dict[str, dict[str, Any]]:
        """Make everything safe, whoever holds it, also what is not as it was driven; the states after that.

        A lab line that no guard took is driven only where it is an output already: what is wired to an input may drive
        it from the other side.
        """
        self.make_safe(protocol.SAFE_ALL, real)
        now = self._at(real)
        for row in list(self.leases.rows.values()):
            level = self.driver.level(row.output.name, now)
            name = row.output.name
            left = level is None and self.driver.waits(name) and self.plant.left(name)  # type: ignore[attr-defined]
            if left or name in self.driver.stuck or (level is not None and not same(level, row.level)):
                self.driver.safe(row, protocol.SAFE_ALL, now)
        return self.states(now)

    def halt(self, why: str, real: float) -> bool:
        """Stop everything for the reason `why`, or go on when it is ""; True when that is news."""
        changed = bool(why) != bool(self.stopped)
        self.looks.stopped = why
        if why:
            self.make_safe(protocol.STOPPED, real)
        return changed

    def override(self, name: str, word: str, real: float) -> None:
        """A person's word for an output: safe, on, off, "" lifts it. UsageFault: no such output or word."""
        row = self.leases.row(name)
        now = self._at(real)
        if self.manual.word(row.output.name, word):
            self.looks.by_hand(row.output, self.looks.view(now), now)

    # --- what there is to know ---

    def states(self, now: float) -> dict[str, dict[str, Any]]:
        """name -> the row of a states reply at board time `now`: what is read back, who holds it, what is wrong."""
        return states(self.driver, self.looks.said(now), now)

    def take(self) -> list[Transition]:
        """The transitions since the last call, oldest first."""
        notes = self.driver.notes[:]
        self.driver.notes.clear()
        return notes

    def events(self, notes: list[Transition], owner: str | None = None) -> list[dict[str, Any]]:
        """The events among `notes`: what the agent `owner` (None: anybody) did not ask for and must be told."""
        return [protocol.event(note) for note in notes if protocol.told(note, owner)]

    # --- requests ---

    def _do(self, owner: str, request: Request, now: float) -> dict[str, Any]:
        if request.do == "hello":
            return self._hello(owner, request, now)
        if request.do == "sense":
            return {"reading": protocol.reading_fields(self.plant.sense(request.name, now))}
        if request.do == "states":
            return {"states": self.states(now)}
        if request.do == "safe_all":
            return {"states": self.safe_all(self._real)}
        if request.do == "set":
            return self._set(owner, request, now)
        self.left(owner, protocol.AGENT_LEFT, self._real)
        return {}

    def _hello(self, owner: str, request: Request, now: float) -> dict[str, Any]:
        if request.protocol != protocol.VERSION:
            raise UsageFault(
                f"the agent speaks version {request.protocol} of the guard's protocol and the board version "
                f"{protocol.VERSION}",
                "run both from the same installation",
            )
        self.owners.joined(owner, request.run, self._real)
        times = {"board": now, "speed": self.clock.speed, "heartbeat": self.owners.heartbeat}
        return {"protocol": protocol.VERSION, **times}

    def _set(self, owner: str, request: Request, now: float) -> dict[str, Any]:
        row = self.leases.row(request.name)
        level = asked_level(row.output, request.state, request.level)
        ask = Ask(owner, self.owners.names.get(owner, ""), request.name, level, request.seconds, request.call)
        done = self.leases.again(ask)
        if done is not None:
            return done
        try:
            if level == safe_level(row.output):
                self._to_safe(ask, row, now)
            elif request.until and self._real > request.until:
                raise HardwareFault(f"{ask.name} was not switched: its request came after it was given up", "ask anew")
            else:
                self._away(ask, row, now)
        except HardwareFault as fault:
            self.leases.remember(ask, fault.sentence)
            raise
        result = self._result(self.leases.rows[request.name], now)
        self.leases.remember(ask, result)
        return result

    def _to_safe(self, ask: Ask, row: Row, now: float) -> None:
        if row.owner == OVERRIDE_KEY:
            self.looks.unless_by_hand(row, now)
        # None is not known: a lab line that nobody drove yet, a line that could not be had.
        level = self.driver.level(ask.name, now)
        if row.safe and level is not None and same(level, row.level) and not self.driver.fault(ask.name):
            return
        taken = not row.safe and row.owner not in ("", ask.owner)
        why = f"{protocol.TAKEN}{self.owners.shown(ask.owner)}" if taken else protocol.SET
        failed = self.driver.safe(row, why, now, ask.owner, ask.call)
        if failed:
            raise HardwareFault(f"{failed}; the state of {ask.name} is unknown", "it is tried again until it is safe")

    def _away(self, ask: Ask, row: Row, now: float) -> None:
        if ask.owner not in self.owners.heard:
            raise UsageFault(f"nobody who said hello asks for {ask.name}", "say hello first")
        if self.stopped:
            raise Refused(f"{ask.name} stays as it is: {self.stopped}", protocol.RULE_STOP, LIFT)
        self.looks.unless_by_hand(row, now)
        self.looks.obeying(row)
        self.looks.holding(row, now)
        fresh = self.leases.granted(ask, now)
        self.looks.holding(row, now)
        self.driver.away(fresh, now)

    def _result(self, row: Row, now: float) -> dict[str, Any]:
        level = self.driver.level(row.output.name, now)
        return {
            "name": row.output.name,
            "state": None if level is None else level > 0.0,
            "left": row.left(now),
            "max_on": row.output.max_on,
            "level": None if level is None else round(level, 4),
        }

    # --- small things ---

    def _next_look(self) -> float:
        """The monotonic time of the next look."""
        settles, pause = self.looks.settles(), self.looks.pause()
        due = FOREVER if settles == FOREVER else self.clock.when(settles)
        if self.driver.changed and pause != FOREVER:
            return min(due, self._real)
        return min(due, self._looked + pause)

    def _at(self, real: float) -> float:
        """Board time at `real`, or at the latest time there was."""
        self._real = max(self._real, real)
        return self.clock.board(self._real)

    def _drop(self, owner: str, why: str, now: float) -> None:
        for row in self.leases.held(owner):
            if row.output.on_exit != "hold":
                self.driver.safe(row, why, now)
