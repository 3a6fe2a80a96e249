from __future__ import annotations

import pytest

from edge.call import Output, Reading, Sensor
from tests.support.benches import Rig

TANK = Sensor("tank", "tank level", "%", "probe")
SPARE = Sensor("spare", "tank level", "%", "probe 2")
FAN = Output("fan", "fan", "relay 1", max_on=600.0)
VALVE = Output("valve", "valve", "relay 3", max_on=60.0)
PUMP = Output("pump", "pump", "relay 2", max_on=600.0, interlock=("tank > 10", "valve or fan"), max_age=10.0)
UP = Output("up", "shutter up", "relay 6", interlock=("not down",))
DOWN = Output("down", "shutter down", "relay 7", interlock=("not up",))
DOSER = Output("doser", "doser", "relay 8", interlock=("tank > 10", "spare < 90", "agree(tank, spare, 5)"))


@pytest.fixture
def rig():
    rig = Rig((FAN, VALVE, PUMP, UP, DOWN, DOSER), (TANK, SPARE))
    rig.plant.values.update(tank=50.0, spare=50.0)
    return rig


def tank(value=50.0, quality="ok", age=0.0):
    return Reading("tank", value, "%", quality, age, "bench")


BAD = {
    "failed": (None, "sensor tank did not acknowledge"),
    "stale": (tank(quality="stale"), "the reading of tank is stale"),
    "suspect": (tank(quality="suspect"), "the reading of tank is suspect"),
    "fault": (tank(quality="fault"), "the reading of tank is fault"),
    "empty": (tank(value=None), "the reading of tank is no number"),
    "old": (tank(age=11.0), "the reading of tank is 11 s old, 10 s at most are allowed"),
    "low": (8.0, "8 %"),
}


@pytest.mark.parametrize(("value", "said"), BAD.values(), ids=list(BAD))
def test_what_does_not_hold_is_refused_before_anything_is_driven(rig, value, said):
    rig.on("valve")
    rig.plant.values["tank"] = value
    assert rig.refused("pump", "guard.interlock") == f"pump may not be switched: tank > 10 does not hold: {said}"


@pytest.mark.parametrize(("value", "said"), BAD.values(), ids=list(BAD))
def test_what_holds_no_longer_makes_it_safe_within_a_look(rig, value, said):
    rig.on("valve")
    rig.on("pump")
    rig.pass_(10.0)
    rig.plant.values["tank"] = value
    rig.pass_(0.2)
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert rig.whys("pump")[-1] == f"interlock: tank > 10 does not hold: {said}"
    assert rig.guard.events(rig.record[-1:], "a") == [
        {"event": "off", "name": "pump", "state": False, "why": rig.whys("pump")[-1]}
    ]


def test_an_output_that_another_needs_takes_it_along_at_once(rig):
    rig.on("valve", seconds=2.0)
    rig.on("pump", seconds=60.0)
    rig.now = 2.0
    rig.guard.tick(2.0)
    assert rig.plant.driven[-2:] == [("valve", 0.0), ("pump", 0.0)]
    rig.note()
    assert rig.record[-1].at == 2.0
    assert rig.whys("pump")[-1] == "interlock: valve or fan does not hold: valve off, fan off"


def test_two_that_exclude_each_other_are_never_both_on(rig):
    rig.on("up")
    rig.refused("down", "guard.interlock")
    rig.on("up", state=False)
    rig.on("down", owner="b")
    rig.refused("up", "guard.interlock")


def test_sensors_that_contradict_each_other_do_not_hold(rig):
    rig.on("doser")
    rig.plant.values.update(tank=95.0, spare=5.0)  # each of the two alone would do
    rig.pass_(0.2)
    assert rig.whys("doser")[-1] == "interlock: agree(tank, spare, 5) does not hold: tank 95 %, spare 5 %"
    assert "agree" in rig.refused("doser", "guard.interlock")
    rig.plant.values.update(tank=95.0, spare=95.0)
    assert "spare < 90" in rig.refused("doser", "guard.interlock")


def test_a_condition_is_judged_again_immediately_before_the_drive(rig):
    rig.on("valve")
    values = [50.0, 5.0]
    rig.plant.values["tank"] = lambda: values.pop(0)
    assert "5 %" in rig.refused("pump", "guard.interlock")
    assert values == []


def test_a_renewal_that_does_not_hold_is_refused_and_makes_it_safe(rig):
    rig.on("valve")
    rig.on("pump", seconds=60.0)
    rig.guard.tick(rig.now)
    rig.plant.values["tank"] = 5.0
    assert rig.guard.wake() > rig.now  # no look is due
    assert rig.set("pump", seconds=30.0)["rule"] == "guard.interlock"
    assert rig.row("pump")["state"] is False


def test_a_sensor_is_read_once_in_each_look_and_not_at_all_when_nothing_depends_on_it(rig):
    rig.pass_(60.0)
    assert rig.plant.reads == {}
    rig.on("valve", seconds=60.0)
    rig.on("pump")
    rig.on("doser")
    rig.guard.tick(rig.now)  # the look that follows each drive
    before = rig.plant.reads["tank"]
    rig.pass_(10.0)
    assert 49 <= rig.plant.reads["tank"] - before <= 51  # five a second


def test_a_condition_that_is_none_never_holds():
    rig = Rig((Output("pump", "pump", "relay 2", interlock=("tank >",)),), (TANK,))
    assert "tank > is no condition" in rig.refused("pump", "guard.interlock")


def test_the_sensor_comes_back_and_it_may_be_switched_again(rig):
    rig.on("valve")
    rig.on("pump")
    rig.plant.values["tank"] = None
    rig.pass_(1.0)
    rig.plant.values["tank"] = 50.0
    rig.pass_(1.0)
    assert rig.row("pump")["state"] is False  # not by itself
    rig.on("pump")


def test_what_another_output_needs_is_looked_at_again_without_waiting(rig):
    rig.on("valve")
    rig.on("pump")
    rig.pass_(1.0)
    assert rig.guard.wake() > rig.now
    rig.on("valve", state=False)
    assert rig.guard.wake() == rig.now
    rig.guard.tick(rig.now)
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert rig.guard.wake() > rig.now
