"""spill_read as the model meets it, over long results that were really kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation
from edge.dialects import meant
from edge.faults import ToolFault, UsageFault
from edge.gate.policy import PRESETS
from edge.hands.world import World
from edge.registry import find
from edge.tape.spill import BLOCK, Spill
from tests.support.one_call import carry, judge, world

WHOLE = "".join(f"{n:07d}\n" for n in range(6 * BLOCK // 8 + 100))  # six blocks and a part


@pytest.fixture
def kept(tmp_path: Path) -> tuple[World, str]:
    """A world with one long result, and its handle."""
    here = world(tmp_path)
    here.spill = Spill(str(tmp_path / "spill"), "t1", 4096)
    return here, here.spill.put(WHOLE, "bash").rpartition("handle=")[2].partition(",")[0]


def seen(kept: tuple[World, str], **args: Any) -> Observation:
    tool, found, _ = meant("spill.read", {"handle": kept[1], **args}, {"spill_read": find("spill_read").schema})
    return carry(tool, found, kept[0])


def fact(found: Observation, name: str) -> Any:
    assert found.data is not None
    return found.data[name]


def block(first: int, count: int = 1) -> str:
    return WHOLE[first * BLOCK : (first + count) * BLOCK]


def test_a_handle_alone_brings_the_first_block_and_says_where_to_go_on(kept: tuple[World, str]) -> None:
    found = seen(kept)
    assert found.ok and found.untrusted and found.text == block(0) + "\n[7 blocks of bash; go on with cursor=1]"
    assert (fact(found, "next_cursor"), fact(found, "complete"), fact(found, "cursor")) == (1, False, 0)
    with pytest.raises(UsageFault, match="handle is missing"):
        judge("spill_read", {}, kept[0])
    with pytest.raises(ToolFault, match="nothing is kept under"):
        carry("spill_read", {"handle": "0" * 8}, kept[0])


def test_a_cursor_is_a_block_from_nought(kept: tuple[World, str]) -> None:
    assert seen(kept, cursor=0).text == seen(kept).text
    assert seen(kept, cursor=5).text.startswith(block(5)) and fact(seen(kept, cursor=5), "next_cursor") == 6
    assert seen(kept, cursor=6).text == block(6) + "\n[7 blocks of bash; this is the end]"
    with pytest.raises(ToolFault, match="cursor is 0 to 6"):
        seen(kept, cursor=7)
    with pytest.raises(UsageFault, match="cursor"):
        seen(kept, cursor=-1)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_one_to_four_blocks_come_in_one_call(kept: tuple[World, str], count: int) -> None:
    found = seen(kept, cursor=1, count=count)
    assert found.text.startswith(block(1, count) + "\n[") and fact(found, "next_cursor") == 1 + count
    # All of them reach the model: its share for this tool holds four blocks.
    assert find("spill_read").most >= len(found.text.encode())


@pytest.mark.parametrize("count", [0, 5, 100])
def test_more_or_fewer_are_refused_with_the_bound(kept: tuple[World, str], count: int) -> None:
    with pytest.raises(UsageFault, match="count"):
        seen(kept, count=count)


@pytest.mark.parametrize("count", [1, 3, 4])
@pytest.mark.parametrize("from_end", [False, True])
def test_following_the_cursor_reaches_the_boundary_with_nothing_lost_or_twice(
    kept: tuple[World, str], count: int, from_end: bool
) -> None:
    pieces: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        found = seen(kept, cursor=cursor, count=count, from_end=from_end)
        pieces.append(found.text.rpartition("\n[")[0])
        cursor = fact(found, "next_cursor")
        assert fact(found, "complete") is (cursor is None)
        assert (f"go on with cursor={cursor}]" in found.text) is (cursor is not None)
    assert "".join(reversed(pieces) if from_end else pieces) == WHOLE
    assert found.text.endswith("this is the beginning]" if from_end else "this is the end]")


def test_from_the_end_the_last_block_is_the_first(kept: tuple[World, str]) -> None:
    assert seen(kept, from_end=True).text.startswith(block(6) + "\n[7 blocks of bash; go on with cursor=1]")
    assert seen(kept, from_end=True, cursor=1, count=2).text.startswith(block(4, 2) + "\n[")
    assert fact(seen(kept, from_end=True, cursor=6), "complete") is True


def test_nought_keeps_nothing_anew_and_what_was_kept_is_still_read(kept: tuple[World, str], tmp_path: Path) -> None:
    kept[0].spill = Spill(str(tmp_path / "spill"), "t1", 0)
    assert seen(kept, cursor=6).text.startswith(block(6))
    kept[0].spill = None
    with pytest.raises(ToolFault):
        seen(kept)


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(preset: str, kept: tuple[World, str]) -> None:
    decision = judge("spill_read", {"handle": kept[1]}, kept[0], preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
