from __future__ import annotations

import random
import time

import pytest

from edge.call import Output, Reading, Sensor
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import protocol
from edge.peripherals.guard.core import Clock, Guard
from edge.peripherals.guard.leases import FOREVER
from edge.peripherals.guard.protocol import Damaged, Request, Transition
from edge.record import replace
from tests.support.benches import Rig

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


def test_a_request_that_was_given_up_switches_nothing_on_and_is_no_sign_of_life(guard):
    asked = Request(2, "set", "fan", True, 600.0, "c1", until=105.0)
    assert guard.answer(A, asked, 105.0)["ok"]
    guard.answer(A, replace(asked, id=3, call="c2", state=False), 106.0)  # the safe value is granted whenever it comes
    assert guard.plant.levels["fan"] == 0.0
    guard.answer(A, Request(0, "beat"), 106.0)
    late = guard.answer(A, replace(asked, id=4, call="c3"), 106.5)
    assert (late["ok"], late["kind"]) == (False, "hardware")
    assert "after it was given up" in late["error"]
    assert guard.plant.levels["fan"] == 0.0
    assert guard.owners.heard[A] == 106.0


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
        "heartbeat": 3.0,
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


def test_a_beat_counts_from_when_the_loop_was_seen(guard):
    on(guard, 100.0)
    guard.answer(A, Request(0, "beat", seen=100.75), 102.0)
    assert guard.wake() == 103.75
    guard.answer(A, Request(0, "beat", seen=100.5), 103.0)  # what was known is younger
    guard.answer(A, Request(0, "beat", seen=-1e300), 103.5)
    guard.answer(A, Request(0, "beat", seen=1e300), 103.5)  # nobody was seen in the future
    assert guard.wake() == 106.5
    guard.tick(106.5)
    assert guard.take()[-1].why == "heartbeat late"


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


@pytest.fixture
def two():
    """A fan that goes safe with its agent, a light that runs on, and the agents a and b."""
    light = Output("light", "light", "relay 9", max_on=600.0, on_exit="hold")
    return Rig((FAN, PUMP, light))


def test_one_agent_holds_an_output_and_the_other_is_told_who_and_how_long(two):
    two.on("fan", seconds=60.0)
    two.pass_(20.0)
    assert two.refused("fan", "guard.held", owner="b") == "fan is held by run a for another 40 s"
    assert two.row("fan")["owner"] == "run a"
    two.on("pump", owner="b")
    two.pass_(40.0)
    two.on("fan", owner="b")


def test_anybody_may_make_an_output_safe_and_its_owner_is_told(two):
    two.on("fan")
    two.note()
    done = len(two.record)
    two.on("fan", state=False, owner="b")
    notes = two.record[done:]
    told = {"event": "off", "name": "fan", "state": False, "why": "made safe by run b"}
    assert two.guard.events(notes, "a") == [told]
    assert two.guard.events(notes, "b") == []
    assert (notes[0].call, notes[0].owner) == ("c2", "run a")


def test_each_agent_is_told_of_what_it_held_and_of_faults_everybody(two):
    two.on("fan", seconds=5.0)
    two.on("pump", seconds=5.0, owner="b")
    two.plant.dead.add("pump")
    two.pass_(6.0)
    events = {key: [event["event"] for event in two.guard.events(two.record, key)] for key in "ab"}
    assert events == {"a": ["off", "fault"], "b": ["fault"]}


def test_a_late_heartbeat_is_each_agents_own(two):
    two.on("fan")
    two.on("pump", owner="b")
    two.pass_(3.0, beating="b")
    assert two.row("fan")["state"] is False
    assert two.row("fan")["why"] == "heartbeat late"
    assert two.row("pump")["state"] is True
    two.on("fan")  # and it is welcome again


