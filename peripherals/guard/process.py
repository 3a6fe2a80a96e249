"""The board process: owns the outputs of one board for one agent, over one inherited socket.

Rules this file keeps:
1. Safe first: whatever ends the process (the agent's end closed, bye, SIGTERM, SIGINT, SIGHUP, an error of our own)
   first drives every output safe, then writes that down, then keeps the state, then goes.
2. A hang-up is obeyed before anything that was sent ahead of it: a dead agent's last request switches nothing.
3. The loop waits only in poll, until the next thing due (Guard.wake). Replies go out before the card is written to.
4. It holds the descriptors 0, 1, 2 (/dev/null; 2 may be the log), 3 (the agent) and those it opened itself.
5. Terminal signals do not reach it: it is started in a process group of its own. A SIGINT sent to it is an order.
6. The emergency stop is looked for here, whatever becomes of the agent: before a request is answered, every
   STOP_SECONDS while an output is on, and when somebody asks over the control socket. Unreadable is stopped.
7. Small: no json, re, enum, socket, signal or typing. The C modules below those are used directly.

The arguments are LIB STATE SPEED RUN: where `edge` lies (used by the starter), the state folder or "", board seconds
per second, and what the agent calls this run, for the record. Exit codes: 0 the agent left or died; 7 the board could
not be opened; 128 + n ended by signal n.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import os
import select
import sys
from time import monotonic, time

from edge.faults import Fault, HardwareFault
from edge.peripherals.guard import protocol
from edge.peripherals.guard.core import Clock, Guard
from edge.peripherals.guard.journal import Journal, last
from edge.peripherals.guard.wire import Wire
from edge.peripherals.sim import keep as kept
from edge.peripherals.sim.board import SimBoard
from edge.peripherals.sim.control import Server
from edge.peripherals.sim.keep import Keep
from edge.stop import read as read_stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

AGENT = 3
LOCK_SECONDS = 5.0
LOCK_PAUSE_MS = 100
RECENT = 64
SAVE_SECONDS = 10.0
STOP_SECONDS = 0.2  # between two looks for the emergency stop while an output is on
IDLE_SECONDS = 2.0  # and while none is: a request and the control socket look for themselves
SIGNALS = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL


def main() -> int:
    """Run the board until its agent or a signal ends it. The exit code; see the head of this file."""
    state, speed, run = sys.argv[2], float(sys.argv[3]), sys.argv[4]
    close_others(AGENT)
    os.umask(0o077)
    end = Ending()
    agent = Wire(_socket.socket(fileno=AGENT))
    try:
        sim, keep, notes = _open(state, agent, end)
    except Fault as fault:
        return _refuse(agent, fault, end)
    process = BoardProcess(agent, end, sim, keep, notes, Journal(keep.path if keep else "", run), speed, state)
    try:
        process.run()
    finally:
        process.finish()
    return 128 + end.signal if end.signal else 0


class Ending:
    """Signals as something to poll: `fd` is readable and `signal` not 0 once one has come."""

    def __init__(self) -> None:
        self.signal = 0
        self.fd, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        _signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in SIGNALS:
            _signal.signal(number, self._note)

    def _note(self, number: int, _frame: object) -> None:
        self.signal = self.signal or number


def close_others(last: int) -> None:
    """Close every descriptor above `last`: what a careless parent let through must not be held open here."""
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        os.closerange(last + 1, 1024)
        return
    for name in names:
        if int(name) > last:
            os.closerange(int(name), int(name) + 1)  # unlike close, it does not mind the listing's own, closed by now


def _open(state: str, agent: Wire, end: Ending) -> tuple[SimBoard, Keep | None, list[str]]:
    """The simulated board, its locked folder (None: nothing is kept) and what is to be told about it."""
    if not state:
        return SimBoard(), None, []
    keep = Keep(kept.folder(state))
    try:
        if not _locked(keep, agent, end):
            raise kept.in_use(keep.path, keep.holder())
        sim, notes = keep.board()
    except HardwareFault:
        raise
    except OSError as error:
        raise kept.unusable(keep.path, error) from error
    return sim, keep, notes


def _locked(keep: Keep, agent: Wire, end: Ending) -> bool:
    """Take the folder's lock, waiting for a board that is ending, unless the agent goes or a signal comes."""
    until = monotonic() + LOCK_SECONDS
    poll = select.poll()
    poll.register(agent.socket.fileno(), 0)
    poll.register(end.fd, select.POLLIN)
    while not keep.lock():
        if monotonic() >= until or poll.poll(LOCK_PAUSE_MS):
            return False
    return True


