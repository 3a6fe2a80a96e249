"""The models' one HTTP client: POST over a connection that is kept, with one deadline for the whole exchange.

Rules:
1. http.client reads the replies (status, fields, chunks), but for everyday heads and bodies of known length;
   edge.model.head reads those heads, and holds all to plain lengths. This file keeps the connection, the deadline and
   the bounds. http.client is imported at the first exchange.
2. One exchange at a time. A connection that the server closed while it was idle is replaced once, if nothing of a
   reply came.
3. A reply counts only whole: a body that is shorter than it was said to be is a fault that says how far it came.
4. `again` says after a fault whether nothing of a reply arrived, so that another try does no harm.
5. Redirects are not followed, no cookie is kept, no proxy is asked, nothing is decompressed.
"""

from __future__ import annotations

import os
import time

from edge.faults import BudgetFault, ModelFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader
    from typing import Any, NoReturn

    from edge.faults import Fault
    from edge.model.cut import Cut
    from edge.model.head import Head
    from edge.model.link import Link, Parts
    from edge.model.place import Place

HEAD = 1 << 16  # bytes of status line and fields
BODY = 8 << 20  # bytes of a body
PIECE = 1 << 16
DRAIN = 0.05  # seconds for the end of a stream whose last event came


class Wire:
    """`headers` are whole lines with CRLF. `clock` is the wall clock, for sentences about certificates.

    `ca_file`: authorities that are trusted beside those of the system, "" for none.
    """

    def __init__(
        self, place: Place, headers: bytes, cut: Cut, clock: Callable[[], float] = time.time, ca_file: str = ""
    ) -> None:
        from http.client import HTTPException

        from edge.model.head import quick, unclear

        self._quick = quick
        self._unclear = unclear
        self.again = False
        self._place = place
        self._cut = cut
        self._clock = clock
        self._ca_file = ca_file
        self._response: Any = _responses()
        self._broken: Any = (OSError, HTTPException)
        self._link: Link | None = None
        self._context: Any = None
        self._allowed = 0.0
        start = f"POST {place.path} HTTP/1.1\r\nHost: {_host(place)}\r\nAccept-Encoding: identity\r\n"
        self._start = start.encode("ascii") + headers + b"Content-Length: "

    def send(self, parts: Parts, deadline: float, allowed: float) -> Incoming:
        """Send a body made of `parts`; the reply as soon as its fields are there. ModelFault, BudgetFault.

        `deadline` is a time.monotonic(); `allowed` is how many seconds that was from the beginning, for sentences.
        """
        size = sum(map(len, parts))
        head = self._start + b"%d\r\n\r\n" % size
        self._allowed = allowed
        self.again = False
        link = self._kept()
        while True:
            reused = link is not None
            try:
                if link is None:
                    link = self._connect(deadline)
                return self._exchange(link, (head, *parts), len(head) + size, deadline)
            except self._broken as error:
                got = link.got if link is not None else 0
                self.close()
                if not reused or got or self._cut.done or isinstance(error, TimeoutError):
                    self.fail(error, got)
                link = None

    def _kept(self) -> Link | None:
        """The connection of the last exchange, if it can serve again."""
        if self._link is not None and not self._link.fresh():
            self.close()
        return self._link

    def _connect(self, deadline: float) -> Link:
        from edge.model.link import connect

        place = self._place
        if place.secure and self._context is None:
            from edge.model import tls

            self._context = tls.context(os.environ, place.endpoint, self._ca_file)
        self._link = connect(place.host, place.port, deadline, self._cut, self._context)
        return self._link

    def _exchange(self, link: Link, parts: Parts, size: int, deadline: float) -> Incoming:
        link.begin(deadline, HEAD)
        try:
            link.send(parts, size)
        except (BrokenPipeError, ConnectionResetError):
            # A server may refuse a request before it has read all of it: its answer is worth more than our error.
            if self._cut.done:
                raise
        link.await_reply()
        head = self._quick(link.reader)
        response = self._begin(link) if head is None else begun(head, link, self._response)
        if wrong := self._unclear(response):
            raise self._broken[1](wrong)
        link.room += BODY
        return Incoming(self, link, response)

    def _begin(self, link: Link) -> Any:
        """Let http.client read the head. It takes the end of the connection for the end of the head; we do not."""
        response = self._response(link, method="POST")
        try:
            response.begin()
        except self._broken:
            if not link.ended:
                raise
        if link.ended:
            raise ConnectionError
        return response

    def fail(self, error: Exception, got: int) -> NoReturn:
        """Raise what a broken exchange means; `got` bytes of a reply had come."""
        fault = self._meaning(error, got)
        self.again = not got and self.again
        # What http.client raises quotes the server, and a server may quote the key.
        raise fault from (error if isinstance(error, OSError) else None)

    def _meaning(self, error: Exception, got: int) -> Fault:
        endpoint = self._place.endpoint
        far = f"after {got} bytes of the reply" if got else "before any reply"
        if self._cut.done:
            return self._cut.fault()
        if isinstance(error, TimeoutError):
            return BudgetFault(f"{endpoint} gave no whole reply within {self._allowed:.3g} s: time was up {far}")
        sentence, fix, self.again = self._words(error, far)
        if not sentence:
            from edge.model import tls

            return tls.failed(error, endpoint, self._clock())
        return ModelFault(sentence, fix, endpoint)

    def _words(self, error: Exception, far: str) -> tuple[str, str, bool]:
        """(sentence, what to do, worth another try); the first is "" for what concerns TLS."""
        import errno
        import socket
        from http.client import BadStatusLine, IncompleteRead, LineTooLong, RemoteDisconnected

        endpoint = self._place.endpoint
        if isinstance(error, ConnectionRefusedError):
            return f"nothing listens at {endpoint}", "start the model's server, or correct base_url", True
        if isinstance(error, socket.gaierror):
            why = f"{self._place.host} has no address ({error.strerror or error})"
            return why, "check base_url, and the network", error.errno == socket.EAI_AGAIN
        if isinstance(error, (RemoteDisconnected, ConnectionError, IncompleteRead)):
            return f"{endpoint} broke off {far}", "", True
        if isinstance(error, BadStatusLine):
            return f"{endpoint} did not answer in HTTP", "check base_url (https?)", False
        if isinstance(error, LineTooLong) or (isinstance(error, OSError) and error.errno == errno.EMSGSIZE):
            return f"{endpoint} sent more than is taken: {BODY >> 20} MiB of a reply, 64 KiB of fields", "", False
        if self._place.secure and hasattr(error, "reason") and hasattr(error, "library"):
            return "", "", False
        if isinstance(error, OSError):
            unreachable = error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ETIMEDOUT)
            return f"{endpoint} cannot be reached: {error.strerror or error}", "check the network", unreachable
        return f"{endpoint} gave a reply that is not HTTP: {str(error)[:80] or type(error).__name__}", "", False

    def close(self) -> None:
        """Give up the connection; the next exchange opens one."""
        if self._link is not None:
            self._link.close()
            self._link = None


