"""What a guard does with one request, and with time going by.

Rules this file keeps:
1. Pure: time is handed in as `real` (monotonic seconds) and never goes back; the plant is what stands behind.
   The process and the in-process double drive this same class, so they cannot differ in a decision.
2. Before anything else, what is due is made safe: a request never finds an output that should be off.
3. The plant is driven first, then the transition is noted. `take` hands the notes to whoever records and sends them.
4. Two times. The heartbeat is judged in real time, leases in board time; Clock turns one into the other.
5. A late heartbeat makes everything safe and is forgotten: the next sign of life makes the agent welcome again.
6. While `stopped` says why, nothing is switched away from its safe value, whoever asks. Whoever drives the guard looks
   for the stop and hands it in with `halt`.
"""

from __future__ import annotations

from edge.faults import Fault, Refused
from edge.peripherals.guard import protocol
from edge.peripherals.guard.leases import FOREVER, Leases
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from edge.call import Output, Reading
    from edge.peripherals.guard.protocol import Damaged, Request, Transition
else:
    Protocol = object

LIFT = "fieldhand resume lifts it"


class Plant(Protocol):
    """What a guard owns: declared outputs it can drive and sensors it can read. `now` is board time."""

    @property
    def outputs(self) -> tuple[Output, ...]: ...

    def drive(self, name: str, state: bool, now: float) -> None: ...

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
    """Owns the outputs of one plant on behalf of one agent."""

    def __init__(self, plant: Plant, clock: Clock, heartbeat: float = protocol.HEARTBEAT) -> None:
        self.plant = plant
        self.clock = clock
        self.heartbeat = heartbeat
        self.leases = Leases(plant.outputs, clock.base)
        self.stopped = ""
        self._heard: float | None = None
        self._notes: list[Transition] = []

    def answer(self, request: Request | Damaged, real: float) -> dict[str, Any] | None:
        """The reply to one request, None for a beat. Whatever had to be made safe by now is."""
        self.tick(real)
        if isinstance(request, protocol.Damaged):
            return _damaged(request)
        if request.do in ("hello", "beat", "set"):
            self._heard = real
        if request.do == "beat":
            return None
        try:
            return protocol.answer(request.id, self._do(request, self.clock.board(real)))
        except Fault as fault:
            return protocol.refusal(request.id, fault)

    def tick(self, real: float) -> None:
        """Make safe what is due at `real`: leases that are over, and everything when the heartbeat is late."""
        now = self.clock.board(real)
        self._drive(self.leases.due(now), now)
        if self._heard is not None and real >= self._heard + self.heartbeat:
            self._heard = None
            self.make_safe(protocol.LATE, real)

    def make_safe(self, why: str, real: float) -> None:
        """End every lease now."""
        now = self.clock.board(real)
        self._drive(self.leases.all_safe(why, now), now)

    def halt(self, why: str, real: float) -> bool:
        """Stop everything for the reason `why`, or go on when it is ""; True when that is news."""
        changed = bool(why) != bool(self.stopped)
        self.stopped = why
        if why:
            self.make_safe(protocol.STOPPED, real)
        return changed

    def wake(self) -> float:
        """The monotonic time of the next thing due, infinite when nothing is."""
        end = self.leases.next_end()
        if end == FOREVER:
            return FOREVER
        late = FOREVER if self._heard is None else self._heard + self.heartbeat
        return min(self.clock.when(end), late)

    def take(self) -> list[Transition]:
        """The transitions since the last call, oldest first."""
        notes, self._notes = self._notes, []
        return notes

    def events(self, notes: list[Transition]) -> list[dict[str, Any]]:
        """The events among `notes`: what the agent did not ask for."""
        outputs = {output.name: output for output in self.plant.outputs}
        return [protocol.event(note) for note in notes if protocol.told(note, outputs[note.name])]

    def _do(self, request: Request, now: float) -> dict[str, Any]:
        if request.do == "hello":
            return self._hello(request, now)
        if request.do == "sense":
            return {"reading": protocol.reading_fields(self.plant.sense(request.name, now))}
        if request.do == "states":
            return {"states": self.leases.states(now)}
        if request.do == "set":
            self._allowed(request)
            result, notes = self.leases.set(request.name, request.state, request.seconds, request.call, now)
            self._drive(notes, now)
            return result
        return {}

    def _allowed(self, request: Request) -> None:
        """Refused while everything is stopped, unless the safe value is asked for (or no output at all)."""
        row = self.leases.rows.get(request.name)
        if self.stopped and row is not None and request.state != row.output.safe:
            raise Refused(f"{request.name} stays as it is: {self.stopped}", protocol.RULE_STOP, LIFT)

    def _hello(self, request: Request, now: float) -> dict[str, Any]:
        if request.protocol != protocol.VERSION:
            raise _other_version(request.protocol)
        return {"protocol": protocol.VERSION, "board": now, "speed": self.clock.speed}

    def _drive(self, notes: Sequence[Transition], now: float) -> None:
        for note in notes:
            self.plant.drive(note.name, note.state, now)
            self._notes.append(note)


def _damaged(frame: Damaged) -> dict[str, Any]:
    from edge.faults import UsageFault

    return protocol.refusal(frame.id, UsageFault(f"the board got a damaged request: {frame.sentence}"))


def _other_version(version: int) -> Fault:
    from edge.faults import UsageFault

    return UsageFault(
        f"the agent speaks version {version} of the guard's protocol and the board version {protocol.VERSION}",
        "run both from the same installation",
    )
