"""Quantities that sensors measure: the unit of each, other units it may be told in, what it can be, what it is called.

Rules this file keeps:
1. Data. A value is carried in the quantity's own unit and told in the one that the settings ask for.
2. Beyond `possible` no sensor is right: such a value is none. Beyond `usual` it may be right and is doubted.
3. `words` are what a sensor of this quantity answers to when the settings give it no words of its own.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Bounds = tuple[float, float]

MOST = 1e9


class Quantity(Record):
    """`units`: unit -> factor and offset from the quantity's own `unit`."""

    name: str
    unit: str
    possible: Bounds = (-MOST, MOST)
    usual: Bounds = (-MOST, MOST)
    units: Mapping[str, Bounds] = {}
    words: tuple[str, ...] = ()


_WARM = ("temperature", "warm", "hot", "cold", "cool", "heat", "degrees")
TEMPERATURE = Quantity("temperature", "C", (-273.15, 3000.0), units={"F": (1.8, 32.0), "K": (1.0, 273.15)}, words=_WARM)
HUMIDITY = Quantity("humidity", "%", (-5.0, 110.0), (0.0, 100.0), words=("humidity", "humid", "damp"))
PRESSURE = Quantity(
    *("pressure", "hPa", (0.0, MOST)),
    units={"Pa": (100.0, 0.0), "kPa": (0.1, 0.0), "mbar": (1.0, 0.0), "bar": (0.001, 0.0)},
    words=("pressure",),
)
LIGHT = Quantity("light", "lux", (0.0, MOST), words=("light", "bright", "dark", "lux"))
VOLTAGE = Quantity("voltage", "V", units={"mV": (1000.0, 0.0)}, words=("voltage",))
CURRENT = Quantity("current", "A", units={"mA": (1000.0, 0.0)}, words=("current",))
POWER = Quantity("power", "W", units={"mW": (1000.0, 0.0)}, words=("power",))
SPEED = Quantity("speed", "RPM", (0.0, MOST), words=("speed",))
GAS = Quantity("concentration", "ppm", (0.0, 1e6), units={"%": (0.0001, 0.0)}, words=("concentration",))
DISTANCE = Quantity("distance", "m", (0.0, MOST), units={"cm": (100.0, 0.0), "mm": (1000.0, 0.0)}, words=("distance",))
FIELD = Quantity("magnetic field", "uT", units={"G": (0.01, 0.0)}, words=("field", "magnetic"))

# How a channel of hwmon begins -> quantity, and how much of its unit a count is (Documentation/hwmon/sysfs-interface).
HWMON = {
    **{"temp": (TEMPERATURE, 0.001), "in": (VOLTAGE, 0.001), "curr": (CURRENT, 0.001), "power": (POWER, 0.000001)},
    **{"humidity": (HUMIDITY, 0.001), "fan": (SPEED, 1.0)},
}
# The same of IIO (Documentation/ABI/testing/sysfs-bus-iio); its pressure is kPa, its field gauss.
IIO = {
    **{"temp": (TEMPERATURE, 0.001), "humidityrelative": (HUMIDITY, 0.001), "pressure": (PRESSURE, 10.0)},
    **{"illuminance": (LIGHT, 1.0), "voltage": (VOLTAGE, 0.001), "current": (CURRENT, 0.001), "power": (POWER, 0.001)},
    **{"concentration": (GAS, 10000.0), "distance": (DISTANCE, 1.0), "magn": (FIELD, 100.0)},
}


def of_channel(table: Mapping[str, tuple[Quantity, float]], channel: str) -> tuple[Quantity, float] | None:
    """Quantity and scale of a channel such as `temp1`, `voltage0`, `concentration_co2`; None when it has none here."""
    kind = channel.partition("_")[0].rstrip("0123456789")
    return table.get(kind)


def told(quantity: Quantity, value: float, unit: str) -> float:
    """A value of the quantity in another of its units."""
    factor, offset = quantity.units[unit] if unit != quantity.unit else (1.0, 0.0)
    return value * factor + offset
