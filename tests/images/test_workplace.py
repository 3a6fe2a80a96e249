"""A build leaves its results or nothing: also when it fails, is interrupted, or was killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import workplace


def test_the_folder_goes_however_the_build_ends(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), workplace.place(tmp_path, keep=False) as work:
        (work / "deep/er").mkdir(parents=True)
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with workplace.place(tmp_path, keep=True) as work:
        assert work.parent == tmp_path and work.is_dir()
    with workplace.place(tmp_path, keep=False):
        assert work.is_dir() and work.name.startswith("kept-")


def test_what_a_killed_build_left_goes_with_the_next_one(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    dead, alive = tmp_path / f".building-{child}-x", tmp_path / f".building-{os.getpid()}-y"
    for path in (dead, alive, tmp_path / ".building-odd"):
        path.mkdir()
    with workplace.place(tmp_path, keep=False):
        assert not dead.exists() and alive.exists() and (tmp_path / ".building-odd").exists()


def test_too_little_room_is_told_before_anything_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workplace, "NEEDED", 1 << 60)
    with pytest.raises(CardFault, match="a build wants"), workplace.place(tmp_path, keep=False):
        pass
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(CardFault, match="nothing can be built"), workplace.place(tmp_path / "file", keep=False):
        pass


def test_results_of_another_version_stay_and_the_manifest_is_of_the_new_one(tmp_path: Path) -> None:
    results, folder = tmp_path / "results", tmp_path / "out/x"
    results.mkdir()
    folder.mkdir(parents=True)
    for name in ("x-1.img.zst", "manifest.json", "manifest.sig"):
        (folder / name).write_text("old")
    for name in ("x-2.img.zst", "manifest.json"):
        (results / name).write_text("new")
    workplace.published(results, folder)
    found = {path.name: path.read_text() for path in folder.iterdir()}
    assert found == {"x-1.img.zst": "old", "x-2.img.zst": "new", "manifest.json": "new"}
    assert list(results.iterdir()) == []
