"""gpio_write: lab lines only, high risk, by the guard and for a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.call import Gpio
from edge.faults import UsageFault
from edge.gate.policy import PRESETS
from edge.peripherals.gpiochip.model import Model
from edge.registry import find
from tests.support.lined import board, world
from tests.support.one_call import carry, judge

HIGH: dict[str, Any] = {"line": "22", "value": True, "for_seconds": 5}


def test_the_guard_drives_the_line_and_holds_the_lease(tmp_path: Path) -> None:
    model, guard = Model("pi3"), board()
    here = world(tmp_path, model, guard=guard)
    before = len(model.record)
    found = carry("gpio_write", HIGH, here)
    assert found.text == "GPIO22 (physical pin 15) is driven high, 5 s left, then it goes low by itself"
    assert guard.states()["GPIO22"]["state"] is True and guard.record[-1].call == "c1"
    here.close()
    assert len(model.record) == before and guard.record[-1].state is False
    assert carry("gpio_write", {"line": "pin 15", "value": False}, world(tmp_path, model)).text.endswith("driven low")


def test_it_is_high_risk_in_every_preset(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    found = [judge("gpio_write", HIGH, here, preset)[1] for preset in PRESETS]
    assert [one.verdict for one in found] == ["deny", "deny", "ask", "allow"]
    assert {(one.risk, one.rule) for one in found} == {("high", "line.lab")}
    assert found[2].sentence == "drives the line GPIO22 (physical pin 15) high for 5 s"


@pytest.mark.parametrize("line", ["GPIO24", "GPIO2", "GPIO17", "pump", "door", "14", "GPIO47"])
def test_no_other_line_is_driven_whoever_allows_it(line: str, tmp_path: Path) -> None:
    decision = judge("gpio_write", {**HIGH, "line": line}, world(tmp_path, Model("pi3")), "full")[1]
    assert (decision.verdict, decision.rule) == ("deny", "line.not-lab") and "output_set" in decision.sentence
    plain = world(tmp_path, Model("pi3"), Gpio(lines=("GPIO22",)))
    assert judge("gpio_write", HIGH, plain, "full")[1].rule == "line.not-lab"


def test_a_refusal_says_what_is_wired_there_and_no_more(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    said = [judge("gpio_write", {**HIGH, "line": line}, here, "full")[1].sentence for line in ("17", "pump", "24")]
    starts = (
        "GPIO17 (physical pin 11), the line of the output pump, is no",
        "pump is no",
        "GPIO24 (physical pin 18) is no",
    )
    assert all(one.startswith(f"{start} lab line: ") for one, start in zip(said, starts))


def test_too_long_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    with pytest.raises(UsageFault, match="at most 10 min"):
        judge("gpio_write", {**HIGH, "for_seconds": 601}, here)
    with pytest.raises(UsageFault, match="there is no line GPIO278"):
        judge("gpio_write", {**HIGH, "line": "278"}, here)


def test_the_person_is_told_line_pin_level_and_time(tmp_path: Path) -> None:
    tool, scene = find("gpio_write"), world(tmp_path, Model("pi3")).scene
    assert tool.words(HIGH, scene) == "drive the lab line GPIO22 (physical pin 15) high for 5 s"
    open_ended = tool.words({"line": "22", "value": True}, scene)
    assert open_ended == "drive the lab line GPIO22 (physical pin 15) high (at most 10 min)"
    assert tool.words({"line": "22", "value": False}, scene) == "drive the lab line GPIO22 (physical pin 15) low"


def test_the_person_is_told_what_else_the_line_is_for(tmp_path: Path) -> None:
    tool = find("gpio_write")
    lab = tuple([f"GPIO{number}" for number in (0, 1, 2, 3, 14, 15, 4, 27)])
    scene = world(tmp_path, Model("pi3"), Gpio(lines=lab, lab=lab)).scene
    said = {name: tool.words({"line": name, "value": False}, scene) for name in lab}
    assert said["GPIO4"].endswith("(physical pin 7) low") and said["GPIO27"].endswith("(physical pin 13) low")
    assert said["GPIO0"].endswith(
        "low; GPIO0 belongs to the ID EEPROM of a board on top, which other traffic there can destroy"
    )
    assert "GPIO3 is the I2C bus" in said["GPIO3"] and "GPIO15 is the serial port" in said["GPIO15"]
    other = world(tmp_path, Model("generic"), Gpio(lines=lab, lab=lab, header="")).scene
    assert tool.words({"line": "GPIO0", "value": False}, other) == "drive the lab line GPIO0 low"
