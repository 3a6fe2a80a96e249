"""file_delete as the model meets it."""

from __future__ import annotations

from pathlib import Path

from edge.gate import taint
from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.file_calls import Desk
from tests.support.one_call import judge, world


def test_it_says_what_went_where_and_how_it_comes_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("12345")
    assert desk.text("file_delete", path="d", recursive=True) == (
        "deleted d (1 file and 1 folder, 5 bytes); it is in the trash: file_move brings it back from "
        ".fieldhand-trash/000001/d"
    )
    (tmp_path / "g").touch()
    assert desk.text("file_delete", path="g", forever=True) == "deleted g (1 file, 0 bytes)"


def test_it_is_a_write_of_the_path_and_deep_where_all_below_goes(tmp_path: Path) -> None:
    here = world(tmp_path)
    for recursive in (True, False):
        effects = find("file_delete").effects({"path": "a", "recursive": recursive}, here.scene)
        assert [(one.verb, one.on, one.deep) for one in effects] == [
            ("read", "file:a", recursive),
            ("write", "file:a", recursive),
        ]
    verdicts = [judge("file_delete", {"path": "a"}, here, preset)[1].verdict for preset in PRESETS]
    assert verdicts == ["deny", "ask", "ask", "allow"]
    for path in ("/etc/hosts", ".env", ".git/hooks/x", "../x", "/"):
        assert judge("file_delete", {"path": path, "recursive": True}, here, "full")[1].verdict == "deny"


def test_the_person_who_is_asked_reads_what_will_go(tmp_path: Path) -> None:
    here = world(tmp_path)
    words = find("file_delete").words
    assert words({"path": "a"}, here.scene) == "delete a into the trash"
    assert words({"path": "a", "recursive": True, "forever": True}, here.scene) == "delete a with all below for good"


def test_what_is_known_of_a_file_goes_into_the_trash_with_it(tmp_path: Path) -> None:
    scene = world(tmp_path).scene
    effects = find("file_delete").effects({"path": "d/a"}, scene)
    assert taint.touched(effects, scene, "read") == ((f"{tmp_path}/d/a", False),)
    assert taint.touched(effects, scene, "write") == (
        (f"{tmp_path}/d/a", False),
        (f"{tmp_path}/.fieldhand-trash", True),
    )
    for_good = find("file_delete").effects({"path": "d/a", "forever": True}, scene)
    assert taint.touched(for_good, scene, "write") == ((f"{tmp_path}/d/a", False),)
