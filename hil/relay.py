"""Carries one connection that an emulated board made to a port of this machine. QEMU starts it for each (hil/cable.py)
by its path, with the connection as standard input and output; nothing of Fieldhand is imported.

    python -I -S hil/relay.py PORT

An end of one direction is passed on; both ended, or the port gone, end the relay.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys

_PIECE = 65536
_ASKING, _ANSWERS = 0, 1


def carry(board: tuple[int, int], link: socket.socket) -> None:
    """Bytes of the board (descriptor to read, descriptor to write) to the link and back, until both have ended."""
    asking, answers = board
    open_ends = {asking, link.fileno()}
    while open_ends:
        for ready in select.select(list(open_ends), [], [])[0]:
            data = os.read(ready, _PIECE) if ready == asking else link.recv(_PIECE)
            if ready == asking:
                link.sendall(data) if data else link.shutdown(socket.SHUT_WR)
            elif data:
                _write(answers, data)
            else:
                return
            if not data:
                open_ends.discard(ready)


def _write(end: int, data: bytes) -> None:
    while data:
        data = data[os.write(end, data) :]


def main(port: int) -> int:
    """0; 1 where nobody listens at the port."""
    try:
        link = socket.create_connection(("127.0.0.1", port))
    except OSError:
        return 1
    with link, contextlib.suppress(OSError):
        carry((_ASKING, _ANSWERS), link)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
