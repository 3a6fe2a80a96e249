"""Devices of IIO: one attribute, or raw with offset and scale; where they are not, why."""

from __future__ import annotations

import errno

import pytest

from edge.call import Source
from edge.faults import HardwareFault
from edge.peripherals.sensors.iio import read
from tests.support.sensed import IIO, Board


@pytest.mark.parametrize(
    ("device", "channel", "value", "unit"),
    [
        ("bme280", "temp", 21.34, "C"),
        ("bme280", "humidityrelative", 45.123, "%"),
        ("bme280", "pressure", 1013.25, "hPa"),
        ("ads1015", "voltage0", 3.0, "V"),
        ("ads1015", "voltage1", 0.84, "V"),
        ("lsm303dlhc_magn", "magn_x", 47.9952, "uT"),
    ],
)
def test_a_channel_in_the_unit_of_its_quantity(device: str, channel: str, value: float, unit: str) -> None:
    found = read(Source("x", "iio", device, "", channel), Board().tree)
    assert (found.value, found.quantity.unit) == (pytest.approx(value), unit)
    assert found.where == f"iio {device} {channel}"


def test_of_two_devices_of_a_name_the_settings_say_which() -> None:
    board = Board()
    board.tree.texts[f"{IIO}/iio:device2/name"] = "bme280"
    board.tree.texts[f"{IIO}/iio:device2/in_temp_input"] = "9000"
    with pytest.raises(HardwareFault, match="2 iio devices are called bme280: 1-0076, iio:device2") as caught:
        read(Source("x", "iio", "bme280", "", "temp"), board.tree)
    assert 'at = "1-0076"' in caught.value.fix
    assert read(Source("x", "iio", "bme280", "1-0076", "temp"), board.tree).value == pytest.approx(21.34)
    board.tree.links["/sys/bus/i2c/devices/1-0077/iio:device2"] = "iio:device2"
    assert read(Source("x", "iio", "bme280", "1-0077", "temp"), board.tree).value == 9.0


def test_a_channel_or_a_device_that_is_not_there() -> None:
    board = Board()
    with pytest.raises(HardwareFault, match="iio bme280 voltage0: there is no such channel") as caught:
        read(Source("x", "iio", "bme280", "", "voltage0"), board.tree)
    assert caught.value.fix == "it has: humidityrelative, pressure, temp"
    with pytest.raises(HardwareFault, match="there is no iio device bmp180") as caught:
        read(Source("x", "iio", "bmp180", "", "temp"), board.tree)
    assert "there are: ads1015, bme280, lsm303dlhc_magn" in caught.value.fix


def test_a_part_that_fell_off_its_bus() -> None:
    board = Board()
    board.tree.texts[f"{IIO}/iio:device0/in_temp_input"] = OSError(errno.EREMOTEIO, "")
    with pytest.raises(HardwareFault, match="iio bme280 temp did not acknowledge"):
        read(Source("x", "iio", "bme280", "", "temp"), board.tree)
