"""Listing a folder: facts in order, in bounds, and no look into what is closed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Refused, ToolFault
from edge.hands import listing
from tests.support.opening import hand, world


def names(folder: Path, depth: int = 1, hidden: bool = False, most: int = 500, **scene: Any) -> list[str]:
    found = hand(world(folder, **scene), "list", ".").list(".", depth, hidden, most)
    return [entry["name"] for entry in found["found"]] + [f"[{sentence}]" for sentence in found["left"]]


@pytest.fixture()
def tree(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    for name in ("b/x", "a/y/z", ".ssh"):
        (work / name).mkdir(parents=True)
    for name in ("b/f", "a/y/z/deep", "c", ".hidden", ".ssh/id"):
        (work / name).write_text("12345")
    return work


def test_entries_follow_their_folder_in_the_order_of_their_names(tree: Path) -> None:
    assert names(tree) == ["a", "b", "c"]
    assert names(tree, 2) == ["a", "a/y", "b", "b/f", "b/x", "c"]
    assert names(tree, 8)[:5] == ["a", "a/y", "a/y/z", "a/y/z/deep", "b"]


def test_dotfiles_on_request_and_keys_are_named_and_not_looked_into(tree: Path) -> None:
    assert names(tree, 2, True)[:3] == [".hidden", ".ssh", "a"]
    assert names(tree, 2, True)[-1] == "[not looked into: .ssh (keys, private, shut or mounted)]"


def test_each_kind_of_thing_has_its_facts(tree: Path) -> None:
    os.mkfifo(tree / "fifo")
    (tree / "link").symlink_to("nowhere")
    os.chmod(tree / "c", 0o640)
    os.utime(tree / "c", (1_000_000_000, 1_000_000_000))
    found = {entry["name"]: entry for entry in hand(world(tree), "list", ".").list(".", 1, False, 99)["found"]}
    assert found["c"] == {"name": "c", "type": "file", "size": 5, "mode": "0640", "mtime": 1_000_000_000}
    assert found["link"]["type"] == "link" and found["link"]["target"] == "nowhere"
    assert (found["a"]["type"], found["fifo"]["type"]) == ("dir", "fifo")


def test_no_link_is_followed_and_no_mount_or_own_folder_looked_into(tree: Path) -> None:
    (tree / "out").symlink_to("/etc")
    (tree.parent / "spelled").symlink_to(tree / "a")
    found = names(tree, 3, state=str(tree.parent / "spelled"))
    assert "out" in found and not [name for name in found if name.startswith(("out/", "a/"))]
    assert found[-1].startswith("[not looked into: a")


def test_both_bounds_are_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        (tree / f"n{number:02}").touch()
    assert names(tree, 1, most=10)[-1] == "[10 of 53 shown]"
    monkeypatch.setattr(listing, "_LOOKED_AT", 20)
    assert names(tree)[-1] == "[only the first 20 names were looked at, in no order; glob looks at all]"


def test_names_that_are_no_text_stand_on_one_line(tree: Path) -> None:
    Path(os.fsdecode(os.fsencode(tree) + b"/a/\xff\n")).touch()
    assert r"a/\udcff\n" in names(tree, 2)


def test_a_file_is_no_folder_and_what_was_not_granted_is_not_listed(tree: Path) -> None:
    with pytest.raises(ToolFault, match="is a file, no folder"):
        hand(world(tree), "list", "c").list("c", 1, False, 9)
    with pytest.raises(Refused, match="holds no list"):
        hand(world(tree), "list", "a").list("b", 1, False, 9)
