"""gpio_read: a free line tells its level, all else is told by who holds it; nothing is ever changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.call import Effect, Gpio, Observation
from edge.faults import UsageFault
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.registry import find
from tests.support.lined import CHIP, board, world
from tests.support.one_call import carry, judge


def read(line: Any, here: Any) -> Observation:
    return carry("gpio_read", {"line": line}, here, "readonly")


def test_a_free_line_tells_its_level_in_any_spelling(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    model.pull(CHIP, "GPIO24", True)
    for spelled in ("GPIO24", "24", 24, "pin 18", "bcm24"):
        found = read(spelled, here)
        assert found.text == "GPIO24 (physical pin 18) is high (1): an input that nobody holds", spelled
        assert found.data is not None and found.data["value"] is True


def test_a_held_line_is_told_with_its_holder_and_without_a_value(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    request = Chip(model, model.chips()[0]).request(24, Settings("output", True), "w1")
    found = read("GPIO24", here)
    assert found.untrusted  # any program calls itself what it likes
    assert found.text == 'GPIO24 (physical pin 18) is an output, held by "w1"; only who holds it knows its value'
    request.close()
    left = read("GPIO24", here)
    assert not left.untrusted
    assert "an output that nobody holds" in left.text and left.data is not None and left.data["value"] is None
    assert model.outside(CHIP, "GPIO24") is True


def test_what_is_declared_is_asked_of_the_guard_and_the_line_is_not_touched(tmp_path: Path) -> None:
    model, guard = Model("pi3"), board()
    here = world(tmp_path, model, guard=guard)
    before = len(model.record)
    guard.set("pump", True, 60.0, "c9")
    for spelled in ("pump", "GPIO17", "pin 11"):
        assert read(spelled, here).text.startswith("pump: irrigation pump, on, ")
    for spelled in ("door", "GPIO27"):
        found = read(spelled, here)
        assert found.text.startswith("door closed (0) (ok, ") and found.data is not None
        assert (found.data["state"], found.data["value"]) == ("closed", 0.0)
    assert len(model.record) == before


def test_a_lab_line_is_a_line_until_the_guard_drives_it(tmp_path: Path) -> None:
    model, guard = Model("pi3"), board()
    here = world(tmp_path, model, guard=guard)
    assert "is low (0)" in read("GPIO22", here).text
    request = Chip(model, model.chips()[0]).request(22, Settings("output", True), "fieldhand:GPIO22")
    guard.set("GPIO22", True, 60.0, "c9")
    found = read("GPIO22", here)
    assert found.text.startswith("GPIO22: lab line GPIO22, on, ") and found.text.endswith("the guard holds it")
    request.close()


@pytest.mark.parametrize(
    "line", ["GPIO0", "1", "GPIO3", "14", "pin 10", "GPIO28", "47", "ID_SDA", "SD_CLK_R", "STATUS_LED"]
)
def test_other_lines_are_denied_and_nothing_is_asked(line: str, tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    before = len(model.record)
    decision = judge("gpio_read", {"line": line}, here, "full")[1]
    assert (decision.verdict, decision.rule) == ("deny", "sense.line-own")
    assert "GPIO4 to GPIO27" in decision.sentence and len(model.record) == before
    named = world(tmp_path, model, Gpio(lines=(find("gpio_read").effects({"line": line}, here.scene)[0].on[5:],)))
    assert judge("gpio_read", {"line": line}, named)[1].verdict == "allow"


@pytest.mark.parametrize("line", [273, 256, "273", "GPIO273", -1, 58, "10000000000"])
def test_a_number_out_of_range_is_a_fault_and_not_its_last_eight_bits(line: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="there is no line GPIO"):
        judge("gpio_read", {"line": line}, world(tmp_path, Model("pi3")))


def test_words_and_effects_say_what_is_looked_at(tmp_path: Path) -> None:
    tool, scene = find("gpio_read"), world(tmp_path, Model("pi3")).scene
    assert tool.words({"line": "24"}, scene) == "look at the line GPIO24 (physical pin 18)"
    assert tool.words({"line": "17"}, scene) == "look at the output pump"
    assert tool.effects({"line": "pin 13"}, scene) == (Effect("sense", "sensor:door"),)
    assert tool.effects({"line": "GPIO22"}, scene) == (Effect("sense", "line:GPIO22"), Effect("list", "output:all"))
