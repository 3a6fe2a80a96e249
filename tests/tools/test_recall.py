"""recall as the model meets it, over a real tape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.faults import ToolFault, UsageFault
from edge.gate.policy import PRESETS
from edge.hands.world import World
from edge.registry import find
from edge.tape.journal import Tape
from tests.support.one_call import carry, judge, world
from tests.support.turns import Bench

TURNS = 300


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    """A tape of 300 turns of two messages each: line n is number 2n + 1, its answer 2n + 2, counted from nought."""
    tape = Tape.create(str(tmp_path / "tapes"))
    for turn in range(TURNS):
        tape.append("line", {"text": f"goal {turn}: read the moisture of bed {turn}"})
        tape.append("answer", {"text": f"bed {turn} is at {turn % 100} % (a.c)", "code": 0})
    yield world(tmp_path, tape)
    tape.close()


def rows(args: dict[str, Any], here: World) -> list[dict[str, Any]]:
    found = carry("recall", args, here)
    assert found.ok and found.untrusted
    return [json.loads(line) for line in found.text.splitlines()]


def test_text_finds_the_original_message_anywhere_in_the_record(here: World) -> None:
    assert rows({"query": "goal 0:"}, here) == [
        {"seq": 1, "role": "user", "content": "goal 0: read the moisture of bed 0"}
    ]
    assert rows({"query": "BED 299 is"}, here) == [
        {"seq": 600, "role": "assistant", "content": "bed 299 is at 99 % (a.c)"}
    ]
    assert carry("recall", {"query": "a snowman"}, here).text == "nothing found"


def test_a_query_is_literal_text_and_no_pattern(here: World) -> None:
    assert len(rows({"query": "(a.c)"}, here)) == 8
    for pattern in ("(a?c)", "bed .* is", "^goal", "a\\.c"):
        assert carry("recall", {"query": pattern}, here).text == "nothing found"


def test_eight_hits_unless_told_and_never_more_than_twenty(here: World) -> None:
    assert [row["seq"] for row in rows({"query": "goal"}, here)] == list(range(585, 600, 2))
    assert len(rows({"query": "goal", "limit": 20}, here)) == 20
    for limit in (0, 21, 1000):
        with pytest.raises(UsageFault, match="limit"):
            judge("recall", {"query": "goal", "limit": limit}, here)


def test_a_number_brings_that_message_with_two_on_either_side_unless_told(here: World) -> None:
    assert [row["seq"] for row in rows({"seq": 100}, here)] == [98, 99, 100, 101, 102]
    assert [row["seq"] for row in rows({"seq": 1, "context": 1}, here)] == [1, 2]
    assert rows({"seq": 1, "context": 0}, here)[0]["content"].startswith("goal 0:")
    assert carry("recall", {"seq": 10_000}, here).text == "nothing found"
    for wrong in ({"seq": 0}, {"seq": 5, "context": 4}):
        with pytest.raises(UsageFault):
            judge("recall", wrong, here)


def test_it_wants_either_text_or_a_number(here: World) -> None:
    for args in ({}, {"query": "x", "seq": 1}):
        with pytest.raises(ToolFault, match="either"):
            carry("recall", args, here)


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(preset: str, here: World) -> None:
    effects = find("recall").effects({"query": "x"}, here.scene)
    assert [(effect.verb, effect.on) for effect in effects] == [("read", "memory:tape")]
    decision = judge("recall", {"query": "goal"}, here, preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert carry("recall", {"seq": 1}, here, preset).ok


def test_sixteen_kilobytes_of_messages_reach_the_model_and_no_more(tmp_path: Path) -> None:
    replies = [
        json.dumps({"thought": "", "action": "recall", "action_input": {"query": "pump", "limit": 20}}),
        json.dumps({"thought": "", "action": "final", "action_input": "done"}),
    ]
    bench = Bench(tmp_path, replies)
    for number in range(20):
        bench.tape.append("line", {"text": f"pump {number}: {'x' * 1500}"})
    bench.loop.run("go")
    ((status, text),) = bench.watcher.told
    assert status == "done" and 12_288 < len(text.encode()) <= 16_384
    bench.world.close()
