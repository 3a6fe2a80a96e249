"""Parts on the I2C buses of an emulated board: QEMU's own models, what they measure set through the monitor.

Rules:
1. A part is a device of QEMU with the name that the board's file gives it. Values are in the units of the table, and
   the model rounds them as the part would. One that it keeps as something else altogether (10.0.2 has -10 °C of an
   emc1413 as 246) is a fault.
2. These models always acknowledge: a part that fails is none of QEMU's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim.parts import WAYS, way
from hil.drivers.qmp import Monitor
from hil.resources import Part

# kind (QEMU's device) -> quantity -> how many steps of QEMU's property its unit is (°C; µT of a magnetometer)
KINDS = {
    "tmp105": {"temperature": 1000},
    "tmp421": {"temperature0": 1000, "temperature1": 1000},
    "lsm303dlhc_mag": {"mag-x": 1000, "mag-y": 1000, "mag-z": 1000, "temperature": 1000},
    "emc1413": {"temperature0": 1000, "temperature1": 1000, "temperature2": 1000},
    "emc1414": {"temperature0": 1000, "temperature1": 1000, "temperature2": 1000, "temperature3": 1000},
}
_ROUNDED = 1.0


def devices(parts: Mapping[str, Part]) -> list[str]:
    """The words for QEMU that put the parts onto their buses."""
    words = []
    for name, part in parts.items():
        if part.kind not in KINDS:
            raise UsageFault(f"{name} is a {part.kind!r}, which is not known here", "one of " + ", ".join(KINDS))
        words += ["-device", f"{part.kind},id={name},bus=i2c-bus.{part.bus},address={part.address:#x}"]
    return words


class Parts:
    """By name. A part with one quantity needs no quantity named."""

    def __init__(self, monitor: Monitor, parts: Mapping[str, Part]) -> None:
        self._monitor, self._parts = monitor, parts

    def names(self) -> dict[str, tuple[str, ...]]:
        """The parts and what each measures."""
        return {name: tuple(KINDS[part.kind]) for name, part in self._parts.items()}

    def set(self, name: str, value: float, quantity: str = "") -> None:
        """From now on the part measures that; HardwareFault when it cannot."""
        steps, quantity = self._found(name, quantity)
        if not math.isfinite(value):
            raise HardwareFault(f"{name} cannot measure {value:g}")
        place = {"path": f"/machine/peripheral/{name}", "property": quantity}
        try:
            self._monitor.ask("qom-set", **place, value=round(value * steps))
        except HardwareFault as fault:
            raise HardwareFault(f"{name} cannot measure {value:g}: {fault.sentence}") from fault
        kept = self.value(name, quantity)
        if abs(kept - value) > _ROUNDED:
            raise HardwareFault(f"{name} cannot measure {value:g}: QEMU keeps it as {kept:g}")

    def value(self, name: str, quantity: str = "") -> float:
        """What it measures, as the model keeps it."""
        steps, quantity = self._found(name, quantity)
        place = {"path": f"/machine/peripheral/{name}", "property": quantity}
        return float(self._monitor.ask("qom-get", **place)) / steps

    def mode(self, name: str, mode: str) -> None:
        """Rule 2: "ok" alone."""
        self._found(name, next(iter(self.names().get(name, ())), ""))
        behaviour(name, mode)
        if mode != "ok":
            raise UsageFault(f"{name} cannot be made {mode!r}: the parts of QEMU always acknowledge", "use board virt")

    def _found(self, name: str, quantity: str) -> tuple[int, str]:
        if name not in self._parts:
            raise UsageFault(f"the board has no part {name!r}", "it has " + (", ".join(self._parts) or "none"))
        known = KINDS[self._parts[name].kind]
        quantity = chosen(name, quantity, tuple(known))
        return known[quantity], quantity


def chosen(name: str, quantity: str, known: tuple[str, ...]) -> str:
    """Which of the things that a part measures is meant; UsageFault where none is, or one has to be named."""
    if quantity in known:
        return quantity
    if not quantity and len(known) == 1:
        return known[0]
    told = f"{name} measures no {quantity[:40]!r}" if quantity else f"{name} measures several things"
    raise UsageFault(told, "name one of " + ", ".join(known))


def behaviour(name: str, mode: str) -> tuple[str, float]:
    """A way to behave and its number; UsageFault for what is neither that nor a number."""
    try:
        found = way(mode)
    except ValueError as error:
        raise UsageFault(f"{name} cannot be made {mode[:40]!r}: {error}", WAYS) from error
    if found is None:
        raise UsageFault(f"{mode[:40]!r} is no number and no mode of a part", f"as 31.5; {WAYS}")
    return found
