"""The guard's process: owns the outputs of one board, for one agent that started it or for all that come.

Rules this file keeps:
1. Safe first, at the start (edge.peripherals.guard.stands) and at the end: whatever ends the process (its last agent
   gone, SIGTERM, SIGINT, SIGHUP, an error of our own) first drives every output safe, then writes that down, then
   keeps the state, then lets the lines go, then goes.
2. Two ways of life. A *child* has the agent that started it at descriptor 3, takes others at its socket and ends with
   the last of them. A *service* has no descriptor 3, listens where it was told and stays; agents come and go.
3. The loop waits only in poll, until the next thing due. Replies go out before the card is written to. Nobody who is
   connected can make it wait (edge.peripherals.guard.sessions).
4. It holds the descriptors 0, 1, 2, a child's 3, and those it opened itself.
5. Terminal signals do not reach a child: it is started in a process group of its own. A signal sent to it is an order;
   SIGUSR1 is the order to make everything safe and go on.
6. The emergency stop is looked for here, whatever becomes of the agents: in the guard's own state folder and in those
   that agents named, before a request is answered, every STOP_SECONDS while an output is on, and when somebody asks.
   Unreadable is stopped. The words of people in `override/` (edge.peripherals.guard.overrides) are looked for with it.
7. A guard that was started with a sentence of what is wrong refuses every value but the safe one, with that sentence.
8. Small: no json, re, enum, socket, signal or typing. The C modules below those are used directly.

The arguments are LIB STATE SPEED OWNED SOCKET USERS WHY: where `edge` lies (used by the starter), the state folder or
"", board seconds per second, what is owned (edge.peripherals.guard.owned), where to listen ("" for a child: in its
folder), the users that may come beside our own and root (numbers by commas), and what is wrong or "". Exit codes: 0
the last agent left or died; 7 the board could not be opened; 128 + n ended by signal n.
"""

from __future__ import annotations

import _socket
import posix as os
import select
import sys
from time import monotonic

from edge.faults import Fault
from edge.peripherals.guard.ending import Ending, close_others, lead, stay
from edge.peripherals.guard.stands import forget, stand
from edge.record import Record, replace, sparing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.guard.folder import Folder
    from edge.peripherals.guard.owned import Owned
    from edge.peripherals.guard.stands import Stand

AGENT = 3
LOCK_SECONDS = 5.0
LOCK_PAUSE_MS = 100


def main() -> int:
    """Run the guard until its agents or a signal end it. The exit code; see the head of this file."""
    sparing()
    _unread()
    told = _told(sys.argv)
    child = not told.socket
    close_others(AGENT if child else AGENT - 1)
    os.umask(0o077)
    end = Ending()
    agent = _socket.socket(fileno=AGENT) if child else None
    try:
        behind = stand(told.owned, told.state, told.socket, lambda one: _locked(one, told.socket, agent, end))
    except Fault as fault:
        return _refuse(agent, fault, end)
    if told.owned.kind == "lines":
        stay()
        lead()
    _unread()
    return _serve(told, behind, end, agent)


def _unread() -> None:
    """Let go of what stands at the heads of modules and classes: nobody reads it in here, and it is 50 KiB."""
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] == "edge":
            module.__doc__ = None
            for one in vars(module).values():
                if isinstance(one, type) and one.__module__ == name:
                    one.__doc__ = None


class Told(Record):
    """What the guard was started with. `said`: the description as it came; `socket` "": a child's; `why` "": all well.

    `users`: who may come beside our own user and root.
    """

    state: str
    speed: float
    owned: Owned
    said: str
    socket: str = ""
    users: tuple[int, ...] = ()
    why: str = ""


def _serve(told: Told, behind: Stand, end: Ending, agent: _socket.socket | None) -> int:
    """The rest of the guard is loaded only now: everything is safe by then."""
    serving = wrong = None
    try:
        from edge.peripherals.guard.serve import Serving

        _unread()
        serving = Serving(told, behind, end)
        serving.open(agent)
        serving.run()
    except Fault as fault:
        wrong = fault
    finally:
        if serving is None:  # it could not even begin: nothing is left as it was found
            behind.release(wholly=True)
        else:
            serving.finish()
    if wrong is not None:  # said when everything is safe: the agent may let us wait
        return _refuse(None if serving else agent, wrong, end)
    return 128 + end.signal if end.signal else 0


def _told(words: list[str]) -> Told:
    """The arguments, which our own starter made: what is wrong in them is a fault of the program.

    A guard that refuses (rule 7) keeps nothing as it is found.
    """
    state, speed, said, socket, users, why = words[2:8]
    numbers = tuple([int(user) for user in users.split(",") if user])
    from edge.peripherals.guard import owned

    owns = owned.read(said)
    forget(owned.__name__)
    if why:
        owns = replace(owns, outputs=tuple([replace(output, on_start="safe") for output in owns.outputs]))
    return Told(state, float(speed), owns, said, socket, numbers, why)


def _locked(folder: Folder, socket: str, agent: _socket.socket | None, end: Ending) -> bool:
    """Take the folder's lock, waiting for a guard that is ending, unless the agent goes or a signal comes.

    A guard that listens is not ending: whoever wants it joins it.
    """
    from edge.peripherals.guard.folder import SOCKET

    path = socket or f"{folder.path}/{SOCKET}"
    until = monotonic() + LOCK_SECONDS
    poll = select.poll()
    poll.register(end.fd, select.POLLIN)
    if agent is not None:
        poll.register(agent.fileno(), 0)
    while not folder.lock(path):
        if _listens(folder.path) or monotonic() >= until or poll.poll(LOCK_PAUSE_MS):
            return False
    return True


def _listens(path: str) -> bool:
    from edge.peripherals.guard import door
    from edge.peripherals.guard.folder import asked_at

    where = asked_at(path)
    try:
        peer = door.connect(where, 0.5) if where else None
    except OSError:
        return False
    if peer is not None:
        peer.close()
    return peer is not None


def _refuse(agent: _socket.socket | None, fault: Fault, end: Ending) -> int:
    """Answer the agent's first request with what is wrong, or say it to whoever reads a service's words, and end."""
    if agent is None:
        os.write(2, f"fieldhand guard: {fault}\n".encode("utf-8", "replace"))
        return fault.code
    from edge.peripherals.guard import protocol
    from edge.peripherals.guard.wire import Wire

    wire = Wire(agent)
    poll = select.poll()
    poll.register(agent.fileno(), select.POLLIN)
    if not end.signal and poll.poll(int(LOCK_SECONDS * 1000)):
        for frame in (wire.receive() or ())[:1]:
            asked = protocol.request(frame)
            wire.send(protocol.refusal(asked.id, fault))
    return fault.code
