"""file_mkdir as the model meets it."""

from __future__ import annotations

from pathlib import Path

from edge.gate.policy import PRESETS
from tests.support.file_calls import Desk
from tests.support.one_call import judge, world


def test_folders_are_made_with_those_above_and_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.text("file_mkdir", path="a/b/c") == "made a, a/b, a/b/c"
    assert desk.text("file_mkdir", path="a/b/d/") == "made a/b/d"
    assert desk.text("file_mkdir", path="a/b") == "a/b is a folder already"
    assert desk.text("file_mkdir", path=".") == ". is a folder already"
    assert desk.names() == ["a", "a/b", "a/b/c", "a/b/d"]


def test_what_is_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").touch()
    (tmp_path / "l").symlink_to("nowhere")
    assert "is there and is no folder" in desk.fault("file_mkdir", path="f")
    assert "is there and is no folder" in desk.fault("file_mkdir", path="l")
    assert "not a directory" in desk.fault("file_mkdir", path="f/x")
    assert not (tmp_path / "nowhere").exists()


def test_it_is_judged_as_a_write(tmp_path: Path) -> None:
    here = world(tmp_path)
    verdicts = [judge("file_mkdir", {"path": "a"}, here, preset)[1].verdict for preset in PRESETS]
    assert verdicts == ["deny", "ask", "ask", "allow"]
    for path in ("/etc/x", ".ssh", "x/.git/hooks", "../x"):
        assert judge("file_mkdir", {"path": path}, here, "full")[1].verdict == "deny"
