"""Who is at the other end of a local socket, and whether it descends from the agent.

What a tool starts must not answer the question whether it may run. Tool children have no sockets of this kind
(seccomp) and often another user; this look is the second lock.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

DEEPEST = 256  # generations that are looked at
_UCRED = 12  # bytes of struct ucred: pid, uid, gid (unix(7))


def credentials(peer: socket.socket) -> tuple[int, int]:
    """Process and user at the other end, as the kernel knew them when it connected (SO_PEERCRED, unix(7))."""
    import struct
    from socket import SO_PEERCRED, SOL_SOCKET

    pid, uid, _ = struct.unpack("iII", peer.getsockopt(SOL_SOCKET, SO_PEERCRED, _UCRED))
    return pid, uid


def refusal(pid: int, uid: int, agent: int) -> str:
    """Why this peer may not speak for the operator of the process `agent`; "" when it may."""
    if uid not in (os.geteuid(), 0):
        return f"uid {uid} is not the operator of this agent (uid {os.geteuid()}, or root)"
    if pid <= 0:
        return "the asking process is in another name space and cannot be seen from here"
    line = ancestors(pid)
    if not line:
        return f"process {pid} has ended, and nobody knows what started it"
    if agent in line:
        return f"process {pid} was started by the agent itself: a tool does not answer for the operator"
    return ""


def ancestors(pid: int) -> list[int]:
    """The process and those it descends from, up to the first of all; nothing when it is not there.

    An answer that cannot be had in whole counts as none.
    """
    found: list[int] = []
    while pid > 0 and len(found) < DEEPEST:
        parent = _parent(pid)
        if parent < 0:
            return []
        found.append(pid)
        pid = parent
    return [] if pid > 0 else found


def _parent(pid: int) -> int:
    """The parent of a process (field 4 of /proc/PID/stat, proc(5)), -1 when it is not there."""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
    try:
        # The name in the second field may hold anything, also `) `: what counts stands behind the last `)`.
        return int(os.read(fd, 4096).rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return -1
    finally:
        os.close(fd)
