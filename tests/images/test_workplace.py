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
    dead, taken = tmp_path / f".building-{child}-x", tmp_path / f".building-{os.getpid()}-y"
    for path in (dead, taken, tmp_path / ".building-odd"):
        path.mkdir()
    # A build of another container: here its number is nobody's, and it lives.
    with workplace.held(tmp_path, f".building-{child}-") as alive, workplace.place(tmp_path, keep=False) as work:
        assert not dead.exists() and not taken.exists() and (tmp_path / ".building-odd").exists()
        assert alive.is_dir() and work.is_dir()
    with workplace.place(tmp_path, keep=False):
        assert not alive.exists()


def test_a_folder_of_a_living_process_stays_when_it_is_killed_and_goes_then(tmp_path: Path) -> None:
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        with workplace.place(tmp_path, keep=False) as work:
            os.write(writes, os.fsencode(work))
            os.kill(os.getpid(), 9)
    left = Path(os.fsdecode(os.read(reads, 4096)))
    os.waitpid(child, 0)
    assert left.is_dir()
    with workplace.place(tmp_path, keep=False):
        assert not left.exists()


def test_too_little_room_is_told_before_anything_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workplace, "NEEDED", 1 << 60)
    with pytest.raises(CardFault, match="a build wants"), workplace.place(tmp_path, keep=False):
        pass
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(CardFault, match="nothing can be built"), workplace.place(tmp_path / "file", keep=False):
        pass


def test_what_an_earlier_build_had_more_goes_and_what_is_somebody_elses_stays(tmp_path: Path) -> None:
    results, folder = tmp_path / "results", tmp_path / "out/x"
    results.mkdir()
    folder.mkdir(parents=True)
    for name in ("x-2.img.zst", "x-2.update", "x-2.img.bmap", "site.toml", "manifest.json", "manifest.sig"):
        (folder / name).write_text("old")
    for name in ("x-2.img.zst", "manifest.json"):
        (results / name).write_text("new")
    workplace.published(results, folder)
    found = {path.name: path.read_text() for path in folder.iterdir()}
    # An update of this version that an earlier build signed is not one of this build.
    assert found == {"site.toml": "old", "x-2.img.zst": "new", "manifest.json": "new"}
    assert list(results.iterdir()) == []


def test_two_builds_that_end_at_once_publish_one_after_the_other(tmp_path: Path) -> None:
    results, folder = tmp_path / "results", tmp_path / "out"
    results.mkdir()
    folder.mkdir()
    (results / "manifest.json").write_text("second")
    with workplace.locked(folder):
        child = os.fork()
        if not child:
            workplace.published(results, folder)
            os._exit(0)
        lock = f"{folder.stat().st_ino} "
        while not any("->" in line and lock in line for line in Path("/proc/locks").read_text().splitlines()):
            assert os.waitpid(child, os.WNOHANG) == (0, 0)
        assert (results / "manifest.json").exists()
    assert os.waitpid(child, 0)[1] == 0
    assert (folder / "manifest.json").read_text() == "second"
