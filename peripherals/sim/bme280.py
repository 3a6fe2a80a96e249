"""A BME280 by its registers: temperature, humidity and pressure as the raw numbers that a driver has to compensate.

Rules this file keeps:
1. The formulas are those of the datasheet in floating point (its section 8.1). What the part measures is found by
   searching the raw number whose formula gives it: a driver that compensates wrongly reads another value.
2. A quantity that is not oversampled is not measured and reads as its power-on value. In sleep the last results stay.
3. A quantity is read by whom its first byte went to: that one's `taken` is told.
4. ctrl_hum counts from the next write to ctrl_meas on. A forced measurement is done at once and ends in sleep.

Source: Bosch BST-BME280-DS002; the calibration is of the pattern of its section 8.2 and of no real part.
"""

from __future__ import annotations

from edge.peripherals.sim.registers import unheard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CHIP = 0x60
_ID, _RESET, _CTRL_HUM, _STATUS, _CTRL_MEAS, _CONFIG, _DATA = 0xD0, 0xE0, 0xF2, 0xF3, 0xF4, 0xF5, 0xF7
_T = (27504, 26435, -1000)
_P = (36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000)
_H = (75, 362, 0, 315, 50, 30)
_SKIPPED = bytes.fromhex("800000 800000 8000")
_FIRST = (_DATA + 3, _DATA + 6, _DATA)  # of temperature, humidity, pressure
_SLEEP, _NORMAL = 0, 3


class Bme280:
    """See Device in edge.peripherals.sim.registers. Degrees, percent and hPa."""

    def __init__(
        self,
        temperature: Callable[[], float],
        humidity: Callable[[], float],
        pressure: Callable[[], float],
        taken: Sequence[Callable[[], None]] = (unheard, unheard, unheard),
    ) -> None:
        self._quantities, self._taken = (temperature, humidity, pressure), taken
        self._pointer = 0
        self._registers = bytearray(0x100)
        self._humidity_on = False
        self._reset()

    def write(self, data: bytes) -> None:
        """Pairs of a register and its value; a register alone is where the next read begins."""
        values = [quantity() for quantity in self._quantities]
        if data:
            self._pointer = data[-1] if len(data) % 2 else data[-2]
        for register, value in zip(data[::2], data[1::2]):
            self._store(register, value, values)

    def read(self, count: int) -> bytes:
        values = [quantity() for quantity in self._quantities]
        if self._registers[_CTRL_MEAS] & 3 == _NORMAL:
            self._convert(values)
        for first, taken in zip(_FIRST, self._taken):
            if self._pointer <= first < self._pointer + count:
                taken()
        found = self._registers[self._pointer : self._pointer + count]
        return bytes(found).ljust(count, b"\xff")

    def _store(self, register: int, value: int, values: list[float]) -> None:
        if register == _RESET and value == 0xB6:
            self._reset()
        elif register in (_CTRL_HUM, _CONFIG):
            self._registers[register] = value
        elif register == _CTRL_MEAS:
            self._registers[register] = value
            self._humidity_on = bool(self._registers[_CTRL_HUM] & 7)
            if value & 3 != _SLEEP:
                self._convert(values)
            if value & 3 not in (_SLEEP, _NORMAL):
                self._registers[register] = value & ~3

    def _convert(self, values: list[float]) -> None:
        temperature, humidity, pressure = values
        said, fine = self._registers[_CTRL_MEAS], temperature * 5120.0
        if said >> 5:
            raw = _search(lambda raw: _fine(raw) - fine, 20)
            self._registers[_DATA + 3 : _DATA + 6] = (raw << 4).to_bytes(3, "big")
            fine = _fine(raw)  # a driver knows no other
        if said >> 2 & 7:
            raw = _search(lambda raw: pressure * 100.0 - _pressure(raw, fine), 20)
            self._registers[_DATA : _DATA + 3] = (raw << 4).to_bytes(3, "big")
        if self._humidity_on:
            raw = _search(lambda raw: _humidity(raw, fine) - humidity, 16)
            self._registers[_DATA + 6 : _DATA + 8] = raw.to_bytes(2, "big")

    def _reset(self) -> None:
        self._humidity_on = False
        self._registers[:] = bytes(0x100)
        self._registers[_DATA : _DATA + 8] = _SKIPPED
        self._registers[_ID] = CHIP
        first, second = _calibration()
        self._registers[0x88:0xA2] = first
        self._registers[0xE1:0xE8] = second


def _calibration() -> tuple[bytes, bytes]:
    """Registers 0x88 to 0xA1 and 0xE1 to 0xE7."""
    words = b"".join((value & 0xFFFF).to_bytes(2, "little") for value in (*_T, *_P))
    h1, h2, h3, h4, h5, h6 = _H
    shared = (h4 & 0x0F) | (h5 & 0x0F) << 4
    return words + bytes([0, h1]), h2.to_bytes(2, "little") + bytes([h3, h4 >> 4, shared, h5 >> 4, h6])


def _search(above: Callable[[int], float], bits: int) -> int:
    """The raw number of so many bits at which a growing function comes nearest to zero."""
    low, high = 0, (1 << bits) - 1
    while low < high:
        middle = (low + high) // 2
        if above(middle) < 0:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low and abs(above(low - 1)) < abs(above(low)) else low


def _fine(raw: int) -> float:
    """The temperature in 5120ths of a degree."""
    t1, t2, t3 = _T
    return (raw / 16384.0 - t1 / 1024.0) * t2 + (raw / 131072.0 - t1 / 8192.0) ** 2 * t3


def _pressure(raw: int, fine: float) -> float:
    """Pa."""
    p1, p2, p3, p4, p5, p6, p7, p8, p9 = _P
    first = fine / 2.0 - 64000.0
    second = (first * first * p6 / 32768.0 + first * p5 * 2.0) / 4.0 + p4 * 65536.0
    first = (1.0 + (p3 * first * first / 524288.0 + p2 * first) / 524288.0 / 32768.0) * p1
    found = (1048576.0 - raw - second / 4096.0) * 6250.0 / first
    return found + (p9 * found * found / 2147483648.0 + found * p8 / 32768.0 + p7) / 16.0


def _humidity(raw: int, fine: float) -> float:
    """Percent."""
    h1, h2, h3, h4, h5, h6 = _H
    off = fine - 76800.0
    found = (raw - (h4 * 64.0 + h5 / 16384.0 * off)) * (
        h2 / 65536.0 * (1.0 + h6 / 67108864.0 * off * (1.0 + h3 / 67108864.0 * off))
    )
    return found * (1.0 - h1 * found / 524288.0)
