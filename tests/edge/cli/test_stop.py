"""`fieldhand stop` and `resume` against real boards and agents: what confirms, what does not, and what is said."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from edge import stop
from edge.peripherals.guard.client import Board
from tests.support import agent
from tests.support.boards import Agent, eventually, fan


def ask(*words, home, **options):
    return agent.run(*words, home=home, **options)


@pytest.fixture
def state(tmp_path):
    folder = agent.state(tmp_path)
    folder.mkdir(parents=True)
    return folder


def busy_agent(home, *words):
    """An agent in the middle of a turn: its model takes half a minute."""
    script = home / "script"
    script.write_text(json.dumps({"delay": 30, "reply": "x"}) + "\n")
    process = agent.start("--model", f"scripted:{script}", *words, "-e", "wait", home=home)
    eventually(lambda: any(row["kind"] == "line" for tape in agent.tapes(home) for row in agent.records(tape)))
    return process


def end(process):
    process.send_signal(signal.SIGCONT)
    process.kill()
    process.communicate(timeout=60)


def test_a_stop_with_nothing_running_is_in_force_and_says_so(tmp_path, state):
    done = ask("stop", "--why", "smoke in the greenhouse", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "stopped: everything" in done.stdout and "until fieldhand resume" in done.stdout
    assert "no board is running" in done.stdout
    (one,) = stop.read(str(state)).stops
    assert (one.kind, one.why, one.by) == ("all", "smoke in the greenhouse", f"uid {os.getuid()}")
    assert abs(one.at - time.time()) < 120


def test_a_board_confirms_that_its_outputs_are_safe(tmp_path, state):
    board = Board.start(str(state))
    try:
        board.set("fan", True, None, "c1")
        done = ask("stop", home=tmp_path)
        assert done.returncode == 0, done.stdout
        assert f"safe, says the board (process {board.pid})" in done.stdout
        assert fan(state)["why"] == "emergency stop"
    finally:
        board.close()


def test_the_outputs_of_a_frozen_agent_are_confirmed_by_its_board(tmp_path, state):
    with Agent(state) as frozen:
        frozen.signal(signal.SIGSTOP)
        done = ask("stop", "--json", home=tmp_path)
        assert done.returncode == 0, done.stdout
        told = json.loads(done.stdout)
        assert told["safe"] is True and told["stopped"] == ["all"]
        assert told["seen"][0]["pid"] == frozen.board
        assert fan(state)["why"] == "emergency stop"


def test_a_frozen_board_is_never_called_safe(tmp_path, state):
    board = Board.start(str(state))
    os.kill(board.pid, signal.SIGSTOP)
    try:
        done = ask("stop", home=tmp_path)
        assert done.returncode == 1
        assert f"UNKNOWN: the board (process {board.pid}) did not answer" in done.stdout
        assert stop.read(str(state)).everything
    finally:
        os.kill(board.pid, signal.SIGCONT)
        board.close()


def test_a_frozen_agent_in_a_turn_is_named_with_its_process(tmp_path):
    process = busy_agent(tmp_path)
    try:
        process.send_signal(signal.SIGSTOP)
        done = ask("stop", home=tmp_path)
        assert done.returncode == 1
        assert f"process {process.pid} has not ended its turn; kill -KILL {process.pid} ends it" in done.stdout
    finally:
        end(process)
    assert ask("stop", home=tmp_path).returncode == 0


def test_an_agent_that_waits_at_its_prompt_runs_nothing(tmp_path):
    words = agent.command()
    process = subprocess.Popen(
        words, cwd=agent.ROOT, env=agent.environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        process.stdin.write(b"How warm is it?\n")
        process.stdin.flush()
        assert b"33" in process.stdout.readline()
        done = ask("stop", home=tmp_path)
        assert done.returncode == 0, done.stdout
        assert f"process {process.pid}: no turn is running" in done.stdout
    finally:
        process.kill()
        process.communicate(timeout=60)


def test_a_part_is_stopped_and_lifted_alone(tmp_path, state):
    assert ask("stop", "--network", "--tool", "FILE_WRITE", home=tmp_path).returncode == 0
    assert [one.kind for one in stop.read(str(state)).stops] == ["network", "tool:file_write"]
    ask("stop", "--all", home=tmp_path)
    done = ask("resume", "--network", home=tmp_path)
    assert done.returncode == 0
    assert "lifted: the network for tools" in done.stdout
    assert "still stopped: the tool file_write, everything" in done.stdout
    assert "was not stopped" in ask("resume", "--network", home=tmp_path).stdout
    assert "lifted: the tool file_write, everything" in ask("resume", home=tmp_path).stdout
    assert stop.read(str(state)) is None
    assert "nothing was stopped" in ask("resume", home=tmp_path).stdout


def test_a_damaged_stop_is_lifted_by_a_plain_resume(tmp_path, state):
    (state / "stop").write_bytes(b"\0")
    assert ask("resume", "--network", home=tmp_path).returncode == 1
    assert "was damaged" in ask("resume", home=tmp_path).stdout
    assert stop.read(str(state)) is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("stop", "everything"), "stop takes no 'everything'"),
        (("stop", "--tool", "file_writ"), "there is no tool"),
        (("resume", "--why", "x"), "--why is for stop"),
        (("--network", "-e", "x"), "--network is for stop and resume"),
        (("stop", "--state", "/nonexistent/fieldhand"), "there is no state folder /nonexistent/fieldhand"),
    ],
)
def test_what_cannot_be_meant_stops_nothing(tmp_path, state, words, why):
    done = ask(*words, home=tmp_path)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr
    assert stop.read(str(state)) is None


def test_a_stop_needs_no_settings_that_can_be_read(tmp_path, state):
    broken = tmp_path / "broken.toml"
    broken.write_text("mode = [\n")
    done = ask("stop", "--config", str(broken), home=tmp_path)
    assert done.returncode == 0
    assert "the settings cannot be used" in done.stderr
    assert stop.read(str(state)).everything


def test_a_stop_needs_no_tapes_that_can_be_read(tmp_path, state):
    (state / "tapes").write_text("no folder")
    done = ask("stop", home=tmp_path)
    assert done.returncode == 1
    assert "UNKNOWN: the folder of tapes" in done.stdout
    assert stop.read(str(state)).everything


def test_without_a_state_folder_it_says_how_to_stop(tmp_path):
    done = ask("stop", home=None, env=agent.environment(None))
    assert done.returncode == 1
    assert "no state folder" in done.stderr and "kill -TERM" in done.stderr


def test_a_card_that_takes_no_stop_ends_processes_instead(tmp_path, state):
    board = Board.start(str(state))
    board.set("fan", True, None, "c1")
    try:
        (state / "stop").mkdir()  # neither a file that was made beside it nor an empty one can take its place
        done = ask("stop", home=tmp_path)
        assert done.returncode == 1
        assert "the stop is NOT kept" in done.stdout
        assert f"process {board.pid} was told to end" in done.stdout
        assert eventually(lambda: fan(state))["why"] in ("board stopping", "emergency stop")
    finally:
        board.close()


def test_boards_of_other_folders_are_named_and_left_alone(tmp_path, state):
    other = tmp_path / "other"
    other.mkdir()
    board = Board.start(str(other))
    try:
        board.set("fan", True, None, "c1")
        done = ask("stop", home=tmp_path)
        assert f"another board (process {board.pid}) is not stopped by this: it has --state {other}" in done.stderr
        assert fan(other, "on")
    finally:
        board.close()


def test_what_an_agent_started_does_not_lift_a_stop(tmp_path, state):
    """A process that holds a tape stands for the agent, its child for what a tool runs."""
    stop.set_(str(state), stop.One("all"))
    tape = state / "tapes" / "t.jsonl"
    tape.parent.mkdir()
    tape.touch()
    fd = os.open(tape, os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        done = ask("resume", home=tmp_path)
        assert done.returncode == 6 and "an agent started this command" in done.stderr
        assert stop.read(str(state)).everything
        assert ask("stop", home=tmp_path).returncode in (0, 1)
    finally:
        os.close(fd)
    assert ask("resume", home=tmp_path).returncode == 0


def test_a_stop_outlives_everything_that_runs(tmp_path, state):
    with Agent(state) as running:
        ask("stop", home=tmp_path)
        running.signal(signal.SIGKILL)
    again = subprocess.run(
        [sys.executable, "-m", "edge", "--yes", "tool", "output_set", "name=fan", "state=on", "for=1m"],
        cwd=agent.ROOT,
        env=agent.environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert again.returncode != 0
    assert re.search("everything is stopped|stopped everything", again.stdout + again.stderr), again.stderr
    assert fan(state)


def noted(state):
    """The audit log's records of stops and their ends."""
    from edge.tape.audit_read import records

    rows = [row for _, _, row in records(f"{state}/audit")]
    return [row for row in rows if row is not None and row["kind"] in ("stop", "resume")]


