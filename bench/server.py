"""A chat server that always has its answer ready: `python3 -m bench.server`, one connection, one process of its own.

It prints its port and serves until its stdin ends. Each `POST /steps/N/chat/completions` gets the next reply: a call of
`noop` with the number of the reply, in 300 bytes, until N of them were sent, then an answer. It notes the size of each
request; `GET /sizes` tells them as JSON and begins anew.
"""

from __future__ import annotations

import socket
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

SIZE = 300


def called(number: int) -> bytes:
    """The reply that calls `noop` with `number`: SIZE bytes of JSON."""
    text = (
        '{"id":"%s","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":'
        '{"role":"assistant","content":null,"tool_calls":[{"id":"c%07d","type":"function","function":'
        '{"name":"noop","arguments":"{\\"n\\":%d}"}}]}}]}'
    )
    bare = text % ("", number, number)
    return (text % ("r" * (SIZE - len(bare)), number, number)).encode()


def answered() -> bytes:
    """The reply that ends a turn."""
    return (
        b'{"id":"r","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":'
        b'{"role":"assistant","content":"done"}}]}'
    )


class Script:
    """What the server says next. `sizes` are the bodies received since they were last asked for."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def reply(self, method: bytes, path: bytes, size: int) -> bytes:
        if method == b"GET":
            told, self.sizes = self.sizes, []
            return str(told).encode()
        self.sizes.append(size)
        wanted = int(path.split(b"/")[2])
        return called(len(self.sizes)) if len(self.sizes) <= wanted else answered()


def exchange(stream: BufferedReader, connection: socket.socket, script: Script) -> bool:
    """One request and its reply; False when the client has gone."""
    first = stream.readline()
    if not first:
        return False
    method, path, _ = first.split(b" ", 2)
    size = 0
    while True:
        name, _, value = stream.readline().partition(b":")
        if not value:
            break
        if name.lower() == b"content-length":
            size = int(value)
    body = script.reply(method, path, len(stream.read(size)))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    connection.sendall(head + body)
    return True


def serve(listener: socket.socket) -> None:
    """One client after the other, for as long as each stays."""
    script = Script()
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as stream:
            while exchange(stream, connection, script):
                pass


def main() -> None:
    """Listen on loopback, say where, end with stdin."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
