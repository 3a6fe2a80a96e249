"""What was deleted is kept for a while, in bounds, and comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.hands import trash
from tests.support.file_calls import Desk, small_disk


def slots(folder: Path) -> list[str]:
    return sorted(os.listdir(folder / trash.NAME))


def test_a_file_and_a_folder_go_there_and_come_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/f").write_text("deep")
    (tmp_path / "one").write_text("1")
    first = desk.call("file_delete", path="one")
    assert first.data is not None and first.data["trash"] == ".fieldhand-trash/000001/one"
    second = desk.call("file_delete", path="d", recursive=True)
    assert second.data is not None and (second.data["files"], second.data["folders"]) == (1, 2)
    assert desk.names() == [] and (tmp_path / trash.NAME).stat().st_mode & 0o777 == 0o700
    assert ".fieldhand-trash/000001/one" in first.text and "file_move" in first.text
    desk.call("file_move", source=first.data["trash"], target="one")
    desk.call("file_move", source=second.data["trash"], target="d")
    assert desk.names() == ["d", "d/e", "d/e/f", "one"] and (tmp_path / "d/e/f").read_text() == "deep"


def test_the_oldest_go_first_when_there_are_too_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash, "MOST_BYTES", 1000)
    desk = Desk(tmp_path)
    for name in "abc":
        (tmp_path / name).write_bytes(b"x" * 400)
        found = desk.text("file_delete", path=name)
    assert slots(tmp_path) == ["000002", "000003"] and "1 of the oldest left the trash for good" in found
    (tmp_path / "big").write_bytes(b"x" * 1001)
    said = desk.fault("file_delete", path="big")
    assert "more than the trash keeps" in said and "forever=true" in said and (tmp_path / "big").exists()
    (tmp_path / "just").write_bytes(b"x" * 1000)
    desk.call("file_delete", path="just")
    assert slots(tmp_path) == ["000004"]


def test_the_oldest_go_first_when_there_are_too_many_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash, "MOST_ENTRIES", 5)
    desk = Desk(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").touch()
        desk.call("file_delete", path=name, recursive=True)
    assert slots(tmp_path) == ["000001", "000002"]
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "f").touch()
    desk.call("file_delete", path="c", recursive=True)
    assert slots(tmp_path) == ["000002", "000003"]


def test_a_place_that_was_emptied_is_cleared_and_no_number_comes_twice(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name in "ab":
        (tmp_path / name).touch()
        desk.call("file_delete", path=name)
    desk.call("file_move", source=".fieldhand-trash/000001/a", target="a")
    desk.call("file_delete", path="a")
    assert slots(tmp_path) == ["000002", "000003"]


@pytest.mark.parametrize("instead", ["link", "file"])
def test_what_stands_in_the_place_of_the_trash_is_not_used(tmp_path: Path, instead: str) -> None:
    work = tmp_path / "w"
    work.mkdir()
    (tmp_path / "out").mkdir()
    (work / "f").touch()
    (work / trash.NAME).symlink_to("../out") if instead == "link" else (work / trash.NAME).write_text("x")
    said = Desk(work).fault("file_delete", path="f")
    assert "is no folder that can be used" in said and "nothing was deleted" in said
    assert (work / "f").exists() and os.listdir(tmp_path / "out") == []


def test_what_lies_on_another_card_is_told(tmp_path: Path) -> None:
    with small_disk(tmp_path / "m") as disk:
        (disk / "f").write_text("x")
        said = Desk(tmp_path).fault("file_delete", path="m/f")
        assert "on another card than the trash" in said and "forever=true" in said
        assert (disk / "f").exists() and slots(tmp_path) == []
        assert Desk(tmp_path).call("file_delete", path="m/f", forever=True).ok and not (disk / "f").exists()


def test_what_is_in_the_trash_goes_only_for_good(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").touch()
    desk.call("file_delete", path="f")
    for path in (".fieldhand-trash/000001/f", ".fieldhand-trash/000001", ".fieldhand-trash"):
        assert "in the trash already" in desk.fault("file_delete", path=path, recursive=True)
    assert desk.call("file_delete", path=".fieldhand-trash", recursive=True, forever=True).ok
    assert desk.names(hidden=True) == []


@pytest.mark.parametrize("name", ["7", "0000007", "00", "notes", "9" * 60, "9" * 200])
def test_what_somebody_else_put_there_stops_no_deletion(tmp_path: Path, name: str) -> None:
    (tmp_path / trash.NAME / name).mkdir(parents=True, mode=0o700)
    desk = Desk(tmp_path)
    for number in (1, 2):
        (tmp_path / "f").write_text("1")
        assert f"{trash.NAME}/00000{number}/f" in desk.text("file_delete", path="f")
    assert slots(tmp_path) == sorted(["000001", "000002", name])


def test_when_no_number_is_left_nothing_is_deleted_and_the_way_out_is_said(tmp_path: Path) -> None:
    (tmp_path / trash.NAME / ("9" * 18)).mkdir(parents=True, mode=0o700)
    (tmp_path / trash.NAME / ("9" * 18) / "f").touch()
    (tmp_path / "f").write_text("1")
    desk = Desk(tmp_path)
    assert "used up" in desk.fault("file_delete", path="f") and (tmp_path / "f").exists()
    desk.call("file_delete", path=trash.NAME, recursive=True, forever=True)
    desk.call("file_delete", path="f")
    assert slots(tmp_path) == ["000001"]


def test_several_agents_that_delete_at_once_each_find_a_place(tmp_path: Path) -> None:
    children = []
    for number in range(4):
        for name in range(8):
            (tmp_path / f"f{number}-{name}").write_text(f"{number} {name}")
        desk = Desk(tmp_path)
        child = os.fork()
        if not child:
            code = 1
            try:
                code = sum(not desk.call("file_delete", path=f"f{number}-{name}").ok for name in range(8))
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert desk.names() == [] and slots(tmp_path) == [f"{slot:06}" for slot in range(1, 33)]
    assert len({path.name for path in (tmp_path / trash.NAME).glob("*/*")}) == 32