def _refuse(agent: Wire, fault: Fault, end: Ending) -> int:
    """Answer the agent's first request with what is wrong, and end."""
    poll = select.poll()
    poll.register(agent.socket.fileno(), select.POLLIN)
    if not end.signal and poll.poll(int(LOCK_SECONDS * 1000)):
        for frame in (agent.receive() or ())[:1]:
            asked = protocol.request(frame)
            agent.send(protocol.refusal(asked.id, fault))
    return fault.code


class BoardProcess:
    """The loop around one guard: the agent's wire, signals, the control socket, the record, the kept state."""

    def __init__(
        self,
        agent: Wire,
        end: Ending,
        sim: SimBoard,
        keep: Keep | None,
        notes: list[str],
        journal: Journal,
        speed: float,
        state: str = "",
    ) -> None:
        self.agent, self.end, self.sim, self.keep, self.notes = agent, end, sim, keep, notes
        self.guard = Guard(sim, Clock(sim.now, monotonic(), speed))
        self.journal = journal
        self.why = self.trouble = ""
        self._state, self._looked = state, 0.0
        self._saved = monotonic()
        self._dirty = True
        self._poll = select.poll()
        self._poll.register(end.fd, select.POLLIN)
        self._poll.register(agent.socket.fileno(), select.POLLIN)
        self.control = self._control()
        self._begin()

    def run(self) -> None:
        """Serve until something ends it; `why` says what."""
        while not self.why:
            for fd, what in self._poll.poll(self._pause()):
                self._heard(fd, what)
            self._look(STOP_SECONDS)
            self.guard.tick(monotonic())
            self._publish()

    def finish(self) -> None:
        """Safe values, then the record, then the kept state."""
        self.guard.make_safe(self.why or protocol.STOPPING, monotonic())
        self._publish()
        self._dirty = True
        self._save(monotonic())
        self.journal.close()
        if self.control:
            self.control.close()
        if self.keep:
            self.keep.close()

    def _heard(self, fd: int, what: int) -> None:
        if fd == self.end.fd:
            self.why = self.why or protocol.STOPPING
        elif fd == self.agent.socket.fileno():
            self._agent(what)
        elif self.control and fd == self.control.socket.fileno():
            peer = self.control.accept()
            if peer >= 0:
                self._poll.register(peer, select.POLLIN)
        else:
            self._peer(fd, what)

    def _agent(self, what: int) -> None:
        """Take what the agent sent. A hang-up first: rule 2."""
        if what & GONE:
            self.why = self.why or protocol.AGENT_GONE
            return
        if what & select.POLLOUT:
            self.agent.flush()
        frames = self.agent.receive() if what & select.POLLIN else []
        for frame in frames or ():
            self._answer(frame)
        if frames is None or self.agent.gone:
            self.why = self.why or protocol.AGENT_GONE

    def _look(self, every: float = 0.0) -> None:
        """Look for the emergency stop, unless that was done less than `every` seconds ago, and obey it."""
        real = monotonic()
        if not self._state or real < self._looked + every:
            return
        self._looked = real
        found = read_stop(self._state)
        if self.guard.halt("" if found is None else found.everything, real):
            self._record()
            self.agent.send(protocol.halt(self.guard.stopped))

    def _answer(self, frame: bytes | None) -> None:
        asked = protocol.request(frame)
        if not isinstance(asked, protocol.Request) or asked.do != "beat":
            self._look()
        reply = self.guard.answer(asked, monotonic())
        if isinstance(asked, protocol.Request) and asked.do == "hello" and reply and reply["ok"]:
            reply.update(pid=os.getpid(), notes=self.notes)
        self._record()
        self._dirty = self._dirty or reply is not None
        if reply is not None:
            self.agent.send(reply)
        if isinstance(asked, protocol.Request) and asked.do == "bye":
            self.why = self.why or protocol.AGENT_LEFT

    def _peer(self, fd: int, what: int) -> None:
        """Serve a connection of the control socket."""
        if not self.control or fd not in self.control.wires:
            return
        stays = self.control.flush(fd) if what & select.POLLOUT else self.control.serve(fd)
        if stays:
            self._poll.modify(fd, select.POLLOUT if self.control.wires[fd][0].waiting else select.POLLIN)
        else:
            self._poll.unregister(fd)

    def _control(self) -> Server | None:
        """The control socket; a board that cannot have one says so and goes on."""
        if not self.keep:
            return None
        try:
            server = Server(self.keep.path, self._steer)
        except OSError as error:
            self.notes.append(f"the simulated board cannot be steered from a second terminal: {error.strerror}")
            return None
        self._poll.register(server.socket.fileno(), select.POLLIN)
        return server

    def _steer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Answer a request of the control socket; a Fault is its refusal."""
        self._look()
        real = monotonic()
        self.guard.tick(real)
        now = self.guard.clock.board(real)
        self._dirty = True
        if message.get("do") == "set":
            return {"said": self.sim.adjust(str(message.get("name")), str(message.get("value")), now)}
        notes = [note[:300] for note in (*self.notes, self.journal.trouble, self.trouble) if note]
        states = self.guard.leases.states(now)
        clock = {"pid": os.getpid(), "board": now, "speed": self.guard.clock.speed}
        stopped = self.guard.stopped[:300]
        return {**clock, "stopped": stopped, "sensors": self.sim.shown(now), "outputs": states, "notes": notes}

    def _begin(self) -> None:
        """Write down the outputs that a board which died left on: this start made them safe.

        The record is asked as well as the kept state: it is written first, and death may come in between.
        """
        recorded = self._recorded()
        for output in self.sim.outputs:
            if output.name in self.sim.left_on or recorded.get(output.name, output.safe) != output.safe:
                note = protocol.Transition(self.sim.now, output.name, output.safe, protocol.STARTED)
                self.journal.add(note, time())

    def _recorded(self) -> dict[str, bool]:
        """How the record left each output; nothing when it cannot be read."""
        try:
            return {row["name"]: row["state"] for row in last(self.keep.path, RECENT)} if self.keep else {}
        except OSError as error:
            self.notes.append(f"the board's record cannot be read: {error.strerror}")
            return {}

    def _record(self) -> None:
        """Write down what happened and tell the agent what it did not ask for."""
        notes = self.guard.take()
        for note in notes:
            self.journal.add(note, time())
        for event in self.guard.events(notes):
            self.agent.send(event)
        self._saved = 0.0 if notes else self._saved
        self._dirty = self._dirty or bool(notes)

    def _publish(self) -> None:
        """After each round: record, tell, let late peers go, and only then wait for the card."""
        self._record()
        real = monotonic()
        for fd in self.control.late(real) if self.control else ():
            self._poll.unregister(fd)
            self.control.drop(fd)  # type: ignore[union-attr]
        wanted = 0 if self.agent.full else select.POLLIN
        self._poll.modify(self.agent.socket.fileno(), wanted | (select.POLLOUT if self.agent.waiting else 0))
        self.journal.sync()
        if self._dirty and real >= self._saved + SAVE_SECONDS:
            self._save(real)

    def _save(self, real: float) -> None:
        """Keep the state; a card that is full is tried again later and never stops the guard."""
        self._saved, self._dirty = real, False
        if not self.keep:
            return
        self.sim.advance(self.guard.clock.board(real))
        try:
            self.keep.save(self.sim.kept())
            self.trouble = ""
        except OSError as error:
            self.trouble = f"the state of the simulated board cannot be kept: {error.strerror}"

    def _pause(self) -> int:
        """Milliseconds until the next thing due, rounded up; at most SAVE_SECONDS."""
        real = monotonic()
        due = min(self.guard.wake(), real + SAVE_SECONDS)
        if self._state:
            on = any(not row.safe for row in self.guard.leases.rows.values())
            due = min(due, self._looked + (STOP_SECONDS if on else IDLE_SECONDS))
        if self.control and self.control.wires:
            due = min(due, min(end for _, end in self.control.wires.values()))
        return max(0, int((due - real) * 1000.0) + 1)
