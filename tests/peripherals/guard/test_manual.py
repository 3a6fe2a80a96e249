from __future__ import annotations

import pytest

from edge.call import Output, Reading, Sensor
from edge.faults import UsageFault
from edge.peripherals.guard.leases import FOREVER
from tests.support.benches import Rig

KEY = Sensor("key", "key switch", "", "line 6")
TANK = Sensor("tank", "tank level", "%", "probe")
PUMP = Output(
    "pump", "pump", "relay 2", max_on=60.0, min_off=10.0, override="key", interlock=("tank > 10",), max_per_hour=2
)
FAN = Output("fan", "fan", "relay 1", max_on=600.0)


@pytest.fixture
def rig():
    rig = Rig((PUMP, FAN), (KEY, TANK))
    rig.plant.values["tank"] = 50.0
    rig.pass_(10.0)
    return rig


def word(rig, name, said):
    rig.guard.override(name, said, rig.now)
    rig.note()


def test_a_contact_holds_its_output_safe(rig):
    rig.on("pump")
    rig.plant.values["key"] = 1.0
    rig.pass_(0.25)
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert rig.whys("pump") == ["set", "override held safe by key", "override: held safe by key"]
    rig.pass_(20.0)
    assert rig.refused("pump", "guard.override") == "pump is held safe by key"
    assert rig.row("pump")["override"] == "held safe by key"
    assert rig.on("pump", state=False)["state"] is False
    rig.plant.values["key"] = 0.0
    assert rig.row("pump")["override"] == ""
    rig.on("pump")
    rig.pass_(2.5)
    assert rig.whys("pump")[-2:] == ["set", "override it is not held by hand any more"]
    assert rig.row("pump")["state"] is True


def test_a_contact_is_looked_at_when_somebody_asks(rig):
    rig.plant.values["key"] = 1.0
    rig.refused("pump", "guard.override")


@pytest.mark.parametrize("value", [None, Reading("key", 0.0, "", "stale", 99.0, "bench")])
def test_a_contact_that_cannot_be_read_holds_safe(rig, value):
    rig.on("pump")
    rig.plant.values["key"] = value
    rig.pass_(0.25)
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert "held safe: " in rig.refused("pump", "guard.override")


def test_how_old_a_reading_is_is_no_news(rig):
    for age in range(20, 60):
        rig.plant.values["key"] = Reading("key", 0.0, "", "ok", float(age), "bench")
        rig.pass_(2.0)
    assert len(rig.whys("pump")) == 1


def test_a_word_holds_safe_and_is_lifted(rig):
    rig.on("fan")
    word(rig, "fan", "safe")
    assert rig.whys("fan") == ["set", "override held safe by hand", "override: held safe by hand"]
    rig.refused("fan", "guard.override")
    word(rig, "fan", "safe")
    word(rig, "fan", "")
    assert len(rig.whys("fan")) == 4
    rig.on("fan")


def test_a_word_switches_on_and_the_agents_are_refused(rig):
    word(rig, "fan", "on")
    assert rig.plant.driven == [("fan", 1.0)]
    assert rig.row("fan") == {**rig.row("fan"), "state": True, "owner": "override", "left": 600.0}
    rig.refused("fan", "guard.override")
    rig.refused("fan", "guard.override", state=False)  # a person's hand wins
    rig.pass_(20.0, beating="")
    assert rig.row("fan")["state"] is True
    word(rig, "fan", "")
    assert rig.whys("fan")[-1] == "override lifted"
    assert rig.row("fan")["state"] is False


def test_what_a_hand_switched_on_and_then_holds_safe_is_told_as_held_safe(rig):
    word(rig, "fan", "on")
    word(rig, "fan", "safe")
    assert rig.row("fan") == {**rig.row("fan"), "state": False, "override": "held safe by hand"}
    word(rig, "fan", "on")
    assert rig.row("fan") == {**rig.row("fan"), "state": True, "override": "held on by hand"}


