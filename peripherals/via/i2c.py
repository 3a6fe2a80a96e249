"""A bus of the kernel through smbus2: the only place that imports it.

Rules this file keeps:
1. Never by force: a part that a driver of the kernel has answers EBUSY.
2. Registers are read as I2C blocks, which also adapters can that know SMBus alone.
"""

from __future__ import annotations

from edge.faults import HardwareFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class KernelBus:
    """See edge.peripherals.bus.Adapter. OSError: it cannot be opened. HardwareFault: smbus2 is not installed."""

    def __init__(self, number: int) -> None:
        try:
            from smbus2 import SMBus
        except ImportError as error:
            fix = "pip install smbus2, or let the kernel's driver have the part and declare it as hwmon"
            raise HardwareFault("parts on an I2C bus are read with smbus2, which is not installed", fix) from error
        self._bus: Any = SMBus(f"/dev/i2c-{number}")

    def lock(self) -> bool:
        from fcntl import LOCK_EX, LOCK_NB, flock

        try:
            flock(self._bus.fd, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def register(self, address: int, number: int, count: int) -> bytes:
        return bytes(self._bus.read_i2c_block_data(address, number, count))

    def close(self) -> None:
        self._bus.close()
