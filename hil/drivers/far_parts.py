"""Parts on the lab bench's I2C bus: models by their registers, fed by those of the simulated board.

Rules:
1. A part is what edge/peripherals/sim knows: its values and modes are those of the simulated board, its bytes those of
   its registers. The same model answers a unit test, a bus in memory and the kernel of an emulated board.
2. Values are in the unit of the table, and the part resolves them as it would.
3. The bus itself is a part named "bus", which measures nothing and has modes of its own (hil/vhost/i2c.py).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from edge.call import Sensor
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim import bme280, ds2482, onewire, parts, registers
from edge.schema import near
from hil.drivers.parts import behaviour, chosen
from hil.resources import Part
from hil.vhost.i2c import Adapter

BUS = "bus"
# kind -> quantity -> unit, lowest, highest, what it is before anything is set
KINDS: dict[str, dict[str, tuple[str, float, float, float]]] = {
    "tmp105": {"temperature": ("C", -55.0, 127.9375, 20.0)},
    "lm75": {"temperature": ("C", -55.0, 125.0, 20.0)},
    "tmp102": {"temperature": ("C", -55.0, 150.0, 20.0)},
    "bme280": {
        "temperature": ("C", -40.0, 85.0, 20.0),
        "humidity": ("%", 0.0, 100.0, 50.0),
        "pressure": ("hPa", 300.0, 1100.0, 1013.25),
    },
    "ds18b20": {"temperature": ("C", -55.0, 125.0, 20.0)},
}


class Quantity:
    """One thing that a part measures: the model, and what is true. Called, it is what the part has now, `taken` a
    reading of that: in the bus's thread, while the test sets it in another."""

    def __init__(self, part: parts.Part, truth: float) -> None:
        self.part, self.truth = part, truth
        self._lock = threading.Lock()

    def __call__(self) -> float:
        now = time.monotonic()
        with self._lock:
            return parts.measure(self.part, self.truth, now, now).value or 0.0

    def taken(self) -> None:
        with self._lock:
            self.part = parts.after(self.part)

    def turn(self, mode: str, by: float) -> None:
        with self._lock:
            self.part = parts.turned(self.part, mode, self.truth, time.monotonic(), by)


class FarParts:
    """By name. A part with one quantity needs no quantity named. `adapter`: the bus they hang on."""

    def __init__(self, described: Mapping[str, Part]) -> None:
        self._found = {name: _quantities(name, part) for name, part in described.items()}
        self.adapter = Adapter(registers.Bus(_devices(described, self._found)))

    def names(self) -> dict[str, tuple[str, ...]]:
        """The parts and what each measures."""
        return {name: tuple(found) for name, found in self._found.items()}

    def set(self, name: str, value: float, quantity: str = "") -> None:
        """From now on that is true; HardwareFault when the part cannot measure it."""
        found = self._quantity(name, quantity)
        low, high, unit = found.part.low, found.part.high, found.part.sensor.unit
        if not low <= value <= high:
            raise HardwareFault(f"{name} cannot measure {value:g}", f"it measures {low:g} to {high:g} {unit}")
        found.truth = value

    def value(self, name: str, quantity: str = "") -> float:
        return self._quantity(name, quantity).truth

    def mode(self, name: str, mode: str) -> None:
        """A mode of all that the part measures, or of the bus."""
        if name == BUS:
            self.adapter.mode(mode)
            return
        found = behaviour(name, mode)
        for quantity in self._named(name).values():
            quantity.turn(*found)

    def _named(self, name: str) -> dict[str, Quantity]:
        if name not in self._found:
            close = near(name, self._found)
            raise UsageFault(
                f"the board has no part {name[:40]!r}", f"did you mean {close}?" if close else "see its file"
            )
        return self._found[name]

    def _quantity(self, name: str, quantity: str) -> Quantity:
        known = self._named(name)
        return known[chosen(name, quantity, tuple(known))]


def _quantities(name: str, part: Part) -> dict[str, Quantity]:
    if part.kind not in KINDS:
        raise UsageFault(f"{name} is a {part.kind!r}, which is not known here", "one of " + ", ".join(KINDS))
    where = part.wire or f"{part.bus}-{part.address:04x}"
    return {
        quantity: Quantity(parts.Part(Sensor(name, quantity, unit, where), low, high, 6, part.kind), start)
        for quantity, (unit, low, high, start) in KINDS[part.kind].items()
    }


def _devices(described: Mapping[str, Part], found: Mapping[str, dict[str, Quantity]]) -> dict[int, registers.Device]:
    """What hangs at which address; the parts of one 1-wire bridge on one wire."""
    devices: dict[int, registers.Device] = {}
    wires: dict[int, list[onewire.Slave]] = {}
    for name, part in described.items():
        if part.kind == "ds18b20":
            one = found[name]["temperature"]
            wires.setdefault(part.address, []).append(onewire.Ds18b20(part.wire, one, one.taken))
        else:
            devices[part.address] = _chip(part.kind, found[name])
    devices.update({address: ds2482.Bridge(onewire.Wire(slaves)) for address, slaves in wires.items()})
    return devices


def _chip(kind: str, found: Mapping[str, Quantity]) -> registers.Device:
    if kind == "bme280":
        three = found["temperature"], found["humidity"], found["pressure"]
        return bme280.Bme280(*three, [one.taken for one in three])
    return registers.ThermometerChip(kind, found["temperature"], found["temperature"].taken)
