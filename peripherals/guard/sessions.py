"""Who is connected to a guard: agents that stay, and people who ask one thing.

Rules this file keeps:
1. At most AGENTS agents and ASKERS others at a time. Whoever does not say hello is let go after SECONDS, after ASKED
   questions, or when it has been here longest and one more comes: those who hold places keep nobody from asking.
2. Nothing waits for anybody: frames out are held to a bound, a connection that is not read for SLOW seconds is
   dropped, and what it held is made safe as for any agent that is gone. What came is worked at for SHARE seconds of a
   round, no more is read before that is done, and nothing is answered that there is no room for: between two rounds
   are the others, signals and the supervisor, however much one asks and however long an answer takes.
3. An agent's own end is seen before anything it sent ahead of that: a dead agent's last request switches nothing.
4. `owner` names a connection for the guard's core: each its own, never used again in the life of the process.
"""

from __future__ import annotations

import select

from edge.peripherals.guard.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping
    from typing import Any

AGENTS = 16
ASKERS = 4
ASKED = 16
SHARE = 0.005
SECONDS = 2.0
SLOW = 10.0
FOREVER = float("inf")
GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Session:
    """One connection. `agent`: it said hello. `run`, `state`: what it calls its run and its state folder.

    `asked`: how many frames it got answers to without being an agent. `queue`: the frames that wait for theirs.
    """

    __slots__ = (
        "agent",
        "asked",
        "end",
        "fd",
        "first",
        "full",
        "mask",
        "owner",
        "queue",
        "run",
        "state",
        "uid",
        "wire",
    )

    def __init__(self, wire: Wire, owner: str, uid: int, end: float, first: bool) -> None:
        self.wire, self.owner, self.uid, self.end, self.first = wire, owner, uid, end, first
        self.fd = wire.socket.fileno()
        self.agent = False
        self.asked = 0
        self.queue: list[bytes | None] = []
        self.run = self.state = ""
        self.full = FOREVER
        self.mask = select.POLLIN

    @property
    def ready(self) -> bool:
        """True when there is a frame to be answered, and room for the answer."""
        return bool(self.queue) and not self.wire.full and (self.agent or self.asked < ASKED)


class Sessions:
    """The table of connections by descriptor, and their place in one poll object."""

    def __init__(self, poll: select.poll) -> None:
        self.rows: dict[int, Session] = {}
        self._poll = poll
        self._made = 0

    @property
    def agents(self) -> list[Session]:
        return [one for one in self.rows.values() if one.agent]

    def queued(self) -> list[Session]:
        """Those who can be answered now."""
        return [one for one in self.rows.values() if one.ready]

    def add(self, peer: socket, uid: int, real: float, first: bool = False) -> Session:
        """Take a connection, by rule 1 instead of another. `first`: the agent that started us, which has its place."""
        askers = [one for one in self.rows.values() if not one.agent and not one.first]
        if not first and len(askers) >= ASKERS:
            self.drop(askers[0])
        self._made += 1
        session = Session(Wire(peer), f"{self._made}", uid, FOREVER if first else real + SECONDS, first)
        self.rows[session.fd] = session
        self._poll.register(session.fd, session.mask)
        return session

    def welcome(self, session: Session, run: str, state: str) -> None:
        """Make a connection an agent's."""
        session.agent, session.end, session.run, session.state = True, FOREVER, run, state

    def drop(self, session: Session) -> None:
        """Close a connection."""
        if self.rows.pop(session.fd, None) is not None:
            self._poll.unregister(session.fd)
            session.wire.flush()
            session.wire.close()

    def tell(self, event: Mapping[str, Any]) -> None:
        """Tell every agent."""
        for session in self.agents:
            session.wire.send(event)

    def settle(self, real: float) -> list[Session]:
        """Wait for what each connection can do next; those that are over: late, gone, or not reading."""
        over = []
        for session in self.rows.values():
            wire = session.wire
            session.full = min(session.full, real) if wire.full else FOREVER
            spent = session.asked >= ASKED and not session.agent
            if wire.gone or spent or real >= min(session.end, session.full + SLOW):
                over.append(session)
                continue
            mask = (0 if wire.full or session.queue else select.POLLIN) | (select.POLLOUT if wire.waiting else 0)
            if mask != session.mask:
                session.mask = mask
                self._poll.modify(session.fd, mask)
        return over

    def due(self) -> float:
        """The monotonic time at which the next connection is over."""
        return min((min(one.end, one.full + SLOW) for one in self.rows.values()), default=FOREVER)

    def close(self) -> None:
        for session in tuple(self.rows.values()):
            self.drop(session)
