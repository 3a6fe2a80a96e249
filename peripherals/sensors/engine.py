"""A reading of a declared sensor, wherever it comes from: value, unit, quality, age, source.

Rules this file keeps:
1. What cannot be read is a HardwareFault, never an older value: nothing is kept from one reading to the next.
2. A value that cannot be is none (quality fault); one beyond what its quantity, its part or the settings call usual is
   told and doubted (suspect). Why, stands with the source.
"""

from __future__ import annotations

import time

from edge.call import Reading
from edge.peripherals.sensors.found import Found
from edge.peripherals.sensors.quantities import told
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Sensor, Source
    from edge.peripherals.bus import Bus
    from edge.peripherals.sysfs.files import Tree


def kernel() -> tuple[Tree, Bus]:
    """This board's own tree and buses."""
    from edge.peripherals.bus import Bus
    from edge.peripherals.sysfs.files import Files

    return Files(), Bus()


def read(source: Source, sensor: Sensor, tree: Tree, bus: Bus) -> Reading:
    """The sensor now. HardwareFault: it is not there, or did not answer."""
    begun = time.monotonic()
    found = _found(source, tree, bus)
    age = found.age + time.monotonic() - begun
    found = _judged(found, source, sensor.unit)
    value = None if found.value is None else told(found.quantity, found.value, sensor.unit)
    where = f"{found.where}: {found.why}" if found.why else found.where
    return Reading(sensor.name, value, sensor.unit, found.quality, round(age, 1), where)


def _found(source: Source, tree: Tree, bus: Bus) -> Found:
    if source.kind == "i2c":
        from edge.peripherals.sensors import i2c

        return i2c.read(source, tree, bus)
    if source.kind == "onewire":
        from edge.peripherals.sensors import onewire

        return onewire.read(source, tree)
    if source.kind == "iio":
        from edge.peripherals.sensors import iio

        return iio.read(source, tree)
    from edge.peripherals.sensors import hwmon

    return hwmon.zone(source, tree) if source.kind == "thermal" else hwmon.read(source, tree)


def _judged(found: Found, source: Source, unit: str) -> Found:
    """Rule 2: beyond what is possible, what is usual, what the settings say."""
    if found.value is None:
        return found
    quantity = found.quantity
    low, high = quantity.possible
    if not low <= found.value <= high:
        why = f"it says {found.value:g} {quantity.unit}, which cannot be"
        return replace(found, value=None, quality="fault", why=why)
    low, high = quantity.usual
    if not low <= found.value <= high:
        return _doubted(found, f"{quantity.name} goes from {low:g} to {high:g} {quantity.unit}")
    value = told(quantity, found.value, unit)
    if (source.low is not None and value < source.low) or (source.high is not None and value > source.high):
        bounds = [f"{end:g}" for end in (source.low, source.high) if end is not None]
        return _doubted(found, f"beyond what its settings expect ({' to '.join(bounds)} {unit})")
    return found


def _doubted(found: Found, why: str) -> Found:
    return found if found.quality != "ok" else replace(found, quality="suspect", why=why)
