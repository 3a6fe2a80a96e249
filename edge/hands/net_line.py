"""One connection to one address, with a deadline for all that is done over it.

Rules:
1. An address is connected to, never a name: what was judged is what is reached, and the peer is looked at afterwards.
2. No wait goes past the deadline, and none lasts longer than LOOK without a look at whether the call was told to end;
   so neither a peer that sends a byte now and then nor one that sends without end gains anything.
3. TimeoutError: the deadline. ConnectionAbortedError: told to end. OSError with EMSGSIZE: more came than there was room
   for. All are for the caller to translate.
"""

from __future__ import annotations

import errno
import os
import socket
import time

from edge.gate.addresses import packed
from edge.model.link import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOOK = 0.05  # seconds


class _Switch:
    """What a Link asks about ending: here a question to the call, not a shut socket."""

    __slots__ = ("_ending",)

    def __init__(self, ending: Callable[[], bool]) -> None:
        self._ending = ending

    @property
    def done(self) -> bool:
        return self._ending()

    def release(self, sock: Any) -> None:
        sock.close()


class Line(Link):
    """A connected socket. `room` bounds the bytes that may come, `got` counts them."""

    def __init__(self, sock: Any, deadline: float, ending: Callable[[], bool], secure: bool = False) -> None:
        switch: Any = _Switch(ending)
        super().__init__(sock, switch, secure)
        self._ending = ending
        self.begin(deadline, 0)

    def wait(self, poller: Any) -> None:
        while True:
            if self._ending():
                raise ConnectionAbortedError
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if poller.poll(int(min(left, LOOK) * 1000) + 1):
                return

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() >= self.deadline:
            raise TimeoutError
        return super().readinto(buffer)

    def secured(self, context: Any, name: str) -> Line:
        """The same connection with TLS over it, the certificate checked for `name`. This object is used up."""
        sock = context.wrap_socket(self._sock, server_hostname=name, do_handshake_on_connect=False)
        made = Line(sock, self.deadline, self._ending, secure=True)
        try:
            made.handshake()
        except OSError:
            made.close()
            raise
        return made

    def connected(self, where: Any) -> None:
        """Connect; OSError when that fails or somebody else is at the other end."""
        failed = self._sock.connect_ex(where)
        if failed == errno.EINPROGRESS:
            self.wait(self._out)
            failed = self._sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failed:
            raise OSError(failed, os.strerror(failed))
        peer = self._sock.getpeername()
        if packed(peer[0].partition("%")[0]) != packed(where[0]) or peer[1] != where[1]:
            raise OSError(errno.ECONNABORTED, f"the peer is {peer[0]} instead of {where[0]}")


def dial(address: str, port: int, deadline: float, ending: Callable[[], bool]) -> Line:
    """A connection to an address as a Resolver gives it. OSError as in rule 3, or what the network said."""
    host, _, scope = address.partition("%")
    six = ":" in host
    where = (host, port, 0, int(scope or 0)) if six else (host, port)
    sock = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_STREAM)
    line = Line(sock, deadline, ending)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.connected(where)
    except OSError:
        line.close()
        raise
    return line
