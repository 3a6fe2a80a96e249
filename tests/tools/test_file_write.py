"""file_write as the model meets it."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.file_calls import Desk, small_disk
from tests.support.one_call import carry, judge, world


def test_the_whole_new_content_stands_in_a_new_and_in_an_old_file(tmp_path: Path) -> None:
    here = world(tmp_path)
    for content in ("a long first content, to the end\n", "short", "", "Käse ☀\n"):
        found = carry("file_write", {"path": "notes.txt", "content": content}, here)
        assert found.ok and (tmp_path / "notes.txt").read_bytes() == content.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_path_and_content_are_both_needed(tmp_path: Path) -> None:
    for args, missing in (({"path": "x"}, "content"), ({"content": "x"}, "path")):
        with pytest.raises(UsageFault, match=f"{missing} is missing"):
            judge("file_write", args, world(tmp_path))


def test_it_is_a_change_and_its_one_effect_says_so(tmp_path: Path) -> None:
    here = world(tmp_path)
    (effect,) = find("file_write").effects({"path": "a/b", "content": ""}, here.scene)
    assert (effect.verb, effect.on, effect.observes) == ("write", "file:a/b", False)
    verdicts = [judge("file_write", {"path": "b", "content": ""}, here, preset)[1].verdict for preset in PRESETS]
    assert verdicts == ["deny", "ask", "ask", "allow"]


def test_missing_folders_are_made_and_what_was_done_is_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.text("file_write", path="a/b/f", content="x") == "wrote 1 byte to a/b/f (new); made a, a/b"
    assert desk.text("file_write", path="a/b/f", content="yy") == "wrote 2 bytes to a/b/f (replaced)"
    (tmp_path / "a/b/f").chmod(0o600)
    desk.call("file_write", path="a/b/f", content="z")
    assert (tmp_path / "a/b/f").stat().st_mode & 0o777 == 0o600


def test_base64_becomes_bytes_and_what_is_none_is_told_at_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    data = bytes(range(256))
    desk.call("file_write", path="f", content=base64.b64encode(data).decode(), base64=True)
    desk.call("file_write", path="f", content=" AA\n== ", base64=True, append=True)
    assert (tmp_path / "f").read_bytes() == data + b"\0"
    for wrong in ("a", "!!!!", "AAA", "ä==="):
        with pytest.raises(UsageFault, match="is no base64"):
            judge("file_write", {"path": "f", "content": wrong, "base64": True}, desk.world)


def test_append_adds_at_the_end_of_small_and_large_files(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.text("file_write", path="f", content="a", append=True) == "wrote 1 byte to f (new)"
    small = (tmp_path / "f").stat().st_ino
    assert desk.text("file_write", path="f", content="b", append=True) == "appended 1 byte to f"
    assert (tmp_path / "f").read_text() == "ab" and (tmp_path / "f").stat().st_ino != small
    (tmp_path / "big").write_bytes(b"x" * (1 << 20))
    large = (tmp_path / "big").stat().st_ino
    desk.call("file_write", path="big", content="end", append=True)
    assert (tmp_path / "big").read_bytes() == b"x" * (1 << 20) + b"end" and (tmp_path / "big").stat().st_ino == large
    (tmp_path / "l").symlink_to("big")
    assert "is a link" in desk.fault("file_write", path="l", content="x", append=True)


def test_a_full_card_takes_nothing_away(tmp_path: Path) -> None:
    with small_disk(tmp_path / "m", "640k") as disk:
        desk = Desk(disk)
        (disk / "big").write_bytes(b"x" * (512 << 10))
        for append in (True, False):
            said = desk.fault("file_write", path="big", content="y" * (300 << 10), append=append)
            assert "no space left" in said and "nothing was changed" in said
            assert (disk / "big").read_bytes() == b"x" * (512 << 10) and desk.names() == ["big"]
        assert "no space left" in desk.fault("file_write", path="a/b", content="y" * (300 << 10))


def test_a_card_that_is_read_only_is_a_sentence_for_each_tool(tmp_path: Path) -> None:
    with small_disk(tmp_path / "m") as disk:
        (disk / "f").write_text("x")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, timeout=20)
        desk = Desk(disk)
        for tool, args in (
            ("file_write", {"path": "f", "content": "y"}),
            ("file_write", {"path": "f", "content": "y", "append": True}),
            ("file_write", {"path": "n/n", "content": "y"}),
            ("file_edit", {"path": "f", "old": "x", "new": "y"}),
            ("file_mkdir", {"path": "d"}),
            ("file_move", {"source": "f", "target": "g"}),
            ("file_delete", {"path": "f"}),
            ("file_delete", {"path": "f", "forever": True}),
            ("file_patch", {"patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"}),
        ):
            assert "read-only file system" in desk.fault(tool, **args), tool
        assert (disk / "f").read_text() == "x" and desk.names(hidden=True) == ["f"]


def test_the_question_says_how_much_and_does_not_say_that_something_is_there(tmp_path: Path) -> None:
    words, scene = find("file_write").words, world(tmp_path).scene
    assert words({"path": "f", "content": "x"}, scene) == "write 1 byte to f, replacing it if it is there"
    assert words({"path": "f", "content": "é"}, scene).startswith("write 2 bytes to f")
    assert words({"path": "f", "content": "", "append": True}, scene) == "append 0 bytes to f"
