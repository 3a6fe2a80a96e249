from __future__ import annotations

import random

import pytest

from edge.call import Output, Reading
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard.core import Clock, Guard
from edge.peripherals.guard.leases import FOREVER
from edge.peripherals.guard.protocol import Damaged, Request, Transition

A, B = "a", "b"
FAN = Output("fan", "fan", "relay 1", max_on=3600.0)
PUMP = Output("pump", "pump", "relay 2", max_on=600.0)


class Bench:
    """A plant that notes what it was told."""

    outputs = (FAN, PUMP)
    sensors = ()

    def __init__(self):
        self.driven = []
        self.levels = {"fan": 0.0, "pump": 0.0}

    def drive(self, name, level, now):
        self.driven.append((name, level, now))
        self.levels[name] = level

    def level(self, name, now):
        return self.levels[name]

    def sense(self, name, now):
        if name == "broken":
            raise HardwareFault("sensor broken did not acknowledge")
        if name != "temperature":
            raise UsageFault(f"there is no sensor {name!r}")
        return Reading(name, 20.0, "C", "ok", 0.0, "bench")


@pytest.fixture
def guard():
    """Board time 0 at monotonic 100, ten times as fast; the agent has said hello."""
    guard = Guard(Bench(), Clock(0.0, 100.0, 10.0))
    assert guard.answer(A, Request(1, "hello"), 100.0)["ok"]
    return guard


def on(guard, real, name="fan", seconds=None, call="", number=7):
    return guard.answer(A, Request(number, "set", name, True, seconds, call), real)


def test_board_time_goes_with_real_time_and_not_back():
    clock = Clock(50.0, 100.0, 60.0)
    assert clock.board(101.0) == 110.0
    assert clock.board(1.0) == 50.0
    assert clock.when(110.0) == 101.0


def test_hello_says_version_time_and_speed(guard):
    assert guard.answer(A, Request(2, "hello"), 101.0) == {
        "id": 2,
        "ok": True,
        "protocol": 2,
        "board": 10.0,
        "speed": 10.0,
    }


def test_another_version_is_refused_with_both_numbers(guard):
    reply = guard.answer(A, Request(2, "hello", protocol=9), 100.0)
    assert not reply["ok"]
    assert "version 9" in reply["error"]
    assert "version 2" in reply["error"]


def test_set_drives_and_then_notes(guard):
    reply = on(guard, 101.0, seconds=60.0, call="c1")
    assert reply == {"id": 7, "ok": True, "name": "fan", "state": True, "left": 60.0, "max_on": 3600.0, "level": 1.0}
    assert guard.plant.driven == [("fan", True, 10.0)]
    assert guard.take() == [Transition(10.0, "fan", True, "set", "c1", 1.0)]
    assert guard.take() == []


def test_a_fault_of_the_plant_is_the_reply(guard):
    reply = guard.answer(A, Request(4, "sense", "broken"), 100.0)
    assert reply["kind"] == "hardware"
    assert reply["error"] == "sensor broken did not acknowledge"
    assert guard.answer(A, Request(5, "sense", "nothing"), 100.0)["kind"] == "usage"


def test_a_damaged_frame_gets_a_reply_and_is_no_sign_of_life(guard):
    on(guard, 100.0)
    reply = guard.answer(A, Damaged(0, "the line is not UTF-8"), 102.9)
    assert reply["id"] == 0
    assert not reply["ok"]
    guard.tick(103.0)
    assert ("fan", False, 30.0) in guard.plant.driven


def test_a_lease_ends_in_board_time(guard):
    on(guard, 100.0, seconds=20.0)
    assert guard.wake() == 102.0
    guard.tick(101.99)
    assert guard.plant.driven == [("fan", True, 0.0)]
    guard.tick(102.0)
    assert guard.plant.driven[-1] == ("fan", False, 20.0)
    notes = guard.take()
    assert guard.events(notes) == [{"event": "off", "name": "fan", "state": False, "why": "lease ended"}]


def test_a_request_never_finds_an_output_that_should_be_off(guard):
    on(guard, 100.0, seconds=20.0)
    assert guard.answer(A, Request(9, "states"), 102.5)["states"]["fan"]["state"] is False


@pytest.mark.parametrize("request_", [Request(0, "beat"), Request(8, "hello"), Request(8, "set", "pump", False)])
def test_signs_of_life_keep_an_output_on(guard, request_):
    on(guard, 100.0)
    for second in range(1, 20):
        guard.answer(A, request_, 100.0 + second)
    assert ("fan", False) not in [told[:2] for told in guard.plant.driven]


@pytest.mark.parametrize("request_", [Request(8, "sense", "temperature"), Request(8, "states")])
def test_asking_is_no_sign_of_life(guard, request_):
    on(guard, 100.0)
    for tenth in range(1, 31):
        guard.answer(A, request_, 100.0 + tenth / 10)
    assert guard.plant.driven[-1] == ("fan", False, 30.0)
    assert [note.why for note in guard.take()] == ["set", "heartbeat late"]


def test_a_late_heartbeat_makes_everything_safe_and_is_forgiven(guard):
    on(guard, 100.0, "fan")
    on(guard, 100.0, "pump")
    assert guard.wake() == 103.0
    guard.tick(103.0)
    assert {told[:2] for told in guard.plant.driven[2:]} == {("fan", False), ("pump", False)}
    assert guard.wake() == FOREVER
    assert guard.take()[-1].why == "heartbeat late"
    assert on(guard, 200.0)["ok"]
    assert guard.plant.driven[-1] == ("fan", True, 1000.0)
    assert guard.wake() == 203.0


def test_a_silent_agent_with_everything_safe_is_nobodys_business(guard):
    guard.tick(10_000.0)
    assert guard.take() == []
    assert guard.wake() == FOREVER


def test_make_safe_says_why(guard):
    on(guard, 100.0)
    guard.make_safe("agent gone", 101.0)
    assert guard.take()[-1] == Transition(10.0, "fan", False, "agent gone", "", 0.0, "", A)


def test_a_beat_has_no_reply(guard):
    assert guard.answer(A, Request(0, "beat"), 100.0) is None


def test_bye_is_answered(guard):
    assert guard.answer(A, Request(3, "bye"), 100.0) == {"id": 3, "ok": True}


def test_what_is_due_at_a_time_is_due_when_that_time_has_come():
    chance = random.Random(7)
    rounded = 0
    for _ in range(20_000):
        base, real = chance.uniform(0, 10 ** chance.randrange(9)), chance.uniform(0, 10 ** chance.randrange(9))
        clock = Clock(base, real, chance.choice((1.0, 7.3, 60.0, 1e-3, 3600.0)))
        board = base + chance.uniform(0, 10 ** chance.randrange(6))
        rounded += clock.board(clock.real + (board - clock.base) / clock.speed) < board
        assert clock.board(clock.when(board)) >= board
        assert clock.when(board) - (real + (board - base) / clock.speed) <= 1e-4
    assert rounded  # it does happen
