"""`sim show`, `sim set` and `sim reset`, with a running board and without one."""

from __future__ import annotations

import errno
import io
import json
import os
import re

import pytest

from edge.cli.sim import main
from edge.faults import HardwareFault, OutputFault, UsageFault
from edge.peripherals.guard.client import Board

SLOWLY = 1e-3  # times real time: what a reading shows does not depend on how long a test takes


@pytest.fixture
def state(tmp_path):
    return str(tmp_path)


@pytest.fixture
def board(state):
    board = Board.start(state, SLOWLY)
    yield board
    board.close()


class Full(io.StringIO):
    """A file on a card that is full."""

    def write(self, _text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def sim(state, *words):
    out, err = io.StringIO(), io.StringIO()
    assert main(list(words), state, out, err) == 0
    return out.getvalue(), err.getvalue()


def test_show_of_a_running_board(board, state):
    board.set("fan", True, 120.0, "c7")
    out, _ = sim(state, "show")
    lines = out.splitlines()
    assert lines[0].startswith(f"simulated board (pid {board.pid}), day 1 15:00:")
    assert lines[0].endswith("0.001 x real time")
    assert any(line.startswith("  temperature    3") and "C" in line and "ok, " in line for line in lines)
    assert any("fan" in line and "on, 1" in line and "s left (at most 3600 s)" in line for line in lines)
    assert lines[-1].endswith("fan on: set (call c7)")


def test_a_call_is_shown_with_the_tape_that_it_is_of(state):
    board = Board.start(state, 60.0, "20240101-101010-aaaa")
    board.set("fan", True, None, "c2")
    board.close()
    assert sim(state, "show")[0].endswith("fan off: agent left (call c2 of tape 20240101-101010-aaaa)\n")


@pytest.mark.parametrize("light", ["812", "20130"])
def test_a_tool_and_show_and_the_answer_write_a_value_alike(board, state, light):
    from edge.model.wording import measured
    from edge.tools.line_text import reading as say

    sim(state, "set", "light", light)
    reading = board.sense("light")
    (row,) = [line.split() for line in sim(state, "show")[0].splitlines() if line.startswith("  light ")]
    assert say(reading).split()[1] == row[1] == measured(reading.value)
    assert row[1] == ("812.0" if light == "812" else light)


def test_show_as_json(board, state):
    out, _ = sim(state, "show", "--json")
    shown = json.loads(out)
    assert shown["running"] is True
    assert shown["pid"] == board.pid
    assert {row["name"] for row in shown["sensors"]} == {"temperature", "soil_moisture", "humidity", "light"}
    assert set(shown["outputs"]) == {"fan", "pump"}
    assert shown["transitions"] == []


def test_only_the_last_five_transitions_are_shown(board, state):
    for number in range(4):
        board.set("fan", True, None, f"on{number}")
        board.set("fan", False, None, f"off{number}")
    shown = json.loads(sim(state, "show", "--json")[0])
    assert [row["call"] for row in shown["transitions"]] == ["off1", "on2", "off2", "on3", "off3"]


def test_show_without_a_board_says_so_and_shows_what_is_kept(board, state):
    board.set("fan", True, None, "c1")
    board.close()
    out, _ = sim(state, "show")
    assert out.startswith("no board is running; the kept state is of day 1 15:00:")
    assert re.search(r"  temperature    3\d\.\d C +kept value\n", out) and "s old" not in out
    shown = json.loads(sim(state, "show", "--json")[0])
    assert (shown["running"], shown["kept"], {row["age"] for row in shown["sensors"]}) == (False, True, {None})
    assert out.splitlines()[-1].endswith("fan off: agent left (call c1)")


def test_show_where_there_never_was_a_board(state):
    out, _ = sim(state, "show")
    assert out.startswith("no board is running, and nothing is kept of one: the next starts at day 1 15:00:00")
    assert "33.0 C" in out
    assert re.search(r"  light          \d+ lux ", out)
    assert "no output was switched yet" in out
    assert os.listdir(state) == []


def test_show_of_a_damaged_state_says_so_and_leaves_it(state):
    os.mkdir(state + "/sim")
    with open(state + "/sim/state.json", "w") as file:
        file.write("{")
    assert "is damaged" in sim(state, "show")[0]
    assert os.listdir(state + "/sim") == ["state.json"]


def test_set_changes_what_a_running_board_reads(board, state):
    assert sim(state, "set", "temperature", "38")[1] == "temperature is 38 C\n"
    assert board.sense("temperature").value == pytest.approx(38.0, abs=0.2)
    sim(state, "set", "humidity", "nak")
    with pytest.raises(HardwareFault, match="did not acknowledge"):
        board.sense("humidity")
    assert "no value: sensor humidity did not acknowledge" in sim(state, "show")[0]
    sim(state, "set", "humidity", "ok")
    assert board.sense("humidity").quality == "ok"


def test_set_without_a_board_is_for_the_next_one(state):
    _, said = sim(state, "set", "temperature", "20")
    assert said == "temperature is 20 C; no board is running: the next one starts with it\n"
    sim(state, "set", "light", "stale")
    board = Board.start(state, SLOWLY)
    assert board.sense("temperature").value == pytest.approx(20.0, abs=0.3)
    board.close()
    assert "(set to stale)" in sim(state, "show")[0]


def test_reset_brings_back_the_hot_afternoon(state):
    sim(state, "set", "temperature", "20")
    sim(state, "set", "humidity", "nak")
    _, said = sim(state, "reset")
    assert said == "the next board starts anew at day 1 15:00:00, a hot afternoon, with every sensor ok\n"
    out, _ = sim(state, "show")
    assert "33.0 C" in out and "set to" not in out and "no value" not in out
    board = Board.start(state, SLOWLY)
    assert board.sense("temperature").value == pytest.approx(33.0, abs=0.3)
    board.close()


def test_reset_of_a_running_board_is_refused_and_changes_nothing(board, state):
    sim(state, "set", "temperature", "20")
    with pytest.raises(UsageFault, match=rf"is running \(process {board.pid}\), and its time cannot go back"):
        sim(state, "reset")
    assert board.sense("temperature").value == pytest.approx(20.0, abs=0.3)


def test_reset_keeps_a_damaged_state_aside(state):
    os.mkdir(state + "/sim")
    with open(state + "/sim/state.json", "w") as file:
        file.write("{")
    assert "is damaged" in sim(state, "reset")[1]
    assert os.path.exists(state + "/sim/state.json.damaged")


def test_set_keeps_a_damaged_state_aside(state):
    os.mkdir(state + "/sim")
    with open(state + "/sim/state.json", "w") as file:
        file.write("{")
    _, said = sim(state, "set", "temperature", "20")
    assert "is damaged" in said
    assert os.path.exists(state + "/sim/state.json.damaged")


def test_set_beside_a_board_that_only_holds_the_folder_is_refused(state, board):
    os.unlink(state + "/sim/guard.sock")
    with pytest.raises(HardwareFault, match=rf"another simulated board \(process {board.pid}\)"):
        sim(state, "set", "temperature", "20")


@pytest.mark.parametrize("words", [("set", "temperature", "99"), ("set", "fan", "on"), ("set", "wind", "3")])
@pytest.mark.parametrize("running", [True, False])
def test_what_cannot_be_set_is_usage_and_changes_nothing(request, state, words, running):
    if running:
        request.getfixturevalue("board")
    with pytest.raises(UsageFault):
        sim(state, *words)
    assert not os.path.exists(state + "/sim/state.json") or running


@pytest.mark.parametrize("words", [(), ("frob",), ("show", "me"), ("set", "a", "b", "c"), ("reset", "x")])
def test_what_it_does_not_know_is_usage_with_what_it_does(state, words):
    with pytest.raises(UsageFault, match=r"it knows sim show, sim set NAME VALUE \(.*\), sim reset and sim watch"):
        sim(state, *words)


def test_without_a_state_folder_there_is_nothing_to_reach():
    with pytest.raises(HardwareFault, match="no state folder"):
        sim("", "show")


def test_output_that_cannot_be_written_is_said(state):
    with pytest.raises(OutputFault, match="no space left"):
        main(["show"], state, Full(), io.StringIO())
    with pytest.raises(OutputFault, match="closed"):
        main(["show"], state, None, io.StringIO())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["set"], "sim set needs what to set and the new value .for example: sim set temperature 35"),
        (["set", "humidity"], "sim set needs the new value .for example: sim set humidity 35"),
    ],
)
def test_what_is_missing_behind_set_is_named_with_an_example(tmp_path, words, said):
    with pytest.raises(UsageFault, match=said):
        main(words, str(tmp_path), io.StringIO(), io.StringIO())
