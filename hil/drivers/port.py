"""The far end of a board's second serial port: bytes, as a device that is plugged into it would have them.

Rules:
1. Opening the port in the guest may put bytes on the line that nobody sent: who reads looks for what is expected and
   drops what is before it.
2. What came is kept until it was asked for.
"""

from __future__ import annotations

import time

from edge.faults import HardwareFault
from hil.drivers.link import Link

_LOOK = 0.2
_TAIL = 200


class Port:
    """Closed with the board."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._came = b""

    @property
    def link(self) -> Link:
        """The line itself, for who speaks over it in another way; what came before stays here."""
        return self._link

    def send(self, data: bytes) -> None:
        """Bytes to the board; HardwareFault when it takes them no more."""
        self._link.give(data)

    def receive(self, seconds: float) -> bytes:
        """All that came until now, or the first that comes within so many seconds; b"" when nothing did."""
        self._came += self._link.take(0 if self._came else seconds)
        found, self._came = self._came, b""
        return found

    def expect(self, wanted: bytes, seconds: float = 120.0) -> bytes:
        """What came before these bytes, which are used up too; HardwareFault with what came instead."""
        end = time.monotonic() + seconds
        while wanted not in self._came:
            if time.monotonic() > end or not self._link.open:
                raise HardwareFault(f"{wanted!r} did not come over the second port: {self._came[-_TAIL:]!r}")
            self._came += self._link.take(_LOOK)
        before, _, self._came = self._came.partition(wanted)
        return before

    def close(self) -> None:
        self._link.close()
