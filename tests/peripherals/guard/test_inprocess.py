"""What the double has beyond the contract (tests/contracts/test_board.py): time in hand."""

from __future__ import annotations

import random

import pytest

from edge.call import Output, Sensor
from edge.faults import Refused, UsageFault
from edge.peripherals.guard.inprocess import InProcessBoard
from tests.support.benches import Bench
from tests.support.boards import Clock


@pytest.fixture
def clock():
    return Clock()


def test_what_was_due_in_between_happened_at_its_own_time_and_in_order(clock):
    board = InProcessBoard(clock, 60.0)
    board.set("fan", True, 60.0, "c1")
    board.set("pump", True, 600.0, "c2")
    clock.pass_(1000.0)
    board.states()
    start = board.record[0].at
    ends = [(note.name, note.why, note.at - start) for note in board.record[2:]]
    assert ends == [("fan", "lease ended", pytest.approx(60.0)), ("pump", "heartbeat late", pytest.approx(180.0))]


def test_time_stands_still_while_nobody_moves_it(clock):
    board = InProcessBoard(clock)
    board.set("fan", True, 10.0, "c1")
    assert all(board.states()["fan"]["left"] == 10.0 for _ in range(100))


def test_its_record_is_the_transitions(clock):
    board = InProcessBoard(clock)
    board.set("fan", True, 10.0, "c1")
    board.close()
    assert [(note.state, note.why) for note in board.record] == [(True, "set"), (False, "agent left")]


def test_a_lease_ends_once_whatever_rounding_makes_of_its_end(clock):
    chance = random.Random(3)
    for number in range(300):
        clock.pass_(chance.uniform(0, 10 ** chance.randrange(7)))
        board = InProcessBoard(clock, chance.choice((1.0, 7.3, 60.0)))
        board.set("fan", True, chance.uniform(0.1, 9.9), f"c{number}")
        clock.pass_(15.0)
        assert board.states()["fan"]["state"] is False
        assert [note.state for note in board.record] == [True, False]


def test_any_plant_may_stand_behind_it(clock):
    plant = Bench((Output("lamp", "lamp", "line 4", max_on=60.0),), (Sensor("key", "key switch", "", "line 6"),))
    board = InProcessBoard(clock, 1.0, plant, run="day")
    assert board.set("lamp", True, 10.0, "c1")["left"] == 10.0
    assert plant.levels == {"lamp": 1.0}
    assert board.states()["lamp"]["owner"] == "day"
    with pytest.raises(UsageFault, match="only a simulated board"):
        board.adjust("key", "1")
    board.close()
    assert plant.levels == {"lamp": 0.0}


def test_an_agent_that_comes_after_another_left_is_somebody_else(clock):
    first = InProcessBoard(clock)
    second = first.share("second")
    second.close()
    third = first.share("third")
    first.set("fan", True, 60.0, "c1")
    with pytest.raises(Refused, match="fan is held by another conversation for another 60 s"):
        third.set("fan", True, 60.0, "c1")
    first.close()
    assert third.states()["fan"]["why"] == "agent left"
    assert third.set("fan", True, 60.0, "c1")["state"] is True


def test_a_hand_and_a_stop_are_told_to_every_agent(clock):
    first = InProcessBoard(clock)
    second = first.share()
    first.override("fan", "safe")
    first.halt("smoke")
    first.override("fan", "")
    said = [event["event"] for event in first.events()]
    assert said == ["override", "stopped", "override"]
    assert [event["event"] for event in second.events()] == said
