"""The whole agent, asked and stopped from elsewhere: what it does, what it says, what stands on its tape."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge import stop
from tests.support import agent
from tests.support.boards import eventually, fan
from tests.support.console import Console, end_all

BY = f"operator by approvals, uid {os.getuid()}"
FAN = {"action": "output_set", "action_input": {"name": "fan", "state": True, "for_seconds": 120}}
DONE = {"action": "final", "action_input": "done"}


@pytest.fixture(autouse=True)
def nothing_is_left_over() -> Iterator[None]:
    """A test that fails in the middle leaves no agent behind."""
    yield
    end_all()


def script(home: Path, *steps: Any) -> str:
    path = home / "script"
    path.write_text("".join(json.dumps(one if "delay" in one else json.dumps(one)) + "\n" for one in steps))
    return f"scripted:{path}"


def approvals(home: Path, *words: str) -> Any:
    return agent.run("approvals", *words, home=home)


def waiting(home: Path) -> list[dict[str, Any]]:
    if not agent.state(home).exists():
        return []
    return json.loads(approvals(home, "list", "--json").stdout or "[]")


def asking(home: Path, *words: str) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    """An agent that waits for an answer about the fan, and the row of its question."""
    model = script(home, FAN, DONE)
    process = agent.start("--ask", "--model", model, *words, "-e", "cool the greenhouse", home=home)
    return process, eventually(lambda: waiting(home))[0]


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def of_kind(home: Path, kind: str) -> list[dict[str, Any]]:
    (tape,) = agent.tapes(home)
    return [row for row in agent.records(tape) if row["kind"] == kind]


def test_a_run_without_a_terminal_waits_for_an_answer_where_it_is_told_to(tmp_path: Path) -> None:
    process, row = asking(tmp_path)
    assert row["words"] == "switch exhaust fan, relay 1 (fan, sim relay 1) on for 2 min"
    assert approvals(tmp_path, "approve", row["id"]).returncode == 0
    code, out, err = ended(process)
    assert (code, out) == (0, "done\n"), err
    assert f"fieldhand approvals approve {row['id']}" in err
    (intent,) = of_kind(tmp_path, "intent")
    assert intent["by"] == BY
    assert row["tape"] == agent.tapes(tmp_path)[0].stem


def test_words_instead_of_a_yes_reach_the_model_and_nothing_runs(tmp_path: Path) -> None:
    process, row = asking(tmp_path)
    assert approvals(tmp_path, "deny", row["id"], "it is winter, leave it off").returncode == 0
    code, _, err = ended(process)
    assert code in (0, 6), err
    (outcome,) = of_kind(tmp_path, "outcome")
    assert "it is winter, leave it off" in outcome["text"]
    assert outcome["ok"] is False or outcome["status"] == "replaced"
    assert of_kind(tmp_path, "intent") == [] and fan(agent.state(tmp_path), "on") is None
    assert not outcome.get("receipt")


def test_no_answer_in_time_says_that_nobody_answered(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[budgets]\napproval_seconds = 1\n[approvals]\nwait = true\n")
    model = script(tmp_path, FAN, DONE)
    done = agent.run("--config", str(settings), "--model", model, "-e", "cool", home=tmp_path)
    assert done.returncode == 6
    assert "nobody answered within 1 s" in done.stderr


def test_without_being_told_to_wait_nobody_is_asked_and_it_says_so(tmp_path: Path) -> None:
    done = agent.run("--model", script(tmp_path, FAN, DONE), "-e", "cool", home=tmp_path)
    assert done.returncode == 6
    assert "nobody could be asked" in done.stderr
    assert not (agent.state(tmp_path) / "approvals").exists()


def test_a_stop_ends_a_turn_that_waits_for_an_answer(tmp_path: Path) -> None:
    process, row = asking(tmp_path)
    stopped = agent.run("stop", "--why", "smoke", home=tmp_path)
    assert stopped.returncode == 0, stopped.stdout
    code, _, err = ended(process)
    assert code == 6 and "everything is stopped (smoke)" in err
    late = approvals(tmp_path, "approve", row["id"])
    assert late.returncode == 1
    assert of_kind(tmp_path, "intent") == []


def test_a_stop_ends_a_turn_whose_model_is_slow(tmp_path: Path) -> None:
    process = agent.start("--model", script(tmp_path, {"delay": 60, "reply": "x"}), "-e", "wait", home=tmp_path)
    eventually(lambda: agent.tapes(tmp_path) and of_kind(tmp_path, "line"))
    began = time.monotonic()
    stopped = agent.run("stop", home=tmp_path)
    assert stopped.returncode == 0, stopped.stdout
    assert ended(process)[0] == 6
    assert time.monotonic() - began < 50.0


def test_a_start_under_a_stop_does_nothing_and_says_why(tmp_path: Path) -> None:
    agent.state(tmp_path).mkdir(parents=True)
    stop.set_(str(agent.state(tmp_path)), stop.One("all", "smoke"))
    for words in (("-e", "How warm is it?"), ("--yes", "tool", "output_set", "name=fan", "state=on", "for=1m")):
        done = agent.run(*words, home=tmp_path)
        assert done.returncode == 6, done.stderr
        assert re.search("everything is stopped|stopped everything", done.stderr)
        assert "fieldhand resume" in done.stderr
    assert agent.run("resume", home=tmp_path).returncode == 0
    assert agent.run("-e", "How warm is it?", home=tmp_path).returncode == 0


@pytest.mark.parametrize(("kind", "word"), [("tool:sensor_read", "tool"), ("network", "")])
def test_a_stop_of_a_part_denies_that_part_alone(tmp_path: Path, kind: str, word: str) -> None:
    agent.state(tmp_path).mkdir(parents=True)
    stop.set_(str(agent.state(tmp_path)), stop.One(kind))
    done = agent.run("tool", "sensor_read", "name=temperature", home=tmp_path)
    assert ("stop.tool" in done.stderr) is bool(word), done.stderr
    assert agent.run("tool", "sensor_list", home=tmp_path).returncode == 0


def test_terminal_and_socket_are_asked_together_and_the_terminal_hears_of_the_other(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    console.type("turn the fan on for 1 minute")
    console.until("Allow it, or tell it something else? [y/N/t] ")
    (row,) = eventually(lambda: waiting(tmp_path))
    assert approvals(tmp_path, "approve", row["id"]).returncode == 0
    console.until(f"no answer is needed any more: allowed by {BY}")
    console.until("The fan is on")
    console.until("fieldhand> ")
    console.type("turn the pump on for 1 minute")
    console.until("Allow it, or tell it something else? [y/N/t] ")
    (row,) = eventually(lambda: waiting(tmp_path))
    console.type("t the tank is empty")
    eventually(lambda: not waiting(tmp_path))
    late = approvals(tmp_path, "approve", row["id"])
    assert late.returncode == 1 and "is over: " in late.stderr
    console.until("fieldhand> ")
    console.type(",quit")
    assert console.end() == 0


def test_a_conversation_under_a_stop_says_so_and_goes_on_after_it(tmp_path: Path) -> None:
    console = Console(tmp_path)
    console.until("fieldhand> ")
    console.type("turn the fan on for 10 minutes")
    console.until("Allow it, or tell it something else? [y/N/t] ")
    console.type("y")
    console.until("fieldhand> ")
    assert agent.run("stop", "--why", "smoke", home=tmp_path).returncode == 0
    console.until("board: everything is stopped (smoke)")
    console.type("How warm is it?")
    assert re.search("everything is stopped|stopped everything", console.until("resume"))
    console.until("fieldhand> ")
    assert agent.run("resume", home=tmp_path).returncode == 0
    console.until("board: the emergency stop was lifted")
    console.type("How warm is it?")
    console.until(" C")
    console.until("fieldhand> ")
    console.type(",quit")
    assert console.end() == 0


UNLINK = "import os; os.unlink(os.sep.join([{state!r}, 'st' + 'op']))"
CONNECT = (
    "import socket, os; s = socket.socket(socket.AF_UNIX); d = {state!r} + '/appro' + 'vals';"
    "s.connect(d + '/' + os.listdir(d)[0]); print('reached')"
)


@pytest.mark.skipif(not os.path.exists("/usr/bin/python3"), reason="the program that tries it is the system's Python")
@pytest.mark.parametrize("act", [UNLINK, CONNECT], ids=["lift", "connect"])
def test_a_program_of_a_tool_neither_lifts_a_stop_nor_reaches_the_questions(tmp_path: Path, act: str) -> None:
    """In the widest mode, with yes to everything, by text that the gate cannot read: the kernel holds it."""
    process, row = asking(tmp_path)
    try:
        state = agent.state(tmp_path)
        assert agent.run("stop", "--network", home=tmp_path).returncode == 0
        code = act.format(state=str(state)).replace('"', '\\"')
        told = ["--mode", "full", "--yes", "--trace", "json", "tool", "bash", f'command=/usr/bin/python3 -c "{code}"']
        done = agent.run(*told, home=tmp_path)
        outcomes = [event for line in done.stderr.splitlines() if (event := json.loads(line))["event"] == "outcome"]
        assert len(outcomes) == 1, done.stderr
        if (outcomes[0].get("data") or {}).get("wall") in ("none", "off"):
            pytest.skip("this kernel gives no wall")
        assert outcomes[0]["ok"] is False
        assert re.search("PermissionError|FileNotFoundError|NotADirectory|Operation not permitted", outcomes[0]["text"])
        assert "reached" not in outcomes[0]["text"].replace("print('reached')", "")
        assert stop.read(str(state)).words == "network"  # type: ignore[union-attr]
        assert [one["id"] for one in waiting(tmp_path)] == [row["id"]]
    finally:
        process.kill()
        process.communicate()