def test_a_word_takes_an_output_from_its_owner_and_the_time_goes_on(rig):
    rig.on("pump", seconds=50.0)
    rig.pass_(30.0)
    word(rig, "pump", "on")
    assert rig.row("pump")["owner"] == "override"
    assert rig.row("pump")["left"] == 30.0
    rig.guard.left("a", "agent gone", rig.now)
    assert rig.row("pump")["state"] is True


def test_off_by_hand_is_away_from_safe_where_on_is_safe():
    rig = Rig((Output("cooler", "cooler", "relay 3", safe=True, max_on=60.0),))
    word(rig, "cooler", "off")
    assert rig.row("cooler") == {**rig.row("cooler"), "state": False, "left": 60.0}
    word(rig, "cooler", "on")
    assert rig.row("cooler") == {**rig.row("cooler"), "state": True, "left": None}


def test_a_hand_keeps_the_longest_time_and_is_obeyed_once(rig):
    word(rig, "pump", "on")
    rig.pass_(60.0)
    assert rig.plant.driven == [("pump", 1.0), ("pump", 0.0)]
    rig.pass_(100.0)
    assert rig.plant.driven == [("pump", 1.0), ("pump", 0.0)]
    assert rig.row("pump")["override"] == "held on by hand, but was made safe (lease ended)"
    word(rig, "pump", "")
    word(rig, "pump", "on")
    assert rig.plant.driven[-1] == ("pump", 1.0)


def test_a_hand_keeps_the_time_of_rest_and_the_interlocks_and_waits_for_them(rig):
    rig.on("pump")
    rig.on("pump", state=False)
    word(rig, "pump", "on")
    assert "but waits: pump must stay as it is for 10 s" in rig.row("pump")["override"]
    rig.plant.values["tank"] = 5.0
    rig.pass_(10.0)
    assert "but waits: pump may not be switched: tank > 10 does not hold: 5 %" in rig.row("pump")["override"]
    assert rig.plant.driven[-1] == ("pump", 0.0)
    rig.plant.values["tank"] = 50.0
    rig.pass_(0.25)
    assert rig.plant.driven[-1] == ("pump", 1.0)
    rig.plant.values["tank"] = 5.0
    rig.pass_(0.25)
    assert rig.plant.driven[-1] == ("pump", 0.0)


def test_how_often_an_hour_is_counted_by_hand_and_not_refused(rig):
    for _ in range(3):
        word(rig, "pump", "on")
        assert rig.row("pump")["state"] is True
        word(rig, "pump", "")
        rig.pass_(10.0)
    rig.refused("pump", "guard.max_per_hour")


def test_safe_all_and_a_stop_go_before_a_hand(rig):
    word(rig, "fan", "on")
    assert rig.guard.safe_all(rig.now)["fan"]["state"] is False
    rig.pass_(5.0)
    assert rig.row("fan")["state"] is False
    word(rig, "fan", "")
    rig.guard.halt("smoke", rig.now)
    word(rig, "fan", "on")
    assert rig.row("fan")["override"] == "held on by hand, but waits: smoke"
    assert rig.row("fan")["state"] is False
    rig.guard.halt("", rig.now)
    rig.pass_(0.25)
    assert rig.row("fan")["state"] is True
    rig.guard.halt("smoke", rig.now)
    assert rig.row("fan")["state"] is False


def test_a_contact_goes_before_a_word(rig):
    rig.plant.values["key"] = 1.0
    word(rig, "pump", "on")
    rig.pass_(5.0)
    assert rig.plant.driven == []


def test_what_is_no_word_or_output_is_usage(rig):
    with pytest.raises(UsageFault, match="'auto' is no override"):
        word(rig, "fan", "auto")
    with pytest.raises(UsageFault, match="no output 'door'"):
        word(rig, "door", "on")


def test_with_everything_safe_and_no_contact_nothing_is_looked_at():
    rig = Rig((FAN,))
    word(rig, "fan", "safe")
    word(rig, "fan", "")
    assert rig.guard.wake() == FOREVER
