"""The one driver of parts on an I2C bus that the kernel drives none of: it goes by the table.

Rules this file keeps:
1. The configuration is read with the value: it says how the value stands, how old it may be, and that the part is at
   rest, when what it shows is of long ago. It also has bits that say that this is another part.
2. Nothing is written but the number of a register.
3. A part that a driver of the kernel has is not asked past it; which driver, and what to declare instead, is said.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sensors.found import EACCES, EBUSY, ENOENT, Found, names, trouble
from edge.peripherals.sensors.table import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Source
    from edge.peripherals.bus import Bus
    from edge.peripherals.sensors.table import Form, Part
    from edge.peripherals.sysfs.files import Tree

OPEN_BUS = 0xFF  # what every byte is that nobody drives
DEVICES = "/sys/bus/i2c/devices"


def place(device: str) -> tuple[int, int]:
    """Bus and address of `1/0x48`."""
    bus, _, address = device.partition("/")
    return int(bus), int(address, 16)


def read(source: Source, tree: Tree, bus: Bus) -> Found:
    """What the part measures now. HardwareFault: it did not answer, is at rest, or is another part."""
    part = PARTS[source.part]
    number, address = place(source.device)
    where = f"{source.part} at I2C {source.device}"
    try:
        answers = bus.registers(number, address, (part.config, part.value))
    except HardwareFault:
        raise
    except OSError as error:
        raise _trouble(error, number, address, where, tree) from error
    config, raw = (int.from_bytes(answer, "big") for answer in answers)
    _judge(part, config, where)
    form = part.extended if part.extended is not None and config & part.wide else part.form
    age = part.cycles[config >> part.cycle_at & 3 if len(part.cycles) > 1 else 0]
    return _found(part, form, raw, answers[1], where, age)


def _judge(part: Part, config: int, where: str) -> None:
    mask, always = part.fixed
    if config & mask != always:
        sentence = f"{where} has the configuration 0x{config:02x}, which that part never has"
        raise HardwareFault(sentence, f"say what part it is: {', '.join(PARTS)}")
    if config & part.rest:
        raise HardwareFault(f"{where} is shut down: what it shows is of before", "take the power from it for a moment")


def _found(part: Part, form: Form, raw: int, answer: bytes, where: str, age: float) -> Found:
    bits = 8 * part.value[1]
    signed = raw - (1 << bits) if raw >> (bits - 1) else raw
    value = (signed >> form.shift) * form.scale
    if raw & form.zero:
        why = f"it says 0x{raw:04x}, which that part never does"
        return Found(None, part.quantity, where, age, "fault", why)
    if answer == bytes([OPEN_BUS]) * len(answer):
        return Found(value, part.quantity, where, age, "suspect", "an open bus reads the same")
    if not part.low <= value <= part.high:
        why = f"it measures from {part.low:g} to {part.high:g}"
        return Found(value, part.quantity, where, age, "suspect", why)
    return Found(value, part.quantity, where, age)


def _trouble(error: OSError, number: int, address: int, where: str, tree: Tree) -> HardwareFault:
    """What the kernel's refusal means for a part of a bus."""
    if error.errno == EBUSY:
        device = f"{number}-{address:04x}"
        try:
            driver = tree.target(f"{DEVICES}/{device}/driver")
        except OSError:
            return HardwareFault(f"{where} is in use by another program", "end it, or read the part through it")
        fix = f'declare what it shows: hwmon or iio with at = "{device}" instead of i2c'
        return HardwareFault(f"{where} belongs to the kernel's driver {driver}", fix)
    if error.errno == ENOENT:
        return _no_bus(number, where, tree)
    if error.errno == EACCES:
        fix = "its user needs the group i2c: fieldhand doctor says how"
        return HardwareFault(f"/dev/i2c-{number} is not open to this user, so {where} cannot be read", fix)
    return trouble(error, where)


def _no_bus(number: int, where: str, tree: Tree) -> HardwareFault:
    there = [name for name in names(tree, DEVICES) if name.startswith("i2c-")]
    if f"i2c-{number}" in there:
        return HardwareFault(f"I2C bus {number} is there without a node for programs: {where}", "modprobe i2c-dev")
    known = f"there are: {', '.join(there)}" if there else "there is none"
    fix = f"{known}; dtparam=i2c_arm=on in config.txt makes bus 1 of the header, then reboot"
    return HardwareFault(f"there is no I2C bus {number}: {where}", fix)
