"""output_set: on for a time, off, and the same the other way round for what is safe when on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.faults import HardwareFault, ToolFault, UsageFault
from edge.peripherals.gpiochip.model import Model
from edge.registry import find
from tests.support.lined import board, world
from tests.support.one_call import carry, judge


def test_on_for_a_time_and_off(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"), guard=board())
    text = carry("output_set", {"name": "pump", "state": True, "for_seconds": 120}, here).text
    assert text == "pump is on, 2 min left, then it goes off by itself"
    assert carry("output_set", {"name": "pump", "state": False}, world(tmp_path, Model("pi3"))).text == "pump is off"


def test_what_is_safe_when_on_is_off_for_a_time(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"), guard=board())
    assert carry("output_set", {"name": "valve", "state": True}, here).text == "valve is on"
    with pytest.raises(UsageFault, match="valve may be off for at most 10 min"):
        judge("output_set", {"name": "valve", "state": False, "for_seconds": 601}, here)
    words = find("output_set").words
    assert words({"name": "valve", "state": False, "for_seconds": 60}, here.scene) == (
        "switch drain valve (valve, GPIO5, physical pin 29) off for 1 min"
    )
    assert words({"name": "valve", "state": False}, here.scene).endswith("off (at most 10 min)")
    assert words({"name": "valve", "state": True, "for_seconds": 60}, here.scene).endswith("physical pin 29) on")


def test_the_person_is_told_the_line_and_the_physical_pin(tmp_path: Path) -> None:
    scene = world(tmp_path, Model("pi3")).scene
    words = find("output_set").words({"name": "pump", "state": True, "for_seconds": 300}, scene)
    assert words == "switch irrigation pump (pump, GPIO17, physical pin 11) on for 5 min"


@pytest.mark.parametrize(("state", "fault"), [(None, HardwareFault), (False, ToolFault)])
def test_what_is_read_back_otherwise_is_a_fault(state: Any, fault: type[Exception], tmp_path: Path) -> None:
    class Board:
        def set(self, name: str, *asked: Any) -> dict[str, Any]:
            return {"name": name, "state": state, "left": 0.0, "max_on": 600.0}

    with pytest.raises(fault, match="pump"):
        carry("output_set", {"name": "pump", "state": True}, world(tmp_path, Model("pi3"), guard=Board()))
