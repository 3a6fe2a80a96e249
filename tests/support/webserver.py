"""A web server on loopback that behaves as badly as it is told to, and remembers what it was asked."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Callable
from typing import Any

Behaviour = Callable[["Request", Any], None]


class Request:
    """What came: `headers` with names in lower case. `over` is set when the server ends."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes, over: threading.Event) -> None:
        self.over = over
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body


class Web:
    """`on[path]` is what is done for a path, else `otherwise`; `seen` holds every request, `connections` counts."""

    def __init__(
        self,
        address: str = "127.0.0.1",
        port: int = 0,
        certificate: tuple[str, str] | None = None,
        otherwise: Behaviour | None = None,
    ) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.create_server((address, port), family=family, backlog=32)
        self._socket.settimeout(0.1)
        self.address = address
        self.port: int = self._socket.getsockname()[1]
        self.scheme = "https" if certificate else "http"
        self._context = None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*certificate)
        self.on: dict[str, Behaviour] = {}
        self._otherwise = otherwise or not_here
        self.seen: list[Request] = []
        self.connections = 0
        self.over = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True)]

    def url(self, path: str = "/", host: str = "") -> str:
        host = host or (f"[{self.address}]" if ":" in self.address else self.address)
        return f"{self.scheme}://{host}:{self.port}{path}"

    def __enter__(self) -> Web:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._socket.shutdown(socket.SHUT_RDWR)  # on Linux that wakes who waits in accept
        for thread in self._threads:
            thread.join(60)
        self._socket.close()

    def _serve(self) -> None:
        while not self.over.is_set():
            try:
                sock, _ = self._socket.accept()
            except OSError:
                continue
            self.connections += 1
            thread = threading.Thread(target=self._answer, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _answer(self, sock: Any) -> None:
        # A client that leaves, or does not like the certificate, is no fault of the server.
        with contextlib.suppress(OSError, ValueError), sock:
            sock.settimeout(60)
            if not self._context:
                self._behave(sock)
                return
            with self._context.wrap_socket(sock, server_side=True) as secured:
                self._behave(secured)

    def _behave(self, sock: Any) -> None:
        request = read_request(sock, self.over)
        self.seen.append(request)
        self.on.get(request.path.partition("?")[0], self._otherwise)(request, sock)
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_WR)
            sock.settimeout(1)
            sock.recv(1)


def read_request(sock: Any, over: threading.Event) -> Request:
    raw = b""
    while b"\r\n\r\n" not in raw:
        piece = sock.recv(65536)
        if not piece:
            raise OSError("the client left")
        raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += sock.recv(65536)
    method, path, _ = first.split(" ")
    return Request(method, path, headers, body, over)


# --- behaviours ---


