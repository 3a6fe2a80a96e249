"""I2C transactions that exclude each other: registers of a part, read one after the other without another in between.

Rules this file keeps:
1. A bus is opened for a transaction and locked for it, against other threads and other processes of ours: a lock on an
   open file is of that opening. Whoever does not get it in time is told so.
2. Only reading is tried again, TRIES times in all and never beyond the deadline: reading a register twice changes
   nothing. A bus that is held low is not asked again, each time costs a second.
3. Errors are OSError with the kernel's numbers; who asked says what they mean.
"""

from __future__ import annotations

import time

from edge.faults import HardwareFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    class Adapter(Protocol):
        """One bus, opened. All but `close` raise OSError."""

        def lock(self) -> bool:
            """Keep others who ask for this lock away until it is closed; False: one has it."""

        def register(self, address: int, number: int, count: int) -> bytes:
            """`count` bytes of a part's register. A part that a driver of the kernel has answers EBUSY."""

        def close(self) -> None:
            """Close it, and give up the lock."""


TRIES = 3
SECONDS = 3.0  # for a transaction; the kernel gives up on a bus that is held low after one
PAUSE = 0.01
AGAIN = (5, 6, 11, 121)  # EIO, ENXIO, EAGAIN, EREMOTEIO


def _kernel(number: int) -> Adapter:
    from edge.peripherals.via.i2c import KernelBus

    return KernelBus(number)


class Bus:
    """The I2C buses of this board, or of whatever `opened` opens by number."""

    def __init__(self, opened: Callable[[int], Adapter] = _kernel, seconds: float = SECONDS) -> None:
        self._opened, self._seconds = opened, seconds

    def registers(self, number: int, address: int, wanted: Iterable[tuple[int, int]]) -> list[bytes]:
        """Registers (number, bytes) of the part at an address. OSError; HardwareFault: the bus stayed locked."""
        until = time.monotonic() + self._seconds
        adapter = self._opened(number)
        try:
            while not adapter.lock():
                if time.monotonic() >= until:
                    raise HardwareFault(f"I2C bus {number} is in use", "another call reads there: try it again")
                time.sleep(PAUSE)
            return [_tried(adapter, address, register, count, until) for register, count in wanted]
        finally:
            adapter.close()


def _tried(adapter: Adapter, address: int, register: int, count: int, until: float) -> bytes:
    for left in range(TRIES - 1, -1, -1):
        try:
            return adapter.register(address, register, count)
        except OSError as error:
            if not left or error.errno not in AGAIN or time.monotonic() + PAUSE >= until:
                raise
        time.sleep(PAUSE)
    raise AssertionError("the last try returns or raises")
