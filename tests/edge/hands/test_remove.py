"""Deleting: what is counted, what refuses the whole of it, and what is never touched."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import descriptors
from tests.support.file_calls import Desk, small_disk
from tests.support.opening import WAYS, hold, swapping


@pytest.fixture()
def desk(tmp_path: Path) -> Desk:
    work = tmp_path / "work"
    (work / "d/e").mkdir(parents=True)
    (work / "d/f").write_text("12345")
    (work / "d/e/g").write_text("678")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/keep").write_text("K")
    return Desk(work)


def test_all_below_goes_for_good_and_is_counted(desk: Desk) -> None:
    (desk.folder / "d/link").symlink_to("../../out")
    os.mkfifo(desk.folder / "d/fifo")
    found = desk.call("file_delete", path="d", recursive=True, forever=True)
    assert found.data is not None
    link = len("../../out")
    assert (found.data["files"], found.data["folders"], found.data["bytes"]) == (4, 2, 8 + link)
    assert desk.names(hidden=True) == [] and (desk.folder.parent / "out/keep").read_text() == "K"


@pytest.mark.parametrize("forever", [True, False])
def test_a_link_goes_and_what_it_leads_to_stays(desk: Desk, forever: bool) -> None:
    for name, target in (("file", "../out/keep"), ("folder", "../out"), ("nothing", "nowhere")):
        (desk.folder / name).symlink_to(target)
        assert desk.call("file_delete", path=name, forever=forever, recursive=True).ok
        assert not (desk.folder / name).is_symlink()
    assert (desk.folder.parent / "out/keep").read_text() == "K"


def test_a_second_name_goes_and_the_first_stays(desk: Desk) -> None:
    os.link(desk.folder.parent / "out/keep", desk.folder / "second")
    desk.call("file_delete", path="second", forever=True)
    assert (desk.folder.parent / "out/keep").read_text() == "K" and not (desk.folder / "second").exists()


def test_a_folder_that_holds_something_needs_the_word_for_it(desk: Desk) -> None:
    assert "holds 2 things" in desk.fault("file_delete", path="d")
    assert "recursive=true" in desk.fault("file_delete", path="d", forever=True)
    (desk.folder / "empty").mkdir()
    assert desk.call("file_delete", path="empty", forever=True).ok


@pytest.mark.parametrize("path", [".", "./", "d/.."])
def test_a_root_and_what_holds_one_is_never_deleted(tmp_path: Path, path: str) -> None:
    (tmp_path / "f").touch()
    desk = Desk(tmp_path)
    for forever in (True, False):
        assert "the folder that is worked in" in desk.fault("file_delete", path=path, recursive=True, forever=forever)
    assert (tmp_path / "f").exists()


@pytest.mark.parametrize("forever", [True, False])
@pytest.mark.parametrize("name", [".env", "e/id_rsa", "e/.ssh/x", ".git/hooks/pre-commit", ".git/config", "server.pem"])
def test_what_may_not_be_changed_anywhere_below_refuses_the_whole(desk: Desk, name: str, forever: bool) -> None:
    (desk.folder / "d" / name).parent.mkdir(parents=True, exist_ok=True)
    (desk.folder / "d" / name).write_text("K")
    before = desk.names()
    said = desk.fault("file_delete", path="d", recursive=True, forever=forever)
    assert "nothing was deleted" in said and desk.names() == before


def test_the_agents_own_below_is_known_by_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "w/d/hidden").mkdir(parents=True)
    (tmp_path / "w/d/hidden/t").write_text("said")
    (tmp_path / "spelled").symlink_to(tmp_path / "w/d/hidden")
    desk = Desk(tmp_path / "w", state=str(tmp_path / "spelled"))
    assert "own state" in desk.fault("file_delete", path="d", recursive=True, forever=True)
    assert (tmp_path / "w/d/hidden/t").read_text() == "said"


def test_what_is_mounted_below_is_not_walked_into(desk: Desk) -> None:
    with small_disk(desk.folder / "d/m") as disk:
        (disk / "f").write_text("x")
        for forever in (True, False):
            said = desk.fault("file_delete", path="d", recursive=True, forever=forever)
            assert "another file system is mounted at d/m" in said
        assert (disk / "f").exists() and (desk.folder / "d/f").exists()


def test_names_that_are_no_text_or_hold_newlines_are_deleted_with_their_folder(desk: Desk) -> None:
    for name in (b"a\nb", b"\xff\xfe", b"c\x1b[2J", "\u202ed".encode(), b"n" * 255):
        (Path(os.fsdecode(os.fsencode(desk.folder / "d") + b"/" + name))).write_bytes(b"x")
    found = desk.call("file_delete", path="d", recursive=True, forever=True)
    assert found.data is not None and found.data["files"] == 7 and desk.names() == []


@pytest.fixture()
def deep(desk: Desk) -> Iterator[int]:
    """A tree below `d` whose paths are longer than the kernel takes; how many levels."""
    levels = 230
    here = os.open(desk.folder / "d", os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("n" * 20, dir_fd=here)
        below = os.open("n" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    yield levels
    subprocess.run(["rm", "-rf", str(desk.folder / "d"), str(desk.folder / ".fieldhand-trash")], check=True, timeout=60)


@pytest.mark.parametrize("forever", [True, False])
def test_a_tree_that_is_deeper_than_the_kernel_takes_paths_goes(desk: Desk, deep: int, forever: bool) -> None:
    gc.collect()
    before = descriptors.count()
    found = desk.call("file_delete", path="d", recursive=True, forever=forever)
    assert found.data is not None and found.data["folders"] == deep + 2 and not (desk.folder / "d").exists()
    assert descriptors.count() == before


def test_what_cannot_be_removed_says_what_is_gone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real, count = os.unlink, [0]

    def failing(*values: object, **more: object) -> None:
        count[0] += 1
        if count[0] > 1:
            raise OSError(5, "Input/output error")
        real(*values, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "unlink", failing)
    said = desk.fault("file_delete", path="d", recursive=True, forever=True)
    assert "input/output error" in said and "of 4 entries are gone, the rest is there" in said


def test_what_is_not_there_is_a_sentence(desk: Desk) -> None:
    assert "is not there" in desk.fault("file_delete", path="nope")
    assert "nowhere" in desk.fault("file_delete", path="nowhere/x")


def test_outside_and_system_places_are_for_nobody(desk: Desk) -> None:
    for path in ("../out", "/etc/hosts", "/tmp"):
        with pytest.raises(AssertionError, match="outside every opened folder"):
            desk.call("file_delete", path=path, recursive=True)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_outside_goes_while_a_folder_is_swapped_for_a_link(
    desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(way, monkeypatch)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    (desk.folder / "link").symlink_to(desk.folder.parent / "out")
    rounds = 2000 if os.environ.get("FIELDHAND_SOAK") == "1" else 100
    done = 0
    with swapping(desk.folder / "d", desk.folder / "link"):
        for number in range(rounds):
            try:
                desk.call("file_delete", path=("d/keep", "d/e")[number % 2], recursive=True, forever=True)
                done += 1
            except Exception as fault:
                assert type(fault).__name__ in ("ToolFault", "Refused"), fault
    print(f"{way}: {done} of {rounds}")
    assert (desk.folder.parent / "out/keep").read_text() == "K"
