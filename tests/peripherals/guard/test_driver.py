from __future__ import annotations

import pytest

from edge.call import Output
from edge.peripherals.guard.leases import FOREVER
from tests.support.benches import Bench, Clock, Guard, Rig

FAN = Output("fan", "fan", "relay 1", max_on=600.0)
PUMP = Output("pump", "pump", "relay 2", max_on=60.0, min_off=10.0)
HEATER = Output("heater", "heater", "pwm 0", max_on=60.0, pwm=True)
DOOR = Output("door", "door magnet", "relay 5", safe=True, max_on=60.0, on_start="hold")


@pytest.fixture
def rig():
    rig = Rig((FAN, PUMP, HEATER, DOOR))
    rig.pass_(10.0)
    return rig


def test_a_drive_that_fails_is_the_reply_and_is_not_done_again(rig):
    rig.plant.dead.add("fan")
    reply = rig.set("fan", call="c1")
    assert (reply["kind"], reply["error"]) == ("hardware", "the line of fan did not answer")
    assert rig.plant.tried == [("fan", 1.0), ("fan", 0.0)]
    assert rig.whys("fan") == ["fault the line of fan did not answer"]
    rig.plant.dead.clear()
    rig.pass_(5.0)
    again = rig.set("fan", call="c1")
    assert (again["kind"], again["error"]) == ("hardware", "the line of fan did not answer")
    assert rig.plant.driven == [("fan", 0.0)]
    rig.on("fan")


def test_what_is_known_after_a_failed_drive_is_what_is_read_back(rig):
    rig.plant.dead.add("fan")
    rig.set("fan")
    assert rig.row("fan")["state"] is False
    rig.plant.blind.add("fan")
    assert rig.row("fan") == {**rig.row("fan"), "state": None, "level": None}
    rig.plant.blind.clear()
    rig.plant.bent["fan"] = 1.0
    assert rig.row("fan")["state"] is None  # in a fault, and it reads back something else


def test_what_reads_back_away_from_safe_without_a_lease_is_said_and_driven_for_whoever_asks(rig):
    rig.plant.levels["fan"] = 1.0  # another program wrote to it
    said = "fan was driven to 0 and reads back 1"
    assert rig.row("fan") == {**rig.row("fan"), "state": True, "left": None, "fault": said}
    assert rig.on("fan", state=False)["state"] is False
    assert rig.plant.driven == [("fan", 0.0)]
    assert rig.row("fan") == {**rig.row("fan"), "state": False, "fault": ""}


def test_what_reads_back_otherwise_than_its_lease_says_is_said(rig):
    rig.on("heater", level=0.5)
    rig.plant.levels["heater"] = 0.9
    assert rig.row("heater")["fault"] == "heater was driven to 0.5 and reads back 0.9"
    assert rig.row("heater")["level"] == 0.9


def test_a_safe_drive_that_fails_is_tried_again_and_told_once(rig):
    rig.on("fan", seconds=5.0)
    rig.plant.dead.add("fan")
    rig.pass_(7.0)
    assert len(rig.plant.tried) > 8
    assert rig.whys("fan") == ["set", "fault the line of fan did not answer"]
    assert rig.row("fan") == {**rig.row("fan"), "state": None, "left": None, "fault": "the line of fan did not answer"}
    reply = rig.set("fan")
    assert reply["kind"] == "hardware"
    assert "the state of fan is unknown" in reply["error"]
    rig.plant.dead.clear()
    rig.pass_(0.25)
    assert rig.plant.driven[-1] == ("fan", 0.0)
    assert rig.whys("fan")[2:] == ["lease ended", "cleared fan obeys again"]
    assert rig.row("fan") == {**rig.row("fan"), "state": False, "fault": ""}
    rig.on("fan")


def test_a_safe_drive_that_fails_is_the_reply_of_whoever_asked(rig):
    rig.on("fan")
    rig.plant.dead.add("fan")
    reply = rig.set("fan", state=False)
    assert reply["kind"] == "hardware"
    assert "the state of fan is unknown" in reply["error"]
    rig.plant.dead.clear()
    assert rig.on("fan", state=False)["state"] is False
    assert rig.whys("fan")[-1] == "cleared fan obeys again"


def test_the_rest_begins_when_it_really_became_safe(rig):
    rig.on("pump", seconds=5.0)
    rig.plant.dead.add("pump")
    rig.pass_(30.0)
    rig.plant.dead.clear()
    rig.pass_(1.0)
    rig.refused("pump", "guard.min_off")


