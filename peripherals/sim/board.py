"""The simulated board: a circuit, its parts and relays as one plant for the guard, and what is kept of it.

Rules this file keeps:
1. Pure: board time is handed in and every call first lets the circuit come up to it, through the script of its
   faults, each at its own time.
2. `kept` gives plain values, edge.peripherals.sim.restore takes them back and trusts none of them: a number that is not
   finite, a name that is not declared, a time before the birth is a ValueError, and the caller starts anew.
3. A restored board has every output safe, whatever was kept. Which ones were on is told (`left_on`), for the record.
4. An operator moves truth, not readings: `adjust` changes the circuit or turns a part or a relay to another mode. An
   output's value is the guard's alone. What people ask for is in edge.peripherals.sim.operate, loaded when they do.
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
        if self.done < len(script):
            from edge.peripherals.sim import operate
        while self.done < len(script) and script[self.done].at <= now:
            event = script[self.done]
            self.done += 1
            self._come(event.at)
            operate.steer(self, event.name, event.word)
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
        part = self.part(name)
        self.parts[name] = parts.after(part)
        return self.measured(part)

    def truth(self, name: str) -> float:
        """What is so, whatever the part says."""
        return self.sample(name)[0]

    def adjust(self, name: str, word: str, now: float) -> str:
        """Set a value (`35`, `open`) or turn a part or a relay to a mode (`nak`); what is so now. UsageFault."""
        from edge.peripherals.sim import operate

        self.advance(now)
        return operate.steer(self, name, word)

    def shown(self, now: float) -> list[dict[str, Any]]:
        """Every sensor as it answers now: see operate.shown."""
        from edge.peripherals.sim import operate

        self.advance(now)
        return operate.shown(self)

    def told(self, now: float) -> dict[str, Any]:
        """What else there is to show: see operate.told."""
        from edge.peripherals.sim import operate

        self.advance(now)
        return operate.told(self)

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

    def sample(self, name: str) -> tuple[float, float]:
        """What a sensor should show, and when that was."""
        return self.circuit.truth(name, self.relays, self.now)

    def measured(self, part: Part) -> Reading:
        """What a part answers now. HardwareFault: it does not."""
        return parts.measure(part, *self.sample(part.sensor.name), self.now)

    def _output(self, name: str) -> Output:
        return next(output for output in self.outputs if output.name == name)

    def part(self, name: str) -> Part:
        """The part of a sensor. UsageFault: there is none."""
        if name not in self.parts:
            raise UsageFault(f"there is no sensor {name[:40]!r}", f"the sensors are: {', '.join(self.parts)}")
        return self.parts[name]