@pytest.mark.parametrize("end", ["late", "bye", "gone"])
def test_an_output_that_may_runs_on_to_the_end_of_its_lease_and_is_free(two, end):
    two.on("fan")
    two.on("light", seconds=100.0)
    if end == "late":
        two.pass_(3.0, beating="b")
    elif end == "bye":
        assert two.guard.answer(A, Request(9, "bye"), two.now)["ok"]
    else:
        two.guard.left(A, "agent gone", two.now)
    assert two.row("fan")["state"] is False
    assert two.row("light")["state"] is True
    two.pass_(50.0, beating="b")
    if end != "late":
        assert two.on("light", seconds=60.0, owner="b")["left"] == 60.0
        two.pass_(10.0, beating="b")
    two.pass_(50.0, beating="b")
    assert two.row("light")["state"] is False
    assert two.whys("light")[-1] == "lease ended"


def test_when_the_guard_ends_what_may_is_left_as_it_is(two):
    two.on("fan")
    two.on("light")
    two.guard.make_safe("board stopping", two.now, leave=True)
    assert two.plant.levels == {"fan": 0.0, "pump": 0.0, "light": 1.0}
    two.guard.make_safe("board stopping", two.now)
    assert two.plant.levels["light"] == 0.0


def test_safe_all_ends_every_lease_whoever_asks(two):
    two.on("fan")
    two.on("light", owner="b")
    reply = two.guard.answer("nobody", Request(9, "safe_all"), two.now)
    assert [row["state"] for row in reply["states"].values()] == [False, False, False]
    assert {row["why"] for row in reply["states"].values()} == {"", "safe-all"}
    two.guard.halt("smoke", two.now)
    assert two.guard.answer("b", Request(9, "safe_all"), two.now)["ok"]


def test_who_never_said_hello_may_only_make_safe(two):
    two.on("fan")
    assert two.set("pump", owner="x")["kind"] == "usage"
    assert two.set("fan", state=False, owner="x")["state"] is False


def test_a_hello_names_the_run_and_another_version_does_not_come_in(two):
    assert two.guard.answer("c", Request(1, "hello", run="night watch"), two.now)["ok"]
    two.on("fan", owner="c")
    assert two.row("fan")["owner"] == "night watch"
    assert not two.guard.answer("d", Request(1, "hello", protocol=1), two.now)["ok"]
    assert two.set("pump", owner="d")["kind"] == "usage"


def test_a_time_that_lies_back_is_no_news(two):
    two.pass_(10.0)
    two.on("fan", seconds=5.0)
    two.guard.tick(-1e9)
    assert two.guard.answer(A, Request(9, "states"), 3.0)["states"]["fan"]["left"] == 5.0
    two.pass_(5.0)
    assert two.row("fan")["state"] is False


@pytest.mark.parametrize("year", [365 * 86400.0, -365 * 86400.0])
def test_a_wall_clock_that_jumps_a_year_changes_nothing(monkeypatch, year):
    """The same day twice: once with a clock that stands, once with one that jumps at every look at it."""

    def day(jump):
        wall = [1.7e9]

        def jumping():
            wall[0] += jump
            return wall[0]

        monkeypatch.setattr(time, "time", jumping)
        monkeypatch.setattr(time, "time_ns", lambda: int(jumping() * 1e9))
        clock = Clock(0.0, 0.0, 1.0)
        guard = Guard(Bench(), clock, past={"pump": (-5.0,)})
        guard.joined(A, "run", 0.0)
        notes = []
        for half in range(2000):
            time.time()
            if half % 100 == 0:
                on(guard, half / 2, "pump", 20.0, f"c{half}")
            if half % 300 > 10:
                guard.answer(A, Request(0, "beat"), half / 2)
            guard.tick(half / 2)
            notes += guard.take()
        return notes, guard.plant.driven

    still = day(0.0)
    assert len(still[0]) > 20
    assert day(year) == still


def test_the_reply_to_states_fits_a_frame_with_many_outputs_in_trouble():
    outputs = tuple(Output(f"output_{number:02}" * 2, "x", "line", override="key") for number in range(32))
    rig = Rig(outputs, (Sensor("key", "key switch", "", "line 6"),))
    rig.guard.joined(A, "r" * 80, 0.0)
    for output in outputs:
        rig.on(output.name)
    rig.plant.dead.update(output.name for output in outputs)
    rig.plant.values["key"] = Reading("key", None, "", "fault", 0.0, "bench")
    rig.pass_(1.0)
    assert len(protocol.encode(rig.guard.answer(A, Request(9, "states"), rig.now))) < protocol.REPLY
