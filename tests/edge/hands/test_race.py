"""A name that is a folder or a file at one moment and a link out of the workspace at the next: nothing gets out.

Another process swaps the two in a loop while files are read and written by both ways of opening.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from edge.faults import Refused, ToolFault
from tests.support.opening import WAYS, hand, hold, rounds, swapping, world

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
READS = 20_000 if SOAK else 2_000
WRITES = 2_000 if SOAK else 200


@pytest.fixture()
def tree(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("ESCAPED")
    work = tmp_path / "work"
    (work / "d").mkdir(parents=True)
    (work / "d" / "f").write_text("inside")
    (work / "link").symlink_to(tmp_path / "outside")
    (work / "file").write_text("inside")
    (work / "filelink").symlink_to("../outside/f")
    (work / ".env").write_text("ESCAPED")
    (work / "inner").symlink_to(".env")
    return work


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("path", "one", "other"), [("d/f", "d", "link"), ("file", "file", "filelink")])
def test_no_read_follows_a_link_that_is_swapped_in(
    tree: Path, way: str, path: str, one: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(way, monkeypatch)
    here = world(tree)
    found: Counter[str] = Counter()
    with swapping(tree / one, tree / other):
        for _ in rounds(READS, found, "inside", "refused"):
            try:
                found[str(hand(here, "read", path).read(path, 1, 9)["text"])] += 1
            except (ToolFault, Refused):
                found["refused"] += 1
    print(f"{way} {path}: {dict(found)}")
    assert found["ESCAPED"] == 0 and sum(found.values()) >= READS
    assert set(found) <= {"inside", "refused", "ESCAPED"}
    assert found["inside"] and found["refused"], "there was no race"


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_is_read_through_a_link_inside_that_is_swapped_in(
    tree: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(way, monkeypatch)
    here = world(tree)
    found: Counter[str] = Counter()
    with swapping(tree / "file", tree / "inner"):
        for _ in rounds(READS // 4, found, "inside", "refused"):
            try:
                found[str(hand(here, "read", "file").read("file", 1, 9)["text"])] += 1
            except (ToolFault, Refused):
                found["refused"] += 1
    print(f"{way}: {dict(found)}")
    assert found["ESCAPED"] == 0 and found["inside"] and found["refused"]


@pytest.mark.parametrize("way", WAYS)
def test_no_write_lands_outside(tree: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(way, monkeypatch)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the card has no part in it
    here = world(tree)
    found: Counter[str] = Counter()
    with swapping(tree / "d", tree / "link"):
        for number in rounds(WRITES, found, "written", "refused"):
            path = f"d/n{number % 20}"
            try:
                hand(here, "write", path).write(path, b"x")
                found["written"] += 1
            except (ToolFault, Refused):
                found["refused"] += 1
    print(f"{way}: {dict(found)}")
    outside = tree.parent / "outside"
    assert os.listdir(outside) == ["f"] and (outside / "f").read_text() == "ESCAPED"
    assert found["written"] and found["refused"], "there was no race"
    folder = tree / "d" if not (tree / "d").is_symlink() else tree / "link"
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]


@pytest.mark.parametrize("way", WAYS)
def test_no_write_goes_through_a_link_that_takes_the_place_of_the_file(
    tree: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(way, monkeypatch)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    here = world(tree)
    with swapping(tree / "file", tree / "filelink"):
        for _ in range(WRITES):
            try:
                hand(here, "write", "file").write("file", b"x")
            except (ToolFault, Refused):
                continue
    assert (tree.parent / "outside" / "f").read_text() == "ESCAPED"
    assert not [name for name in os.listdir(tree) if name.endswith(".tmp")]
