"""What the double has beyond the contract (tests/contracts/test_board.py): time in hand."""

from __future__ import annotations

import random

import pytest

from edge.peripherals.guard.inprocess import InProcessBoard
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
