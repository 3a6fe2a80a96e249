"""The agent's side of the board process.

Rules this file keeps:
1. One request at a time: `sense`, `set`, `states` take turns, in whatever threads. `beat` and `events` may be called
   by another thread at any time, never wait for the board and never raise: what `events` cannot understand is
   raised by the next request.
2. Whoever reads the socket sorts what comes: its own reply, events for `events`, late replies of requests that were
   given up, which are dropped.
3. A request is answered within SECONDS or it is a HardwareFault. After one in `set` the output is in an unknown state:
   it is not asked again (a write is at most once) and the board is told until when it may act; `states` reads it back.
4. The board's end is a HardwareFault that says how it ended, from every request after it. `close` never raises: a
   board that was gone or hung by then is told by a last event, `{"event":"lost","why":sentence}`.
5. Whoever does not hear from the board does not know its outputs: every sentence about that says so.
6. A guard that runs already for the same description is joined, not doubled: another agent's child in the same state
   folder, or a service. What this agent held is safe when it leaves; the guard stays for the others.
7. A guard that was joined and has ended is looked for again by the next request: its supervisor starts it anew, and it
   makes every output safe before it listens. That is told by an event; what was asked of the old one is not repeated.
"""

from __future__ import annotations

import _socket
import _thread
import select
from time import monotonic

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import door, folder, protocol
from edge.peripherals.guard.joining import joined, running
from edge.peripherals.guard.owned import Owned, text
from edge.peripherals.guard.protocol import Splitter
from edge.peripherals.guard.spawn import Child, Elsewhere, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Union

    from edge.call import Reading

    Other = Union[Child, Elsewhere]

SECONDS = 5.0
HELLO_SECONDS = 10.0
BYE_SECONDS = 2.0
PEN_SECONDS = 0.05
EVENTS = 256
UNKNOWN = "the state of its outputs is unknown until they are read back"
SPEEDS = (1e-3, 3600.0)
SET_FIELDS = ("name", "state", "level", "left", "max_on")


