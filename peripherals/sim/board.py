"""The simulated board: greenhouse, parts and relays as one plant for the guard, and what is kept of it.

Rules this file keeps:
1. Pure: board time is handed in and every call first lets the greenhouse come up to it.
2. `kept` gives plain values, `restored` takes them back and trusts none of them: a number that is not finite, a
   name that is not declared, a time before the birth is a ValueError, and the caller starts anew.
3. A restored board has every output safe, whatever was kept. Which ones were on is told (`left_on`), for the record.
4. An operator moves truth, not readings: `adjust` changes the greenhouse or turns a part to another mode.
"""

from __future__ import annotations

from edge.call import Output, Reading, Sensor
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim import greenhouse, parts
from edge.peripherals.sim.declare import OUTPUTS, PARTS
from edge.peripherals.sim.greenhouse import Climate
from edge.peripherals.sim.parts import Part
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
LATEST = 1e12  # board s: beyond that a second is no longer exact enough for leases

# sensor -> (lowest, highest) value an operator may set; narrower than what the part can show.
RANGES = {
    "temperature": (-20.0, 60.0),
    "soil_moisture": (0.0, 100.0),
    "humidity": (5.0, 98.0),
    "light": (0.0, 120000.0),
}


class SimBoard:
    """A greenhouse with four sensors, a fan and a pump. See edge.peripherals.guard.core.Plant."""

    outputs: tuple[Output, ...] = OUTPUTS

    def __init__(self, climate: Climate | None = None, now: float = greenhouse.BIRTH) -> None:
        self.climate = climate or Climate()
        self.now = now
        self.left_on: tuple[str, ...] = ()
        self.parts: dict[str, Part] = {part.sensor.name: part for part in PARTS}
        self.on: dict[str, bool] = {output.name: output.safe for output in self.outputs}

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        return tuple(part.sensor for part in self.parts.values())

    def advance(self, now: float) -> None:
        """Let the greenhouse come up to board time `now`; a time that lies back is no news."""
        self.now = max(self.now, now)
        self.climate = greenhouse.advance(self.climate, self.now, self.on["fan"], self.on["pump"])

    def drive(self, name: str, state: bool, now: float) -> None:
        """Switch a relay."""
        self.advance(now)
        self.on[name] = state

    def sense(self, name: str, now: float) -> Reading:
        """UsageFault: no such sensor. HardwareFault: the part did not acknowledge."""
        self.advance(now)
        return parts.measure(self._part(name), self.truth(name), self.climate.time, self.now)

    def truth(self, name: str) -> float:
        """What is so in the greenhouse, whatever the part says."""
        climate = self.climate
        if name == "light":
            return greenhouse.light(climate)
        return {"temperature": climate.air, "humidity": climate.humidity, "soil_moisture": climate.soil}[name]

    def adjust(self, name: str, word: str, now: float) -> str:
        """Set a value (`35`) or turn a part to a mode (`nak`); a sentence that says what is so now. UsageFault."""
        self.advance(now)
        if name in self.on:
            raise UsageFault(f"{name} is an output: only the guard switches it", "use the tool output_set")
        part = self._part(name)
        if word in parts.MODES:
            self.parts[name] = parts.turned(part, word, self.truth(name), self.climate.time)
            return f"sensor {name} is {word}"
        value = self._number(part, word)
        climate = self.climate
        if name == "temperature":
            self.climate = greenhouse.warmed(climate, value)
        elif name == "humidity":
            self.climate = greenhouse.damped(climate, value)
        elif name == "light":
            self.climate = greenhouse.lit(climate, value)
        else:
            self.climate = greenhouse.watered(climate, value)
        hidden = "" if part.mode == "ok" else f" (its sensor is {part.mode} and does not show it)"
        return f"{name} is {value:g} {part.sensor.unit}{hidden}"

    def shown(self, now: float) -> list[dict[str, Any]]:
        """Every sensor as it answers now, and its part's mode; `error` beside the empty value of one that fails."""
        found = []
        for name, part in self.parts.items():
            fields = {"name": name, "value": None, "unit": part.sensor.unit, "quality": "fault"}
            try:
                fields = as_dict(self.sense(name, now))
            except HardwareFault as fault:
                fields["error"] = fault.sentence
            found.append({**fields, "mode": part.mode})
        return found

    def kept(self) -> dict[str, Any]:
        """All that a later start needs, as plain values."""
        modes = {
            name: {"mode": part.mode, "held": part.held, "since": part.since}
            for name, part in self.parts.items()
            if part.mode != "ok"
        }
        on = [output.name for output in self.outputs if self.on[output.name] != output.safe]
        return {"version": VERSION, "now": self.now, "climate": as_dict(self.climate), "parts": modes, "on": on}

    def _part(self, name: str) -> Part:
        if name not in self.parts:
            raise UsageFault(f"there is no sensor {name[:40]!r}", f"the sensors are: {', '.join(self.parts)}")
        return self.parts[name]

    def _number(self, part: Part, word: str) -> float:
        name = part.sensor.name
        low, high = RANGES[name]
        takes = f"it takes a number from {low:g} to {high:g} ({part.sensor.unit}) or {', '.join(parts.MODES)}"
        try:
            value = float(word)
        except ValueError as error:
            raise UsageFault(f"{word[:40]!r} is neither a number nor a mode of sensor {name}", takes) from error
        if not low <= value <= high:
            raise UsageFault(f"{name} cannot be {word[:40]} {part.sensor.unit}", takes)
        return value


def restored(kept: Any) -> SimBoard:
    """The board that `kept` describes, its outputs safe; ValueError with a sentence when it describes none."""
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        raise ValueError(f"it is no kept state of version {VERSION}")
    now, values, modes, on = (kept.get(field) for field in ("now", "climate", "parts", "on"))
    if not isinstance(values, dict) or set(values) != set(Climate.__fields__):
        raise ValueError("its climate is not complete")
    climate = Climate(**{field: _finite(value, field) for field, value in values.items()})
    now = _finite(now, "now")
    if not greenhouse.BIRTH <= climate.time <= now <= LATEST:
        raise ValueError("its time is not one of a simulated board")
    board = SimBoard(climate, now)
    if not isinstance(modes, dict) or not isinstance(on, list):
        raise ValueError("its parts or outputs are not complete")
    for name, mode in modes.items():
        board.parts[name] = _part(board, name, mode)
    board.left_on = tuple(name for name in board.on if name in on)
    return board


def _part(board: SimBoard, name: str, fields: Any) -> Part:
    if name not in board.parts or not isinstance(fields, dict) or fields.get("mode") not in parts.MODES:
        raise ValueError(f"it keeps an unknown part or mode: {name[:40]}")
    held, since = _finite(fields.get("held"), "held"), _finite(fields.get("since"), "since")
    return parts.turned(board.parts[name], fields["mode"], held, since)


def _finite(value: Any, field: str) -> float:
    if type(value) not in (int, float) or not abs(value) < LATEST:
        raise ValueError(f"its {field[:40]} is no number")
    return float(value)
