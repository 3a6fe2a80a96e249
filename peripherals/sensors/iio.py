"""Sensors that a driver of the kernel shows as industrial I/O: one attribute, or raw, offset and scale.

Rules this file keeps:
1. A device is told by its name (`bme280`) and, where several have it, by the device of its bus (`1-0076`), below which
   its folder lies. It is looked up at each reading.
2. `in_X_input` is the value; without it (raw + offset) * scale is, with what stands for all channels of a type where
   a channel has none of its own.

Source of the facts: kernel, Documentation/ABI/testing/sysfs-bus-iio.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sensors.found import Found, maybe, names, number, text, trouble
from edge.peripherals.sensors.places import BUSES, absent, one_of
from edge.peripherals.sensors.quantities import IIO, of_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Source
    from edge.peripherals.sysfs.files import Tree

DEVICES = "/sys/bus/iio/devices"


def read(source: Source, tree: Tree) -> Found:
    """A channel of an IIO device now. HardwareFault: no such device or channel, or it did not answer."""
    folder = f"{DEVICES}/{find(source, tree)}"
    where = f"iio {source.device} {source.channel}"
    measured = of_channel(IIO, source.channel)
    assert measured is not None  # the settings were checked
    attributes = names(tree, folder)
    try:
        value = _value(source.channel, attributes, folder, tree, where)
    except HardwareFault:
        raise
    except OSError as error:
        raise trouble(error, where) from error
    return Found(value * measured[1], measured[0], where)


def _value(channel: str, attributes: list[str], folder: str, tree: Tree, where: str) -> float:
    if f"in_{channel}_input" in attributes:
        return number(text(tree, f"{folder}/in_{channel}_input"), where)
    if f"in_{channel}_raw" not in attributes:
        ends = ("_input", "_raw")
        known = [name[3:].rpartition("_")[0] for name in attributes if name.startswith("in_") and name.endswith(ends)]
        fix = f"it has: {', '.join(dict.fromkeys(known))}" if known else "it has none that can be read"
        raise HardwareFault(f"{where}: there is no such channel", fix)
    raw = number(text(tree, f"{folder}/in_{channel}_raw"), where)
    offset, scale = (_shared(channel, attributes, folder, tree, name) for name in ("offset", "scale"))
    return (raw + number(offset or "0", where)) * number(scale or "1", where)


def _shared(channel: str, attributes: list[str], folder: str, tree: Tree, name: str) -> str:
    """The attribute of a channel, or that of all channels of its type; "" for none."""
    for owner in (channel, channel.partition("_")[0].rstrip("0123456789")):
        if f"in_{owner}_{name}" in attributes:
            return text(tree, f"{folder}/in_{owner}_{name}")
    return ""


def find(source: Source, tree: Tree) -> str:
    """The folder's name of the device."""
    devices = {name: maybe(tree, f"{DEVICES}/{name}/name") for name in names(tree, DEVICES)}
    alike = {name: parent(tree, name) for name, called in devices.items() if called == source.device}
    found = [name for name, device in alike.items() if not source.at or source.at == device]
    if not found:
        raise absent(source, tree, [called for called in devices.values() if called])
    return one_of(source, found, alike)


def parent(tree: Tree, name: str) -> str:
    """The device of a bus below which an IIO device lies, "" where that is on none of the usual buses."""
    for bus in BUSES:
        folder = f"/sys/bus/{bus}/devices"
        for device in names(tree, folder):
            if name in names(tree, f"{folder}/{device}"):
                return device
    return ""
