"""Telling the supervisor how the guard is (sd_notify(3)): ready, alive, stopping.

Rules this file keeps:
1. A datagram to the socket that NOTIFY_SOCKET names; a name that begins with @ is an abstract one. Without the
   variable nobody is told. Nothing here waits and nothing here fails: a supervisor that does not read is left alone.
2. WATCHDOG=1 goes out at half of WATCHDOG_USEC, when that is meant for this process (WATCHDOG_PID), and only from the
   guard's loop: a loop that hangs is silent, and the supervisor starts it anew.
"""

from __future__ import annotations

import _socket
import posix as os

from edge.peripherals.guard.folder import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
FOREVER = float("inf")


class Notifier:
    """Tells one supervisor. `due`: the monotonic time of the next sign of life, infinite when none is wanted."""

    def __init__(self, environ: Mapping[str, str], pid: int) -> None:
        self._address = _address(environ.get("NOTIFY_SOCKET", ""))
        self.every = _every(environ, pid) if self._address else 0.0
        self.due = 0.0 if self.every else FOREVER
        self._socket: _socket.socket | None = None

    def ready(self, status: str) -> None:
        self._tell(f"READY=1\nSTATUS={status}")

    def stopping(self) -> None:
        self._tell("STOPPING=1")

    def beat(self, real: float) -> None:
        """A sign of life, when one is due."""
        if real >= self.due:
            self.due = real + self.every
            self._tell("WATCHDOG=1")

    def _tell(self, text: str) -> None:
        if not self._address:
            return
        try:
            if self._socket is None:
                self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
                self._socket.setblocking(False)
            self._socket.sendto(text.encode("utf-8"), _socket.MSG_NOSIGNAL, self._address)
        except OSError:
            return  # rule 1


def environ() -> dict[str, str]:
    """What the supervisor said, by name; without the module `os`, whose memory the guard has no room for."""
    found = {name.encode(): name for name in VARIABLES}
    return {found[name]: said.decode("utf-8", "surrogateescape") for name, said in os.environ.items() if name in found}


def _address(told: str) -> bytes:
    """The socket address; empty when there is none of a known kind."""
    path = encoded(told)
    if path[:1] == b"@":
        return b"\0" + path[1:]
    return path if path[:1] == b"/" else b""


def _every(environ: Mapping[str, str], pid: int) -> float:
    """Seconds between two signs of life; 0 when nobody waits for them."""
    wait, whom = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not (wait.isascii() and wait.isdigit()) or (whom and whom != str(pid)):
        return 0.0
    return int(wait) / 2e6
