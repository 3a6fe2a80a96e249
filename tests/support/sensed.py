"""Sensors for tests: a tree of the kernel's attributes, and a bus with parts."""

from __future__ import annotations

from typing import Callable, Union

from edge.peripherals.sim.adapter import Buses
from edge.peripherals.sim.registers import Bus, ThermometerChip
from edge.peripherals.sysfs.double import TreeModel

Value = Union[str, OSError, Callable[[], str]]
HWMON = "/sys/class/hwmon"
IIO = "/sys/bus/iio/devices"
W1 = "/sys/bus/w1/devices"
THERMAL = "/sys/class/thermal"
PROBE = "28-060504030201"


class Board:
    """A board with sensors: a chip of hwmon, a device of IIO, a 1-wire probe, a thermal zone, a part on bus 1."""

    def __init__(self) -> None:
        self.value = 23.5
        self.buses = Buses({1: Bus({0x48: ThermometerChip("tmp105", lambda: self.value)})})
        self.tree = TreeModel(
            {
                f"{HWMON}/hwmon0/name": "cpu_thermal",
                f"{HWMON}/hwmon0/temp1_input": "48312",
                f"{HWMON}/hwmon1/name": "lm75",
                f"{HWMON}/hwmon1/temp1_input": lambda: f"{self.value * 1000:.0f}",
                f"{HWMON}/hwmon1/update_interval": "125",
                f"{THERMAL}/thermal_zone0/type": "cpu-thermal",
                f"{THERMAL}/thermal_zone0/temp": "48312",
                f"{IIO}/iio:device0/name": "bme280",
                f"{IIO}/iio:device0/in_temp_input": "21340",
                f"{IIO}/iio:device0/in_humidityrelative_input": "45123",
                f"{IIO}/iio:device0/in_pressure_input": "101.325",
                f"{IIO}/iio:device1/name": "ads1015",
                f"{IIO}/iio:device1/in_voltage0_raw": "1000",
                f"{IIO}/iio:device1/in_voltage0_scale": "3",
                f"{IIO}/iio:device1/in_voltage_scale": "7",
                f"{IIO}/iio:device1/in_voltage1_raw": "100",
                f"{IIO}/iio:device1/in_voltage1_offset": "20",
                f"{IIO}/iio:device3/name": "lsm303dlhc_magn",
                f"{IIO}/iio:device3/in_magn_x_raw": "528",
                f"{IIO}/iio:device3/in_magn_scale": "0.000909",
                f"{W1}/{PROBE}/temperature": lambda: f"{self.value * 1000:.0f}",
                f"{W1}/w1_bus_master1/w1_master_slaves": PROBE,
                "/sys/bus/i2c/devices/1-0049/name": "lm75",
            },
            {
                f"{HWMON}/hwmon1/device": "../../../1-0048",
                "/sys/bus/i2c/devices/i2c-1": "../../../devices/platform/soc/3f804000.i2c/i2c-1",
                "/sys/bus/i2c/devices/1-0048/driver": "../../../../bus/i2c/drivers/lm75",
                "/sys/bus/i2c/devices/1-0076/driver": "../../../../bus/i2c/drivers/bmp280",
                "/sys/bus/i2c/devices/1-0076/iio:device0": "iio:device0",
            },
        )
