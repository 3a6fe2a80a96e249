"""What takes the room below a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Refused, ToolFault
from edge.hands import facts_usage
from edge.record import replace
from tests.support.one_call import carry, world


def told(folder: Path, **args: Any) -> dict[str, Any]:
    data = carry("disk_usage", {"path": ".", **args}, world(folder)).data
    assert data is not None
    return dict(data)


def filled(folder: Path) -> None:
    for name, size in (("a/big", 300_000), ("a/b/c/deep", 200_000), ("small", 5000), ("z/empty", 0)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x" * size)


def on_card(*paths: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in paths)


def test_folders_and_files_the_largest_first(tmp_path: Path) -> None:
    filled(tmp_path)
    found = told(tmp_path)
    assert [row["name"] for row in found["items"]][:2] == ["a/", "small"]
    assert found["bytes"] == on_card(*tmp_path.rglob("*")) and found["names"] == 8
    assert [row["path"] for row in found["biggest_files"]][:2] == [
        str(tmp_path / "a/big"),
        str(tmp_path / "a/b/c/deep"),
    ]


def test_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    filled(tmp_path)
    before = told(tmp_path)["bytes"]
    os.link(tmp_path / "a/big", tmp_path / "again")
    assert told(tmp_path)["bytes"] == before


def test_links_are_not_followed(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "outside").mkdir()
    inner = tmp_path / "outside"
    (inner / "a").symlink_to(tmp_path / "a")
    os.symlink("..", inner / "round")
    assert told(inner)["bytes"] == on_card(inner / "a", inner / "round")


def test_sparse_files_take_what_they_take(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    assert told(tmp_path)["bytes"] < 1 << 20


def test_keys_are_not_entered_and_that_is_told(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/id_rsa").write_bytes(b"x" * 100_000)
    (tmp_path / "id_rsa").write_bytes(b"x" * 100_000)
    found = told(tmp_path)
    assert found["private_not_entered"] == 1 and found["biggest_files"] == []
    assert "1 folders not entered" in carry("disk_usage", {"path": "."}, world(tmp_path)).text


def test_a_name_that_cannot_be_written_is_no_key_and_shown_as_in_a_listing(tmp_path: Path) -> None:
    for name in (b"o\xff\xfe", b"new\nline"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), name))
    with open(os.path.join(os.fsencode(tmp_path), b"log\x1b\xff"), "wb") as file:
        file.write(b"x" * 300_000)
    found = told(tmp_path)
    assert found["odd_not_entered"] == 2 and "private_not_entered" not in found
    assert [one["bytes"] >= 300_000 for one in found["biggest_files"]] == [True]
    text = carry("disk_usage", {"path": "."}, world(tmp_path)).text
    assert "2 folders not entered: their names hold control characters or no UTF-8" in text
    shown = [line.split("  ")[-1] for line in text.split("\n")]
    assert "o\\udcff\\udcfe/" in shown and "new\\nline/" in shown and f"{tmp_path}/log\\x1b\\udcff" in shown


def test_the_agents_own_state_is_not_entered(tmp_path: Path) -> None:
    filled(tmp_path)
    here = world(tmp_path)
    here.scene = replace(here.scene, state=str(tmp_path / "a"))
    data = carry("disk_usage", {"path": "."}, here).data
    assert data is not None and data["private_not_entered"] == 1 and data["bytes"] < 100_000


def test_the_limit_bounds_both_lists(tmp_path: Path) -> None:
    for count in range(20):
        (tmp_path / f"f{count:02}").write_bytes(b"x" * (count * 5000 + 1))
    found = told(tmp_path, limit=3)
    assert len(found["items"]) == len(found["biggest_files"]) == 3 and found["items_in_all"] == 20
    assert found["items"][0]["name"] == "f19" and found["biggest_files"][0]["path"].endswith("f19")
    assert "[3 of 20 shown" in carry("disk_usage", {"path": ".", "limit": 3}, world(tmp_path)).text


def test_caps_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    monkeypatch.setattr(facts_usage, "ENTRIES", 3)
    assert told(tmp_path)["cut"] == "after 3 names"
    monkeypatch.setattr(facts_usage, "ENTRIES", 100)
    monkeypatch.setattr(facts_usage, "DEPTH", 2)
    assert told(tmp_path)["too_deep_not_entered"] == 1


def test_a_file_and_nothing_are_sentences(tmp_path: Path) -> None:
    filled(tmp_path)
    for path in ("small", "missing", "a/big/x"):
        with pytest.raises((ToolFault, Refused)):
            carry("disk_usage", {"path": path}, world(tmp_path))


@pytest.mark.skipif(os.getuid() == 0, reason="root reads every folder")
def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "a").chmod(0)
    try:
        assert told(tmp_path)["not_readable"] == 1
    finally:
        (tmp_path / "a").chmod(0o755)
