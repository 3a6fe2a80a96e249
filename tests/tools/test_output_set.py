"""output_set: on for a time, off, and the same the other way round for what is safe when on."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation, Scene
from edge.faults import HardwareFault, Refused, ToolFault, UsageFault
from edge.hands.world import World
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.inprocess import InProcessBoard
from edge.registry import find
from edge.tape.unkept import Unkept
from tests.support.boards import eventually
from tests.support.lined import board, world
from tests.support.one_call import carry, judge
from tests.support.worlds import yard


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


def test_what_its_contact_shows_as_not_obeying_is_a_fault_and_not_told_as_done(tmp_path: Path) -> None:
    plant = yard()
    guard = InProcessBoard(time.monotonic, 60.0, plant)
    scene = Scene(str(tmp_path), "", (), plant.sensors, plant.outputs)
    here = World(scene, Unkept(), lambda: guard)  # type: ignore[arg-type, return-value]
    guard.set("valve", True, None, "valve")

    ids = count(1)

    def ask(state: bool) -> Observation:
        return carry("output_set", {"name": "pump", "state": state}, here, call_id=f"c{next(ids)}")

    def switched() -> bool:
        """A pump counts as just stopped when its guard begins: it may be asked for a little later."""
        try:
            return ask(True).ok
        except Refused:
            return False

    eventually(switched, pause=0.1)
    assert ask(False).text == "pump is off"
    guard.adjust("pump", "dead")

    def told() -> str:
        try:
            return ask(True).text
        except Refused:
            return ""
        except HardwareFault as fault:
            return str(fault)

    assert "pump did not obey: " in eventually(told, pause=0.1)