def test_a_stop_and_its_end_are_in_the_audit_log(tmp_path, state):
    assert ask("stop", "--network", "--why", "storm", home=tmp_path).returncode == 0
    assert ask("resume", home=tmp_path).returncode == 0
    assert ask("resume", home=tmp_path).returncode == 0  # nothing was stopped, so there is nothing to record
    stopped, lifted = noted(state)
    who = f"uid {os.getuid()}"
    assert (stopped["stopped"], stopped["why"], stopped["by"], stopped["safe"]) == (["network"], "storm", who, True)
    assert (lifted["lifted"], lifted["by"]) == (["network"], who)
    assert "sound: " in ask("audit", "verify", home=tmp_path).stdout


def test_a_stop_that_cannot_be_recorded_is_in_force_all_the_same(tmp_path, state):
    (state / "audit").write_text("no folder")
    done = ask("stop", home=tmp_path)
    assert done.returncode == 0 and stop.read(str(state)).everything
    assert "fieldhand: not in the audit log: " in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to another user")
def test_what_root_records_in_the_log_of_another_stays_the_others(tmp_path, state):
    os.chown(state, 4321, 4321)
    os.chmod(tmp_path, 0o711)
    assert ask("stop", "--state", str(state), home=tmp_path).returncode == 0
    owners = {path.name: path.stat().st_uid for path in state.rglob("*")}
    assert (owners or {"none": 0}) == dict.fromkeys(owners, 4321)
