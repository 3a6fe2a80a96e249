"""The model against the formulas for whole numbers of the datasheet (BST-BME280-DS002, section 4.2.3)."""

from __future__ import annotations

import struct

import pytest

from edge.faults import HardwareFault
from edge.peripherals.sim.bme280 import Bme280


class Bench:
    """A part, what it measures, and a driver of it."""

    def __init__(self, temperature: float = 20.0, humidity: float = 50.0, pressure: float = 1000.0) -> None:
        self.values: list[float] = [temperature, humidity, pressure]
        self.there = True
        self.part = Bme280(*(lambda at=at: self._measured(at) for at in range(3)))  # type: ignore[misc]

    def _measured(self, at: int) -> float:
        if not self.there:
            raise HardwareFault("it is broken off")
        return self.values[at]

    def read(self, register: int, count: int) -> bytes:
        self.part.write(bytes([register]))
        return self.part.read(count)

    def start(self, mode: int = 3) -> None:
        self.part.write(b"\xf2\x01")
        self.part.write(bytes([0xF4, 0x24 | mode]))

    def measured(self) -> tuple[float, float, float]:
        """Degrees, percent, hPa."""
        calibration = self.read(0x88, 26)
        t1, t2, t3, p1 = struct.unpack_from("<HhhH", calibration)
        p2, p3, p4, p5, p6, p7, p8, p9 = struct.unpack_from("<8h", calibration, 8)
        h1 = calibration[25]
        h2, h3, e4, e5, e6, h6 = struct.unpack("<hBbBbb", self.read(0xE1, 7))
        h4, h5 = e4 * 16 + (e5 & 15), e6 * 16 + (e5 >> 4)
        data = self.read(0xF7, 8)
        raw_p, raw_t = (int.from_bytes(data[at : at + 3], "big") >> 4 for at in (0, 3))
        raw_h = int.from_bytes(data[6:], "big")
        fine = (((raw_t >> 3) - (t1 << 1)) * t2 >> 11) + ((((raw_t >> 4) - t1) ** 2 >> 12) * t3 >> 14)
        one = fine - 128000
        two = one * one * p6 + (one * p5 << 17) + (p4 << 35)
        one = ((1 << 47) + (one * one * p3 >> 8) + (one * p2 << 12)) * p1 >> 33
        p = ((1048576 - raw_p << 31) - two) * 3125 // one
        p = (p + (p9 * (p >> 13) * (p >> 13) >> 25) + (p8 * p >> 19) >> 8) + (p7 << 4)
        v = fine - 76800
        slope = ((v * h6 >> 10) * ((v * h3 >> 11) + 32768) >> 10) + 2097152
        v = ((raw_h << 14) - (h4 << 20) - h5 * v + 16384 >> 15) * (slope * h2 + 8192 >> 14)
        v -= ((v >> 15) * (v >> 15) >> 7) * h1 >> 4
        return (fine * 5 + 128 >> 8) / 100, max(0, min(419430400, v)) / 4096 / 1024, p / 25600


@pytest.mark.parametrize("temperature", [-40.0, -10.5, 0.0, 21.57, 85.0])
@pytest.mark.parametrize(("humidity", "pressure"), [(0.0, 1013.25), (45.5, 300.0), (100.0, 1100.0)])
def test_a_driver_reads_what_is_true(temperature: float, humidity: float, pressure: float) -> None:
    bench = Bench(temperature, humidity, pressure)
    bench.start()
    read = bench.measured()
    assert read[0] == pytest.approx(temperature, abs=0.02)
    assert read[1] == pytest.approx(humidity, abs=0.1)
    assert read[2] == pytest.approx(pressure, abs=0.05)


def test_it_says_which_part_it_is_and_measures_nothing_before_it_is_told_to() -> None:
    bench = Bench()
    assert bench.read(0xD0, 1) == b"\x60"
    assert bench.read(0xF7, 8).hex() == "8000008000008000"
    bench.part.write(b"\xf4\x27")  # without humidity
    assert bench.read(0xFD, 2).hex() == "8000" and bench.read(0xFA, 3).hex() != "800000"


def test_humidity_is_on_from_the_next_control_of_measurement_on() -> None:
    bench = Bench()
    bench.part.write(b"\xf4\x27\xf2\x01")
    assert bench.read(0xFD, 2).hex() == "8000"
    bench.part.write(b"\xf4\x27")
    assert bench.read(0xFD, 2).hex() != "8000"


def test_a_forced_measurement_is_one_and_it_sleeps_again() -> None:
    bench = Bench(temperature=10.0)
    bench.start(mode=1)
    assert bench.read(0xF4, 1) == b"\x24"
    bench.values[0] = 30.0
    assert bench.measured()[0] == pytest.approx(10.0, abs=0.02)
    bench.start(mode=3)
    assert bench.measured()[0] == pytest.approx(30.0, abs=0.02)


def test_a_reset_is_as_power_on() -> None:
    bench = Bench()
    bench.start()
    bench.part.write(b"\xe0\xb6")
    assert bench.read(0xF4, 1) == b"\0" and bench.read(0xFA, 3).hex() == "800000"


def test_what_is_no_register_to_write_stays() -> None:
    bench = Bench()
    bench.part.write(b"\xd0\x12\x88\x00")
    assert bench.read(0xD0, 1) == b"\x60" and bench.read(0x88, 1) != b"\0"
    assert bench.read(0xFE, 4)[2:] == b"\xff\xff"


def test_a_part_that_is_broken_off_acknowledges_nothing() -> None:
    bench = Bench()
    bench.there = False
    with pytest.raises(HardwareFault):
        bench.part.write(b"")
    with pytest.raises(HardwareFault):
        bench.part.read(1)
