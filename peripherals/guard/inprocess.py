"""A board without a process: the same guard behind the same interface, in injected time.

For whoever needs a board in a unit test or an embedding, where time must be in hand. It is held to the same
contract as the real process (tests/contracts/test_board.py). What it cannot do is outlive its agent: its outputs
are safe when a lease ends or the heartbeat is late, not when the program that holds it is killed.

Several conversations: `board.share("another run")` is one more agent at the same guard. Each has its own heartbeat and
events; the record of all transitions is one.
"""

from __future__ import annotations

import os
from time import monotonic

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import protocol
from edge.peripherals.guard.client import check_speed
from edge.peripherals.guard.core import Clock, Guard
from edge.peripherals.guard.protocol import Transition
from edge.peripherals.sim.board import SimBoard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.call import Reading
    from edge.peripherals.guard.core import Plant


class Shared:
    """One guard in injected time, the agents at it by their keys, and all its transitions so far."""

    def __init__(self, time: Callable[[], float], guard: Guard) -> None:
        self.time = time
        self.guard = guard
        self.record: list[Transition] = []
        self.agents: dict[str, InProcessBoard] = {}
        self._number = 0

    def seat(self, agent: InProcessBoard) -> str:
        """A key of its own for one more agent."""
        self._number += 1
        self.agents[f"agent {self._number}"] = agent
        return f"agent {self._number}"

    def catch_up(self) -> float:
        """Live through everything that was due since the last call, each at its own time, as the process would."""
        real = self.time()
        while self.guard.wake() <= real:
            self.guard.tick(self.guard.wake())
        self.guard.tick(real)
        self.note()
        return real

    def note(self) -> None:
        """Keep the transitions and give each agent its events."""
        notes = self.guard.take()
        self.record += notes
        for key, agent in self.agents.items():
            agent.told += self.guard.events(notes, key)


class InProcessBoard:
    """Like client.Board. `time` gives monotonic seconds; `plant` is None for the greenhouse; `run` names its run."""

    def __init__(
        self,
        time: Callable[[], float] = monotonic,
        speed: float = 60.0,
        plant: Plant | None = None,
        run: str = "",
        shared: Shared | None = None,
    ) -> None:
        check_speed(speed)
        self.pid = os.getpid()
        self.started = 0
        self.speed = speed
        self.heartbeat = protocol.HEARTBEAT
        self.gone = False
        self.notes: tuple[str, ...] = ()
        self.told: list[dict[str, Any]] = []
        if shared is None:
            owned = plant or SimBoard()
            base = owned.now if isinstance(owned, SimBoard) else 0.0
            shared = Shared(time, Guard(owned, Clock(base, time(), speed)))
        self.shared = shared
        self.plant = shared.guard.plant
        self._number = 0
        self._closed = False
        self._owner = shared.seat(self)
        self._ask({"do": "hello", "protocol": protocol.VERSION, "run": run[: protocol.WORD]})

    def share(self, run: str = "") -> InProcessBoard:
        """One more agent at the same guard."""
        return InProcessBoard(self.shared.time, self.speed, run=run, shared=self.shared)

    @property
    def record(self) -> list[Transition]:
        """All transitions of the guard so far, whoever asked for them; news of faults and overrides among them."""
        return self.shared.record

    def sense(self, name: str) -> Reading:
        return protocol.reading(self._ask({"do": "sense", "name": name})["reading"])

    def set(
        self, name: str, state: bool, seconds: float | None, call: str, level: float | None = None
    ) -> dict[str, Any]:
        message = {"do": "set", "name": name, "state": state, "seconds": seconds, "call": call, "level": level}
        reply = self._ask(message)
        return {field: value for field, value in reply.items() if field not in ("id", "ok")}

    def states(self) -> dict[str, dict[str, Any]]:
        return dict(self._ask({"do": "states"})["states"])

    def safe_all(self) -> dict[str, dict[str, Any]]:
        return dict(self._ask({"do": "safe_all"})["states"])

    def adjust(self, name: str, value: str) -> str:
        """What `sim set NAME VALUE` does to a running simulated board; UsageFault."""
        real = self.shared.catch_up()
        if not isinstance(self.plant, SimBoard):
            raise UsageFault("only a simulated board can be adjusted", "use --board sim")
        return self.plant.adjust(name, value, self.shared.guard.clock.board(real))

    def halt(self, why: str) -> None:
        """The emergency stop for the reason `why`, or its end (""): what the process looks for by itself."""
        if self.shared.guard.halt(why, self.shared.catch_up()):
            self.shared.note()
            for agent in self.shared.agents.values():
                agent.told.append(protocol.halt(why))

    def override(self, name: str, word: str) -> None:
        """A person's word for an output (safe, on, off, "" lifts it): what the process finds by itself."""
        self.shared.guard.override(name, word, self.shared.catch_up())
        self.shared.note()

    def beat(self, seen: float = 0.0) -> bool:
        if self._closed:
            return False
        self.shared.guard.answer(self._owner, protocol.Request(0, "beat", seen=seen), self.shared.catch_up())
        return True

    def events(self) -> list[dict[str, Any]]:
        if not self._closed:
            self.shared.catch_up()
        found, self.told = self.told, []
        return found

    def close(self) -> None:
        if self._closed:
            return
        self.shared.guard.left(self._owner, protocol.AGENT_LEFT, self.shared.catch_up())
        self.shared.note()
        self._closed = True
        self.shared.agents.pop(self._owner)

    def _ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A request through the same frames as over a socket, so that what cannot be sent there fails here too."""
        if self._closed:
            raise HardwareFault("the board was closed")
        self._number += 1
        try:
            frame = protocol.encode({"id": self._number, **message})
        except ValueError as error:
            raise UsageFault(f"{message['do']} cannot be sent to the board: {error}") from error
        reply = self.shared.guard.answer(self._owner, protocol.request(frame[:-1]), self.shared.catch_up())
        self.shared.note()
        assert reply is not None  # only a beat has none
        if reply["ok"] is not True:
            raise protocol.fault(reply)
        return reply
