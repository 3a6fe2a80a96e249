"""What a reader found: the value with what is to be said of it; and what the kernel's refusals mean.

Rules this file keeps:
1. A value is in its quantity's own unit, None when there is none; then `quality` is fault and `why` says it.
2. `age` is the most it can be old: how long the part may have held the result, and how long the reading took.
3. What an error number means is said once, here, with what to do; numbers are the kernel's
   (Documentation/i2c/fault-codes, include/uapi/asm-generic/errno.h).
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sensors.quantities import Quantity
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.sysfs.files import Tree


class Found(Record):
    """`where`: what was read, in words. `quality`: as of a Reading."""

    value: float | None
    quantity: Quantity
    where: str
    age: float = 0.0
    quality: str = "ok"
    why: str = ""


ENOENT, EIO, ENXIO, EAGAIN, EACCES, EBUSY, ENODEV, EPERM = 2, 5, 6, 11, 13, 16, 19, 1
ENODATA, EOPNOTSUPP, ETIMEDOUT, EREMOTEIO = 61, 95, 110, 121

_WIRING = "check its power, its wiring and its address"
_MEANT = {
    EREMOTEIO: ("did not acknowledge", _WIRING),
    ENXIO: ("did not acknowledge", _WIRING),
    EIO: ("did not answer cleanly", f"it broke off, or there is noise: {_WIRING}"),
    ETIMEDOUT: ("did not answer in time", "something holds the bus: take the power from its parts and give it again"),
    EAGAIN: ("has no value yet", "read it again in a moment"),
    ENODATA: ("has no value", "it is there and measures nothing: see its power and its probe"),
    ENODEV: ("is gone", "it was unplugged, or its driver let go of it: fieldhand doctor"),
    ENOENT: ("is gone", "it was unplugged, or its driver let go of it: fieldhand doctor"),
    EACCES: ("may not be read by this user", "fieldhand doctor says which group may"),
    EPERM: ("may not be read by this user", "fieldhand doctor says which group may"),
    EOPNOTSUPP: ("cannot be asked through this adapter", "use the kernel's driver: hwmon or iio in its table"),
}


def trouble(error: OSError, what: str) -> HardwareFault:
    """The fault for what the kernel said of `what`."""
    meant = _MEANT.get(error.errno or 0)
    if meant is None:
        return HardwareFault(f"{what} cannot be read: {(error.strerror or 'unknown error').lower()}", _WIRING)
    return HardwareFault(f"{what} {meant[0]}", meant[1])


def text(tree: Tree, path: str) -> str:
    """An attribute, read once. OSError."""
    fd = tree.open(path, "r")
    try:
        return tree.read(fd)
    finally:
        tree.close(fd)


def maybe(tree: Tree, path: str) -> str:
    """An attribute that may be absent: "" then."""
    try:
        return text(tree, path)
    except OSError:
        return ""


def names(tree: Tree, folder: str) -> list[str]:
    """What is in a folder; nothing when it is not there."""
    try:
        return tree.names(folder)
    except OSError:
        return []


def number(said: str, what: str) -> float:
    """A number as the kernel writes one; HardwareFault for anything else."""
    try:
        value = float(said)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e15:  # neither for what is not a number
        raise HardwareFault(
            f"{what} says {said[:20]!r}, which is no number", "its driver is at fault: try another kernel"
        )
    return value
