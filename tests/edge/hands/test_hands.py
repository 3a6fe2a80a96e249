"""What holds every tool there is: no grant, no touch; and a deadline that the permit brings."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Observation, Permit
from edge.config import Budgets
from edge.faults import Refused
from edge.gate.policy import Policy
from edge.hands import Hands
from edge.record import replace
from edge.registry import TOOLS, find
from tests.support.every_tool import CALLS
from tests.support.lined import with_lines
from tests.support.one_call import carry, judge, world
from tests.support.turns import Bench

# What is declared stands in the scene, and arithmetic needs nothing.
FREE = ("sensor_list", "output_list", "calculator")


def bench(folder: Path, replies: list[Any], **changes: Any) -> Bench:
    """A bench whose board has something for every tool."""
    return Bench(folder, replies, declared=with_lines, **changes)


def mine() -> dict[str, dict[str, Any]]:
    """A call for each tool there is, of hosts that could be allowed."""
    outside = {"url": "https://example.org/"}
    return {tool: outside if tool in ("http_request", "web_fetch") else CALLS[tool] for tool in TOOLS}


def test_no_tool_touches_anything_without_a_grant(tmp_path: Path) -> None:
    assert set(CALLS) >= set(TOOLS), "a new tool needs a call in tests/support/every_tool.py"
    (tmp_path / "note").write_text("secret words")
    here = bench(tmp_path, [], kept=False)
    for tool, args in mine().items():
        held = Hands(Permit("c1", (), (), 30.0, 8192), Call(tool, args, "c1"), here.world)
        try:
            found = find(tool).run(args, held)
        except Refused as fault:
            assert fault.rule == "hands.no-grant", tool
        else:
            assert tool in FREE, tool
            assert "secret" not in found.text
    assert os.listdir(tmp_path) == ["note"] and here.board.states()["fan"]["state"] is False


def test_the_permit_of_every_tool_carries_the_deadline_of_the_settings(tmp_path: Path) -> None:
    assert Budgets().tool_seconds == 30.0 == Policy().seconds
    here = bench(tmp_path, [], kept=False).world
    for tool, args in mine().items():
        permit = judge(tool, args, here, "full")[1].permit
        assert permit is not None and permit.seconds == 30.0, tool


def test_any_tool_that_hangs_is_given_up_at_its_deadline(tmp_path: Path) -> None:
    """A tool of any kind is left behind; its program, if it started one, is ended (test_run.py)."""
    for tool in TOOLS:
        over = threading.Event()

        def hang(args: Any, hands: Any, over: threading.Event = over) -> Observation:
            over.wait(120)
            return Observation(False, "too late")

        hangs = replace(find(tool), run=hang)
        args = mine()[tool]
        step = json.dumps({"thought": "", "action": tool, "action_input": args})
        done = json.dumps({"thought": "", "action": "final", "action_input": "over"})
        folder = tmp_path / tool
        folder.mkdir()
        here = bench(folder, [step, done], tools=(hangs,), policy=Policy("full", seconds=0.02))
        begin = time.monotonic()
        here.loop.run("go")
        assert time.monotonic() - begin < 60, tool
        over.set()
        (outcome,) = [row for row in here.records() if row["kind"] == "outcome"]
        assert outcome["status"] == "deadline" and "stopped waiting" in outcome["text"], tool


@pytest.mark.parametrize("tool", ["file_read", "file_write"])
def test_with_its_grant_a_tool_does_its_work(tool: str, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("words")
    assert carry(tool, CALLS[tool], world(tmp_path)).ok
