"""The board process sees the emergency stop by itself, whatever its agent does."""

from __future__ import annotations

import os
import signal
import time

import pytest

from edge import stop
from edge.faults import Refused
from edge.peripherals.guard import door, folder
from edge.peripherals.guard.client import Board
from tests.support.asking import late, moment
from tests.support.boards import BEATING, BUSY, Agent, alive, eventually, fan, record

SMOKE = stop.One("all", "smoke", 1.0, "uid 0")


def off_within_a_second(state):
    """Set the stop, wait for the board's own record of it, and judge how long that took."""
    since = moment()
    stop.set_(str(state), SMOKE)
    set_ = time.monotonic()
    assert eventually(lambda: fan(state))["why"] == "emergency stop"
    took = time.monotonic() - set_
    allowed = 0.7 + late(since)
    print(f"off {took:.3f} s after the stop was set, {allowed:.3f} s are allowed")
    assert took < allowed


def test_the_fan_of_an_agent_that_is_frozen_is_off_within_a_second(tmp_path):
    with Agent(tmp_path) as agent:
        agent.signal(signal.SIGSTOP)
        off_within_a_second(tmp_path)
        assert alive(agent.board)


@pytest.mark.parametrize("then", [BUSY, BEATING], ids=["busy", "beating"])
def test_the_fan_of_any_agent_is_off_within_a_second(tmp_path, then):
    with Agent(tmp_path, then) as agent:
        off_within_a_second(tmp_path)
        assert alive(agent.board)


def test_a_stop_that_cannot_be_read_is_obeyed(tmp_path):
    with Agent(tmp_path):
        (tmp_path / "stop").write_bytes(b"\0\0\0")
        assert eventually(lambda: fan(tmp_path))["why"] == "emergency stop"


@pytest.mark.parametrize("kind", ["network", "tool:grep"])
def test_a_stop_of_something_else_leaves_the_outputs_alone(tmp_path, kind):
    with Agent(tmp_path):
        stop.set_(str(tmp_path), stop.One(kind))
        time.sleep(1.0)
        assert not any(row["why"] == "emergency stop" for row in record(tmp_path))


def test_a_board_that_starts_under_a_stop_switches_nothing_on(tmp_path):
    stop.set_(str(tmp_path), SMOKE)
    board = Board.start(str(tmp_path))
    try:
        with pytest.raises(Refused, match="smoke"):
            board.set("fan", True, 10.0, "c1")
        assert board.states()["fan"]["state"] is False
        assert record(tmp_path) == []
        stop.lift(str(tmp_path))
        assert board.set("fan", True, 10.0, "c2")["state"] is True
    finally:
        board.close()


def test_a_request_that_comes_right_behind_a_stop_is_refused(tmp_path):
    board = Board.start(str(tmp_path))
    try:
        for number in range(20):
            stop.set_(str(tmp_path), SMOKE)
            with pytest.raises(Refused):
                board.set("fan", True, 10.0, f"c{number}")
            stop.lift(str(tmp_path))
    finally:
        board.close()


def test_the_control_socket_tells_of_a_stop_at_once(tmp_path):
    board = Board.start(str(tmp_path))
    where = folder.path_of(str(tmp_path))
    try:
        assert door.ask_in(where, {"do": "show"})["stopped"] == ""
        stop.set_(str(tmp_path), SMOKE)
        shown = door.ask_in(where, {"do": "show"})
        assert shown["stopped"] == "everything is stopped (smoke)"
        assert not any(row["state"] for row in shown["outputs"].values())
    finally:
        board.close()


def test_an_idle_board_sleeps_for_seconds(tmp_path):
    """With nothing on there is nothing to make safe: the look for a stop costs a quiet board few wake-ups."""
    board = Board.start(str(tmp_path))
    try:
        board.states()
        switches = _waits(board.pid)
        time.sleep(3.0)
        assert _waits(board.pid) - switches <= 15
    finally:
        board.close()


def _waits(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(next(line for line in file if line.startswith("voluntary_ctxt_switches")).split()[1])


def test_the_board_keeps_no_descriptor_of_its_looks(tmp_path):
    board = Board.start(str(tmp_path))
    try:
        board.states()
        before = len(os.listdir(f"/proc/{board.pid}/fd"))
        stop.set_(str(tmp_path), SMOKE)
        for _ in range(50):
            board.states()
        assert len(os.listdir(f"/proc/{board.pid}/fd")) == before
    finally:
        board.close()
