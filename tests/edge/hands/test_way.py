"""Folders that are missing above a file are made where they were judged to be, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.faults import Refused, ToolFault
from tests.support.file_calls import Desk
from tests.support.opening import WAYS, hand, hold, world


@pytest.mark.parametrize("way", WAYS)
def test_missing_folders_are_made_and_told(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(way, monkeypatch)
    (tmp_path / "a").mkdir()
    done = hand(world(tmp_path), "write", "a/b/c/f").put("a/b/c/f", b"x")
    assert done == {"bytes": 1, "was": "new", "folders": ["a/b", "a/b/c"]}
    assert hand(world(tmp_path), "write", "a/b/c/f").put("a/b/c/f", b"y")["folders"] == []
    assert (tmp_path / "a/b/c/f").read_bytes() == b"y"


def test_no_folder_is_made_through_a_link_that_leads_out(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "w").mkdir()
    for name, target in (("link", "../out"), ("abs", str(tmp_path / "out")), ("gone", "../out/new")):
        (tmp_path / "w" / name).symlink_to(target)
        with pytest.raises(ToolFault, match="is a link to"):
            hand(world(tmp_path / "w", "full"), "write", f"{name}/a/f").put(f"{name}/a/f", b"x")
    assert os.listdir(tmp_path / "out") == []


def test_a_link_to_a_folder_inside_is_for_the_gate_to_allow(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "l").symlink_to("d")
    (tmp_path / "k").symlink_to(".ssh")
    (tmp_path / ".ssh").mkdir()
    asked = hand(world(tmp_path, "guarded"), "write", "l/a/f")
    with pytest.raises(Refused):
        asked.put("l/a/f", b"x")
    if hand(world(tmp_path, "full"), "write", "l/a/f").put("l/a/f", b"x"):
        assert (tmp_path / "d/a/f").read_bytes() == b"x"
    with pytest.raises(Refused, match="may hold keys"):
        hand(world(tmp_path, "full"), "write", "k/a/f").put("k/a/f", b"x")
    assert os.listdir(tmp_path / ".ssh") == []


def test_a_file_in_the_way_of_a_folder_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    said = Desk(tmp_path).fault("file_write", path="f/a/b", content="x")
    assert "not a directory" in said and (tmp_path / "f").read_text() == "x"


def test_made_folders_are_on_the_card_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync

    def noting(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    hand(world(tmp_path), "write", "a/b/f").put("a/b/f", b"x")
    top = str(tmp_path)
    assert synced[:2] == [top, f"{top}/a"] and synced[-1] == f"{top}/a/b"
