"""The keeper: a small process of one thread that starts children in name spaces of their own.

Rules:
1. A user name space cannot be made by a process with threads, and the agent has some: so the agent starts this one,
   by exec of the same interpreter with only light modules, at first use, and keeps it.
2. It listens on descriptor 3, a socket of its own that the agent made; when that ends it kills what it started and
   ends. What it starts is killed by the kernel when it dies.
3. A child is three processes: this one; the first process of the new name spaces, which builds the room, waits and
   takes in orphans; the command. When the command ends, the first one ends, and with it all that was left running.
4. A started first process is waited for only when the agent says so: until then its number is no other process's.
5. Root makes name spaces without one for users, and the command gets a user of its own; anybody else, and a root that
   may not, makes a user name space in which it is what it was.
6. Who only reads gets no name space of processes and no network of its own, but the board closed to changes (look.py).
7. Nothing is believed to have worked: what fails is said in words on the report pipe, and the command does not start.
"""

from __future__ import annotations

import _socket
import marshal
import os
import signal
import sys

from edge.hands.wall import first, identity, kernel
from edge.hands.wall.confine import Confinement, Limits
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

AGENT = 3
HEAD = 4  # bytes of a length
MOST_OPEN = 1 << 16
FDS = 4  # stdin, stdout, stderr, report
ALWAYS = kernel.NEWNS | kernel.NEWIPC | kernel.NEWUTS
_children: set[int] = set()


def main() -> int:
    """Serve until the agent's end is closed."""
    # What the agent left open for whatever it starts is not for children.
    os.closerange(AGENT + 1, min(os.sysconf("SC_OPEN_MAX"), MOST_OPEN))
    os.set_inheritable(AGENT, False)
    link = _socket.socket(fileno=AGENT)
    try:
        while _serve(link):
            pass
    except OSError:
        # The agent is gone in the middle of a word: the same as gone.
        return 0
    finally:
        for pid in _children:
            os.kill(pid, signal.SIGKILL)
    return 0


def _serve(link: _socket.socket) -> bool:
    """One request and its answer; False when the agent is gone."""
    head, fds = _head(link)
    if len(head) < HEAD:
        return False
    data = b""
    length = int.from_bytes(head, "little")
    while len(data) < length:
        part = link.recv(length - len(data))
        if not part:
            return False
        data += part
    request = marshal.loads(data)
    if "reap" in request:
        answer: dict[str, Any] = {"reaped": _reap(request["reap"])}
    else:
        answer = _start(request, fds)
    reply = marshal.dumps(answer)
    link.sendall(len(reply).to_bytes(HEAD, "little") + reply)
    return True


def _head(link: _socket.socket) -> tuple[bytes, list[int]]:
    data, extra, _, _ = link.recvmsg(HEAD, _socket.CMSG_SPACE(FDS * 4), 0x40000000)  # MSG_CMSG_CLOEXEC
    fds = [
        int.from_bytes(payload[at : at + 4], sys.byteorder)
        for level, kind, payload in extra
        if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS)
        for at in range(0, len(payload) - 3, 4)
    ]
    while data and len(data) < HEAD:
        data += link.recv(HEAD - len(data))
    return data, fds


def _reap(pid: int) -> bool:
    """Wait for a first process that was killed or has ended."""
    if pid in _children:
        _children.discard(pid)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return True
    return False


def _start(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    """Start the first process; its number, or why there is none."""
    plan = unpacked(request["plan"])
    try:
        user = 0 if request["look"] else _user(plan)
        flags = ALWAYS | (0 if request["look"] else kernel.NEWPID) | (kernel.NEWNET if request["net"] else 0)
        pid, user = _cloned(flags, user)
        if not pid:
            os.close(AGENT)
            first.run(plan, user, request, fds)
        _children.add(pid)
        return {"pid": pid, "user": user}
    except OSError as error:
        return {"error": barred(error), "errno": error.errno}
    finally:
        for fd in fds:
            os.close(fd)


def _user(plan: Confinement) -> int:
    """The number of the command's own user, 0 for none; the name spaces that show it are made here, before."""
    if os.geteuid() != 0 or not plan.alone:
        return 0
    user = plan.user or identity.number("")
    if identity.unknown(user):
        return 0
    identity.ready(plan)
    folders = [path for path in plan.writes if not path.startswith("/dev/") and not identity.open_to_all(path)]
    return 0 if any(identity.possible(path, user) for path in folders) else user


def _cloned(flags: int, user: int) -> tuple[int, int]:
    """The pid of a first process (0 in it) and the user of its command; -1: one of the agent's in a user name space."""
    if os.geteuid() == 0:
        try:
            return kernel.clone(flags), user
        except PermissionError:
            # A root without the right to mount, as in most containers: as anybody else, then.
            return kernel.clone(flags | kernel.NEWUSER), -1
    return kernel.clone(flags | kernel.NEWUSER), -1


def barred(error: OSError) -> str:
    """Why there are no name spaces, in words."""
    if error.errno in (28, 87):  # ENOSPC, EUSERS
        return "name spaces cannot be made here: no more of them are allowed (user.max_user_namespaces)"
    if error.errno in (1, 13):  # EPERM, EACCES
        return "name spaces cannot be made here: the system bars them for this user"
    if error.errno == 22:
        return "name spaces cannot be made here: the kernel was built without one of them"
    return f"name spaces cannot be made here: {(error.strerror or 'unknown error').lower()}"


def packed(plan: Confinement) -> dict[str, Any]:
    """A plan as marshal can carry it."""
    return as_dict(plan)


def unpacked(fields: dict[str, Any]) -> Confinement:
    """The plan again."""
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    given["environment"] = tuple((name, value) for name, value in fields["environment"])
    given["limits"] = Limits(**fields["limits"])
    return Confinement(**given)