class Sized:
    """A reply of known length: of HTTPResponse, with the same names, what an Incoming asks of it."""

    __slots__ = ("_reader", "headers", "length", "status", "will_close")
    chunked = False

    def __init__(
        self, reader: BufferedReader, status: int, headers: dict[str, str], length: int, will_close: bool
    ) -> None:
        self._reader = reader
        self.status = status
        self.headers = headers
        self.length = length
        self.will_close = will_close

    def read1(self, most: int) -> bytes:
        """What there is of the body, up to `most` bytes; b"" at its end and at the end of the connection."""
        piece = self._reader.read1(min(most, self.length))
        self.length -= len(piece)
        return piece

    def read(self) -> bytes:
        """The rest of the body; IncompleteRead when the connection ends before."""
        body = self._reader.read(self.length)
        if len(body) < self.length:
            from http.client import IncompleteRead

            raise IncompleteRead(body, self.length - len(body))
        self.length = 0
        return body


class Incoming:
    """A reply whose status and fields have come."""

    def __init__(self, wire: Wire, link: Link, response: Any) -> None:
        self.status: int = response.status
        self.got = 0  # bytes of the body so far
        self._wire = wire
        self._link = link
        self._response = response

    def field(self, name: str) -> str:
        """A field of the head by its name in lower case, "" when it is not there."""
        return self._response.headers.get(name) or ""

    def more(self) -> bytes:
        """The next bytes of the body, b"" at its end. ModelFault when it breaks off, BudgetFault at the deadline."""
        response = self._response
        try:
            piece: bytes = response.read1(PIECE)
            if not piece and response.length:  # http.client takes the end of the connection for the end of the body
                raise ConnectionError
        except self._wire._broken as error:
            self._wire.close()
            self._wire.fail(error, self._link.got)
        self.got += len(piece)
        if not piece:
            self._over()
        return piece

    def whole(self) -> bytes:
        """The whole body (at most BODY bytes)."""
        length = self._response.length
        if length is None or length > PIECE:
            return b"".join(iter(self.more, b""))
        try:
            body: bytes = self._response.read()
        except self._wire._broken as error:
            self._wire.close()
            self._wire.fail(error, self._link.got)
        self._over()
        return body

    def drop(self) -> None:
        """The rest is not wanted: it must not be taken for the beginning of the next reply."""
        self._wire.close()

    def drain(self) -> None:
        """What was wanted has come: keep the connection if the rest comes at once, else give it up."""
        self._link.deadline = min(self._link.deadline, time.monotonic() + DRAIN)
        try:
            while self._response.read1(PIECE):
                pass
        except self._wire._broken:
            self._wire.close()
        else:
            self._over()

    def _over(self) -> None:
        if self._response.will_close or not self._link.spent():
            self._wire.close()


def begun(head: Head, link: Link, make: Any) -> Any:
    """The response whose head was read already; one that HTTPResponse has to read is made by `make`."""
    status, reason, fields, chunked, length, will_close = head
    if length is not None and not chunked:
        return Sized(link.reader, status, fields, length, will_close)
    response = make(link, method="POST")
    response.code = response.status = status
    response.reason = reason
    response.version = 11
    response.headers = response.msg = fields
    response.chunked = chunked
    if chunked:
        response.chunk_left = None
    response.length = length
    response.will_close = will_close
    return response


def _responses() -> Any:
    """HTTPResponse, strict about the sizes of chunks."""
    from http.client import HTTPException, HTTPResponse, IncompleteRead, LineTooLong

    from edge.model.head import chunk_size

    class Response(HTTPResponse):
        def _read_next_chunk_size(self) -> int:
            line = self.fp.readline(HEAD + 1)
            if len(line) > HEAD:
                raise LineTooLong("chunk size")
            if line[-1:] != b"\n":
                raise IncompleteRead(b"")
            size = chunk_size(line)
            if size < 0:
                raise HTTPException("the size of a chunk is not a number")
            return size

    return Response


def _host(place: Place) -> str:
    usual = 443 if place.secure else 80
    return place.authority.rsplit(":", 1)[0] if place.port == usual else place.authority
