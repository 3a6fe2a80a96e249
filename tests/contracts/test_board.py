"""One suite over the real board process and its in-process double: what an agent may rely on."""

from __future__ import annotations

import time

import pytest

from edge import stop
from edge.faults import HardwareFault, Refused, UsageFault
from edge.peripherals.guard.client import Board
from edge.peripherals.guard.inprocess import InProcessBoard
from tests.support.asking import moment, standstill
from tests.support.boards import Clock, eventually, record

SPEED = 600.0


class Real:
    """The process, with time that really passes."""

    def __init__(self, folder):
        self.state = str(folder)
        self.board = Board.start(self.state, SPEED)

    def share(self, run):
        return Board.join(self.state + "/sim/guard.sock", run)

    def pass_(self, real):
        time.sleep(real)

    def record(self):
        return [(row["name"], row["state"], row["why"], row["call"]) for row in record(self.state)]

    def adjust(self, name, value):
        from edge.cli.sim import steer

        steer(self.state, name, value)

    def stop(self, why):
        if why:
            stop.set_(self.state, stop.One("all", why))
        else:
            stop.lift(self.state)


class Double:
    """The double, with time in hand."""

    def __init__(self, _folder):
        self.clock = Clock()
        self.board = InProcessBoard(self.clock, SPEED)

    def share(self, run):
        return self.board.share(run)

    def pass_(self, real):
        self.clock.pass_(real)

    def record(self):
        return [(note.name, note.state, note.why, note.call) for note in self.board.record]

    def adjust(self, name, value):
        self.board.adjust(name, value)

    def stop(self, why):
        self.board.halt(f"everything is stopped ({why})" if why else "")


def eventually_events(rig, count):
    """The next `count` events; the process looks for a stop by itself, the double is told."""
    found = []

    def heard():
        rig.board.states()
        found.extend(rig.board.events())
        return len(found) >= count

    eventually(heard)
    return found


def told(rig):
    """The next events that come without any request."""
    return eventually(rig.board.events)


@pytest.fixture(params=[Real, Double], ids=["process", "double"])
def rig(request, tmp_path):
    rig = request.param(tmp_path)
    yield rig
    rig.board.close()


def test_it_is_named_by_pid_and_start(rig):
    assert rig.board.pid > 1
    assert rig.board.started >= 0
    assert rig.board.speed == SPEED


def test_a_sensor_is_read_with_value_unit_quality_age_and_source(rig):
    reading = rig.board.sense("temperature")
    assert 25.0 < reading.value < 40.0
    assert (reading.unit, reading.quality, reading.source) == ("C", "ok", "sim air probe")
    assert 0.0 <= reading.age <= 2.0


def test_an_unknown_sensor_or_output_is_usage(rig):
    with pytest.raises(UsageFault, match="no sensor 'wind'"):
        rig.board.sense("wind")
    with pytest.raises(UsageFault, match="no output 'door'"):
        rig.board.set("door", True, None, "c1")


def test_a_sensor_that_does_not_acknowledge_is_a_hardware_fault(rig):
    rig.adjust("humidity", "nak")
    with pytest.raises(HardwareFault, match="sensor humidity did not acknowledge"):
        rig.board.sense("humidity")
    rig.adjust("humidity", "ok")
    assert rig.board.sense("humidity").quality == "ok"


def test_a_stale_value_says_so(rig):
    rig.adjust("light", "stale")
    rig.pass_(0.1)
    reading = rig.board.sense("light")
    assert reading.quality == "stale"
    assert reading.age > 30.0


def test_set_gives_what_the_board_has_now(rig):
    on = {"name": "fan", "state": True, "level": 1.0, "left": 3600.0, "max_on": 3600.0}
    assert rig.board.set("fan", True, 3600.0, "c1") == on
    assert rig.board.states()["pump"]["left"] is None
    state = rig.board.states()["fan"]
    assert state["state"] is True
    assert 0.0 < state["left"] <= 3600.0
    assert rig.board.set("fan", False, None, "c2") == {**on, "state": False, "level": 0.0, "left": 0.0}
    assert rig.record() == [("fan", True, "set", "c1"), ("fan", False, "set", "c2")]
    assert rig.board.events() == []


