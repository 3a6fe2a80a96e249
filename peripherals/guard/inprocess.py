"""A board without a process: the same guard and the same greenhouse behind the same interface, in injected time.

For whoever needs a board in a unit test or an embedding, where time must be in hand. It is held to the same
contract as the real process (tests/contracts/test_board.py). What it cannot do is outlive its agent: its outputs
are safe when a lease ends or the heartbeat is late, not when the program that holds it is killed.
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


class InProcessBoard:
    """Like client.Board. `time` gives monotonic seconds; `sim` is the greenhouse; `record` all transitions so far."""

    def __init__(
        self, time: Callable[[], float] = monotonic, speed: float = 60.0, sim: SimBoard | None = None
    ) -> None:
        check_speed(speed)
        self.pid = os.getpid()
        self.started = 0
        self.speed = speed
        self.notes: tuple[str, ...] = ()
        self.sim = sim or SimBoard()
        self.record: list[Transition] = []
        self._time = time
        self._guard = Guard(self.sim, Clock(self.sim.now, time(), speed))
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self._closed = False
        self._ask({"do": "hello", "protocol": protocol.VERSION})

    def sense(self, name: str) -> Reading:
        return protocol.reading(self._ask({"do": "sense", "name": name})["reading"])

    def set(self, name: str, state: bool, seconds: float | None, call: str) -> dict[str, Any]:
        message = {"do": "set", "name": name, "state": state, "seconds": seconds, "call": call}
        reply = self._ask(message)
        return {field: reply[field] for field in ("name", "state", "left", "max_on")}

    def states(self) -> dict[str, dict[str, Any]]:
        return dict(self._ask({"do": "states"})["states"])

    def adjust(self, name: str, value: str) -> str:
        """What `sim set NAME VALUE` does to a running board; UsageFault."""
        real = self._catch_up()
        return self.sim.adjust(name, value, self._guard.clock.board(real))

    def halt(self, why: str) -> None:
        """The emergency stop for the reason `why`, or its end (""): what the process looks for by itself."""
        real = self._catch_up()
        if self._guard.halt(why, real):
            self._note()
            self._events.append(protocol.halt(why))

    def beat(self) -> bool:
        if self._closed:
            return False
        self._guard.answer(protocol.Request(0, "beat"), self._catch_up())
        return True

    def events(self) -> list[dict[str, Any]]:
        if not self._closed:
            self._catch_up()
        found, self._events = self._events, []
        return found

    def close(self) -> None:
        if self._closed:
            return
        self._guard.make_safe(protocol.AGENT_LEFT, self._catch_up())
        self._note()
        self._closed = True

    def _ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A request through the same frames as over a socket, so that what cannot be sent there fails here too."""
        if self._closed:
            raise HardwareFault("the board was closed")
        self._number += 1
        try:
            frame = protocol.encode({"id": self._number, **message})
        except ValueError as error:
            raise UsageFault(f"{message['do']} cannot be sent to the board: {error}") from error
        reply = self._guard.answer(protocol.request(frame[:-1]), self._catch_up())
        self._note()
        assert reply is not None  # only a beat has none
        if reply["ok"] is not True:
            raise protocol.fault(reply)
        return reply

    def _catch_up(self) -> float:
        """Live through everything that was due since the last call, each at its own time, as the process would."""
        real = self._time()
        while self._guard.wake() <= real:
            self._guard.tick(self._guard.wake())
        self._guard.tick(real)
        self._note()
        return real

    def _note(self) -> None:
        notes = self._guard.take()
        self.record += notes
        self._events += self._guard.events(notes)
