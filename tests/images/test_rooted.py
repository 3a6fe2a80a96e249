"""Paths inside a tree mean what they will mean on the board."""

from __future__ import annotations

from pathlib import Path

import pytest

from images import rooted


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    (top / "usr" / "lib" / "x").mkdir(parents=True)
    (top / "usr" / "lib" / "x" / "file").write_text("inside")
    (top / "lib").symlink_to("usr/lib")
    (top / "absolute").symlink_to("/usr/lib/x/file")
    (top / "climbs").symlink_to("../../../usr/lib/x")
    (top / "loop").symlink_to("loop")
    (top / "usr" / "far").symlink_to("/etc/passwd")
    return top


def test_links_begin_again_at_the_tree(tree: Path) -> None:
    assert rooted.resolve(tree, "/lib/x/file") == "usr/lib/x/file"
    assert rooted.resolve(tree, "absolute") == "usr/lib/x/file"
    assert rooted.resolve(tree, "climbs/file") == "usr/lib/x/file"
    assert rooted.resolve(tree, "usr/../../../lib/./x") == "usr/lib/x"
    assert rooted.resolve(tree, "lib", last=False) == "lib"
    assert rooted.resolve(tree, "loop") is None
    assert rooted.resolve(tree, "") == ""


def test_what_is_on_this_machine_is_not_in_the_tree(tree: Path) -> None:
    assert Path("/etc/passwd").exists() and rooted.find(tree, "/etc/passwd") is None
    assert rooted.find(tree, "usr/far") is None and rooted.find(tree, "loop") is None
    assert rooted.find(tree, "/absolute") == tree / "usr/lib/x/file"


def test_files_and_links_are_listed_and_counted_once(tree: Path) -> None:
    assert rooted.files(tree) == ["usr/lib/x/file"]
    assert rooted.links(tree) == ["absolute", "climbs", "lib", "loop", "usr/far"]
    assert rooted.size(tree) == rooted.size(tree, "usr/lib/x/file") == len("inside")
