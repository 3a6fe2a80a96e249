"""The conversation at the prompt: over a pipe, and at a terminal with readline."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import agent
from tests.support.boards import eventually
from tests.support.console import Console, end_all


@pytest.fixture(autouse=True)
def nothing_is_left_over() -> Iterator[None]:
    """A test that fails in the middle leaves no agent behind."""
    yield
    end_all()


def test_a_pipe_is_read_line_by_line_without_a_prompt(tmp_path: Path) -> None:
    talk = "How warm is it?\n,sensor_read name=light\n\n,nonsense\n,sensor_read\nwas it warm?\n"
    done = subprocess.run(
        agent.command(),
        cwd=agent.ROOT,
        env=agent.environment(tmp_path),
        input=talk,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0
    assert "33" in done.stdout and "lux" in done.stdout and "fieldhand>" not in done.stdout
    assert "there is no tool 'nonsense'" in done.stderr and "name" in done.stderr
    (tape,) = agent.tapes(tmp_path)
    assert [row["text"] for row in agent.records(tape) if row["kind"] == "line"] == [
        "How warm is it?",
        ",sensor_read name=light",
        "was it warm?",
    ]


def test_at_a_terminal_a_person_is_asked_and_the_lease_ends_above_the_prompt(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    console.type("turn the fan on for 1 minute")
    shown = console.until("[y/N/t] ")
    assert "switch exhaust fan, relay 1 (fan, sim relay 1) on for 1 min" in shown
    console.type("y")
    console.until("fieldhand> ")
    console.until("board: fan off, lease ended")
    console.type(",quit")
    assert console.end() == 0


def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    os.write(console.master, b"turn the fan on for 1 minute\ny\n")
    console.until("[y/N/t] ")
    time.sleep(0.5)
    assert not any(row["state"] for row in agent.transitions(tmp_path))
    console.type("n")
    console.until("the operator said no")
    console.until("fieldhand> ")
    console.type(",quit")
    assert console.end() == 0


def test_ctrl_c_ends_the_turn_and_not_the_conversation(tmp_path: Path) -> None:
    script = tmp_path / "script"
    final = json.dumps({"action": "final", "action_input": "here again"})
    script.write_text(json.dumps({"delay": 30, "reply": "x"}) + "\n" + json.dumps(final) + "\n")
    console = Console(tmp_path, "--model", f"scripted:{script}")
    console.until("fieldhand> ")
    console.type("wait")
    eventually(lambda: agent.tapes(tmp_path) and b'"line"' in agent.tapes(tmp_path)[0].read_bytes())
    console.process.send_signal(signal.SIGINT)
    console.until("interrupted by the operator")
    console.until("fieldhand> ")
    time.sleep(0.5)
    console.process.send_signal(signal.SIGINT)
    console.until("fieldhand> ")
    console.type("hello")
    console.until("here again")
    console.until("fieldhand> ")
    time.sleep(0.5)
    os.write(console.master, b"\x04")
    assert console.end() == 0


@pytest.mark.parametrize("ahead", [b"\x04", b"hello\n\x04"])
def test_ctrl_d_typed_during_a_turn_ends_the_conversation_after_it(ahead: bytes, tmp_path: Path) -> None:
    script = tmp_path / "script"
    replies = [{"action": "final", "action_input": word} for word in ("first", "second")]
    script.write_text("".join(json.dumps({"delay": 1.5, "reply": json.dumps(one)}) + "\n" for one in replies))
    console = Console(tmp_path, "--model", f"scripted:{script}")
    console.until("fieldhand> ")
    console.type("wait")
    eventually(lambda: agent.tapes(tmp_path) and b'"line"' in agent.tapes(tmp_path)[0].read_bytes())
    os.write(console.master, ahead)
    console.until("first")
    if b"hello" in ahead:
        console.until("second")
    assert console.end() == 0


def test_an_answer_that_is_neither_yes_nor_no_is_asked_again(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    console.type("turn the fan on for 1 minute")
    console.until("[y/N/t] ")
    console.type("maybe")
    console.until("Please answer y, n or t ")
    console.type("yes")
    console.until("The fan is on")
    console.until("fieldhand> ")
    console.type("quit")
    assert console.end() == 0


def test_a_terminal_that_closes_at_the_question_is_nobody_and_not_a_no(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    console.type("turn the fan on for 1 minute")
    console.until("[y/N/t] ")
    os.write(console.master, b"y\x04\x04")
    console.until("the terminal was closed before there was an answer")
    assert not any(row["state"] for row in agent.transitions(tmp_path))
    console.process.kill()
    console.end()


def test_what_a_person_is_asked_shows_the_file_that_is_touched_and_hides_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script"
    path = "notes\u200b\u202e.txt"
    call = {"action": "file_write", "action_input": {"path": path, "content": "x"}}
    final = {"action": "final", "action_input": "done"}
    script.write_text("".join(json.dumps(json.dumps(step)) + "\n" for step in (call, final)))
    console = Console(tmp_path, "--model", f"scripted:{script}")
    console.until("fieldhand> ")
    console.type("write")
    shown = console.until("done")
    assert "notes\\u200b\\u202e.txt" in shown and "\u202e" not in shown
    console.until("fieldhand> ")
    console.type(",quit")
    assert console.end() == 0
    assert not (agent.ROOT / path).exists()


def test_help_and_tools_stand_at_the_prompt(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    console.type(",help")
    assert ",quit" in console.until("fieldhand> ")
    console.type(",tools")
    assert "output_set name=<string> state=on|off" in console.until("fieldhand> ")
    console.type(",quit")
    assert console.end() == 0
    assert agent.tapes(tmp_path) == []


def test_a_conversation_is_resumed_with_its_past(tmp_path: Path) -> None:
    assert agent.run("-e", "How warm is it?", home=tmp_path).returncode == 0
    done = subprocess.run(
        agent.command("tape", "resume", "last"),
        cwd=agent.ROOT,
        env=agent.environment(tmp_path),
        input=",recall query=warm\nhow bright is it?\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0 and "How warm is it?" in done.stdout, done.stderr
    (tape,) = agent.tapes(tmp_path)
    rows = agent.records(tape)
    assert [row["kind"] for row in rows].count("open") == 2
    ids = [call["id"] for row in rows if row["kind"] == "step" for call in row.get("calls", [])]
    assert len(ids) == len(set(ids)) == 3


def test_a_prompt_without_a_state_folder_says_so_and_works(tmp_path: Path) -> None:
    done = subprocess.run(
        agent.command(),
        cwd=agent.ROOT,
        env=agent.environment(None),
        input="How warm is it?\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0 and "nothing is kept" in done.stderr and "33" in done.stdout


def test_the_bare_word_stop_stops_everything_at_the_prompt_and_resume_lifts_it(tmp_path: Path) -> None:
    talk = "run the fan for 1 minute\nstop\n,sensor_list\n,resume\n,stop smoke\n,sensor_list\n,resume\n"
    talk += ",sensor_list\n,help\n"
    done = subprocess.run(
        agent.command("--yes"),
        cwd=agent.ROOT,
        env=agent.environment(tmp_path),
        input=talk,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("stopped: everything") == 2 and done.stdout.count("lifted: everything") == 2
    assert "safe, says the board" in done.stdout and "board: fan off, emergency stop" in done.stderr
    assert done.stderr.count("everything is stopped (fieldhand resume lifts it)") >= 1
    assert "everything is stopped (smoke)" in done.stderr
    assert done.stdout.count("air temperature") == 1, "only the call after the last resume is answered"
    assert "stop                 the emergency stop" in done.stdout and ",resume " in done.stdout


def test_a_stop_that_cannot_be_kept_ends_the_conversation_with_safe_outputs(tmp_path: Path) -> None:
    done = subprocess.run(
        agent.command("--yes"),
        cwd=agent.ROOT,
        env=agent.environment(None),
        input="run the fan for 1 minute\nstop\n,sensor_list\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "the conversation ends" in done.stderr and "sensor_list" not in done.stderr
    assert "board: fan off" in done.stderr
