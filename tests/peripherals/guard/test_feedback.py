from __future__ import annotations

import pytest

from edge.call import Output, Reading, Sensor
from tests.support.benches import Rig

FLOW = Sensor("flow", "flow switch", "", "line 5")
PUMP = Output("pump", "pump", "relay 2", max_on=600.0, feedback="flow", settle=0.5, max_age=5.0)
LAMP = Output("lamp", "lamp", "relay 4", max_on=600.0, interlock=("not pump",))


@pytest.fixture
def rig():
    """A pump whose contact shows what it does, until it is told to show something else."""
    rig = Rig((PUMP, LAMP), (FLOW,))
    rig.plant.values["flow"] = lambda: rig.plant.levels["pump"]
    rig.pass_(1.0)
    return rig


def test_an_output_that_obeys_is_left_in_peace(rig):
    rig.on("pump", seconds=60.0)
    rig.pass_(59.0)
    assert rig.row("pump")["state"] is True
    rig.pass_(10.0)
    assert rig.whys("pump") == ["set", "lease ended"]
    assert rig.row("pump")["fault"] == ""


def test_on_and_its_contact_says_off(rig):
    rig.plant.values["flow"] = 0.0
    rig.on("pump")
    rig.pass_(0.4)
    assert rig.row("pump")["state"] is True
    rig.pass_(0.1)
    wrong = "pump was switched on and flow shows off"
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert rig.whys("pump") == ["set", f"fault feedback: {wrong}", f"feedback: {wrong}"]
    assert rig.row("pump") == {**rig.row("pump"), "state": False, "left": None, "fault": wrong}
    assert rig.refused("pump", "guard.feedback") == f"pump does not obey: {wrong}"


def test_safe_and_its_contact_says_on(rig):
    rig.on("pump")
    rig.pass_(5.0)
    rig.plant.values["flow"] = 1.0
    rig.on("pump", state=False)
    rig.pass_(1.0)
    wrong = "pump was switched off and flow shows on"
    assert rig.whys("pump")[1:] == ["set", f"fault feedback: {wrong}"]
    assert rig.record[-1].state is True  # it is not known to be safe
    assert rig.row("pump")["fault"] == wrong
    rig.refused("pump", "guard.feedback")
    rig.pass_(100.0)
    assert len(rig.whys("pump")) == 3  # told once


def test_a_contact_welded_before_the_start_is_found():
    rig = Rig((PUMP, LAMP), (FLOW,))
    rig.plant.values["flow"] = 1.0
    rig.pass_(0.5)
    assert rig.whys("pump") == ["fault feedback: pump was switched off and flow shows on"]


def test_a_relay_that_drops_while_it_is_on(rig):
    rig.on("pump")
    rig.pass_(60.0)
    rig.plant.values["flow"] = 0.0
    rig.pass_(0.25)
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert rig.whys("pump")[-1] == "feedback: pump was switched on and flow shows off"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "sensor flow did not acknowledge"),
        (Reading("flow", 1.0, "", "stale", 0.0, "bench"), "the reading of flow is stale"),
        (Reading("flow", 1.0, "", "ok", 5.5, "bench"), "the reading of flow is 6 s old, 5 s at most are allowed"),
    ],
)
def test_a_contact_that_cannot_be_read_is_a_fault(rig, value, said):
    rig.plant.values["flow"] = value
    rig.on("pump")
    rig.pass_(0.5)
    assert rig.plant.driven[-1] == ("pump", 0.0)
    assert rig.row("pump")["fault"] == f"whether pump is on is not known: {said}"


def test_a_fault_ends_when_somebody_made_it_safe_and_the_contact_agrees(rig):
    rig.plant.values["flow"] = 0.0
    rig.on("pump")
    rig.pass_(0.5)
    rig.plant.values["flow"] = lambda: rig.plant.levels["pump"]
    rig.pass_(100.0)
    rig.refused("pump", "guard.feedback")  # that it agrees by itself does not do
    assert rig.on("pump", state=False, owner="b")["state"] is False
    rig.refused("pump", "guard.feedback")  # nor to ask, before it has settled
    rig.pass_(0.5)
    assert rig.whys("pump")[-1] == "cleared flow agrees with pump again"
    rig.on("pump")


def test_a_fault_stays_when_the_contact_still_disagrees(rig):
    rig.on("pump")
    rig.pass_(1.0)
    rig.plant.values["flow"] = 1.0
    rig.on("pump", state=False)
    rig.pass_(1.0)
    rig.on("pump", state=False)
    rig.pass_(1.0)
    assert [why for why in rig.whys("pump") if why.startswith("fault")] == [
        "fault feedback: pump was switched off and flow shows on"
    ] * 2  # whoever tried is told
    rig.refused("pump", "guard.feedback")


def test_an_output_in_a_fault_is_in_no_state_that_others_may_rely_on(rig):
    rig.plant.values["flow"] = 0.0
    rig.on("pump")
    rig.pass_(0.5)
    assert "the state of pump is unknown" in rig.refused("lamp", "guard.interlock")


def test_a_fault_and_a_level_that_disagrees_is_an_unknown_state(rig):
    rig.plant.values["flow"] = 0.0
    rig.on("pump")
    rig.plant.bent["pump"] = 1.0
    rig.pass_(0.5)
    assert rig.row("pump")["state"] is None
    assert rig.row("pump")["level"] is None


def test_no_time_to_settle_is_looked_at_with_a_reading_after_the_drive():
    quick = Output("pump", "pump", "relay 2", feedback="flow", settle=0.0, override="hand")
    early = Output("siren", "siren", "relay 9", override="flow")  # looked at before the pump is driven
    rig = Rig((early, quick), (FLOW, Sensor("hand", "hand switch", "", "line 6")))
    rig.plant.values["flow"] = lambda: rig.plant.levels["pump"]
    rig.on("pump")
    rig.pass_(1.0)
    rig.plant.values["hand"] = 1.0
    rig.pass_(1.0)
    assert rig.row("pump")["fault"] == ""
    assert rig.row("pump")["state"] is False
