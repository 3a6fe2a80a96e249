"""file_move as the model meets it."""

from __future__ import annotations

from pathlib import Path

from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.file_calls import Desk
from tests.support.one_call import judge, world


def test_a_file_and_a_folder_are_moved_and_counted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("12345")
    assert desk.text("file_move", source="d/f", target="new/g") == "moved d/f to new/g (1 file, 5 bytes); made new"
    found = desk.call("file_move", source="new", target="old")
    assert found.text == "moved new to old (1 file and 1 folder, 5 bytes)"
    assert found.data is not None and not found.data["copied"] and desk.names() == ["d", "old", "old/g"]


def test_both_ends_are_changes_and_the_gate_judges_each(tmp_path: Path) -> None:
    here = world(tmp_path)
    effects = find("file_move").effects({"source": "a", "target": "b"}, here.scene)
    assert [(effect.verb, effect.on, effect.deep) for effect in effects] == [
        ("read", "file:a", True),
        ("write", "file:a", True),
        ("write", "file:b", True),
    ]
    verdicts = [judge("file_move", {"source": "a", "target": "b"}, here, preset)[1].verdict for preset in PRESETS]
    assert verdicts == ["deny", "ask", "ask", "allow"]
    for source, target in (("/etc/hosts", "a"), ("a", "/etc/x"), (".env", "a"), ("a", ".ssh/x"), ("a", "../b")):
        assert judge("file_move", {"source": source, "target": target}, here, "full")[1].verdict == "deny"


def test_the_target_is_a_whole_path(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "f").touch()
    assert "a name in it: d/..." in desk.fault("file_move", source="f", target="d")
    assert "names a folder" in desk.fault("file_move", source="f", target="d/")
