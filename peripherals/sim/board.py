"""The simulated board: a circuit, its parts and relays as one plant for the guard, and what is kept of it.

Rules this file keeps:
1. Pure: board time is handed in and every call first lets the circuit come up to it, through the script of its
   faults, each at its own time.
2. `kept` gives plain values, `restored` takes them back and trusts none of them: a number that is not finite, a
   name that is not declared, a time before the birth is a ValueError, and the caller starts anew.
3. A restored board has every output safe, whatever was kept. Which ones were on is told (`left_on`), for the record.
4. An operator moves truth, not readings: `adjust` changes the circuit or turns a part or a relay to another mode. An
   output's value is the guard's alone.
5. What the guard reads back (`level`) is the line as it is held; what became of it, a feedback contact shows.
"""

from __future__ import annotations

from edge.call import Output, Reading, Sensor
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim import parts
from edge.peripherals.sim import relays as coils
from edge.peripherals.sim.default import Greenhouse
from edge.peripherals.sim.parts import Part
from edge.peripherals.sim.relays import Relay
from edge.record import as_dict, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from edge.peripherals.sim.plan import Event

    class Circuit(Protocol):
        """What the parts measure and the relays move. `birth` and `time`: board s.

        `state`: how it is called when kept; `tables`: what in it is a table of numbers, all else is a number.
        """

        name: str
        state: str
        tables: tuple[str, ...]
        birth: float
        parts: tuple[Part, ...]
        outputs: tuple[Output, ...]
        script: tuple[Event, ...]

        @property
        def time(self) -> float: ...

        def advance(self, until: float, relays: Mapping[str, Relay]) -> None:
            """Live on to the last step before `until` with the relays as they are all the while."""

        def truth(self, name: str, relays: Mapping[str, Relay], now: float) -> tuple[float, float]:
            """What a sensor should show, and the time of that sample."""

        def limits(self, name: str) -> tuple[float, float]:
            """The lowest and highest value that a sensor's quantity can be set to."""

        def put(self, name: str, value: float, relays: Mapping[str, Relay], now: float) -> None:
            """Set a sensor's quantity. ValueError: nobody can, with what to do instead."""

        def tanks(self) -> list[dict[str, Any]]: ...

        def kept(self) -> dict[str, Any]: ...

        def restore(self, values: Mapping[str, Any]) -> None:
            """Take back what `kept` gave; ValueError. Every number in it is finite."""


VERSION = 1
LATEST = 1e12  # board s: beyond that a second is no longer exact enough for leases


