"""The yard under the guard's decisions: what a developer sees who tries interlock, feedback and override with it."""

from __future__ import annotations

import pytest

from edge.faults import HardwareFault, Refused
from edge.peripherals.guard.inprocess import InProcessBoard
from tests.support.boards import Clock
from tests.support.worlds import yard

SPEED = 1.0


class Tried:
    """A yard in time at hand, its valve open and its pump free to run."""

    def __init__(self):
        self.time = Clock()
        self.plant = yard()
        self.board = InProcessBoard(self.time, SPEED, self.plant)
        self.pass_(40.0)  # a pump counts as just stopped when its guard begins
        self.board.set("valve", True, None, "valve")

    def pass_(self, seconds):
        until = self.time.now + seconds
        while self.time.now < until:
            self.time.now = min(until, self.time.now + 1.0)
            self.board.beat()

    def pump(self, call="pump"):
        return self.board.set("pump", True, 300.0, call)

    def state(self, name="pump"):
        return self.board.states()[name]


@pytest.fixture
def tried():
    return Tried()


def test_the_pump_runs_while_its_conditions_hold(tried):
    tried.pump()
    tried.pass_(120.0)
    assert tried.state()["state"] is True
    assert tried.board.sense("pump_feedback").value == 1.0
    assert tried.board.sense("tank_level").value < 36.0


def test_it_is_refused_without_the_valve_and_stops_when_the_valve_closes(tried):
    tried.pump()
    tried.pass_(5.0)
    tried.board.set("valve", False, None, "close")
    tried.pass_(2.0)
    assert tried.state()["state"] is False
    assert "valve" in tried.state()["why"]
    tried.pass_(40.0)
    with pytest.raises(Refused, match="valve") as caught:
        tried.pump("again")
    assert caught.value.rule == "guard.interlock"


def test_it_stops_before_the_tank_is_dry(tried):
    tried.board.adjust("tank_level", "6")
    tried.pump()
    tried.pass_(120.0)
    assert tried.state()["state"] is False
    assert "tank_level > 5" in tried.state()["why"]
    assert 4.0 < tried.board.sense("tank_level").value <= 5.0


@pytest.mark.parametrize("mode", ["nak", "stale", "suspect"])
def test_a_level_that_cannot_be_trusted_stops_it(tried, mode):
    tried.pump()
    tried.pass_(5.0)
    tried.board.adjust("tank_level", mode)
    tried.pass_(40.0)
    assert tried.state()["state"] is False
    assert "tank_level" in tried.state()["why"]


def test_a_welded_relay_is_a_fault_that_ends_when_the_relay_is_mended(tried):
    tried.pump()
    tried.pass_(5.0)
    tried.board.adjust("pump", "stuck")
    tried.board.set("pump", False, None, "off")
    tried.pass_(5.0)
    assert "pump_feedback" in tried.state()["fault"]
    with pytest.raises(Refused) as caught:
        tried.pass_(40.0)
        tried.pump("again")
    assert caught.value.rule == "guard.feedback"
    tried.board.adjust("pump", "ok")
    tried.board.set("pump", False, None, "clear")
    tried.pass_(40.0)
    assert tried.state()["fault"] == ""
    assert tried.pump("mended")["state"] is True


def test_a_relay_that_does_not_pull_is_a_fault(tried):
    tried.board.adjust("pump", "dead")
    tried.pump()
    tried.pass_(5.0)
    assert "pump_feedback" in tried.state()["fault"]
    assert tried.plant.level("pump", tried.plant.now) == 0.0


def test_the_switch_on_the_wall_beats_the_agent(tried):
    tried.pump()
    tried.pass_(5.0)
    tried.board.adjust("wall_switch", "stop")
    tried.pass_(2.0)
    assert tried.state()["state"] is False
    assert "wall_switch" in tried.state()["override"]
    tried.pass_(40.0)
    with pytest.raises(Refused) as caught:
        tried.pump("again")
    assert caught.value.rule == "guard.override"
    tried.board.adjust("wall_switch", "off")
    tried.pass_(2.0)
    assert tried.pump("after")["state"] is True


def test_a_driver_that_does_not_answer_leaves_the_state_unknown_until_it_is_read_back(tried):
    tried.board.adjust("pump", "nak")
    with pytest.raises(HardwareFault, match="did not take its value"):
        tried.pump()
    assert tried.state()["state"] is None
    tried.board.adjust("pump", "ok")
    tried.pass_(2.0)
    assert tried.state()["state"] is False


def test_the_heater_is_held_at_a_level_and_warms(tried):
    before = tried.board.sense("temperature").value
    assert tried.board.set("heater", True, 3600.0, "h", 0.5)["level"] == 0.5
    tried.pass_(900.0)
    assert tried.board.sense("temperature").value > before + 0.5
    assert tried.state("heater")["level"] == 0.5
