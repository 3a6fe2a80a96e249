"""What agents tell the supervisor: datagrams of sd_notify(3) at a socket, with the sender as the kernel knows it.

Rules:
1. The socket is 0600: root and our own user alone may send. The kernel adds the process that sent (SCM_CREDENTIALS,
   unix(7)); whoever else gets through, such as by a descriptor that was handed on, is not heard.
2. A datagram is lines of NAME=value. WATCHDOG=1 is a sign of life, and whoever gave one will be missed; STOPPING=1 is
   the last one. READY=1 alone makes nobody an agent: what was not told to beat (the guard, which is asked) must not be
   missed. Everything else (STATUS, MAINPID, file descriptors) is let pass by, for this is no systemd.
3. At most PART datagrams are taken per round: nobody who sends without end keeps the watchdog hungry.
"""

from __future__ import annotations

import _socket
import posix as os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PART = 256
LONGEST = 4096
_CREDENTIALS = 12  # struct ucred: pid, uid, gid
_SPACE = _socket.CMSG_SPACE(_CREDENTIALS)
SIGN = b"WATCHDOG=1"
LAST = b"STOPPING=1"


class Notices:
    """The bound socket. OSError when it cannot be made."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._users = (0, os.geteuid())
        _away(path)  # what another left
        self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
        before = os.umask(0o177)
        try:
            self.socket.bind(path)
        finally:
            os.umask(before)
        self.socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)
        self.socket.setblocking(False)

    def fileno(self) -> int:
        return self.socket.fileno()

    def taken(self) -> Iterator[tuple[int, bool]]:
        """What came: (process, whether it is its last sign). Ends when nothing waits, or at PART."""
        for _ in range(PART):
            try:
                data, beside, _, _ = self.socket.recvmsg(LONGEST, _SPACE, _socket.MSG_DONTWAIT)
            except OSError:
                return
            pid, uid = _sender(beside)
            lines = data.split(b"\n")
            last = LAST in lines
            if pid and uid in self._users and (last or SIGN in lines):
                yield pid, last

    def close(self) -> None:
        """Close it and take it away."""
        self.socket.close()
        _away(self.path)


def _away(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return  # there is none


def _sender(beside: list[tuple[int, int, bytes]]) -> tuple[int, int]:
    """Process and user of the sender; (0, -1) when the kernel did not say."""
    for level, kind, data in beside:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_CREDENTIALS and len(data) >= _CREDENTIALS:
            return int.from_bytes(data[:4], sys.byteorder), int.from_bytes(data[4:8], sys.byteorder)
    return 0, -1
