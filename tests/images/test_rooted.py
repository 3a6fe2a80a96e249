"""Paths inside a tree mean what they will mean on the board."""

from __future__ import annotations

import os
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


def test_a_pipe_is_no_file_and_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    assert rooted.files(tmp_path) == ["a"] and rooted.size(tmp_path) == 1


def test_links_that_lead_out_on_this_machine_are_found(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "d").mkdir(parents=True)
    targets = {"good": "d", "there": "d/absent", "self": "self", "d/up": "..", "d/out": "../..", "abs": "/etc"}
    # Each alone stays inside; one through the other does not.
    targets.update({"here": ".", "through": "here/here/../.."})
    for name, target in targets.items():
        (tree / name).symlink_to(target)
    assert sorted(rooted.leading_out(tree, rooted.links(tree))) == ["abs", "d/out", "through"]
    (tmp_path / "tree2").mkdir()
    (tree / "abs").unlink()
    (tree / "abs").symlink_to("../tree2")
    assert rooted.leading_out(tree, ["abs", "d", "absent"]) == ["abs"]
