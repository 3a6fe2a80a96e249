"""A reading has value, unit, quality, age and source; what cannot be, is no value."""

from __future__ import annotations

import pytest

from edge.call import Reading, Sensor, Source
from edge.faults import HardwareFault
from edge.peripherals.bus import Bus
from edge.peripherals.sensors.engine import kernel, read
from edge.peripherals.sysfs.files import Files
from tests.support.sensed import HWMON, IIO, PROBE, Board

T0 = Source("t0", "hwmon", "lm75", "", "temp1")


def reading(board: Board, source: Source = T0, unit: str = "C") -> Reading:
    return read(source, Sensor("t0", "t0", unit, ""), board.tree, Bus(board.buses.opened))


@pytest.mark.parametrize(
    ("source", "value", "where"),
    [
        (T0, 23.5, "hwmon lm75 at 1-0048 temp1"),
        (Source("t0", "i2c", "1/0x48", part="tmp105"), 23.5, "tmp105 at I2C 1/0x48"),
        (Source("t0", "onewire", PROBE), 23.5, f"1-wire {PROBE}"),
        (Source("t0", "iio", "bme280", channel="temp"), 21.34, "iio bme280 temp"),
        (Source("t0", "thermal", "cpu-thermal"), 48.312, "thermal zone cpu-thermal"),
    ],
)
def test_every_kind_of_source_gives_a_reading(source: Source, value: float, where: str) -> None:
    found = reading(Board(), source)
    assert (found.name, found.value, found.unit, found.quality) == ("t0", pytest.approx(value), "C", "ok")
    assert found.source == where and found.age >= 0.0


@pytest.mark.parametrize(("unit", "value"), [("C", 25.0), ("F", 77.0), ("K", 298.15)])
def test_a_value_is_told_in_the_unit_of_the_settings(unit: str, value: float) -> None:
    board = Board()
    board.value = 25.0
    assert (reading(board, unit=unit).value, reading(board, unit=unit).unit) == (pytest.approx(value), unit)


def test_what_cannot_be_is_no_value() -> None:
    board = Board()
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = "-300000"
    found = reading(board)
    assert (found.value, found.quality) == (None, "fault")
    assert found.source == "hwmon lm75 at 1-0048 temp1: it says -300 C, which cannot be"


def test_what_is_unusual_is_told_and_doubted() -> None:
    board = Board()
    board.tree.texts[f"{IIO}/iio:device0/in_humidityrelative_input"] = "101500"
    found = reading(board, Source("t0", "iio", "bme280", channel="humidityrelative"), "%")
    assert (found.value, found.quality) == (101.5, "suspect") and "from 0 to 100 %" in found.source


@pytest.mark.parametrize(
    ("low", "high", "quality"),
    [(None, None, "ok"), (0.0, 80.0, "ok"), (80.0, None, "suspect"), (None, 70.0, "suspect"), (77.0, 77.0, "ok")],
)
def test_beyond_what_the_settings_expect_it_is_doubted(low: float | None, high: float | None, quality: str) -> None:
    board = Board()
    board.value = 25.0
    source = Source("t0", "hwmon", "lm75", "", "temp1", "", low, high)
    assert reading(board, source, "F").quality == quality


def test_after_an_error_nothing_old_is_shown() -> None:
    board = Board()
    assert reading(board).value == 23.5
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = OSError(121, "")
    with pytest.raises(HardwareFault, match="did not acknowledge"):
        reading(board)
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = "24000"
    assert reading(board).value == 24.0


def test_the_kernel_is_the_files_of_this_board() -> None:
    tree, bus = kernel()
    assert isinstance(tree, Files) and tree.root == "" and isinstance(bus, Bus)
