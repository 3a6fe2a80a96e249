"""SIGKILL at random moments: whole tapes, nothing acknowledged lost, the fan off, nobody left over."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import agent

GOAL = "Run the fan for 10 minutes. Read the temperature. Run the pump for 2 minutes. Read the light."
ROUNDS = 100 if os.environ.get("FIELDHAND_SOAK") == "1" else 10
KINDS = {"step": "step", "granted": "intent", "outcome": "outcome"}


def acknowledged(trace: bytes) -> dict[str, int]:
    """How many records of each kind the agent said it had kept: an event is told after its record."""
    counts = dict.fromkeys(KINDS.values(), 0)
    for line in trace.split(b"\n"):
        try:
            event = json.loads(line)["event"]
        except (ValueError, KeyError):
            continue
        if event in KINDS:
            counts[KINDS[event]] += 1
    return counts


def wait_until_off(home: Path, seconds: float) -> list[Any]:
    """The outputs that the board's own record leaves on, after waiting at most `seconds` for none."""
    end = time.monotonic() + seconds
    while True:
        last = {row["name"]: row["state"] for row in agent.transitions(home) if "name" in row}
        on = [name for name, state in last.items() if state]
        if not on or time.monotonic() > end:
            return on
        time.sleep(0.05)


@pytest.mark.soak
def test_kills_at_random_moments(tmp_path: Path) -> None:
    rng = random.Random(41)
    lost, left_on, switched = 0, 0, 0
    for number in range(ROUNDS):
        known = set(agent.tapes(tmp_path))
        process = agent.start("--yes", "--trace", "json", "-e", GOAL, home=tmp_path)
        time.sleep(rng.uniform(0.05, 1.2))
        process.kill()
        _, trace = process.communicate(timeout=60)
        told = acknowledged(trace)
        kept: dict[str, int] = dict.fromkeys(told, 0)
        for tape in set(agent.tapes(tmp_path)) - known:
            shown = agent.run("tape", "show", tape.stem, home=tmp_path)
            assert shown.returncode == 0, shown.stderr
            rows = [json.loads(row) for row in tape.read_bytes().split(b"\n")[:-1]]
            assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
            for row in rows:
                if row["kind"] in kept:
                    kept[row["kind"]] += 1
        lost += sum(max(0, told[kind] - kept[kind]) for kind in told)
        switched += told["intent"] > 0
        left_on += bool(wait_until_off(tmp_path, 60.0))
        if number % 10 == 9:
            check_nobody_is_left(tmp_path)
    print(f"{ROUNDS} kills, {switched} of them after a first intent: {lost} records lost, {left_on} times left on")
    assert (lost, left_on) == (0, 0)


def check_nobody_is_left(home: Path) -> None:
    """The next start ends what an earlier run left; soon no recorded child is alive."""
    answered = agent.run("-e", "How warm is it?", home=home)
    assert answered.returncode == 0, answered.stderr
    children = [row for tape in agent.tapes(home) for row in agent.records(tape) if row["kind"] == "child"]
    assert children
    end = time.monotonic() + 20.0
    while any(agent.alive(row["pid"], row["start"]) for row in children) and time.monotonic() < end:
        time.sleep(0.05)
    assert [row for row in children if agent.alive(row["pid"], row["start"])] == []