def test_on_without_a_time_is_for_as_long_as_it_may_be_on(rig):
    assert rig.board.set("pump", True, None, "c1")["left"] == 600.0


def test_a_lease_ends_by_itself_and_is_told(rig):
    rig.board.set("fan", True, 60.0, "c1")
    rig.pass_(0.2)
    assert told(rig) == [{"event": "off", "name": "fan", "state": False, "why": "lease ended"}]
    assert rig.board.events() == []
    state = rig.board.states()["fan"]
    assert (state["state"], state["left"], state["why"]) == (False, None, "lease ended")
    assert rig.record() == [("fan", True, "set", "c1"), ("fan", False, "lease ended", "c1")]


def test_what_may_not_be_is_refused_and_nothing_is_switched(rig):
    with pytest.raises(Refused, match="pump may be on for at most 600 s, not 601 s") as caught:
        rig.board.set("pump", True, 601.0, "c1")
    assert caught.value.rule == "guard.max_on"
    for seconds in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageFault):
            rig.board.set("pump", True, seconds, "c2")
    with pytest.raises(UsageFault):
        rig.board.set("pump", True, 10.0, "c" * 81)
    assert rig.board.states()["pump"]["state"] is False
    assert rig.record() == []


def test_a_call_is_done_at_most_once(rig):
    first = rig.board.set("fan", True, 60.0, "c1")
    rig.pass_(0.2)
    assert rig.board.set("fan", True, 60.0, "c1") == first
    assert rig.board.states()["fan"]["state"] is False
    with pytest.raises(Refused, match="already used"):
        rig.board.set("fan", False, None, "c1")


def test_the_fan_cools_the_air(rig):
    before = rig.board.sense("temperature").value
    rig.board.set("fan", True, None, "c1")
    rig.pass_(0.4)
    assert rig.board.sense("temperature").value < before - 1.0


def test_without_a_beat_everything_goes_safe_and_the_next_set_works_again(rig):
    rig.board.set("fan", True, None, "c1")
    rig.pass_(3.2)
    assert told(rig) == [{"event": "off", "name": "fan", "state": False, "why": "heartbeat late"}]
    assert rig.board.states()["fan"]["why"] == "heartbeat late"
    assert rig.board.set("fan", True, 60.0, "c2")["state"] is True


def test_with_beats_it_stays_on(rig):
    for number in range(5):
        since = moment()
        rig.board.set("fan", True, None, f"c{number}")
        for _ in range(8):
            rig.pass_(0.5)
            assert rig.board.beat()
        if rig.board.states()["fan"]["state"] or standstill(since) < 0.5:
            break  # else no beat could go out in time, and it was right to go safe
    assert rig.board.states()["fan"]["state"] is True


def test_beats_of_a_loop_that_was_not_seen_for_long_keep_nothing_on(rig):
    assert rig.board.heartbeat == 3.0
    rig.board.set("fan", True, None, "c1")
    for _ in range(8):
        rig.pass_(0.4)
        assert rig.board.beat(1e-3)  # it was seen when this machine began
    assert told(rig) == [{"event": "off", "name": "fan", "state": False, "why": "heartbeat late"}]


def test_a_closed_board_is_safe_and_answers_no_more(rig):
    rig.board.set("fan", True, None, "c1")
    rig.board.close()
    assert rig.record()[-1] == ("fan", False, "agent left", "c1")
    assert rig.board.events() == [{"event": "off", "name": "fan", "state": False, "why": "agent left"}]
    assert not rig.board.beat()
    with pytest.raises(HardwareFault, match="closed"):
        rig.board.sense("temperature")
    rig.board.close()


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf"), 3601.0])
def test_a_speed_that_cannot_be_is_usage(speed):
    with pytest.raises(UsageFault, match="cannot run at"):
        Board.start("", speed)
    with pytest.raises(UsageFault, match="cannot run at"):
        InProcessBoard(Clock(), speed)