class SimBoard:
    """A circuit, by default a greenhouse with four sensors, a fan and a pump. See edge.peripherals.guard.core.Plant."""

    def __init__(self, circuit: Circuit | None = None) -> None:
        self.circuit: Circuit = circuit or Greenhouse()
        self.now = self.circuit.birth
        self.left_on: tuple[str, ...] = ()
        self.outputs: tuple[Output, ...] = self.circuit.outputs
        self.parts: dict[str, Part] = {part.sensor.name: part for part in self.circuit.parts}
        self.relays = {output.name: Relay(level := float(output.safe), 0.0, level) for output in self.outputs}
        self.done = 0  # how many lines of the script are behind

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        return tuple(part.sensor for part in self.parts.values())

    @property
    def on(self) -> dict[str, bool]:
        """How the line of each output is held."""
        return {name: relay.level > 0.0 for name, relay in self.relays.items()}

    def advance(self, now: float) -> None:
        """Let the circuit come up to board time `now`; a time that lies back is no news."""
        script = self.circuit.script
        while self.done < len(script) and script[self.done].at <= now:
            event = script[self.done]
            self.done += 1
            self._come(event.at)
            self._do(event.name, event.word)
        self._come(now)

    def _come(self, now: float) -> None:
        self.now = max(self.now, now)
        self.circuit.advance(self.now, self.relays)

    def drive(self, name: str, level: float, now: float) -> None:
        """Hold the line of an output at a level from 0 to 1. HardwareFault: it did not take it."""
        self.advance(now)
        relay = self.relays[name]
        if relay.mode == "nak":
            raise HardwareFault(
                f"output {name} did not take its value ({self._output(name).where} does not answer)",
                f"check its wiring and power; this one is simulated: sim set {name} ok",
            )
        self.relays[name] = coils.driven(relay, float(level), self.now)

    def level(self, name: str, now: float) -> float | None:
        """What the line of an output is held at, read back; None when that cannot be told."""
        self.advance(now)
        relay = self.relays[name]
        return None if relay.mode == "nak" else relay.level

    def sense(self, name: str, now: float) -> Reading:
        """UsageFault: no such sensor. HardwareFault: the part did not acknowledge."""
        self.advance(now)
        part = self._part(name)
        self.parts[name] = parts.after(part)
        return self._measured(part)

    def truth(self, name: str) -> float:
        """What is so, whatever the part says."""
        return self._sample(name)[0]

    def adjust(self, name: str, word: str, now: float) -> str:
        """Set a value (`35`, `open`) or turn a part or a relay to a mode (`nak`); what is so now. UsageFault."""
        self.advance(now)
        return self._do(name, word)

    def shown(self, now: float) -> list[dict[str, Any]]:
        """Every sensor as it answers now, its part's mode, and a contact's `word`; `error` beside the empty value of
        one that fails. Looking uses up no reading."""
        self.advance(now)
        found = []
        for name, part in self.parts.items():
            fields = {"name": name, "value": None, "unit": part.sensor.unit, "quality": "fault"}
            try:
                fields = as_dict(self._measured(part))
            except HardwareFault as fault:
                fields["error"] = fault.sentence
            if part.sensor.states and fields["value"] is not None:
                fields["word"] = part.sensor.states[int(fields["value"])]
            found.append({**fields, "mode": part.shown})
        return found

    def told(self, now: float) -> dict[str, Any]:
        """What else there is to show: `world` (its name), `tanks`, `relays` (mode of those that are not ok) and
        `coming`, the next lines of the script."""
        self.advance(now)
        relays = {name: relay.mode for name, relay in self.relays.items() if relay.mode != "ok"}
        coming = [as_dict(event) for event in self.circuit.script[self.done : self.done + 3]]
        return {"world": self.circuit.name, "tanks": self.circuit.tanks(), "relays": relays, "coming": coming}

    def kept(self) -> dict[str, Any]:
        """All that a later start needs, as plain values."""
        modes = {}
        for name, part in self.parts.items():
            if part.mode != "ok":
                by = {"by": part.by} if part.by else {}
                modes[name] = {"mode": part.mode, "held": part.held, "since": part.since, **by}
        on = [output.name for output in self.outputs if self.relays[output.name].level != float(output.safe)]
        found = {"version": VERSION, "now": self.now, self.circuit.state: self.circuit.kept(), "parts": modes, "on": on}
        relays = {name: [relay.mode, relay.held] for name, relay in self.relays.items() if relay.mode != "ok"}
        if relays:
            found["relays"] = relays
        if self.circuit.script:
            found["done"] = self.done
        return found

    def _do(self, name: str, word: str) -> str:
        if name in self.relays:
            return self._turn(name, word)
        part = self._part(name)
        mode = self._mode(name, word)
        if mode:
            truth, at = self._sample(name)
            self.parts[name] = parts.turned(part, mode[0], truth, at, mode[1])
            return f"sensor {name} is {self.parts[name].shown}"
        value = self._number(part, word)
        try:
            self.circuit.put(name, value, self.relays, self.now)
        except ValueError as error:
            raise UsageFault(f"{name} cannot be set to {word[:40]}", str(error)) from error
        hidden = "" if part.mode == "ok" else f" (its sensor is {part.shown} and does not show it)"
        said = part.sensor.states[int(value)] if part.sensor.states else f"{value:g} {part.sensor.unit}".rstrip()
        return f"{name} is {said}{hidden}"

    def _turn(self, name: str, word: str) -> str:
        if word not in coils.MODES:
            ways = f"its relay takes {', '.join(coils.MODES)}"
            raise UsageFault(f"{name} is an output: only the guard switches it", f"use the tool output_set; {ways}")
        relay = self.relays[name] = coils.turned(self.relays[name], word, self.now)
        stays = f", its contact stays {'closed' if relay.held else 'open'}" if word == "stuck" else ""
        return f"the relay of {name} is {word}{stays}"

    def _sample(self, name: str) -> tuple[float, float]:
        return self.circuit.truth(name, self.relays, self.now)

    def _measured(self, part: Part) -> Reading:
        return parts.measure(part, *self._sample(part.sensor.name), self.now)

    def _output(self, name: str) -> Output:
        return next(output for output in self.outputs if output.name == name)

    def _part(self, name: str) -> Part:
        if name not in self.parts:
            raise UsageFault(f"there is no sensor {name[:40]!r}", f"the sensors are: {', '.join(self.parts)}")
        return self.parts[name]

    def _mode(self, name: str, word: str) -> tuple[str, float] | None:
        try:
            return parts.way(word)
        except ValueError as error:
            raise UsageFault(f"sensor {name} cannot be {word[:40]!r}: {error}", f"its modes: {parts.WAYS}") from error

    def _number(self, part: Part, word: str) -> float:
        name, unit, states = part.sensor.name, part.sensor.unit, part.sensor.states
        if states:
            if word in states:
                return float(states.index(word))
            raise UsageFault(f"{word[:40]!r} is no state of {name}", f"it takes {', '.join(states)} or {parts.WAYS}")
        low, high = self.circuit.limits(name)
        takes = f"it takes a number from {low:g} to {high:g} ({unit}) or {parts.WAYS}"
        try:
            value = float(word)
        except ValueError as error:
            raise UsageFault(f"{word[:40]!r} is neither a number nor a mode of sensor {name}", takes) from error
        if not low <= value <= high:
            raise UsageFault(f"{name} cannot be {word[:40]} {unit}", takes)
        return value


