"""Long results beside the tape: whole, in blocks, bounded, and honest about damage."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.tape import spill as module
from edge.tape.spill import BLOCK, Spill


def kept(spill: Spill, text: str) -> str:
    said = spill.put(text, "bash")
    assert len(said.encode()) <= spill.hint
    found = re.search("handle=([0-9a-f]+)", said)
    assert found, said
    return found.group(1)


@pytest.mark.parametrize("from_end", [False, True])
@pytest.mark.parametrize("letter", ["a", "é", "水", "🌱"])
@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_the_blocks_make_the_text_again_and_no_character_is_cut(
    tmp_path: Path, from_end: bool, letter: str, extra: int
) -> None:
    text = "x" * max(extra, 0) + letter * (3 * BLOCK // len(letter.encode()) + min(extra, 0))
    spill = Spill(str(tmp_path / "spill"), "t1", 100)
    handle = kept(spill, text)
    pieces, cursor = [], 0
    while cursor is not None:
        found = spill.blocks(handle, cursor, 1, from_end)
        assert "�" not in found["text"] and len(found["text"].encode()) <= BLOCK + 3
        pieces.append(found["text"])
        assert found["complete"] is (found["next_cursor"] is None)
        cursor = found["next_cursor"]
    assert "".join(reversed(pieces) if from_end else pieces) == text
    assert (found["bytes"], found["chars"]) == (len(text.encode()), len(text))


def test_several_blocks_come_in_the_order_of_the_text_from_either_side(tmp_path: Path) -> None:
    spill = Spill(str(tmp_path), "t1", 100)
    handle = kept(spill, "".join(f"{n:07d}\n" for n in range(5 * BLOCK // 8)))
    first = spill.blocks(handle, 1, 2, False)["text"]
    assert first.startswith(f"{BLOCK // 8:07d}\n") and len(first) == 2 * BLOCK
    last = spill.blocks(handle, 0, 4, True)
    assert last["text"].endswith(f"{5 * BLOCK // 8 - 1:07d}\n") and last["next_cursor"] == 4 and not last["complete"]
    assert spill.blocks(handle, 4, 4, True)["complete"]


def test_a_cursor_beyond_the_end_and_an_unknown_handle_are_told(tmp_path: Path) -> None:
    spill = Spill(str(tmp_path), "t1", 100)
    handle = kept(spill, "x" * BLOCK)
    with pytest.raises(ToolFault, match="has 1 blocks"):
        spill.blocks(handle, 1, 1, False)
    for wrong in ("", "zz", "../t1." + handle, "0" * 8, handle + "/x", "a" * 5000):
        with pytest.raises(ToolFault, match="nothing is kept under"):
            spill.blocks(wrong, 0, 1, False)
    with pytest.raises(ToolFault, match="nothing is kept under"):
        Spill(str(tmp_path), "t2", 100).blocks(handle, 0, 1, False)


def test_what_was_cut_or_changed_is_said_to_be_damaged(tmp_path: Path) -> None:
    spill = Spill(str(tmp_path), "t1", 100)
    for damage in (lambda raw: raw[:-1], lambda raw: raw[:10], lambda raw: b"", lambda raw: raw[:-1] + b"y"):
        handle = kept(spill, "x" * 1000)
        path = tmp_path / f"t1.{handle}"
        path.write_bytes(damage(path.read_bytes()))
        with pytest.raises(ToolFault, match="damaged"):
            spill.blocks(handle, 0, 1, False)


def test_the_oldest_go_when_the_room_is_used_up_and_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    spill = Spill(str(tmp_path), "t1", 100, most=10_000)
    handles = []
    for number in range(4):
        handles.append(kept(spill, f"{number}" * 3000))
        os.utime(tmp_path / f"t1.{handles[-1]}", (number, number))
    left = [handle for handle in handles if (tmp_path / f"t1.{handle}").exists()]
    assert left == handles[1:]
    assert "too much to be kept" in spill.put("x" * 10_001, "bash")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "could not be kept" in Spill(str(tmp_path / "spill"), "t1", 100).put("x" * 200, "bash")


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "spill").write_text("")
    assert "could not be kept" in Spill(str(tmp_path / "spill"), "t1", 100).put("x" * 200, "bash")


def test_room_on_the_card_is_left_for_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spill = Spill(str(tmp_path), "t1", 100)
    handle = kept(spill, "x" * 200)
    free = os.statvfs(tmp_path)
    monkeypatch.setattr(module, "FREE", free.f_blocks * free.f_frsize)
    assert spill.put("y" * 200, "bash") == "[all of it, 200 bytes, could not be kept: the card is nearly full]"
    assert [one.name for one in tmp_path.iterdir()] == [f"t1.{handle}"] and spill.blocks(handle, 0, 1, False)[
        "complete"
    ]


def test_two_that_write_at_once_leave_no_half(tmp_path: Path) -> None:
    first, second = Spill(str(tmp_path), "t1", 100), Spill(str(tmp_path), "t1", 100)
    handles = [kept(one, "x" * 500) for one in (first, second) for _ in range(20)]
    assert len(set(handles)) == 40
    assert all(first.blocks(handle, 0, 1, False)["complete"] for handle in handles)
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".new")]
