"""The loop around one guard: agents and askers, signals, the emergency stop, overrides, the record, the kept state.

The rules stand at the head of edge.peripherals.guard.process, whose work this is.
"""

from __future__ import annotations

import posix as os
import select
from time import monotonic, time

from edge.faults import Fault, HardwareFault, Refused
from edge.peripherals.guard import door, overrides, protocol, sessions
from edge.peripherals.guard.core import Clock, Guard
from edge.peripherals.guard.folder import SOCKET
from edge.peripherals.guard.journal import Journal, last
from edge.peripherals.guard.leases import safe_level
from edge.peripherals.guard.notify import Notifier, environ
from edge.peripherals.guard.overrides import Overrides
from edge.peripherals.guard.sessions import Session, Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import Any

    from edge.peripherals.guard.ending import Ending
    from edge.peripherals.guard.process import Told
    from edge.peripherals.guard.stands import Stand

RECENT = 64
SAVE_SECONDS = 10.0
STOP_SECONDS = 0.2  # between two looks for the emergency stop and the overrides while an output is on
IDLE_SECONDS = 2.0  # and while none is: a request looks for itself
STOP = "stop"  # edge.stop.NAME, held equal by a test
RULE_CONFIG = "guard.config"
CONFIG_FIX = "repair the settings and start the guard again"


