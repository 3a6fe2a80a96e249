"""The first command of the README, and the same under everything that a first run can meet."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support import agent
from tests.support.agent import BRIEF, GOAL


def first(home: Path | None, *words: str, goal: str = BRIEF, **options: object) -> object:
    return agent.run("--board", "sim", "--model", "offline", *words, "-e", goal, home=home, **options)


def test_the_goal_is_answered_and_the_fan_was_on_for_two_board_minutes(tmp_path: Path) -> None:
    done = first(tmp_path, "--yes", goal=GOAL)
    assert done.returncode == 0, done.stderr
    assert "33" in done.stdout and " C" in done.stdout and "s old" in done.stdout
    for said in ("sensor_read", "output_set", "output.medium", "low risk", "medium risk", "yes by --yes"):
        assert said in done.stderr
    rows = [row for row in agent.transitions(tmp_path) if row.get("name") == "fan"]
    on = [row for row in rows if row["state"]]
    off = [row for row in rows if not row["state"]]
    assert len(on) == 1 and off, rows
    assert 117 < off[-1]["board"] - on[0]["board"] < 120 + 60 * 30, "never sooner, and at most 30 s of ours later"
    (tape,) = agent.tapes(tmp_path)
    kinds = [row["kind"] for row in agent.records(tape)]
    assert kinds[0] == "open" and kinds[-1] == "close" and "board" in kinds
    shown = agent.run("tape", "show", "last", home=tmp_path)
    assert shown.returncode == 0 and "fan" in shown.stdout and "lease ended" in shown.stdout


def test_stdout_holds_the_answer_alone(tmp_path: Path) -> None:
    done = first(tmp_path, "--yes")
    (tape,) = agent.tapes(tmp_path)
    (answer,) = [row["text"] for row in agent.records(tape) if row["kind"] == "answer"]
    assert done.stdout == answer + "\n"


def test_with_nobody_to_ask_it_is_six_and_the_sentence_says_so(tmp_path: Path) -> None:
    done = first(tmp_path)
    assert done.returncode == 6
    assert "nobody could be asked" in done.stderr
    assert not any(row["state"] for row in agent.transitions(tmp_path) if row.get("name") == "fan")


def test_readonly_reads_and_switches_neither_on_nor_off(tmp_path: Path) -> None:
    read = agent.run("tool", "sensor_read", "name=temperature", "--mode", "readonly", "--yes", home=tmp_path)
    assert read.returncode == 0 and " C" in read.stdout
    for state in ("on", "off"):
        switch = agent.run(
            "tool", "output_set", "name=fan", f"state={state}", "--mode", "readonly", "--yes", home=tmp_path
        )
        assert switch.returncode == 6 and "output.medium" in switch.stderr
    write = agent.run("tool", "file_write", "path=x", "content=y", "--mode", "readonly", "--yes", home=tmp_path)
    assert write.returncode == 6 and not (agent.ROOT / "x").exists()


@pytest.mark.parametrize(
    ("name", "args", "mode", "code"),
    [
        ("sensor_read", '{"name": "temperature"}', "readonly", 0),
        ("output_set", '{"name": "fan", "state": true}', "guarded", 10),
        ("output_set", '{"name": "fan", "state": false}', "readonly", 11),
        ("file_write", '{"path": "x", "content": ""}', "readonly", 11),
        ("file_write", '{"path": "/etc/x", "content": ""}', "full", 11),
        ("OUTPUT_SET", '{"name": "fan", "state": true}', "unrestricted", 0),
        ("no_such_tool", "{}", "guarded", 2),
        ("output_set", "{}", "guarded", 2),
        ("output_set", "{", "guarded", 2),
    ],
)
def test_policy_check_says_what_the_gate_would(name: str, args: str, mode: str, code: int, tmp_path: Path) -> None:
    assert agent.run("policy", "check", name, args, "--mode", mode, home=tmp_path).returncode == code


def test_without_any_home_nothing_is_kept_and_it_says_so(tmp_path: Path) -> None:
    env = agent.environment(None, PYTHONPATH=str(agent.ROOT))
    done = agent.run("--board", "sim", "--model", "offline", "--yes", "-e", BRIEF, env=env, cwd=tmp_path)
    assert done.returncode == 0 and "nothing is kept" in done.stderr and "33" in done.stdout
    assert os.listdir(tmp_path) == []


def test_a_home_that_cannot_be_written_is_as_none() -> None:
    done = first(Path("/proc/nowhere"), "--yes")
    assert done.returncode == 0 and "nothing is kept" in done.stderr


def test_locale_c_gives_plain_text(tmp_path: Path) -> None:
    env = agent.environment(tmp_path, LC_ALL="C", PYTHONIOENCODING="ascii")
    done = agent.run("--yes", "-e", "How warm is it?", env=env)
    assert done.returncode == 0 and done.stdout.isascii() and done.stderr.isascii()


def test_stdout_closed_is_a_sentence_and_nine(tmp_path: Path) -> None:
    done = agent.run_closed(">&-", "-e", "How warm is it?", home=tmp_path)
    assert done.returncode == 9 and "stdout is closed" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["tools"], ["doctor"], ["--help"], ["--version"], ["sim", "show"], ["tape", "list"]])
def test_every_command_says_that_stdout_is_full_or_closed(words: list[str], tmp_path: Path) -> None:
    if words[0] == "tape":
        assert agent.run("-e", "How warm is it?", home=tmp_path).returncode == 0
    with open("/dev/full", "w") as full:
        done = agent.run(*words, home=tmp_path, stdout=full)
    assert done.returncode == 9 and "no space left" in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr and "Traceback" not in done.stderr
    shut = agent.run_closed(">&-", *words, home=tmp_path)
    assert shut.returncode == 9 and "stdout is closed" in shut.stderr


def test_nobody_reading_stderr_does_not_make_the_agent_deaf(tmp_path: Path) -> None:
    script = tmp_path / "script"
    write = {"action": "file_read", "action_input": {"path": "no\n" * 40_000}}
    script.write_text((json.dumps(json.dumps(write)) + "\n") * 4 + '{"delay": 60, "reply": "x"}\n')
    process = agent.start("--model", f"scripted:{script}", "-e", "go", home=tmp_path)
    end = time.monotonic() + 60
    while len(agent.tapes(tmp_path)) == 0 or b'"step"' not in agent.tapes(tmp_path)[0].read_bytes():
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 130
    assert agent.records(agent.tapes(tmp_path)[0])[-1]["kind"] == "close"


def test_a_board_that_dies_while_the_fan_runs_is_seven_and_on_the_tape(tmp_path: Path) -> None:
    process = agent.start("--yes", "-e", "Run the fan for 50 minutes.", home=tmp_path)
    end = time.monotonic() + 60
    while not any(row.get("state") for row in agent.transitions(tmp_path)) and time.monotonic() < end:
        time.sleep(0.05)
    (tape,) = agent.tapes(tmp_path)
    (child,) = [row for row in agent.records(tape) if row["kind"] == "child"]
    assert agent.alive(child["pid"], child["start"])
    os.kill(child["pid"], signal.SIGKILL)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 7 and b"unknown" in told
    rows = agent.records(tape)
    assert rows[-1]["kind"] == "close" and rows[-1]["code"] == 7
    assert any(row["kind"] == "fault" and row["code"] == 7 for row in rows)


def test_a_settings_fault_leaves_no_empty_tape(tmp_path: Path) -> None:
    assert agent.run("--model", "nonsense", "-e", "x", home=tmp_path).returncode == 3
    assert agent.tapes(tmp_path) == []


def test_an_impossible_time_is_said_before_anybody_is_asked(tmp_path: Path) -> None:
    done = agent.run("tool", "output_set", "name=fan", "state=on", "for=3h", "--yes", home=tmp_path)
    assert done.returncode == 6 and "at most 1 h" in done.stderr and "call.impossible" in done.stderr
    assert agent.transitions(tmp_path) == []


def test_a_full_stdout_is_a_sentence_and_nine(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = agent.run("-e", "How warm is it?", home=tmp_path, stdout=full)
    assert done.returncode == 9 and "no space left" in done.stderr and "Traceback" not in done.stderr


def test_a_cut_pipe_is_a_sentence_and_nine(tmp_path: Path) -> None:
    process = agent.start("-e", "How warm is it?", home=tmp_path)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    told = process.stderr.read().decode()
    assert process.wait(timeout=60) == 9 and "broken pipe" in told and "Traceback" not in told


def test_stdin_and_stderr_closed_change_nothing_of_the_answer(tmp_path: Path) -> None:
    done = agent.run_closed("<&- 2>&-", "-e", "How warm is it?", home=tmp_path)
    assert done.returncode == 0 and "33" in done.stdout


def test_ctrl_c_while_the_fan_runs_switches_it_off_and_ends_with_130(tmp_path: Path) -> None:
    process = agent.start("--yes", "-e", "Run the fan for 50 minutes.", home=tmp_path)
    end = time.monotonic() + 60
    while not any(row.get("state") for row in agent.transitions(tmp_path)) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert [row["state"] for row in agent.transitions(tmp_path) if row.get("name") == "fan"][-1] is False
    (tape,) = agent.tapes(tmp_path)
    assert agent.records(tape)[-1]["kind"] == "close"


def test_a_terminal_is_asked_once_in_physical_words(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        agent.command("-e", "Run the fan for 30 seconds."),
        cwd=agent.ROOT,
        env=agent.environment(tmp_path),
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    shown = b""
    while b"[y/N/t]" not in shown:
        shown += os.read(master, 4096)
    assert shown.count(b"[y/N/t]") == 1
    assert b"switch exhaust fan, relay 1 (fan, sim relay 1) on for 30 s" in shown
    os.write(master, b"y\n")
    out, _ = process.communicate(timeout=60)
    os.close(master)
    assert process.returncode == 0 and b"fan" in out


def test_trace_json_gives_one_object_a_line(tmp_path: Path) -> None:
    done = first(tmp_path, "--yes", "--trace", "json")
    events = [json.loads(line)["event"] for line in done.stderr.strip().splitlines()]
    assert [event for event in events if event in ("decided", "granted", "outcome")] == [
        "decided",
        "granted",
        "outcome",
    ] * 2


def test_a_goal_that_is_not_understood_does_nothing_and_shows_three_that_are(tmp_path: Path) -> None:
    done = agent.run("--yes", "-e", "Please compose a sonnet about relays.", home=tmp_path)
    assert agent.transitions(tmp_path) == []
    assert len(done.stdout.strip().splitlines()) >= 3


def test_the_simulation_goes_on_where_it_ended(tmp_path: Path) -> None:
    assert agent.run("sim", "set", "temperature", "12", home=tmp_path).returncode == 0
    done = agent.run("-e", "How warm is it?", home=tmp_path)
    assert re.search(r"\b1[1-9]\.", done.stdout), done.stdout


def test_a_sensor_that_does_not_answer_is_seven(tmp_path: Path) -> None:
    agent.run("sim", "set", "humidity", "nak", home=tmp_path)
    done = agent.run("-e", "Read the humidity.", home=tmp_path)
    assert done.returncode == 7 and "acknowledge" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["tools"], 0),
        (["tools", "--json"], 0),
        (["doctor"], 0),
        (["doctor", "--json"], 0),
        (["tape", "list"], 0),
        (["nonsense"], 2),
        (["tool", "nonsense"], 2),
        (["--mode", "godlike", "-e", "x"], 3),
        (["--config", "/nowhere.toml", "-e", "x"], 3),
        (["--model", "chat:m", "--base-url", "http://127.0.0.1:9/v1", "-e", "x"], 4),
        (["tool", "sensor_read", "name=nothing"], 6),
        (["tool", "file_read", "path=no-such-file"], 1),
    ],
)
def test_exit_codes(words: list[str], code: int, tmp_path: Path) -> None:
    done = agent.run(*words, home=tmp_path)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
