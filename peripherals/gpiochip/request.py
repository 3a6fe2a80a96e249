"""One held line: reading, setting, changing it in place, and its edges.

Rules this file keeps:
1. The line stays held through every change: direction, bias and edges are changed on the same descriptor
   (`SET_CONFIG`), with the value an output has in the same call. Nothing is closed and asked for again.
2. Reading (`get`, `events`) sends nothing that could change the line.
3. After an error nothing is known: the fault says so, and what stands here as the value is what was last accepted.
4. What the kernel lost it says by gaps in the numbers of the events, and so does `Edge.lost`.
"""

from __future__ import annotations

import posix as os

from edge.peripherals.gpiochip import uapi
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.faults import HardwareFault
    from edge.peripherals.gpiochip.chip import Settings
    from edge.peripherals.gpiochip.seam import Seam

AT_ONCE = 16  # events read by one call; the kernel holds as many for a line that asks for no more
_AGAIN = 1 << 31  # a number that far ahead is one that began anew


class Edge(Record):
    """One edge. `rising`: to active. `ns`: CLOCK_MONOTONIC. `seqno`: from 1. `lost`: edges missing before this one."""

    rising: bool
    ns: int
    seqno: int
    lost: int


class Request:
    """A held line of the chip `chip` (for sentences): `fd` (pollable, readable at edges), `offset`, `settings`.

    Every method but `close` raises HardwareFault when the kernel does not do it.
    """

    def __init__(self, seam: Seam, chip: str, fd: int, offset: int, settings: Settings, value: bool) -> None:
        self.fd = fd
        self.offset = offset
        self.settings = settings
        self._seam = seam
        self._chip = chip
        self._value = value
        self._next = 1
        os.set_blocking(fd, False)

    def get(self) -> bool:
        """Whether the line is active, read at the wire."""
        data = uapi.values()
        self._ask(uapi.GET_VALUES, data, "cannot be read")
        return bool(uapi.get(data, 0, 8) & 1)

    def set(self, value: bool) -> None:
        """Drive an output; a fault leaves its state unknown."""
        self._ask(uapi.SET_VALUES, uapi.values(value), "could not be set, its state is unknown")
        self._value = value

    def change(self, settings: Settings) -> None:
        """Hold the line otherwise, in place. An output whose `value` is None keeps the one it has."""
        value = settings.value
        if value is None and settings.direction == "output":
            value = self._value if self.settings.direction == "output" else self.get()
        self._ask(uapi.SET_CONFIG, settings.config(bool(value)), "could not be changed, its state is unknown")
        self.settings, self._value = settings, bool(value)

    def events(self) -> list[Edge]:
        """The edges since the last call, oldest first; never waits."""
        try:
            data = self._seam.read(self.fd, AT_ONCE * uapi.EVENT_SIZE)
        except BlockingIOError:
            return []
        except OSError as error:
            raise self._fault(error, "gives no edges") from error
        return [self._edge(data[at : at + uapi.EVENT_SIZE]) for at in range(0, len(data), uapi.EVENT_SIZE)]

    def close(self) -> None:
        """Release the line. What it does then is the kernel's: mainline makes it an input, others keep driving it."""
        if self.fd >= 0:
            self._seam.close(self.fd)
            self.fd = -1

    def _edge(self, data: bytes) -> Edge:
        number = uapi.get(data, 20, 4)  # line_seqno
        lost = (number - self._next) & 0xFFFFFFFF
        self._next = (number + 1) & 0xFFFFFFFF
        return Edge(
            uapi.get(data, 8, 4) == uapi.RISING_EDGE, uapi.get(data, 0, 8), number, lost if lost < _AGAIN else 0
        )

    def _ask(self, request: int, data: bytearray, what: str) -> None:
        try:
            self._seam.ioctl(self.fd, request, data)
        except OSError as error:
            raise self._fault(error, what) from error

    def _fault(self, error: OSError, what: str) -> HardwareFault:
        from edge.peripherals.gpiochip import trouble

        return trouble.fault(error, f"line {self.offset} of {self._chip} {what}", "line")
