"""Which of several devices of one name is meant, and why one is not there: the same for hwmon and IIO.

Rules this file keeps:
1. Between two that fit nobody chooses: the settings have to say which.
2. A device of a bus that is there without a driver is another trouble than one that is not there, and has another fix.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sensors.found import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from edge.call import Source
    from edge.peripherals.sysfs.files import Tree

BUSES = ("i2c", "spi", "platform")


def one_of(source: Source, found: Sequence[str], devices: Mapping[str, str]) -> str:
    """The only one that was found; HardwareFault when there are several."""
    if len(found) == 1:
        return found[0]
    places = ", ".join([devices[name] or name for name in found])
    sentence = f"{len(found)} {source.kind} devices are called {source.device}: {places}"
    raise HardwareFault(sentence, f'say which in its table, for example at = "{devices[found[0]] or found[0]}"')


def absent(source: Source, tree: Tree, there: Sequence[str]) -> HardwareFault:
    """The fault for a device that is not there; `there`: the names that are."""
    for bus in BUSES:
        if source.at and source.at in names(tree, f"/sys/bus/{bus}/devices"):
            return _undriven(source, tree, f"/sys/bus/{bus}/devices/{source.at}")
    where = f" at {source.at}" if source.at else ""
    known = f"there are: {', '.join(sorted(set(there)))}" if there else "there is none at all"
    fix = f"{known}; {_declaring(source)}"
    return HardwareFault(f"there is no {source.kind} device {source.device}{where}", fix)


def _undriven(source: Source, tree: Tree, folder: str) -> HardwareFault:
    """The device is there: it has no driver, or one that gives it another name."""
    if "driver" in names(tree, folder):
        sentence = f"{source.at} is there, and its driver {_driver(tree, folder)} shows no {source.device}"
        return HardwareFault(sentence, "name what it shows: board_info lists it")
    sentence = f"{source.at} is there and no driver has it"
    return HardwareFault(sentence, f"load it (modprobe {source.device}); dmesg says why it did not take the part")


def _driver(tree: Tree, folder: str) -> str:
    try:
        return tree.target(f"{folder}/driver")
    except OSError:
        return "that it has"


def _declaring(source: Source) -> str:
    """How the kernel comes to know of a part that nothing on a board announces."""
    bus, dash, address = source.at.partition("-")
    if dash and bus.isdecimal():
        return (
            f"an overlay declares it (dtoverlay=i2c-sensor,{source.device}), or as root: "
            f"echo {source.device} 0x{address.lstrip('0') or '0'} > /sys/bus/i2c/devices/i2c-{bus}/new_device"
        )
    return "an overlay declares it (dtoverlay=i2c-sensor in config.txt), or new_device of its bus"