class Serving:
    """One guard at work. `run` until `why` says what ended it, then `finish`."""

    def __init__(self, told: Told, stand: Stand, end: Ending) -> None:
        self.told, self.stand, self.end = told, stand, end
        self.why = ""
        self.notes = list(stand.notes)
        self.journal = Journal(stand.folder, stand.boot, aside=stand.kind == "lines")
        real = monotonic()
        past, self._held, self._rests = _past(stand)
        self._rests = {name: at for name, at in self._rests.items() if name not in stand.left_on}
        clock = Clock(stand.base, real, told.speed)
        self.guard = Guard(stand.plant, clock, told.owned.heartbeat, past, self._held, self._rests)
        self.overrides = Overrides(stand.folder, [output.name for output in stand.plant.outputs])
        if stand.folder:
            self.overrides.lay()
        self._stops: dict[str, str] = {}  # state folder -> why it is stopped there
        self._looked, self._saved, self._dirty = 0.0, real, True
        self._asked = {"show": self._show, "set": self._steer, "safe_all": self._safe_all, "owned": self._owned}
        self._poll = select.poll()
        self._poll.register(end.fd, select.POLLIN)
        self.sessions = Sessions(self._poll)
        self._begin()
        self.notifier = Notifier(environ(), os.getpid())
        self.door: door.Door | None = None

    def open(self, agent: socket | None) -> None:
        """Let in: the agent that started us, and whoever comes to the socket. A service without one is a Fault."""
        if agent is not None:
            self.sessions.add(agent, os.geteuid(), monotonic(), first=True)
        path = self.told.socket or (f"{self.stand.folder}/{SOCKET}" if self.stand.folder else "")
        if path:
            try:
                self.door = door.Door(path, self.told.users)
                self._poll.register(self.door.socket.fileno(), select.POLLIN)
            except (HardwareFault, OSError) as error:
                said = f"nobody else can reach this guard: {getattr(error, 'strerror', None) or error}"
                if self.told.socket:
                    raise HardwareFault(f"{path}: {said}", "name another with --socket PATH") from error
                self.notes.append(said)
        self.notifier.ready(self._status())

    def run(self) -> None:
        """Serve until something ends it; `why` says what."""
        while not self.why:
            for fd, what in self._poll.poll(0 if self.sessions.queued() else self._pause()):
                self._heard(fd, what)
            for session in self.sessions.queued():
                self._work(session)
            self._look(STOP_SECONDS)
            real = monotonic()
            self._back(self.stand.tick(self.guard.clock.board(real)), real)
            self.guard.tick(real)
            self._publish()
            self.notifier.beat(monotonic())

    def finish(self) -> None:
        """Safe values, then the record, then the kept state, then the lines and the folder."""
        try:
            # An end that nobody asked for, an error of our own, leaves nothing on.
            self.guard.make_safe(self.why or protocol.STOPPING, monotonic(), leave=bool(self.why))
            self.notifier.stopping()
            self._publish()
            self.stand.save(self.guard.clock.board(monotonic()))
            self.journal.close()
            if self.door:
                self.door.close()
            self.sessions.close()
        finally:
            self.stand.release()  # whatever failed before: this drives all that is at lines once more

    # What comes

    def _heard(self, fd: int, what: int) -> None:
        if fd == self.end.fd:
            if self.end.heard():
                self.guard.safe_all(monotonic())
                self._record()
            if self.end.signal:
                self.why = self.why or protocol.STOPPING
        elif self.door and fd == self.door.socket.fileno():
            came = self.door.accept()
            if came:
                self.sessions.add(*came, monotonic())
        elif fd in self.sessions.rows:
            self._serve(self.sessions.rows[fd], what)

    def _serve(self, session: Session, what: int) -> None:
        """Take what a connection sent, to be worked at. Its end first: rule 3 of the sessions."""
        if what & sessions.GONE:
            self._gone(session, protocol.AGENT_GONE)
            return
        if what & select.POLLOUT:
            session.wire.flush()
        frames = session.wire.receive() if what & select.POLLIN and not session.queue else []
        if frames is None or session.wire.gone:
            self._gone(session, protocol.AGENT_GONE)
        else:
            session.queue += frames

    def _work(self, session: Session) -> None:
        """Answer what a connection asked, for its share of a round: what is left waits for the next."""
        until = monotonic() + sessions.SHARE
        while session.ready and session.fd in self.sessions.rows:
            self._answer(session, session.queue.pop(0))
            if monotonic() >= until:
                return

    def _gone(self, session: Session, why: str) -> None:
        """End a connection, and what its agent held; a child ends with its last agent."""
        if self.sessions.rows.get(session.fd) is not session:
            return
        if session.agent:
            self.guard.left(session.owner, why, monotonic())
            self._record()
            self._dirty = True
        self.sessions.drop(session)
        if not self.told.socket and not self.sessions.agents and not any(s.first for s in self.sessions.rows.values()):
            self.why = self.why or why

    def _answer(self, session: Session, frame: bytes | None) -> None:
        asked = protocol.request(frame)
        if not session.agent and not (isinstance(asked, protocol.Request) and asked.do == "hello"):
            self.guard.tick(monotonic())  # what is due is not kept waiting by whoever asks without end
            session.asked += 1
            session.wire.send(self._one(frame))
            return
        if not isinstance(asked, protocol.Request):
            reply = self.guard.answer(session.owner, asked, monotonic())
        elif asked.do == "hello":
            reply = self._hello(session, asked)
        else:
            if asked.do != "beat":
                self._look()
            reply = self._refused(asked) or self.guard.answer(session.owner, asked, monotonic())
        self._record()
        if reply is not None:
            self._dirty = True
            if isinstance(asked, protocol.Request) and asked.do == "bye":
                reply["stays"] = bool(self.told.socket) or len(self.sessions.agents) > 1
            session.wire.send(reply)
        if isinstance(asked, protocol.Request) and asked.do == "bye":
            self._gone(session, protocol.AGENT_LEFT)

    def _hello(self, session: Session, asked: protocol.Request) -> dict[str, Any]:
        """Let an agent in. Its state folder is looked into for a stop from now on, if it can be."""
        notes = [*self.notes, *self.overrides.notes, self.told.why, *self.stand.told()]
        folder = "" if asked.folder == self.told.state else asked.folder
        if folder and not _visible(folder):
            notes.append(f"the guard cannot look into {folder}: fieldhand stop is then for the agent alone")
            folder = ""
        if not session.agent and len(self.sessions.agents) >= sessions.AGENTS:
            full = HardwareFault(f"{sessions.AGENTS} agents are at this guard already", "end one of them")
            return protocol.refusal(asked.id, full)
        self._look()
        reply = self.guard.answer(session.owner, asked, monotonic())
        assert reply is not None  # only a beat has none
        if reply["ok"]:
            self.sessions.welcome(session, asked.run, folder)
            reply.update(pid=os.getpid(), notes=[protocol.clip(note, 300) for note in notes if note][:8])
            self._look()
        return reply

    def _refused(self, asked: protocol.Request) -> dict[str, Any] | None:
        """The refusal of a guard whose settings are wrong; None for all that makes safe or only looks."""
        if not self.told.why or asked.do != "set":
            return None
        row = self.guard.leases.rows.get(asked.name)
        level = float(asked.state) if asked.level is None else asked.level
        if row is None or level == safe_level(row.output):
            return None
        fault = Refused(f"{asked.name} stays as it is: {self.told.why}", RULE_CONFIG, CONFIG_FIX)
        return protocol.refusal(asked.id, fault)

    # What people ask

    def _one(self, frame: bytes | None) -> dict[str, Any]:
        """The reply to a request of somebody who is no agent."""
        from edge.faults import UsageFault

        try:
            message = protocol.decode(frame)
            do = message.get("do")
            asked = self._asked.get(do) if isinstance(do, str) else None
            if asked is None:
                raise UsageFault(
                    f"there is no request {str(do)[:40]!r}; without hello there are: {', '.join(self._asked)}"
                )
            return protocol.answer(1, asked(message))
        except Fault as fault:
            return protocol.refusal(1, fault)
        except ValueError as error:
            return protocol.refusal(1, UsageFault(f"the board got a damaged request: {error}"))

    def _now(self) -> float:
        """Board time, with everything done that was due."""
        self._look()
        real = monotonic()
        self.guard.tick(real)
        return self.guard.clock.board(real)

    def _show(self, message: dict[str, Any]) -> dict[str, Any]:
        """All there is to see. `watched`: a stop in the state folder that was named is looked for here."""
        now = self._now()
        said = (*self.notes, *self.overrides.notes, self.told.why, self.journal.trouble, *self.stand.told())
        agents = [session.run or f"uid {session.uid}" for session in self.sessions.agents]
        return {
            **{"kind": self.stand.kind, "pid": os.getpid(), "board": now, "speed": self.guard.clock.speed},
            **{"stopped": self.guard.stopped[:300], "sensors": self.stand.shown(now), **self.stand.scene(now)},
            **{"outputs": self.guard.states(now), "agents": agents, "folder": self.stand.folder},
            **{"notes": [protocol.clip(note, 300) for note in said if note][:8]},
            **{"watched": message.get("state") in (self.told.state, *(one.state for one in self.sessions.agents))},
        }

    def _steer(self, message: dict[str, Any]) -> dict[str, Any]:
        self._dirty = True  # looking is not: a live view looks every second, and a card wears
        return {"said": self.stand.steer(str(message.get("name")), str(message.get("value")), self._now())}

    def _safe_all(self, _message: dict[str, Any]) -> dict[str, Any]:
        """Everything safe, and what is read back then."""
        self._now()
        outputs = self.guard.safe_all(monotonic())
        self._record()
        return {"pid": os.getpid(), "outputs": outputs}

    def _owned(self, message: dict[str, Any]) -> dict[str, Any]:
        return door.piece(self.told.said, message.get("at"))

    # What is looked for

    def _look(self, every: float = 0.0) -> None:
        """Look for the emergency stop and for overrides, unless that was done less than `every` seconds ago."""
        real = monotonic()
        if real < self._looked + every:
            return
        self._looked = real
        states = dict.fromkeys((self.told.state, *(one.state for one in self.sessions.agents)))
        self._stops = {one: why for one in states if one and (why := _stopped(one) or self._gone_with(one))}
        if self.guard.halt(next(iter(self._stops.values()), ""), real):
            self._record()
            self.sessions.tell(protocol.halt(self.guard.stopped))
        if self.stand.folder:
            for name, word in self.overrides.look():  # with wrong settings a hand holds safe, and no more
                self.guard.override(name, overrides.WORDS[0] if word and self.told.why else word, real)

    def _gone_with(self, state: str) -> str:
        """Why it is still stopped when the folder of a stop is gone: whoever takes a card away lifts nothing."""
        sign = self.overrides.sign if self.stand.folder and state == self.told.state else state
        gone = state in self._stops and overrides.gone(sign)
        return f"everything is stopped: the folder of the stop, {state}, is gone" if gone else ""

    def _back(self, names: tuple[str, ...], real: float) -> None:
        """Outputs whose lines were lost and are back have their safe value: no lease goes on over that."""
        for name in names:
            row = self.guard.leases.rows[name]
            if not row.safe:
                self.guard.driver.safe(row, protocol.FAILED, self.guard.clock.board(real))

    # What is kept

    def _begin(self) -> None:
        """Write down the outputs that a guard which died left on: this start made them safe, or holds them.

        The record is asked as well as the kept state: it is written first, and death may come in between. What is held
        and was not known to be on is written down too, and what has to rest and was not known to do so: the next start
        knows since when.
        """
        recorded = self._recorded()
        for name, row in self.guard.leases.rows.items():
            output = row.output
            died = name in self.stand.left_on or recorded.get(name, output.safe) != output.safe
            unknown = output.min_off and name not in self._rests
            if row.safe and (died or unknown) and self.stand.plant.level(name, self.stand.base) == float(output.safe):
                self._started(name, output.safe, float(output.safe))
            elif not row.safe and name not in self._held:
                self._started(name, row.state, row.level)

    def _started(self, name: str, state: bool, level: float) -> None:
        note = protocol.Transition(self.stand.base, name, state, protocol.STARTED, level=level)
        self.journal.add(note, time())

    def _recorded(self) -> dict[str, bool]:
        """How the record left each output; nothing when it cannot be read."""
        try:
            return {row["name"]: row["state"] for row in last(self.stand.folder, RECENT)} if self.stand.folder else {}
        except OSError as error:
            self.notes.append(f"the board's record cannot be read: {error.strerror}")
            return {}

    def _record(self) -> None:
        """Write down what happened and tell the agents what they did not ask for."""
        notes = self.guard.take()
        for note in notes:
            self.journal.add(note, time())
            for session in self.sessions.agents:
                if protocol.told(note, session.owner):
                    session.wire.send(protocol.event(note))
        if notes:
            self._saved, self._dirty = 0.0, True

    def _publish(self) -> None:
        """After each round: record, tell, let go whose time is over, and only then wait for the card."""
        self._record()
        real = monotonic()
        for session in self.sessions.settle(real):
            self._gone(session, protocol.AGENT_GONE)
        self.journal.sync()
        if self._dirty and real >= self._saved + SAVE_SECONDS:
            self._saved, self._dirty = real, False
            self.stand.save(self.guard.clock.board(real))

    def _pause(self) -> int:
        """Milliseconds until the next thing due, rounded up; at most SAVE_SECONDS."""
        real = monotonic()
        on = any(not row.safe for row in self.guard.leases.rows.values())
        due = min(self.guard.wake(), real + min(SAVE_SECONDS, self.stand.every), self.sessions.due(), self.notifier.due)
        if self.told.state or self.sessions.agents:
            due = min(due, self._looked + (STOP_SECONDS if on else IDLE_SECONDS))
        return max(0, int((due - real) * 1000.0) + 1)

    def _status(self) -> str:
        names = ", ".join(output.name for output in self.stand.plant.outputs) or "none"
        return f"refusing: {self.told.why}" if self.told.why else f"outputs safe: {names}"


def _stopped(state: str) -> str:
    """Why everything is stopped in a state folder, "" when it is not. The reader is loaded when there is a stop."""
    try:
        os.lstat(f"{state}/{STOP}")
    except FileNotFoundError:
        return ""
    except OSError:
        pass  # what cannot be looked at is a stop, and the reader says why
    from edge.stop import read

    found = read(state)
    return "" if found is None else found.everything


def _past(stand: Stand) -> tuple[dict[str, list[float]], dict[str, float], dict[str, float]]:
    """What the record says of outputs that need it: see edge.peripherals.guard.past."""
    told = [one for one in stand.plant.outputs if one.max_per_hour or one.min_off or one.on_start == "hold"]
    if not stand.folder or not told:
        return {}, {}, {}
    from edge.peripherals.guard.past import known

    return known(stand.folder, stand.boot, stand.base, told)


def _visible(folder: str) -> bool:
    """True when a folder that an agent named can be looked into."""
    if folder[:1] != "/":
        return False
    try:
        os.stat(f"{folder}/.")
    except FileNotFoundError:
        return True  # no folder yet, no stop yet
    except (OSError, ValueError):  # ValueError: characters that no path has
        return False
    return True
