"""Thermometers on a 1-wire bus, through the kernel's w1_therm.

Rules this file keeps:
1. A thermometer is told by its identity, which no other has.
2. `temperature` is the value where the driver has it (Linux 5.10), else `w1_slave` with its check sum; one that is
   wrong is asked again, TRIES times in all.
3. 85 degrees is what a DS18B20 shows that lost its power before it converted, and a temperature as well: it is read
   once more, and doubted when it stays.
4. A line that is held low answers with nothing but zeros: presence, 0 degrees, and a check sum that fits. No
   thermometer has such a memory (bytes 5 and 7 are never 0), so behind 0 degrees the nine bytes are looked at.

Source of the facts: kernel, Documentation/w1/slaves/w1_therm.rst; Maxim DS18B20, 19-7487.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sensors.found import Found, maybe, names, number, text, trouble
from edge.peripherals.sensors.quantities import TEMPERATURE
from edge.peripherals.sensors.table import FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Source
    from edge.peripherals.sysfs.files import Tree

DEVICES = "/sys/bus/w1/devices"
AT_POWER_ON = 85.0
LOW, HIGH = -55.0, 125.0
TRIES = 3
HELD_LOW = ["00"] * 9


def read(source: Source, tree: Tree) -> Found:
    """The temperature now; the kernel has it converted for this reading. HardwareFault."""
    folder = f"{DEVICES}/{source.device}"
    where = f"1-wire {source.device}"
    attributes = names(tree, folder)
    if not attributes:
        raise _absent(source, tree)
    if not {"temperature", "w1_slave"} & set(attributes):
        raise HardwareFault(f"{where} is there and no driver reads it", "load it: modprobe w1_therm")
    value = _value(tree, folder, attributes, where)
    if value == AT_POWER_ON:
        value = _value(tree, folder, attributes, where)
    if value == 0.0 and maybe(tree, f"{folder}/w1_slave").split()[:9] == HELD_LOW:
        fix = "look for a short circuit: its data wire to ground, or a part that is plugged in the wrong way round"
        raise HardwareFault(f"{where} answers with zeros alone: its line is held low", fix)
    if value == AT_POWER_ON:
        why = "85 C is also what it shows after a loss of power"
        return Found(value, TEMPERATURE, where, 0.0, "suspect", why)
    if not LOW <= value <= HIGH:
        return Found(None, TEMPERATURE, where, 0.0, "fault", f"it says {value:g} C, which it cannot measure")
    return Found(value, TEMPERATURE, where)


def _value(tree: Tree, folder: str, attributes: list[str], where: str) -> float:
    try:
        if "temperature" in attributes:
            return number(text(tree, f"{folder}/temperature"), where) / 1000.0
        for _ in range(TRIES):
            said = text(tree, f"{folder}/w1_slave")
            if "YES" in said.partition("\n")[0]:
                return number(said.rpartition("t=")[2], where) / 1000.0
    except HardwareFault:
        raise
    except OSError as error:
        raise trouble(error, where) from error
    raise HardwareFault(f"{where} answers with a wrong check sum", "its cable is too long, or its pull-up too weak")


def _absent(source: Source, tree: Tree) -> HardwareFault:
    there = [name for name in names(tree, DEVICES) if name[:2] in FAMILIES and "-" in name]
    if there:
        return HardwareFault(f"there is no 1-wire part {source.device}", f"there are: {', '.join(there)}")
    if any(name.startswith("w1_bus_master") for name in names(tree, DEVICES)):
        fix = "check its wiring, and the pull-up of 4.7 kOhm to 3.3 V; the bus is searched every few seconds"
        return HardwareFault(f"no thermometer answers on the 1-wire bus, nor does {source.device}", fix)
    fix = "dtoverlay=w1-gpio in config.txt makes GPIO4 one, then reboot"
    return HardwareFault(f"there is no 1-wire bus, so {source.device} is not there", fix)
