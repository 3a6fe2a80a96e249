"""Where second terminals come in: a socket, lines of JSON both ways (hil/live/control.py).

Rules:
1. Nobody is waited for. Who sends no line is kept until it goes; who sends one that is too long, or takes no answer, is
   shown out.
2. Requests are answered one after the other, in the loop that also carries the console: QEMU's monitor and test socket
   take one client.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

from edge.faults import HardwareFault
from hil.live import control
from hil.live.place import Place

LONGEST = 4096
_MOST = 65536


class Counter:
    """The listening socket and all who came."""

    def __init__(self, door: socket.socket, session: control.Session) -> None:
        self._door, self._session = door, session
        self._guests: dict[socket.socket, bytes] = {}
        door.setblocking(False)

    def sockets(self) -> list[socket.socket]:
        """What to wait for."""
        return [self._door, *self._guests]

    def serve(self, ready: socket.socket) -> None:
        """One of them has something."""
        if ready is self._door:
            self._come()
            return
        try:
            data = ready.recv(LONGEST)
        except OSError:
            data = b""
        self._guests[ready] += data
        if not data or not self._answered(ready):
            self._leave(ready)

    def close(self) -> None:
        for guest in list(self._guests):
            self._leave(guest)

    def _come(self) -> None:
        try:
            guest, _ = self._door.accept()
        except OSError:
            return
        guest.setblocking(False)
        self._guests[guest] = b""

    def _answered(self, guest: socket.socket) -> bool:
        """Every whole line; False where somebody is to go."""
        *lines, rest = self._guests[guest].split(b"\n")
        self._guests[guest] = rest
        try:
            for line in lines:
                guest.sendall(control.answer(self._session, line))
        except OSError:
            return False
        return len(rest) <= LONGEST

    def _leave(self, guest: socket.socket) -> None:
        del self._guests[guest]
        guest.close()


class Caller:
    """A second terminal's connection to a board that runs. Use it as a context."""

    def __init__(self, place: Place) -> None:
        self._name = place.name
        self._link = place.connected()
        self._file = self._link.makefile("rb")

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._link.close()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """What is answered; the board's fault; Gone where the board has ended."""
        try:
            self._link.sendall(json.dumps(request).encode() + b"\n")
            line = self._file.readline(_MOST)
        except socket.timeout as error:
            raise HardwareFault(f"{self._name} does not answer") from error
        except OSError as error:
            raise Gone(f"{self._name} has ended") from error
        if not line:
            raise Gone(f"{self._name} has ended")
        return control.understood(line)


class Gone(HardwareFault):
    """The board that was asked has ended."""
