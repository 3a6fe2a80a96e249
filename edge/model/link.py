"""One connection that keeps a deadline: however slowly bytes come, no wait goes past it.

Rules:
1. The socket never blocks. All waiting is one poll() with what is left until the deadline, so that a peer that
   sends a byte now and then gains nothing.
2. TimeoutError: the deadline passed. OSError with EMSGSIZE: more came than there was room for. Both are for the
   caller to translate.
3. Finding a name's addresses cannot be interrupted: it runs in a thread that is left behind if it takes too long.
"""

from __future__ import annotations

import io
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from edge.model.cut import Cut

    Parts = Sequence[Any]  # bytes, or memoryviews of bytes

LOOK_MS = 50
AT_ONCE = 1 << 16  # bytes that TLS encrypts at a time


class Kept(io.BufferedReader):
    """A reader that outlives the replies read from it: http.client closes what it read from."""

    def close(self) -> None:
        """The Link is closed instead."""

    def flush(self) -> None:
        """Nothing is written here; http.client asks even when the Link is closed already."""


class Link(io.RawIOBase):
    """A connected socket. `got` counts the bytes of the current reply, `room` bounds them; `ended`: no more come."""

    def __init__(self, sock: Any, cut: Cut, secure: bool) -> None:
        import select

        self.deadline = 0.0
        self.got = 0
        self.room = 0
        self.ended = False
        self._sock = sock
        self._cut = cut
        self._secure = secure
        self._idle = False
        self._in, self._out = select.poll(), select.poll()
        self._in.register(sock, select.POLLIN)
        self._out.register(sock, select.POLLOUT)
        self._want_in: Any = BlockingIOError
        self._want_out: Any = BlockingIOError
        if secure:
            import ssl

            self._want_in, self._want_out = ssl.SSLWantReadError, ssl.SSLWantWriteError
        self.reader: io.BufferedReader = Kept(self)

    def begin(self, deadline: float, room: int) -> None:
        """A new exchange: until when (time.monotonic()), and how many bytes its reply may have."""
        self.deadline, self.room, self.got, self.ended = deadline, room, 0, False

    def fresh(self) -> bool:
        """True when nothing came since the last reply: no left-over of it, no end of the connection."""
        if self._secure:
            return self._unread() is None
        return not self._in.poll(0)

    def _unread(self) -> int | None:
        """TLS has records of its own (tickets): only reading tells whether something for us came."""
        try:
            got: int = self._sock.recv_into(bytearray(1))
            return got
        except self._want_in:
            return None
        except OSError:
            return 0

    def spent(self) -> bool:
        """True when no byte behind the last reply was read along with it."""
        self._idle = True
        try:
            return not self.reader.peek(1)
        finally:
            self._idle = False

    def wait(self, poller: Any) -> None:
        """Until the socket is ready, at most until the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        poller.poll(int(left * 1000) + 1)
        if self._cut.done:
            raise ConnectionAbortedError

    def await_reply(self) -> None:
        """Wait until something can be read."""
        if not self._secure:
            self.wait(self._in)

    def handshake(self) -> None:
        """TLS, inside the deadline."""
        self._patiently(self._sock.do_handshake)

    def send(self, parts: Parts, size: int) -> None:
        """All bytes of `parts`, `size` together, with as few system calls as there can be."""
        if self._secure:
            self._send_joined(memoryview(b"".join(parts)))
            return
        try:
            sent = self._sock.sendmsg(parts)
        except BlockingIOError:
            sent = 0
        if sent < size:
            self._send_rest([memoryview(part) for part in parts], sent)

    def _send_rest(self, rest: list[memoryview], sent: int) -> None:
        """The rest of what did not fit into the socket at once: `sent` bytes of it are gone."""
        while True:
            while rest and sent >= len(rest[0]):
                sent -= len(rest.pop(0))
            if not rest:
                return
            rest[0] = rest[0][sent:]
            sent = self._patiently(lambda: self._sock.sendmsg(rest))

    def _send_joined(self, view: memoryview) -> None:
        sent = 0
        while sent < len(view):
            piece = view[sent : sent + AT_ONCE]
            sent += self._patiently(lambda: self._sock.send(piece))  # noqa: B023 (called before the next turn)

    def _patiently(self, act: Callable[[], Any]) -> Any:
        while True:
            try:
                return act()
            except self._want_out:
                self.wait(self._out)
            except self._want_in:
                self.wait(self._in)

    # --- what http.client reads from ---

    def makefile(self, _mode: str) -> io.BufferedReader:
        """http.client asks a socket for this; what it gets is not closed with the reply."""
        return self.reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        """io.RawIOBase: at least one byte, or 0 at the end of the connection."""
        if self._idle:
            return None
        while True:
            try:
                got: int = self._sock.recv_into(buffer)
                break
            except self._want_in:
                self.wait(self._in)
            except self._want_out:
                self.wait(self._out)
        self.got += got
        self.ended = not got
        if self.got > self.room:
            import errno

            raise OSError(errno.EMSGSIZE, "more came than there is room for")
        return got

    def close(self) -> None:
        """Close the socket; no other thread may use it any more."""
        if not self.closed:
            self._cut.release(self._sock)
            super().close()


def connect(host: str, port: int, deadline: float, cut: Cut, context: Any = None) -> Link:
    """A connection to the first address of `host` that takes one; with `context`, TLS that checks the name."""
    found = _addresses(host, port, deadline, cut)
    for number, address in enumerate(found):
        left = deadline - time.monotonic()
        try:
            sock = _dial(address, deadline - left + left / (len(found) - number), cut)
            break
        except OSError:
            if number + 1 == len(found) or cut.done or time.monotonic() >= deadline:
                raise
    if context is not None:
        # The wrapper takes the socket over; `hold` must know it before the handshake waits.
        sock = context.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
        cut.hold(sock)
    link = Link(sock, cut, context is not None)
    if context is not None:
        link.begin(deadline, 0)
        try:
            link.handshake()
        except OSError:
            link.close()
            raise
    return link


def _dial(address: Any, deadline: float, cut: Cut) -> Any:
    """A socket connected to one address."""
    import errno
    import os
    import select
    import socket

    family, kind, protocol, _, where = address
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        cut.hold(sock)
        failed = sock.connect_ex(where)
        poller = select.poll()
        poller.register(sock, select.POLLOUT)
        while failed in (errno.EINPROGRESS, errno.EALREADY):
            _in_time(deadline, cut)
            if poller.poll(LOOK_MS):
                failed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if cut.done:
            failed = errno.ECONNABORTED
        if failed:
            raise OSError(failed, os.strerror(failed))
    except OSError:
        cut.release(sock)
        raise
    return sock


def _in_time(deadline: float, cut: Cut) -> None:
    if cut.done:
        raise ConnectionAbortedError
    if time.monotonic() >= deadline:
        raise TimeoutError


def _addresses(host: str, port: int, deadline: float, cut: Cut) -> list[Any]:
    """The addresses of a host. socket.gaierror when it has none (rule 3)."""
    import socket

    name = host.encode("ascii")  # as bytes it is looked up as it is, without the codec for international names
    try:
        return socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass  # a name
    import _thread

    found: list[Any] = []
    waiting = _thread.allocate_lock()
    waiting.acquire()

    def look() -> None:
        try:
            found.append(socket.getaddrinfo(name, port, type=socket.SOCK_STREAM))
        except OSError as error:
            found.append(error)
        waiting.release()

    _thread.start_new_thread(look, ())
    while not waiting.acquire(timeout=LOOK_MS / 1000):
        _in_time(deadline, cut)
    if isinstance(found[0], OSError):
        raise found[0]
    addresses: list[Any] = found[0]
    return addresses
