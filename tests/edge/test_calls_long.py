"""What a call brings is clipped for the model, and all of it is kept aside where that can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.call import Effect, Observation
from edge.catalogue import Catalogue
from edge.redact import Redactor
from edge.registry import every
from edge.tape.spill import Spill
from edge.tool import Tool
from tests.support.turns import Bench

SECRET = "s3cret-of-the-server"
LONG = "".join(f"line {n} of many\n" for n in range(2000))


def tool(text: str, whole: str = "", name: str = "grep", most: int = 0) -> Tool:
    return Tool(
        name,
        "It brings a long text.",
        {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        lambda args, scene: (Effect("read", "memory:tape"),),
        lambda args, hands: Observation(True, text, whole=whole),
        lambda args, scene: name,
        most=most,
    )


def step(action: str, given: Any = None) -> str:
    return json.dumps({"thought": "", "action": action, "action_input": given or {}})


def outcomes(folder: Path, made: Tool, replies: list[str], threshold: int = 4096, **more: Any) -> list[dict[str, Any]]:
    """The outcomes of a turn with `made` and spill_read."""
    catalogue = Catalogue((made, *(one for one in every() if one.name == "spill_read")))
    bench = Bench(folder, [*replies, DONE], catalogue=catalogue, **more)
    bench.world.spill = Spill(str(folder / "spill"), "t1", threshold)
    assert bench.loop.run("go").code == 0
    found = [row for row in bench.records() if row["kind"] == "outcome"]
    bench.world.close()
    return found


DONE = '{"thought": "", "action": "final", "action_input": "done"}'


@pytest.mark.parametrize("whole", ["", LONG])
def test_a_long_result_is_clipped_and_all_of_it_is_kept(tmp_path: Path, whole: str) -> None:
    short = LONG if not whole else LONG[:100]
    (row,) = outcomes(tmp_path, tool(short, whole), [step("grep")])
    said = f"[this result unclipped, {len(LONG)} bytes: spill_read handle="
    assert len(row["text"].encode()) <= 8192 and said in row["text"]
    (kept,) = (tmp_path / "spill").iterdir()
    assert kept.read_text().partition("\n")[2] == LONG


def test_the_handle_in_the_text_reads_it_back(tmp_path: Path) -> None:
    (first,) = outcomes(tmp_path, tool(LONG), [step("grep")])
    handle = first["text"].rpartition("handle=")[2].partition(",")[0]
    second = outcomes(tmp_path, tool(LONG), [step("spill.read", {"handle": handle, "count": 4})])[-1]
    assert second["text"].startswith(LONG[:16000]) and second["data"]["complete"] is True
    assert len(list((tmp_path / "spill").iterdir())) == 1  # what is read back is not kept again


def test_below_the_threshold_and_with_nought_nothing_is_kept(tmp_path: Path) -> None:
    for threshold in (len(LONG) + 1, 0):
        (row,) = outcomes(tmp_path / str(threshold), tool(LONG), [step("grep")], threshold)
        assert "spill_read" not in row["text"] and "bytes cut" in row["text"]
        assert not (tmp_path / str(threshold) / "spill").exists()


def test_a_short_result_is_left_alone(tmp_path: Path) -> None:
    (row,) = outcomes(tmp_path, tool("short"), [step("grep")])
    assert row["text"] == "short" and not (tmp_path / "spill").exists()


def test_a_tool_may_say_as_much_as_its_own_bound_allows(tmp_path: Path) -> None:
    (row,) = outcomes(tmp_path, tool("x" * 15_000, most=16_384), [step("grep")])
    assert row["text"] == "x" * 15_000


def test_secrets_are_cleaned_before_anything_is_kept(tmp_path: Path) -> None:
    text = LONG + SECRET + LONG
    (row,) = outcomes(tmp_path, tool(text), [step("grep")], redact=Redactor((SECRET,)))
    (kept,) = (tmp_path / "spill").iterdir()
    assert SECRET not in kept.read_text() and SECRET not in row["text"]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_observations_of_parallel_share_their_room_in_the_order_of_the_calls(tmp_path: Path, number: int) -> None:
    given = {"calls": [{"action": "grep", "input": {}}] * number}
    rows = outcomes(tmp_path, tool(LONG), [step("parallel", given)])
    assert [row["call"] for row in rows] == [f"c{n}" for n in range(1, number + 1)]
    assert sum(len(row["text"].encode()) for row in rows) <= 12_288
    assert all(12_288 // number * 0.9 < len(row["text"].encode()) for row in rows)
