"""output_list: what the guard tells of each output: state, lease, owner, fault, override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edge.peripherals.gpiochip.model import Model
from edge.record import replace
from tests.support.lined import board, world
from tests.support.one_call import carry


def lines(here: Any) -> dict[str, str]:
    return {line.partition(":")[0]: line for line in carry("output_list", {}, here, "readonly").text.splitlines()}


def test_state_lease_and_limits_stand_in_one_line_each(tmp_path: Path) -> None:
    guard = board()
    here = world(tmp_path, Model("pi3"), guard=guard)
    first = lines(here)
    assert first["fan"] == "fan: exhaust fan, relay 1, off, at most 3600 s on, risk medium"
    assert first["valve"] == "valve: drain valve, on, at most 600 s off, risk medium"
    assert first["GPIO22"] == "GPIO22: lab line GPIO22, off, at most 600 s on, risk high"
    guard.set("pump", True, 300.0, "c9")
    found = carry("output_list", {}, here)
    assert "pump: irrigation pump, on, " in found.text and " s left, " in found.text
    assert found.data is not None
    rows = {row["name"]: row for row in found.data["outputs"]}
    assert rows["pump"]["state"] is True and 0 < rows["pump"]["left"] <= 300 and rows["fan"]["left"] is None


def test_who_holds_an_output_is_named(tmp_path: Path) -> None:
    guard = board()
    guard.share("night watch").set("pump", True, 300.0, "n1")
    found = carry("output_list", {}, world(tmp_path, Model("pi3"), guard=guard))
    assert "held by night watch" in found.text and found.data is not None
    assert {row["name"]: row.get("owner") for row in found.data["outputs"]}["pump"] == "night watch"


def test_a_hand_on_an_output_and_a_fault_are_told(tmp_path: Path) -> None:
    guard = board()
    here = world(tmp_path, Model("pi3"), guard=guard)
    guard.override("fan", "off")
    assert "; override: " in lines(here)["fan"]
    guard.plant.relays["pump"] = replace(guard.plant.relays["pump"], mode="nak")  # type: ignore[attr-defined]
    assert lines(here)["pump"].startswith("pump: irrigation pump, unknown, ")


def test_a_lab_line_that_nobody_wrote_yet_is_not_driven(tmp_path: Path) -> None:
    class Board:
        def states(self) -> dict[str, Any]:
            return {"GPIO22": {"state": None, "fault": ""}, "fan": {"state": None, "fault": ""}}

    found = lines(world(tmp_path, Model("pi3"), guard=Board()))
    assert found["GPIO22"] == "GPIO22: lab line GPIO22, not driven yet, at most 600 s on, risk high"
    assert ", unknown, " in found["fan"]


def test_a_board_without_outputs_says_so(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    here.scene = replace(here.scene, outputs=())
    assert carry("output_list", {}, here).text == "the board declares no outputs"
