"""A plant for tests of the guard's core: outputs that obey or not, sensors that answer as they are told."""

from __future__ import annotations

from edge.call import Reading
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard.core import Clock, Guard
from edge.peripherals.guard.protocol import Request


class Bench:
    """`driven`: every drive that succeeded, `tried`: every drive. `values`: sensor -> a value or a Reading.

    `dead`: outputs whose drives fail; `blind`: outputs whose level cannot be read back; `bent`: output -> the level it
    reads back whatever was driven. `reads` counts the readings of each sensor.
    """

    def __init__(self, outputs, sensors=()):
        self.outputs = tuple(outputs)
        self.sensors = tuple(sensors)
        self.levels = {output.name: float(output.safe) for output in self.outputs}
        self.values = {sensor.name: 0.0 for sensor in self.sensors}
        self.driven, self.tried = [], []
        self.dead, self.blind, self.bent, self.reads = set(), set(), {}, {}

    def drive(self, name, level, now):
        self.tried.append((name, level))
        if name in self.dead:
            raise HardwareFault(f"the line of {name} did not answer")
        self.driven.append((name, level))
        self.levels[name] = level

    def level(self, name, now):
        return None if name in self.blind else self.bent.get(name, self.levels[name])

    def sense(self, name, now):
        if name not in self.values:
            raise UsageFault(f"there is no sensor {name!r}")
        self.reads[name] = self.reads.get(name, 0) + 1
        value = self.values[name]
        if value is None:
            raise HardwareFault(f"sensor {name} did not acknowledge")
        if isinstance(value, Reading):
            return value
        unit = next(sensor.unit for sensor in self.sensors if sensor.name == name)
        return Reading(name, value() if callable(value) else value, unit, "ok", 0.0, "bench")


class Rig:
    """A guard over a Bench with the agents a and b, board time 0 at monotonic 0 and going as fast."""

    def __init__(self, outputs, sensors=(), past=None, agents="ab", speed=1.0):
        self.plant = Bench(outputs, sensors)
        self.guard = Guard(self.plant, Clock(0.0, 0.0, speed), 3.0, past)
        self.now = 0.0
        self.agents = agents
        self.calls = 0
        self.record = []
        for key in agents:
            self.guard.joined(key, f"run {key}", 0.0)

    def pass_(self, seconds, beating=None):
        """Let time go by as the process does, everybody (or those named) beating twice a second."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + 0.5, max(self.now, self.guard.wake()))
            for key in self.agents if beating is None else beating:
                self.guard.answer(key, Request(0, "beat"), self.now)
            self.guard.tick(self.now)
            self.note()

    def set(self, name, state=True, seconds=None, owner="a", call=None, level=None):
        """The reply to a set; each has a call id of its own unless one is told."""
        self.calls += 1
        request = Request(9, "set", name, state, seconds, f"c{self.calls}" if call is None else call, level=level)
        reply = self.guard.answer(owner, request, self.now)
        self.note()
        return reply

    def refused(self, name, rule, **asked):
        """The sentence of a set that must be refused by a rule, with nothing driven away from safe."""
        before = len(self.plant.driven)
        reply = self.set(name, **asked)
        assert (reply["ok"], reply.get("rule")) == (False, rule), reply
        safe = {output.name: float(output.safe) for output in self.plant.outputs}
        assert all(level == safe[driven] for driven, level in self.plant.driven[before:])
        return reply["error"]

    def on(self, name, **asked):
        """Switch on, which must be granted."""
        reply = self.set(name, **asked)
        assert reply["ok"], reply
        return reply

    def note(self):
        self.record += self.guard.take()

    def row(self, name):
        return self.guard.states(self.guard.clock.board(self.now))[name]

    def whys(self, name):
        """Why an output changed, each time, and the news about it with their kind."""
        self.note()
        return [f"{note.kind} {note.why}".strip() for note in self.record if note.name == name]