def restored(kept: Any, circuit: Circuit | None = None) -> SimBoard:
    """The board that `kept` describes, its outputs safe; ValueError with a sentence when it describes none.

    `circuit`: a fresh one of the world that it should be of, None for the greenhouse.
    """
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        raise ValueError(f"it is no kept state of version {VERSION}")
    board = SimBoard(circuit)
    circuit = board.circuit
    now, values, modes, on = (kept.get(field) for field in ("now", circuit.state, "parts", "on"))
    relays, done = kept.get("relays", {}), kept.get("done", 0)
    if not isinstance(values, dict):
        raise ValueError(f"its {circuit.state} is not complete")
    circuit.restore({field: _numbers(value, field, field in circuit.tables) for field, value in values.items()})
    board.now = _finite(now, "now")
    if not circuit.birth <= circuit.time <= board.now <= LATEST:
        raise ValueError("its time is not one of a simulated board")
    if not isinstance(modes, dict) or not isinstance(on, list) or not isinstance(relays, dict):
        raise ValueError("its parts or outputs are not complete")
    for name, mode in modes.items():
        board.parts[name] = _part(board, name, mode)
    for name, relay in relays.items():
        board.relays[name] = _relay(board, name, relay)
    if type(done) is not int or not 0 <= done <= len(circuit.script):
        raise ValueError("it is of another script")
    board.done = done
    board.left_on = tuple(name for name in board.relays if name in on)
    return board


def _part(board: SimBoard, name: str, fields: Any) -> Part:
    if name not in board.parts or not isinstance(fields, dict) or fields.get("mode") not in parts.MODES:
        raise ValueError(f"it keeps an unknown part or mode: {name[:40]}")
    held, since, by = (_finite(fields.get(field, 0.0), field) for field in ("held", "since", "by"))
    if by and fields["mode"] not in (*parts.BY, "nak"):
        raise ValueError(f"it keeps a number for {fields['mode']}")
    return parts.turned(board.parts[name], fields["mode"], held, since, by)


def _relay(board: SimBoard, name: str, fields: Any) -> Relay:
    if name not in board.relays or not isinstance(fields, list) or len(fields) != 2 or fields[0] not in coils.MODES:
        raise ValueError(f"it keeps an unknown output or mode: {name[:40]}")
    return replace(board.relays[name], mode=fields[0], held=_finite(fields[1], "relay"))


def _numbers(value: Any, field: str, table: bool) -> Any:
    """A number, or where a table is due one of numbers; ValueError."""
    if not table:
        return _finite(value, field)
    if not isinstance(value, dict):
        raise ValueError(f"its {field[:40]} are not complete")
    return {name: _finite(inner, name) for name, inner in value.items()}


def _finite(value: Any, field: str) -> float:
    if type(value) not in (int, float) or not abs(value) < LATEST:
        raise ValueError(f"its {field[:40]} is no number")
    return float(value)