def test_an_emergency_stop_makes_safe_and_refuses_until_it_is_lifted(rig):
    rig.board.set("fan", True, None, "c1")
    rig.stop("smoke")
    rig.pass_(0.1)
    first, second = eventually_events(rig, 2)
    assert first == {"event": "off", "name": "fan", "state": False, "why": "emergency stop"}
    assert second == {"event": "stopped", "why": "everything is stopped (smoke)"}
    assert rig.board.states()["fan"]["why"] == "emergency stop"
    assert rig.record()[-1] == ("fan", False, "emergency stop", "c1")
    with pytest.raises(Refused, match=r"fan stays as it is: everything is stopped \(smoke\) .*resume") as caught:
        rig.board.set("fan", True, 10.0, "c2")
    assert caught.value.rule == "stop.all"
    assert rig.board.set("fan", False, None, "c3")["state"] is False
    assert rig.board.sense("temperature").value is not None
    with pytest.raises(UsageFault, match="no output 'door'"):
        rig.board.set("door", True, 1.0, "c4")
    rig.stop("")
    assert eventually_events(rig, 1)[0]["event"] == "resumed"
    assert rig.board.set("fan", True, 10.0, "c5")["state"] is True


@pytest.fixture
def other(rig):
    """A second conversation at the same board."""
    board = rig.share("second run")
    yield board
    board.close()


def test_two_conversations_and_one_output_have_one_owner(rig, other):
    other.set("fan", True, 600.0, "c1")
    with pytest.raises(Refused, match="fan is held by second run for another") as caught:
        rig.board.set("fan", True, 60.0, "c1")
    assert caught.value.rule == "guard.held"
    assert rig.board.states()["fan"]["owner"] == "second run"
    assert rig.board.set("pump", True, 60.0, "c2")["state"] is True
    assert rig.board.set("fan", False, None, "c3")["state"] is False
    event = eventually(lambda: (other.states(), other.events())[1])[0]
    assert (event["event"], event["name"]) == ("off", "fan")
    assert event["why"].startswith("made safe by ")
    assert rig.board.events() == []
    assert rig.board.set("fan", True, 60.0, "c4")["state"] is True


def test_what_one_conversation_holds_goes_safe_with_it_and_the_other_goes_on(rig, other):
    other.set("fan", True, 600.0, "c1")
    rig.board.set("pump", True, 600.0, "c1")
    other.close()
    assert rig.record()[-1] == ("fan", False, "agent left", "c1")
    states = rig.board.states()
    assert (states["fan"]["state"], states["pump"]["state"]) == (False, True)


def test_safe_all_makes_everything_safe_whoever_holds_it(rig, other):
    other.set("fan", True, 600.0, "c1")
    rig.board.set("pump", True, 600.0, "c1")
    states = rig.board.safe_all()
    assert [(row["state"], row["why"]) for row in states.values()] == [(False, "safe-all")] * 2
    event = {"event": "off", "name": "fan", "state": False, "why": "safe-all"}
    assert eventually(lambda: (other.states(), other.events())[1]) == [event]


def test_a_level_is_for_outputs_that_have_levels(rig):
    assert rig.board.set("fan", True, 60.0, "c1", level=1.0)["level"] == 1.0
    with pytest.raises(UsageFault, match="fan has no levels"):
        rig.board.set("fan", True, 60.0, "c2", level=0.5)
    for level in (1.5, -0.1, float("nan")):
        with pytest.raises(UsageFault):
            rig.board.set("fan", True, 60.0, "c3", level=level)


def test_states_say_all_there_is_to_know_of_an_output(rig):
    rig.board.set("fan", True, 60.0, "c1")
    states = rig.board.states()
    assert set(states["fan"]) == {"state", "level", "left", "why", "max_on", "owner", "fault", "override", "since"}
    assert (states["fan"]["level"], states["fan"]["fault"], states["fan"]["override"]) == (1.0, "", "")
    assert states["fan"]["since"] >= states["pump"]["since"]