class Board:
    """A guard that runs, for one agent. Made by `start` or `join`; `pid` and `started` name the process.

    `started`: clock ticks since boot, 0 of a guard that is not this process's child.
    """

    def __init__(self, child: Other, socket: _socket.socket) -> None:
        socket.setblocking(False)
        self.pid = child.pid
        self.started = child.started
        self.speed = 1.0
        self.heartbeat = protocol.HEARTBEAT  # seconds without a beat after which what this agent holds goes safe
        self.notes: tuple[str, ...] = ()
        self._child = child
        self.path = ""  # where it was joined
        self._named = ("", "")  # run and state folder, as hello says them
        self._socket = socket
        self._splitter = Splitter(protocol.REPLY)
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self._closed = False
        self.ended = False
        self._trouble: HardwareFault | None = None
        self._turn = _thread.allocate_lock()  # held by whoever may read the socket
        self._pen = _thread.allocate_lock()  # held by whoever may write to it

    @classmethod
    def start(cls, state: str, speed: float = 60.0, run: str = "", owned: Owned | None = None) -> Board:
        """The board of a state folder ("": nothing is kept): started, or joined where one runs already.

        `owned`: what it is (None: the simulated greenhouse), `speed`: board seconds per second of a simulated one.
        `run` names what the calls belong to (the tape) and is written into the board's own record beside them.
        `notes` are sentences for the operator, such as that a damaged state was kept aside. HardwareFault when the
        board cannot be started or does not answer within 10 s, and when one of another description runs there; nothing
        is left running then.
        """
        check_speed(speed)
        said = text(owned or Owned())
        kind = owned.kind if owned else "sim"
        where = folder.make(state, kind) if state else ""
        found = running(cls, where, said, run, state) if where else None
        if found is not None:
            return found
        board = cls(*start(state, where, 1.0 if kind == "lines" else speed, said))
        try:
            board.greet(run, state)
        except HardwareFault:
            # Another agent's start was faster: then its board is there by now.
            found = running(cls, where, said, run, state) if where else None
            if found is None:
                raise
            return found
        return board

    @classmethod
    def join(cls, path: str, run: str = "", state: str = "") -> Board:
        """The guard that listens at the socket `path`. HardwareFault: nobody does, or it does not let this user in."""
        board = joined(cls, path, run, state)
        if board is None:
            raise HardwareFault(f"no guard listens at {path}", "start it: fieldhand guard run, or its service")
        return board

    def greet(self, run: str, state: str) -> None:
        """Say who is there; what was made for it is gone when that fails."""
        ready = False
        self._named = (run, state)
        try:
            reply = self._ask(self._greeting(), HELLO_SECONDS)
            ready = True
        finally:
            if not ready:
                self._child.kill()
                self._socket.close()
        self.speed, self.heartbeat = float(reply["speed"]), float(reply["heartbeat"])
        self.pid = int(reply.get("pid", self.pid))
        self.notes = tuple(str(note) for note in reply.get("notes", ()))

    def _greeting(self) -> dict[str, Any]:
        run, state = self._named
        return {"do": "hello", "protocol": protocol.VERSION, "run": run, "state": state}

    def sense(self, name: str) -> Reading:
        """Read a sensor. UsageFault: there is none of that name. HardwareFault: it or the board did not answer."""
        try:
            return protocol.reading(self._ask({"do": "sense", "name": name}).get("reading"))
        except ValueError as error:
            if isinstance(error, UsageFault):
                raise
            raise HardwareFault(f"the board's reading of {name} cannot be understood: {error}") from error

    def set(
        self, name: str, state: bool, seconds: float | None, call: str, level: float | None = None
    ) -> dict[str, Any]:
        """Switch an output for at most `seconds` of board time (None: as long as it may be on).

        `level`: 0 to 1, of an output with pwm. What the board has now: name, state, level, left (s), max_on (s).
        Refused: longer than the output may be on, and all else the guard refuses; its rule says what. UsageFault: no
        such output, no such time. HardwareFault: the board did not answer, and whether the output was switched is not
        known.
        """
        message = {"do": "set", "name": name, "state": state, "seconds": seconds, "call": call}
        if level is not None:
            message["level"] = level
        reply = self._ask(message, lost=f"; whether {name} was switched is unknown")
        return {field: reply[field] for field in SET_FIELDS if field in reply}

    def states(self) -> dict[str, dict[str, Any]]:
        """Every output as the board has it, read back: name -> state (None: unknown), level, left (s of board time;
        None when safe), why, max_on (s), owner, fault, override (sentences or ""), since (board s).

        HardwareFault: the board is gone or did not answer; nobody knows then.
        """
        return dict(self._ask({"do": "states"})["states"])

    def safe_all(self) -> dict[str, dict[str, Any]]:
        """Make every output safe, whoever holds it; what `states` says then."""
        return dict(self._ask({"do": "safe_all"}, lost="; whether anything was made safe is unknown")["states"])

    def beat(self, seen: float = 0.0) -> bool:
        """Tell the board when the agent's loop was seen (time.monotonic, 0: now); False when that cannot be sent now.

        Waits for nothing but another thread that is just sending, and for that at most 50 ms.
        """
        if self._closed or not self._pen.acquire(True, PEN_SECONDS):
            return False
        beat = protocol.encode({"do": "beat", "seen": round(seen, 3)})
        try:
            return self._socket.send(beat, _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL) == len(beat)
        except OSError:
            return False
        finally:
            self._pen.release()

    def events(self) -> list[dict[str, Any]]:
        """What the board told unasked since the last call, oldest first: `event`, `name`, `state`, `why`."""
        if not self._closed and self._turn.acquire(False):
            try:
                self._read_all()
            except HardwareFault as fault:
                self._trouble = fault
            finally:
                self._turn.release()
        found = self._events[:]
        del self._events[: len(found)]
        return found

    @property
    def gone(self) -> bool:
        """True when the process that was started here crashed, whose outputs may be as it left them.

        Whoever started it starts another: that makes them safe.
        """
        return self.ended and not self._closed and self._child.crashed()

    def close(self) -> None:
        """Say goodbye; what this agent holds goes safe. A board that nobody else uses is gone when this returns.

        One that was started here is killed if that takes over 2 s.
        """
        if self._closed:
            return
        until = monotonic() + BYE_SECONDS
        lost = self._goodbye()
        if lost is None:
            self._last_words(until)
        self._closed = True
        self._socket.close()
        if not self._child.wait(max(0.1, until - monotonic())):
            self._child.kill()
        if lost is None and not self._child.clean():
            lost = self._dead("")
        if lost is not None:
            self._events.append({"event": "lost", "why": str(lost)})

    def _goodbye(self) -> HardwareFault | None:
        """Say bye; why not, when the board is dead or hung and only the end of the connection is left to tell it."""
        try:
            reply = self._ask({"do": "bye"}, BYE_SECONDS)
        except HardwareFault as fault:
            return fault
        if reply.get("stays"):
            self._child = Elsewhere(self.pid)
        return None

    def _last_words(self, until: float) -> None:
        """Read on to the end of the connection: the board tells what its end made safe."""
        with self._turn:
            while not self.ended and self._ready(select.POLLIN, until):
                self._read()

    def _ask(self, message: Mapping[str, Any], seconds: float = SECONDS, lost: str = "") -> dict[str, Any]:
        """Send a request and wait for its reply. `lost` ends the sentence when there is none."""
        if self._closed:
            raise HardwareFault("the board was closed")
        if self._trouble:
            fault, self._trouble = self._trouble, None
            raise fault
        until = monotonic() + seconds
        if not self._turn.acquire(True, seconds):
            raise _silent(seconds, "")
        try:
            if self.ended and self.path:
                self._again(until, seconds)
            reply = self._exchange(message, until, seconds)
        finally:
            self._turn.release()
        if reply is None:
            raise self._dead(lost) if self.ended else _silent(seconds, lost)
        if reply.get("ok") is not True:
            raise protocol.fault(reply)
        return reply

    def _exchange(self, message: Mapping[str, Any], until: float, seconds: float) -> dict[str, Any] | None:
        """The reply to a request; None when there is none. For whoever has the turn."""
        self._number += 1
        number = self._number
        patience = {"until": round(until, 3)} if message["do"] == "set" else {}
        try:
            frame = protocol.encode({"id": number, **message, **patience})
        except ValueError as error:
            raise UsageFault(f"{message['do']} cannot be sent to the board: {error}") from error
        self._send(frame, until, seconds)
        return self._reply(number, until)

    def _again(self, until: float, seconds: float) -> None:
        """Rule 7, for whoever has the turn. Nothing changes when nobody listens (yet)."""
        try:
            socket = door.connect(self.path, seconds)
        except OSError as error:
            raise door.mute(self.path, error) from error
        if socket is None:
            return
        socket.setblocking(False)
        with self._pen:
            self._socket.close()
            self._socket, self._splitter = socket, Splitter(protocol.REPLY)
        reply = self._greeted(until, seconds)
        self._child = Elsewhere(int(reply.get("pid", 0)))
        self.pid, self.speed, self.heartbeat = self._child.pid, float(reply["speed"]), float(reply["heartbeat"])
        why = f"the guard ended and runs again (process {self.pid}): it made every output safe when it started"
        self._events.append({"event": "lost", "why": why})

    def _greeted(self, until: float, seconds: float) -> dict[str, Any]:
        """The reply to a hello over a new connection. One that lets us not in is as good as ended: `_again` anew."""
        self.ended, welcome = False, False
        try:
            reply = self._exchange(self._greeting(), until, seconds)
            if reply is None:
                raise self._dead("") if self.ended else _silent(seconds, "")
            if reply.get("ok") is not True:
                fault = protocol.fault(reply)  # whatever was asked is not what is wrong here
                raise HardwareFault(fault.sentence, fault.fix) from fault
            welcome = True
        finally:
            self.ended = not welcome
        return reply

    def _send(self, frame: bytes, until: float, seconds: float) -> None:
        """Write a whole frame, or nothing of it. The pen is held only while writing, so that a beat can go between.

        A frame that was cut by the deadline would spoil the next one, so it ends the connection.
        """
        rest = frame
        while True:
            with self._pen:
                rest = self._written(rest)
                while rest and rest is not frame and self._ready(select.POLLOUT, until):
                    rest = self._written(rest)
                if not rest:
                    return
                if rest is not frame:
                    self._socket.shutdown(_socket.SHUT_RDWR)
                    raise _silent(seconds, "")
            if not self._ready(select.POLLOUT, until):
                raise _silent(seconds, "")

    def _written(self, frame: bytes) -> bytes:
        """What is left of a frame after writing as much as goes now: itself when nothing goes."""
        try:
            sent = self._socket.send(frame, _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL)
        except BlockingIOError:
            return frame
        except ConnectionError:
            return b""  # the board has gone: what it sent before is still to be read, and the end is seen there
        return frame[sent:]

    def _reply(self, number: int, until: float) -> dict[str, Any] | None:
        """The reply to a request, or None when the time is over or the board is gone (`_ended`)."""
        while True:
            for message in self._read():
                if message.get("id") == number:
                    return message
            if self.ended or not self._ready(select.POLLIN, until):
                return None

    def _read_all(self) -> None:
        """Take what has come while nobody waits for a reply."""
        while self._read():
            pass

    def _read(self) -> list[dict[str, Any]]:
        """What has come, without waiting; events are put aside as well. HardwareFault: it cannot be understood."""
        try:
            data = self._socket.recv(protocol.LIMIT, _socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return []
        try:
            messages = [protocol.decode(frame) for frame in self._splitter.feed(data)]
        except ValueError as error:
            raise HardwareFault(f"the board sent what cannot be understood: {error}") from error
        self._events += [message for message in messages if "event" in message]
        del self._events[:-EVENTS]
        return messages

    def _ready(self, what: int, until: float) -> bool:
        """Wait for the socket until a time; False when the time is over."""
        poll = select.poll()
        poll.register(self._socket.fileno(), what)
        return bool(poll.poll(max(0, int((until - monotonic()) * 1000.0) + 1)))

    def _dead(self, lost: str) -> HardwareFault:
        fix = "ask again: its supervisor starts it, safe first" if self.path else "start again"
        return HardwareFault(
            f"the board process (pid {self.pid}) {self._child.how()}{lost}; {UNKNOWN}",
            f"{fix}: the next start makes every output safe",
        )


def check_speed(speed: float) -> None:
    """UsageFault unless `speed` is board seconds per second that the simulation can go."""
    if not SPEEDS[0] <= speed <= SPEEDS[1]:
        raise UsageFault(f"a board cannot run at {speed:g} times real time", f"from {SPEEDS[0]:g} to {SPEEDS[1]:g}")


def _silent(seconds: float, lost: str) -> HardwareFault:
    return HardwareFault(
        f"the board did not answer within {seconds:g} s{lost}; {UNKNOWN}",
        "read them back with output_list; the next start makes every output safe",
    )
