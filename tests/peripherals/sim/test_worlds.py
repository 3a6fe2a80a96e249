"""The shipped worlds, the yard above all: what a developer tries interlocks, feedback and the override with."""

from __future__ import annotations

import subprocess
import sys

import pytest

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import line
from edge.peripherals.sim import worlds
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from tests.support.boards import ROOT
from tests.support.worlds import value, yard


def test_the_default_is_the_greenhouse():
    assert worlds.text("") == worlds.text("greenhouse") == ""
    assert worlds.declared("") == (OUTPUTS, SENSORS)
    assert worlds.sim_board("").circuit.name == ""


@pytest.mark.parametrize("name", ["farm", "Yard", "../yard", "yard "])
def test_a_world_that_is_not_shipped_is_said_with_those_that_are(name):
    with pytest.raises(ValueError, match="greenhouse, yard"):
        worlds.text(name)


@pytest.mark.parametrize("text", ["x", "{", "[]", "3", '{"sim":3}', "{}}"])
def test_what_is_no_description_is_a_sentence(text):
    with pytest.raises(ValueError):
        worlds.sim_board(text)


def test_the_yard_declares_what_can_be_tried():
    outputs, sensors = worlds.declared(worlds.text("yard"))
    by_name = {output.name: output for output in outputs}
    assert by_name["pump"].interlock == ("tank_level > 5", "valve")
    assert (by_name["pump"].feedback, by_name["pump"].override) == ("pump_feedback", "wall_switch")
    assert by_name["heater"].pwm
    contacts = {sensor.name: sensor.states for sensor in sensors if sensor.states}
    assert contacts == {
        **{"door": ("closed", "open"), "wall_switch": ("off", "stop")},
        **{"pump_feedback": ("open", "closed")},
    }
    words = [word for thing in (*outputs, *sensors) for word in thing.words]
    assert len(set(words)) == len(words)
    names = [thing.name for thing in (*outputs, *sensors)]
    assert len(set(names)) == len(names)


def test_the_pump_empties_the_tank_and_waters_the_bed():
    board = yard()
    soil = value(board, "soil_moisture")
    board.drive("pump", 1.0, board.now)
    assert value(board, "pump_feedback") == 0.0  # the contact takes a moment
    assert value(board, "pump_feedback", 0.1) == 1.0
    assert value(board, "tank_level", 600.0) == pytest.approx(40.0 - 12.0 * 10.0 / 5.0, abs=0.5)
    assert value(board, "soil_moisture", 600.0) > soil + 10.0


def test_a_relay_that_sticks_is_seen_by_its_contact_and_not_by_the_line():
    board = yard()
    board.drive("pump", 1.0, board.now)
    board.advance(board.now + 10.0)
    assert board.adjust("pump", "stuck", board.now) == "the relay of pump is stuck, its contact stays closed"
    board.drive("pump", 0.0, board.now + 1.0)
    assert board.level("pump", board.now) == 0.0
    assert board.sense("pump_feedback", board.now + 5.0).value == 1.0
    before = board.truth("tank_level")
    board.advance(board.now + 60.0)
    assert board.truth("tank_level") < before - 1.0
    board.adjust("pump", "ok", board.now)
    assert board.sense("pump_feedback", board.now).value == 0.0


def test_a_feedback_contact_that_is_stuck_contradicts_the_relay():
    board = yard()
    assert board.adjust("pump_feedback", "stuck", board.now) == "sensor pump_feedback is stuck"
    board.drive("pump", 1.0, board.now)
    assert board.sense("pump_feedback", board.now + 5.0).value == 0.0


def test_a_driver_that_does_not_answer_takes_nothing_and_cannot_be_read_back():
    board = yard()
    board.adjust("pump", "nak", board.now)
    with pytest.raises(
        HardwareFault, match=r"pump did not take its value \(sim relay 2 does not answer\).*sim set pump ok"
    ):
        board.drive("pump", 1.0, board.now)
    assert board.level("pump", board.now) is None
    board.adjust("pump", "ok", board.now)
    assert board.level("pump", board.now) == 0.0


def test_a_level_is_held_and_read_back():
    board = yard()
    board.drive("heater", 0.45, board.now)
    assert board.level("heater", board.now) == 0.45


