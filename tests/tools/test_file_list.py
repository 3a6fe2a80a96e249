"""file_list as the model meets it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.file_calls import Desk
from tests.support.one_call import judge, world


def test_a_row_has_permissions_size_time_and_name(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir(mode=0o755)
    (tmp_path / "f").write_bytes(b"x" * 1204)
    (tmp_path / "l").symlink_to("f")
    os.chmod(tmp_path / "f", 0o640)
    os.utime(tmp_path / "f", (1_709_294_400, 1_709_294_400))
    found = Desk(tmp_path).call("file_list")
    rows = found.text.split("\n")
    assert rows[1] == "0640         1,204 2024-03-01 12:00 f"
    assert rows[0].endswith(" d/") and rows[2].endswith(" l -> f") and found.untrusted
    assert found.data is not None and [entry["name"] for entry in found.data["entries"]] == ["d", "f", "l"]


def test_an_empty_folder_and_levels(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.text("file_list") == "the folder is empty"
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / ".h").touch()
    assert desk.text("file_list", path="a", depth=2).endswith("b/")
    assert desk.text("file_list", hidden=True).split("\n")[0].endswith(" .h")


def test_what_does_not_fit_is_left_out_and_said(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"a rather long name of a file number {number:04}").touch()
    found = Desk(tmp_path).call("file_list")
    assert len(found.text.encode()) <= 8192 and "[500 of 600 shown]" in found.text
    assert "shown; list a folder below, or with less depth]" in found.text


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(tmp_path: Path, preset: str) -> None:
    here = world(tmp_path)
    assert judge("file_list", {}, here, preset)[1].verdict == "allow"
    assert judge("file_list", {"path": "/etc", "depth": 2}, here, preset)[1].risk == "low"
    (effect,) = find("file_list").effects({"path": "x", "depth": 3}, here.scene)
    assert (effect.verb, effect.on, effect.deep) == ("list", "file:x", True)


def test_a_file_and_what_is_not_there_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    desk = Desk(tmp_path)
    assert "file_read reads it" in desk.fault("file_list", path="notes")
    assert "there is notes" in desk.fault("file_list", path="note")
