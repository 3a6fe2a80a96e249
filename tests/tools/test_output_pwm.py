"""output_pwm: a level or a percent, for a time, only for outputs that have levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.faults import ToolFault, UsageFault
from edge.gate.policy import PRESETS
from edge.peripherals.gpiochip.model import Model
from edge.registry import find
from tests.support.lined import board, world
from tests.support.one_call import carry, judge


@pytest.mark.parametrize("how", [{"level": 0.4}, {"percent": 40}])
def test_a_level_is_driven_for_a_time(how: dict[str, Any], tmp_path: Path) -> None:
    guard = board()
    here = world(tmp_path, Model("pi3"), guard=guard)
    found = carry("output_pwm", {"name": "lamp", "for_seconds": 120, **how}, here)
    assert found.text == "lamp is at 40%, 2 min left, then it goes to its safe value by itself"
    assert guard.states()["lamp"]["level"] == 0.4
    assert "lamp: grow lamp, at 40%, " in carry("output_list", {}, here).text


def test_nothing_is_off_and_needs_no_lease(tmp_path: Path) -> None:
    guard = board()
    here = world(tmp_path, Model("pi3"), guard=guard)
    guard.set("lamp", True, 60.0, "c9", 0.5)
    assert carry("output_pwm", {"name": "lamp", "percent": 0}, here).text == "lamp is at 0%"
    assert guard.states()["lamp"]["state"] is False
    safe = {"name": "lamp", "percent": 0, "for_seconds": 7200}  # longer than it may be away from safe, which it is not
    assert find("output_pwm").words(safe, here.scene).endswith(" at 0%")
    assert find("output_pwm").words({"name": "lamp", "level": 0}, here.scene).endswith(" at 0%")
    assert carry("output_pwm", safe, world(tmp_path, Model("pi3"), guard=board())).text == "lamp is at 0%"


def test_a_level_that_reads_back_otherwise_is_told(tmp_path: Path) -> None:
    class Deaf:
        speed = 1.0

        def set(self, name: str, *asked: Any) -> dict[str, Any]:
            return {"name": name, "state": True, "left": 5.0, "max_on": 600.0, "level": 1.0}

    with pytest.raises(ToolFault, match="did not change to 40%: the board reads back 100%"):
        carry("output_pwm", {"name": "lamp", "percent": 40}, world(tmp_path, Model("pi3"), guard=Deaf()))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"name": "lamp"}, "a level or a percent"),
        ({"name": "lamp", "level": 0.1, "percent": 10}, "a level or a percent"),
        ({"name": "fan", "percent": 10}, "switched on and off"),
        ({"name": "lamp", "percent": 10, "for_seconds": 601}, "at most 10 min"),
        ({"name": "lamp", "level": 1.01}, "at most 1"),
        ({"name": "lamp", "percent": -1}, "at least 0"),
        ({"name": "lamp", "percent": 101}, "at most 100"),
    ],
)
def test_what_could_not_be_is_a_fault_before_anybody_is_asked(args: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=said):
        judge("output_pwm", args, world(tmp_path, Model("pi3")))


def test_the_person_is_told_level_and_time(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    words = find("output_pwm").words
    assert words({"name": "lamp", "percent": 40, "for_seconds": 60}, here.scene) == (
        "drive grow lamp (lamp, channel 0 of pwmchip0) at 40% for 1 min"
    )
    assert words({"name": "lamp", "level": 1}, here.scene).endswith("at 100% (at most 10 min)")
    found = [judge("output_pwm", {"name": "lamp", "percent": 40}, here, preset)[1] for preset in PRESETS]
    assert [one.verdict for one in found] == ["deny", "ask", "ask", "allow"]
    assert judge("output_pwm", {"name": "nothing", "percent": 4}, here, "full")[1].rule == "default.undeclared"