def test_the_door_is_opened_by_hand_and_answers_at_once():
    board = yard()
    assert board.adjust("door", "open", board.now) == "door is open"
    reading = board.sense("door", board.now)
    assert (reading.value, reading.unit, reading.age, reading.quality) == (1.0, "", 0.0, "ok")
    assert {row["name"]: row.get("word") for row in board.shown(board.now)}["door"] == "open"


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        ("door", "ajar", "'ajar' is no state of door .*closed, open or ok, nak"),
        ("pump_feedback", "closed", "pump_feedback cannot be set to closed .*contact of pump: sim set pump stuck"),
        ("tank_level", "101", "tank_level cannot be 101 % .*from 0 to 100"),
        ("rain", "3", "rain cannot be set to 3 .*cannot be moved"),
        ("pump", "on", "pump is an output: only the guard .*its relay takes ok, stuck, dead, nak"),
        ("temperature", "jump", "temperature cannot be 'jump': jump needs a number"),
        ("temperature", "nak=x", "nak needs a count"),
        ("well", "3", "no sensor 'well' .*door, wall_switch"),
    ],
)
def test_what_cannot_be_set_is_said(name, word, sentence):
    board = yard()
    with pytest.raises(UsageFault, match=sentence):
        board.adjust(name, word, board.now)


def test_the_tank_can_be_set_and_is_told():
    board = yard()
    assert board.adjust("tank_level", "3", board.now) == "tank_level is 3 %"
    assert board.told(board.now) == {
        **{"world": "yard", "relays": {}, "coming": []},
        "tanks": [{"name": "tank", "level": 3.0, "litres": 15.0, "volume": 500.0}],
    }


def test_looking_uses_up_no_reading_and_reading_does():
    board = yard()
    board.adjust("rain", "nak=2", board.now)
    for _ in range(5):
        assert {row["name"]: row["mode"] for row in board.shown(board.now)}["rain"] == "nak=2"
    assert [board.sense("rain", board.now).quality for _ in range(2)] == ["ok", "ok"]
    with pytest.raises(HardwareFault):
        board.sense("rain", board.now)


def test_what_is_kept_is_restored_with_every_output_safe():
    board = yard()
    board.drive("pump", 1.0, board.now)
    board.advance(board.now + 100.0)
    for name, word in (("door", "open"), ("pump", "stuck"), ("temperature", "drift=2"), ("tank_level", "70")):
        board.adjust(name, word, board.now)
    again = yard(line.read(line.write(board.kept())))
    assert (again.circuit.world, again.circuit.active, again.parts) == (
        *(board.circuit.world, board.circuit.active),
        board.parts,
    )
    assert (again.left_on, again.on["pump"], again.relays["pump"].mode) == (("pump",), False, "stuck")
    assert again.sense("pump_feedback", again.now).value == 1.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"litres": {}}, "another description"),
        ({"active": {"gate": 1.0}}, "another description"),
        ({"air": {}}, "its air is no number"),
        ({"litres": {"tank": None}}, "its tank is no number"),
        ({"litres": 3}, "its litres are not complete"),
        ({"more": 3}, "its world is not complete"),
    ],
)
def test_a_state_of_another_world_is_refused(change, sentence):
    kept = yard().kept()
    kept["world"].update(change)
    with pytest.raises(ValueError, match=sentence):
        yard(kept)
    with pytest.raises(ValueError, match="its climate is not complete"):
        worlds.sim_board("", kept)


@pytest.mark.parametrize("held", [-0.5, 1.5, None])
def test_a_relay_that_cannot_be_is_refused(held):
    with pytest.raises(ValueError, match=r"neither open nor closed|no number"):
        yard({**yard().kept(), "relays": {"pump": ["stuck", held]}})


def test_the_greenhouse_loads_nothing_of_other_worlds():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from edge.peripherals.sim.worlds import sim_board\n"
        "sim_board('').sense('temperature', 60000.0)\n"
        "print(*[name for name in sys.modules if name.startswith('edge.peripherals.sim.')])\n"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code, str(ROOT)], capture_output=True, text=True, check=True)
    assert {name.rpartition(".")[2] for name in ran.stdout.split()} == {
        *("board", "declare", "default", "greenhouse", "parts", "relays", "worlds")
    }
