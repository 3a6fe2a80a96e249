"""The double of a serial port with a device at its other end: what it hears it answers, by a table.

Rules:
1. `Device` is bytes in, bytes out. It stands behind a `Wire` in this process, or behind a real terminal.
2. A Wire is a Line like any other: what is unplugged answers as the kernel does (EIO), what is closed too.
3. Bytes wait in it as in the kernel: at most ROOM, and what comes after that is lost.
"""

from __future__ import annotations

import _thread
import errno
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ROOM = 4095  # bytes, as a terminal of Linux holds for who does not read
LOOK = 0.005


class Device:
    """`answers`: what it hears -> what it says. `greeting`: what it says first, as noise when a port is opened."""

    def __init__(self, answers: Mapping[bytes, bytes], greeting: bytes = b"") -> None:
        self.answers = dict(answers)
        self.greeting = greeting
        self.heard = b""  # all of it
        self._open = b""  # what was not answered yet

    def hear(self, data: bytes) -> bytes:
        """What it says to that; b"" where it keeps silent."""
        self.heard += data
        self._open += data
        said = b""
        while True:
            known = [(self._open.find(one), one) for one in self.answers if one in self._open]
            if not known:
                return said
            at, first = min(known)
            self._open = self._open[at + len(first) :]
            said += self.answers[first]


class Wire:
    """The near end. `stuck`: nothing leaves, as with flow control against a device that is off."""

    def __init__(self, device: Device, stuck: bool = False) -> None:
        self._device = device
        self._lock: Any = _thread.allocate_lock()
        self._came = device.greeting
        self._gone = False
        self._stuck = stuck
        self.closed = False

    def say(self, data: bytes) -> None:
        """The device speaks by itself."""
        with self._lock:
            self._came = (self._came + data)[:ROOM]

    def unplug(self) -> None:
        self._gone = True

    def read(self, seconds: float) -> bytes:
        until = time.monotonic() + seconds
        while True:
            self._there()
            with self._lock:
                found, self._came = self._came, b""
            if found or time.monotonic() >= until:
                return found
            time.sleep(LOOK)

    def write(self, data: bytes, seconds: float) -> int:
        self._there()
        if self._stuck:
            return 0
        self.say(self._device.hear(data))
        return len(data)

    def _there(self) -> None:
        if self._gone or self.closed:
            raise OSError(errno.EIO, "the device is gone")

    def close(self) -> None:
        self.closed = True