def test_a_fault_never_says_that_it_is_safe(rig):
    rig.on("fan")
    rig.plant.dead.add("fan")
    rig.guard.make_safe("agent gone", rig.now)
    note = rig.guard.take()[-1]
    assert (note.kind, note.state) == ("fault", True)


def test_a_level_that_reads_back_otherwise_is_a_failed_drive(rig):
    rig.plant.bent["fan"] = 0.0
    reply = rig.set("fan")
    assert reply["error"] == "fan was driven to 1 and reads back 0"
    assert rig.plant.driven[-1] == ("fan", 0.0)
    assert rig.row("fan")["left"] is None


def test_a_level_that_cannot_be_read_back_is_unknown(rig):
    rig.plant.blind.add("fan")
    assert rig.on("fan")["state"] is None
    rig.on("fan", state=False)


def test_levels_are_driven_and_read_back(rig):
    assert rig.on("heater", level=0.25)["level"] == 0.25
    assert rig.on("heater", level=0.5)["level"] == 0.5
    rig.plant.bent["heater"] = 0.7504
    assert rig.on("heater", level=0.75) == {**rig.set("heater", level=0.75), "level": 0.7504, "state": True}
    assert rig.plant.driven[:3] == [("heater", 0.25), ("heater", 0.5), ("heater", 0.75)]
    del rig.plant.bent["heater"]
    rig.note()
    assert [note.level for note in rig.record][:2] == [0.25, 0.5]
    assert rig.set("fan", level=0.5)["kind"] == "usage"
    rig.pass_(60.0)
    assert rig.plant.driven[-1] == ("heater", 0.0)


def test_what_is_found_on_at_the_start_is_made_safe_or_held_for_its_longest_time():
    bench = Bench((FAN, DOOR))
    bench.levels = {"fan": 1.0, "door": 0.0}
    guard = Guard(bench, Clock(0.0, 0.0, 1.0))
    assert bench.driven == [("fan", 0.0)]
    assert [(note.name, note.why) for note in guard.take()] == [("fan", "board started anew")]
    row = guard.states(0.0)["door"]
    assert (row["state"], row["left"], row["owner"]) == (False, 60.0, "")
    assert guard.wake() == 60.0
    guard.tick(60.0)
    assert bench.driven[-1] == ("door", 1.0)
    assert guard.wake() == FOREVER


def test_the_least_level_at_the_start_is_not_off():
    lamp = Output("lamp", "lamp", "pwm 1", max_on=60.0, pwm=True, on_start="hold")
    bench = Bench((HEATER, lamp))
    bench.levels.update(heater=0.004, lamp=0.004)
    guard = Guard(bench, Clock(0.0, 0.0, 1.0))
    assert bench.levels == {"heater": 0.0, "lamp": 0.004}
    assert guard.wake() == 60.0
    guard.tick(60.0)
    assert bench.levels["lamp"] == 0.0


def test_an_output_that_shows_a_little_was_not_driven_off(rig):
    rig.set("heater", level=0.5)
    rig.plant.bent["heater"] = 0.004
    assert rig.set("heater", state=False)["kind"] == "hardware"
    del rig.plant.bent["heater"]
    assert rig.on("heater", state=False)["state"] is False


def test_what_cannot_be_made_safe_at_the_start_is_tried_again():
    bench = Bench((FAN,))
    bench.levels["fan"] = 1.0
    bench.dead.add("fan")
    guard = Guard(bench, Clock(0.0, 0.0, 1.0))
    assert [(note.kind, note.state) for note in guard.take()] == [("fault", True)]
    bench.dead.clear()
    guard.tick(guard.wake())
    assert bench.driven == [("fan", 0.0)]


def test_an_output_whose_level_nobody_knows_is_left_alone_at_the_start():
    bench = Bench((FAN,))
    bench.blind.add("fan")
    guard = Guard(bench, Clock(0.0, 0.0, 1.0))
    assert bench.tried == []
    assert guard.states(0.0)["fan"]["state"] is None


def test_safe_all_drives_what_reads_back_otherwise(rig):
    rig.on("heater", level=0.5)
    rig.plant.levels["fan"] = 1.0
    states = rig.guard.safe_all(rig.now)
    assert {name: row["state"] for name, row in states.items()} == {
        "fan": False,
        "pump": False,
        "heater": False,
        "door": True,
    }
    assert rig.plant.driven[1:] == [("heater", 0.0), ("fan", 0.0)]
