"""SIGKILL in the middle of stops and approvals: no approval survives its process, a stop that was told does.

Each round is an agent of its own that asks whether it may switch the fan, a random mix of answers and stops from other
processes, and a SIGKILL at a random moment. Then the world is looked at: the board's record, the state folder, what a
new agent may do.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from edge import stop
from tests.support import agent
from tests.support.boards import BEATING, Agent, eventually, fan, record, rounds

# The smallest agent there is: a board, an approver over the socket, and one question at a time. What it was allowed it
# writes down before it acts, with the id of nothing but the question's digest and number.
ASKING = """
import json, os, sys
from edge.approvals.desk import Socket
from edge.peripherals.guard.client import Board
from edge.faults import Refused
from tests.support.answering import question
state, number = sys.argv[1], sys.argv[2]
board = Board.start(state, 60.0, number)
approver = Socket(state)
while True:
    assert approver.at_once(question(60.0, tape=number)) is None
    answer = None
    while answer is None:
        board.beat()
        answer = approver.poll(0.05)
    print(json.dumps([answer.yes, answer.by]), flush=True)
    if answer.yes:
        try:
            board.set("fan", True, 5.0, number)
        except Refused as fault:
            print(json.dumps(["refused", fault.rule]), flush=True)
"""


def fieldhand(state: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        agent.command(*words, "--state", str(state)),
        cwd=agent.ROOT,
        env=agent.environment(None),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def open_question(state: Path) -> list[dict[str, Any]]:
    listed = fieldhand(state, "approvals", "list", "--json")
    return json.loads(listed.communicate(timeout=60)[0] or "[]")


def start(state: Path, number: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ASKING, str(state), str(number)]
    return subprocess.Popen(command, cwd=agent.ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.soak
def test_kills_in_the_middle_of_stops_and_approvals(tmp_path: Path) -> None:
    dice = random.Random(50)
    counts = {"allowed": 0, "switched": 0, "told stops": 0, "answers after a kill": 0}
    for number in range(rounds(50)):
        state = tmp_path / str(number)
        state.mkdir(0o700)
        one_round(state, number, dice, counts)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))


def one_round(state: Path, number: int, dice: random.Random, counts: dict[str, int]) -> None:
    asking = start(state, number)
    row = eventually(lambda: open_question(state))[0]
    approving = fieldhand(state, "approvals", "approve", row["id"])
    stopping = fieldhand(state, "stop", "--why", "storm") if dice.random() < 0.5 else None
    time.sleep(dice.uniform(0.0, 0.5))
    asking.kill()
    heard = [json.loads(line) for line in asking.communicate(timeout=60)[0].splitlines()]
    told_yes = approving.wait(60) == 0
    approving.communicate()
    if stopping is not None:
        told = stopping.communicate(timeout=60)[0]
        assert "stopped: everything" in told
        counts["told stops"] += 1
        assert stop.read(str(state)).everything
    # An answer that was told as taken was taken; the other way round the kill may have come in between.
    assert not told_yes or [True, row_by()] in heard
    allowed = [one for one in heard if one[0] is True]
    counts["allowed"] += len(allowed)
    on = [one for one in record(state) if one["state"]]
    counts["switched"] += len(on)
    assert len(on) <= 1  # one approval, one act
    eventually(lambda: not any(left_on(state).values()))
    after_the_kill(state, number, row["id"], stopping is not None, counts)


def row_by() -> str:
    return f"operator by approvals, uid {os.getuid()}"


def left_on(state: Path) -> dict[str, bool]:
    return {one["name"]: one["state"] for one in record(state)}


def after_the_kill(state: Path, number: int, old: str, stopped: bool, counts: dict[str, int]) -> None:
    """A new agent on the same folder: the old id answers nothing, the new question waits, the stop holds."""
    before = len([one for one in record(state) if one["state"]])
    asking = start(state, 1000 + number)
    try:
        row = eventually(lambda: open_question(state))[0]
        assert row["id"] != old
        late = fieldhand(state, "approvals", "approve", old)
        assert late.wait(60) == 1
        assert "no question is called" in late.communicate()[0]
        counts["answers after a kill"] += 1
        time.sleep(0.2)
        assert len([one for one in record(state) if one["state"]]) == before
        fresh = fieldhand(state, "approvals", "approve", row["id"])
        assert fresh.wait(60) == 0, fresh.communicate()[0]
        fresh.communicate()
        assert json.loads(asking.stdout.readline()) == [True, row_by()]  # type: ignore[union-attr]
        if stopped:
            assert json.loads(asking.stdout.readline()) == ["refused", "stop.all"]  # type: ignore[union-attr]
            assert len([one for one in record(state) if one["state"]]) == before
        else:
            eventually(lambda: len([one for one in record(state) if one["state"]]) == before + 1)
    finally:
        asking.kill()
        asking.communicate(timeout=60)


FAN = {"action": "output_set", "action_input": {"name": "fan", "state": True, "for_seconds": 120}}
DONE = {"action": "final", "action_input": "done"}


@pytest.mark.soak
def test_kills_of_the_whole_agent_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    """The same with the agent as it is shipped: what it did stands on its tape, and the next start allows nothing."""
    dice = random.Random(53)
    allowed = switched = 0
    for number in range(rounds(50)):
        home = tmp_path / str(number)
        home.mkdir()
        script = home / "script"
        script.write_text("".join(json.dumps(json.dumps(step)) + "\n" for step in (FAN, DONE)))
        model = f"scripted:{script}"
        process = agent.start("--ask", "--model", model, "-e", "cool", home=home)
        state = agent.state(home)
        row = eventually(lambda state=state: state.exists() and open_question(state))[0]
        approving = fieldhand(state, "approvals", "approve", row["id"])
        stopping = fieldhand(state, "stop") if dice.random() < 0.4 else None
        time.sleep(dice.uniform(0.1, 0.4))
        process.kill()
        process.communicate(timeout=60)
        approving.communicate(timeout=60)
        stopped = stopping is not None and "stopped: everything" in stopping.communicate(timeout=60)[0]
        (tape,) = agent.tapes(home)
        intents = [one for one in agent.records(tape) if one["kind"] == "intent"]
        on = [one for one in record(state) if one["state"]]
        assert len(on) <= len(intents) <= 1 and all(one["by"] == row_by() for one in intents)
        eventually(lambda state=state: not any(left_on(state).values()))
        late = fieldhand(state, "approvals", "approve", row["id"])
        assert late.wait(60) == 1, late.communicate()[0]
        late.communicate()
        again = agent.run("--model", model, "-e", "cool", home=home)
        assert again.returncode == 6, again.stderr
        assert ("stopped" in again.stderr) is stopped
        assert len([one for one in record(state) if one["state"]]) == len(on)
        allowed += len(intents)
        switched += len(on)
    print(f"{allowed} intents under an answer, {switched} switched")


@pytest.mark.soak
def test_a_stop_that_is_killed_itself_is_whole_or_not_there(tmp_path: Path) -> None:
    """SIGKILL for `fieldhand stop`: what it told is in force; what it began is a stop of everything or none."""
    dice = random.Random(51)
    told = there = 0
    for number in range(rounds(50)):
        state = tmp_path / str(number)
        state.mkdir(0o700)
        stopping = fieldhand(state, "stop", "--network")
        time.sleep(dice.uniform(0.0, 0.15))
        stopping.kill()
        said = stopping.communicate(timeout=60)[0]
        found = stop.read(str(state))
        assert found is None or found.words in ("network", "all")
        assert found is not None or "stopped:" not in said
        told += "stopped:" in said
        there += found is not None
    print(f"{told} stops were told before the kill, {there} were in force after it")


@pytest.mark.soak
def test_a_stop_reaches_the_outputs_at_any_moment(tmp_path: Path) -> None:
    """The fan is on, the stop comes at a random moment, the agent is killed, frozen or left: the fan is off."""
    import signal

    dice = random.Random(52)
    for number in range(rounds(30)):
        state = tmp_path / str(number)
        state.mkdir(0o700)
        with Agent(state, BEATING) as running:
            running.signal(dice.choice((signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT)))
            stopping = fieldhand(state, "stop")
            assert eventually(lambda state=state: fan(state))["why"] in ("emergency stop", "agent gone")
            assert stopping.wait(60) == 0, stopping.communicate()[0]
            stopping.communicate()
