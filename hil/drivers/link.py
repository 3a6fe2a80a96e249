"""A line of bytes to a board: a socket of QEMU or a serial port of this machine, by its descriptor.

Rules:
1. Nothing waits for longer than it was told to. A far end that is gone is no error while reading: `open` is False.
2. Who writes is told when the far end takes no more.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from edge.faults import HardwareFault

_LOOK = 0.2
_MOST = 65536


class Held(Protocol):
    """What is behind the descriptor, as far as it is needed here: a socket, or a port of pyserial."""

    def fileno(self) -> int: ...

    def close(self) -> None: ...


class Link:
    """One line. `seconds` is how long a write may take."""

    seconds = 60.0

    def __init__(self, held: Held) -> None:
        self._held = held
        self.open = True
        os.set_blocking(held.fileno(), False)

    def fileno(self) -> int:
        """For who waits for several lines at once."""
        return self._held.fileno()

    def take(self, seconds: float) -> bytes:
        """What comes within so many seconds, b"" when nothing did or the far end is gone."""
        if not self.open or not self._ready(False, seconds):
            return b""
        try:
            data = os.read(self._held.fileno(), _MOST)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        self.open = bool(data)
        return data

    def give(self, data: bytes) -> None:
        """Bytes to the board. HardwareFault when it takes them no more."""
        end, left = time.monotonic() + self.seconds, data
        while left:
            if not self.open or not self._ready(True, max(0.0, end - time.monotonic())):
                raise HardwareFault(f"the board took no more than a part of {data[:40]!r}")
            try:
                left = left[os.write(self._held.fileno(), left) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise HardwareFault(f"the board took no more than a part of {data[:40]!r}: {error}") from error

    def close(self) -> None:
        self.open = False
        self._held.close()

    def _ready(self, write: bool, seconds: float) -> bool:
        ours = [self._held.fileno()]
        return bool(select.select([] if write else ours, ours if write else [], [], seconds)[write])


def connected(path: Path, seconds: float, alive: Callable[[], bool] = lambda: True) -> socket.socket:
    """A connection to the socket at `path` as soon as it is there; HardwareFault when it does not come, or at once when
    who should open it is not alive any more."""
    end = time.monotonic() + seconds
    while True:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(str(path))
            return link
        except OSError as error:
            link.close()
            if not alive():
                raise HardwareFault(f"QEMU ended and opened no socket {path.name}") from error
            if time.monotonic() > end:
                raise HardwareFault(f"QEMU opened no socket {path.name} within {seconds:g} s") from error
        time.sleep(_LOOK)
