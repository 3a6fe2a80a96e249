"""Models of I2C parts as a bus sees them: bytes in, bytes out.

Rules this file keeps:
1. A part is asked what it measures at every conversion, by a function that gives the value or raises HardwareFault:
   then the part does not acknowledge, whatever the bus wanted of it. So one part model with its modes
   (edge/peripherals/sim/parts.py) serves the simulated board, the unit test of a driver and an emulated bus.
2. `write` is one message to the part, `read` one from it. The first byte written names a register, the rest is its new
   value; what is read starts at the register named last. Read-only bits stay as they are.
3. What the part does not drive reads as ones: the bus is pulled up.
4. Who has the bytes of a value has read the part: that is told to `taken`, so that readings are counted as on the
   simulated board, whatever else a driver says to the part beside them.
5. Register maps and power-on values are the datasheets', written anew here and not taken from the drivers' table
   (edge/peripherals/sensors/table.py): a mistake in one of them must not be hidden by the other.

Sources: TI SBOS348 (TMP105), TI SNIS153 (LM75), TI SBOS397 (TMP102).
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Device(Protocol):
        """What hangs at an address of an I2C bus. HardwareFault: it did not acknowledge."""

        def write(self, data: bytes) -> None:
            """One message to it; an empty one only asks whether it is there."""

        def read(self, count: int) -> bytes:
            """One message of `count` bytes from it."""


OPEN_BUS = 0xFF


def unheard() -> None:
    """A `taken` for who counts no readings."""


class Register(Record):
    """One register: how many bytes, what it holds after power-on, which bits a master may change."""

    width: int
    start: int
    writable: int = 0


class Thermometer(Record):
    """A part with a temperature in register 0 and a configuration in register 1, most significant byte first.

    `low` to `high` is what it can measure. `bits`: of the result at power-on; `fine`: where the configuration has the
    two bits that add to them, -1 nowhere. `wide`: the bit that makes the result one longer upwards, 0 none. `rest`: the
    bit that stops conversions, `once`: the one that asks for a single one then, 0 none.
    """

    registers: tuple[Register, ...]
    low: float
    high: float
    bits: int
    fine: int = -1
    wide: int = 0
    rest: int = 0
    once: int = 0


_LIMITS = (Register(2, 0x4B00, 0xFFFF), Register(2, 0x5000, 0xFFFF))  # 75 and 80 degrees
THERMOMETERS = {
    # OS R1 R0 F1 F0 POL TM SD; OS reads as 0
    "tmp105": Thermometer(
        (Register(2, 0), Register(1, 0x00, 0x7F), *_LIMITS), -55.0, 127.9375, 9, fine=5, rest=0x01, once=0x80
    ),
    "lm75": Thermometer((Register(2, 0), Register(1, 0x00, 0x1F), *_LIMITS), -55.0, 125.0, 9, rest=0x01),
    # OS R1 R0 F1 F0 POL TM SD CR1 CR0 AL EM; R1 and R0 are read-only ones
    "tmp102": Thermometer(
        (Register(2, 0), Register(2, 0x60A0, 0x1FD0), *_LIMITS), -55.0, 150.0, 12, wide=0x10, rest=0x0100, once=0x8000
    ),
}


class ThermometerChip:
    """The chip `name` of THERMOMETERS, for instance `ThermometerChip("tmp105", lambda: 23.5)`. See Device."""

    def __init__(self, name: str, measured: Callable[[], float], taken: Callable[[], None] = unheard) -> None:
        self.layout = THERMOMETERS[name]
        self._measured, self._taken = measured, taken
        self._held = 0.0  # a part that was put to rest before it ever converted shows 0
        self._pointer = 0
        self._values = [register.start for register in self.layout.registers]

    @property
    def config(self) -> int:
        return self._values[1]

    def write(self, data: bytes) -> None:
        value = self._measured()
        if not data:
            return
        self._pointer = data[0] & 0x03  # the upper bits of the pointer do not count
        register = self.layout.registers[self._pointer]
        if len(data) > register.width:
            self._store(register, int.from_bytes(data[1 : 1 + register.width], "big"), value)

    def read(self, count: int) -> bytes:
        value = self._measured()
        if not self.config & self.layout.rest:
            self._held = value
        register = self.layout.registers[self._pointer]
        shown = self._values[self._pointer]
        if self._pointer == 0:
            shown = self._temperature()
            self._taken()
        return shown.to_bytes(register.width, "big").ljust(count, bytes([OPEN_BUS]))[:count]

    def _store(self, register: Register, new: int, value: float) -> None:
        if self._pointer == 1 and (not self.config & self.layout.rest or new & self.layout.once):
            self._held = value
        kept = self._values[self._pointer] & ~register.writable
        self._values[self._pointer] = kept | (new & register.writable)

    def _temperature(self) -> int:
        """The result as its 16 bits: cut off, not rounded, and left-justified."""
        layout = self.layout
        bits = layout.bits + (self.config >> layout.fine & 0x03 if layout.fine >= 0 else 0)
        wide = bool(layout.wide and self.config & layout.wide)
        low, high = layout.low, layout.high if wide else min(layout.high, 128.0 - 2.0 ** (8 - bits))
        steps = int(min(high, max(low, self._held)) * 2 ** (bits - 8) // 1)
        shift = 15 - bits if wide else 16 - bits
        return (steps << shift) & 0xFFFF | (1 if wide else 0)


class Bus:
    """The parts of one bus by address: what a driver talks to in a test, or behind an emulated adapter.

    HardwareFault: nobody acknowledged.
    """

    def __init__(self, parts: dict[int, Device]) -> None:
        self.parts = parts

    def write(self, address: int, data: bytes) -> None:
        self._at(address).write(data)

    def read(self, address: int, count: int) -> bytes:
        return self._at(address).read(count)

    def _at(self, address: int) -> Device:
        part = self.parts.get(address)
        if part is None:
            raise HardwareFault(f"nobody acknowledged at 0x{address:02x}", "check its wiring and power")
        return part