def says(body: bytes = b"hello", status: str = "200 OK", **fields: str) -> Behaviour:
    """A plain answer; fields with underscores for hyphens."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    raw = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    def behave(request: Request, sock: Any) -> None:
        sock.sendall(raw + (b"" if request.method == "HEAD" else body))

    return behave


def leads(location: str, status: int = 302) -> Behaviour:
    return says(b"moved", f"{status} Moved", Location=location)


def raw(data: bytes, then: float = 0.0) -> Behaviour:
    """These bytes and nothing else; the connection is kept open for `then` seconds."""

    def behave(request: Request, sock: Any) -> None:
        sock.sendall(data)
        request.over.wait(then)

    return behave


def drips(start: bytes, piece: bytes, every: float) -> Behaviour:
    """`start` at once, then `piece` again and again until the client leaves."""

    def behave(request: Request, sock: Any) -> None:
        sock.sendall(start)
        while not request.over.wait(every):
            sock.sendall(piece)

    return behave


def bomb(size: int) -> bytes:
    """`size` zero bytes (a multiple of 1 MiB) as one member of gzip, a thousandth of that, made without much memory.

    A full flush ends on a byte and forgets what was before, so the same bytes can stand again and again.
    """
    zeros = bytes(1 << 20)
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = made.compress(zeros) + made.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(size >> 20):
        crc = zlib.crc32(zeros, crc)
    head, end = b"\x1f\x8b\x08\0\0\0\0\0\0\xff", made.flush(zlib.Z_FINISH)
    return head + block * (size >> 20) + end + struct.pack("<II", crc, size & 0xFFFFFFFF)


def endless() -> Behaviour:
    return drips(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536, 0.0)


def chunked(*pieces: bytes, end: bytes = b"0\r\n\r\n") -> Behaviour:
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + end)


def not_here(request: Request, sock: Any) -> None:
    says(b"nothing here", "404 Not Found")(request, sock)


def proxying(request: Request, sock: Any) -> None:
    """A forward proxy: it answers for every name itself, and connects each tunnel to this loopback by its port."""
    if request.method != "CONNECT":
        says(b"through the proxy")(request, sock)
        return
    port = int(request.path.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as far:
        sock.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        back = threading.Thread(target=_pump, args=(far, sock), daemon=True)
        back.start()
        _pump(sock, far)
        back.join(60)


def _pump(source: Any, to: Any) -> None:
    with contextlib.suppress(OSError):
        while True:
            piece = source.recv(65536)
            if not piece:
                break
            to.sendall(piece)
        to.shutdown(socket.SHUT_WR)


class Socks:
    """A SOCKS 5 server on loopback that connects everything to `port` here; `asked` holds what it was asked for.

    answer: its second reply's code; method: what it chooses of the ways to sign on; said: raw bytes instead of all.
    """

    def __init__(self, port: int, answer: int = 0, method: int = 0, said: bytes = b"") -> None:
        self._to, self._answer, self._method, self._said = port, answer, method, said
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        self.port: int = self._socket.getsockname()[1]
        self.asked: list[bytes] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Socks:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(60)
        self._socket.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(OSError):
                sock, _ = self._socket.accept()
                sock.settimeout(60)
                with sock:
                    self._talk(sock)

    def _talk(self, sock: Any) -> None:
        self.asked.append(sock.recv(3))
        sock.sendall(self._said or bytes((5, self._method)))
        if self._said or self._method:
            return
        self.asked.append(sock.recv(300))
        sock.sendall(bytes((5, self._answer, 0, 3, 4)) + b"here" + b"\0\0")
        if not self._answer:
            with socket.create_connection(("127.0.0.1", self._to), timeout=60) as far:
                back = threading.Thread(target=_pump, args=(far, sock), daemon=True)
                back.start()
                _pump(sock, far)
                back.join(60)


class Store:
    """A file on a server that knows Range (RFC 9110 section 14), for `on[path]`. `asked` holds the Ranges that came.

    stops: bytes after which the first answer breaks off, 0 for none; fields: what else stands in the head.
    """

    def __init__(self, body: bytes, stops: int = 0, ranges: bool = True, **fields: str) -> None:
        self.body, self.stops, self.ranges = body, stops, ranges
        self.fields = {"ETag": '"v1"', **fields}
        self.asked: list[str] = []

    def __call__(self, request: Request, sock: Any) -> None:
        wanted = request.headers.get("range", "")
        self.asked.append(wanted)
        start = int(wanted[6:-1]) if wanted and self.ranges else 0
        fields = {name.replace("_", "-"): value for name, value in self.fields.items() if value}
        status = "200 OK"
        if start >= len(self.body) > 0:
            status, start, fields = "416 No", len(self.body), {"Content-Range": f"bytes */{len(self.body)}"}
        elif start:
            status = "206 Partial Content"
            fields["Content-Range"] = f"bytes {start}-{len(self.body) - 1}/{len(self.body)}"
        fields["Content-Length"] = str(len(self.body) - start)
        head = "\r\n".join([f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items())])
        end = start + self.stops if self.stops else len(self.body)
        self.stops = 0
        sock.sendall(head.encode("latin-1") + b"\r\n\r\n" + self.body[start:end])
