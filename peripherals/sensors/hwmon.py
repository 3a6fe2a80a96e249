"""Sensors that a driver of the kernel shows as hwmon, and thermal zones, which are read alike.

Rules this file keeps:
1. A chip is told by its name (`lm75`) and, where several have it, by its device (`1-0048`): the numbers of the folders
   move from one boot to the next. It is looked up at each reading.
2. A channel whose driver says that it is faulty has no value, whatever its attribute shows.

Source of the facts: kernel, Documentation/hwmon/sysfs-interface.rst, Documentation/driver-api/thermal/sysfs-api.rst.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sensors.found import Found, maybe, names, number, text, trouble
from edge.peripherals.sensors.places import absent, one_of
from edge.peripherals.sensors.quantities import HWMON, TEMPERATURE, of_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Source
    from edge.peripherals.sysfs.files import Tree

CLASS = "/sys/class/hwmon"
ZONES = "/sys/class/thermal"


def read(source: Source, tree: Tree) -> Found:
    """A channel of a hwmon chip now. HardwareFault: no such chip or channel, or it did not answer."""
    folder, device = find(source, tree)
    where = f"hwmon {source.device}" + (f" at {device}" if device else "")
    measured = of_channel(HWMON, source.channel)
    assert measured is not None  # the settings were checked
    quantity, scale = measured
    if maybe(tree, f"{folder}/{source.channel}_fault") == "1":
        return Found(None, quantity, where, 0.0, "fault", f"its driver says that {source.channel} is faulty")
    try:
        said = text(tree, f"{folder}/{source.channel}_input")
    except FileNotFoundError as error:
        raise HardwareFault(f"{where} has no channel {source.channel}", _channels(tree, folder)) from error
    except OSError as error:
        raise trouble(error, where) from error
    interval = maybe(tree, f"{folder}/update_interval")
    held = int(interval) / 1000.0 if interval.isdecimal() else 0.0
    return Found(number(said, where) * scale, quantity, f"{where} {source.channel}", held)


def find(source: Source, tree: Tree) -> tuple[str, str]:
    """The folder of the chip and the name of the device behind it ("": there is none)."""
    chips = {name: maybe(tree, f"{CLASS}/{name}/name") for name in names(tree, CLASS)}
    alike = {name: device_of(tree, f"{CLASS}/{name}") for name, chip in chips.items() if chip == source.device}
    found = [name for name, device in alike.items() if not source.at or source.at == device]
    if not found:
        raise absent(source, tree, [chip for chip in chips.values() if chip])
    name = one_of(source, found, alike)
    return f"{CLASS}/{name}", alike[name]


def device_of(tree: Tree, folder: str) -> str:
    """The last name of the device behind a folder of a class, "" where there is none."""
    try:
        return tree.target(f"{folder}/device")
    except OSError:
        return ""


def _channels(tree: Tree, folder: str) -> str:
    found = [name[: -len("_input")] for name in names(tree, folder) if name.endswith("_input")]
    return f"it has: {', '.join(found)}" if found else "it has none that can be read"


def zone(source: Source, tree: Tree) -> Found:
    """The temperature of a thermal zone of that type."""
    zones = {name: maybe(tree, f"{ZONES}/{name}/type") for name in names(tree, ZONES) if name.startswith("thermal_")}
    found = [name for name, kind in zones.items() if kind == source.device]
    if not found:
        there = f"there are: {', '.join(sorted(set(zones.values())))}" if zones else "this kernel has none"
        raise HardwareFault(f"there is no thermal zone {source.device}", there)
    if len(found) > 1:
        sentence = f"{len(found)} thermal zones are of the type {source.device}: {', '.join(found)}"
        raise HardwareFault(sentence, "their numbers move: declare the hwmon chip that is behind the one you mean")
    where = f"thermal zone {source.device}"
    try:
        said = text(tree, f"{ZONES}/{found[0]}/temp")
    except OSError as error:
        raise trouble(error, where) from error
    return Found(number(said, where) * 0.001, TEMPERATURE, where)
