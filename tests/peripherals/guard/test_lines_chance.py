"""Chance against real lines: errors, short circuits, other holders and chips that go, in any order."""

from __future__ import annotations

import errno
import random

import pytest

from edge.call import Output
from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.lines import LinesPlant
from edge.peripherals.guard.owned import GpioLine, Owned
from tests.support.boards import rounds

CHIP = "pinctrl-bcm2835"
NODE = "/dev/gpiochip0"
# name -> line, active low, safe
WIRED = {"pump": (17, False, False), "fan": (27, False, True), "valve": (22, True, False)}
OWNED = Owned(
    "lines",
    tuple(Output(name, name, f"GPIO{line}", safe=safe) for name, (line, _, safe) in WIRED.items()),
    (),
    tuple(GpioLine(name, "", str(line), low) for name, (line, low, _) in WIRED.items()),
)


class Story:
    """One run: what happens to the chip, what is asked of the plant, and what must be so after each step."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.model = Model("pi3", self.random.choice(("keep", "input")))
        self.plugged, self.now = True, 0.0
        self.stuck: set[int] = set()
        self.plant = LinesPlant(OWNED, self.model)
        self.asked = {name: float(safe) for name, (_, _, safe) in WIRED.items()}

    def step(self) -> None:
        self.random.choice((self.drive, self.drive, self.drive, self.retry, self.error, self.stick, self.plug))()
        self.now += self.random.choice((0.1, 0.6, 1.0))
        self.check()

    def drive(self) -> None:
        name = self.random.choice(tuple(WIRED))
        level = self.random.choice((0.0, 1.0))
        held = not self.plant.missing.get(name)
        try:
            self.plant.drive(name, level, self.now)
        except HardwareFault as fault:
            assert name in str(fault)
        else:
            assert held and self.plant.level(name, self.now) in (level, None)
        if held:
            self.asked[name] = level

    def retry(self) -> None:
        for name in self.plant.retry(self.now):
            self.asked[name] = float(WIRED[name][2])

    def error(self) -> None:
        what = self.random.choice(("SET_VALUES", "GET_VALUES", "GET_LINE", "GET_LINEINFO", "GET_CHIPINFO", "open"))
        number = self.random.choice((errno.EIO, errno.ENODEV, errno.EBUSY, errno.EACCES, errno.ENOMEM))
        self.model.fail(what, number, done=what == "SET_VALUES" and self.random.random() < 0.5)

    def stick(self) -> None:
        line = self.random.choice(tuple(WIRED.values()))[0]
        level = self.random.choice((None, None, False, True))
        self.model.stick(CHIP, line, level)
        self.stuck.discard(line)
        self.stuck.update([] if level is None else [line])

    def plug(self) -> None:
        if self.plugged:
            self.model.unplug(CHIP)
        else:
            self.model.mend()
            self.model.plug(CHIP)
            self.stuck.clear()
            if self.random.random() < 0.5:
                line = self.random.choice(tuple(WIRED.values()))[0]
                Chip(self.model, NODE).request(line, Settings("input"), "somebody")
        self.plugged = not self.plugged

    def check(self) -> None:
        """What is told is what the wire shows, and nothing was switched that was not asked for."""
        for name, (line, low, _) in WIRED.items():
            level = self.plant.level(name, self.now)
            if level is None or not self.plugged:
                continue
            assert self.model.outside(CHIP, line) is ((level == 1.0) != low)
            assert line in self.stuck or level == self.asked[name] or self.failed(name)

    def failed(self, name: str) -> bool:
        """Whether the last write to the line failed: then its state is not known to be what was asked."""
        line = WIRED[name][0]
        writes = [done for done in self.model.record if done.what == "SET_VALUES" and done.line == line]
        return bool(writes) and writes[-1].error != 0

    def end(self) -> None:
        if not self.plugged:
            self.plug()
        self.model.mend()
        for line in tuple(self.stuck):
            self.model.stick(CHIP, line, None)
        for second in (10.0, 11.0):  # a chip that went and came unnoticed is found gone by the first
            self.plant.retry(self.now + second)
        taken = {line for (path, line), name in self.model.holders().items() if path == NODE and name == "somebody"}
        held = {name for name in WIRED if name not in self.plant.missing}
        assert held == {name for name, (line, _, _) in WIRED.items() if line not in taken}
        before = len(self.model.record)
        self.plant.close()
        for name in held:
            line, low, safe = WIRED[name]
            levels = [
                done.value for done in self.model.record[before:] if done.line == line and done.what == "SET_VALUES"
            ]
            assert levels == [safe]
            if self.model.release == "keep":
                assert self.model.outside(CHIP, line) is (safe != low)
        assert not [name for name in self.model.holders().values() if name.startswith("fieldhand")]
        assert "SET_CONFIG" not in {done.what for done in self.model.record}


@pytest.mark.parametrize("part", range(4))
def test_what_is_told_is_what_the_wire_shows_whatever_happens(part: int) -> None:
    for turn in range(rounds(200)):
        story = Story(part * 100_000 + turn)
        for _ in range(60):
            story.step()
        story.end()
