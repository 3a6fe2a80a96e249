"""Marks of untrusted words: kept, read back, torn, garbled, too many; and what changed since."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from edge import taint
from edge.taint import Taint


def test_a_conversation_is_clean_until_it_hears_something_and_then_to_its_end() -> None:
    heard = Taint()
    assert heard.source == ""
    assert heard.heard("") is False and heard.source == ""
    assert heard.heard("https://example.com/a") is True
    assert heard.heard("/var/log/syslog") is False
    assert heard.source == "https://example.com/a"


def test_a_clean_conversation_marks_nothing(tmp_path: Path) -> None:
    Taint(str(tmp_path)).mark([("/w/a", False)])
    assert not (tmp_path / "taint.jsonl").exists()


def test_a_mark_outlives_the_conversation_and_says_where_the_words_came_from(tmp_path: Path) -> None:
    Taint(str(tmp_path), "https://example.com/").mark([("/w/notes.txt", False), ("/w/site", True)])
    later = Taint(str(tmp_path))
    assert later.source == ""
    assert later.of([("/w/notes.txt", False)]) == "https://example.com/"
    assert later.of([("/w/site/deep/page", False)]) == "https://example.com/"
    assert later.of([("/w/other.txt", False)]) == ""
    assert later.of([("/w/notes.txt.bak", False)]) == ""
    assert later.of([("/w", True)]) == "https://example.com/", "reading a whole folder reads what is marked in it"
    assert later.of([("/w", False)]) == ""
    assert (tmp_path / "taint.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_torn_line_costs_only_itself_and_what_is_marked_next_is_whole(tmp_path: Path) -> None:
    Taint(str(tmp_path), "web").mark([("/w/a", False)])
    with open(tmp_path / "taint.jsonl", "ab") as file:
        file.write(b'\n{"path": "/w/b", "de')
    second = Taint(str(tmp_path), "web")
    second.mark([("/w/c", False)])
    third = Taint(str(tmp_path))
    assert [third.of([(f"/w/{name}", False)]) for name in "abc"] == ["web", "", "web"]


@pytest.mark.parametrize("garbage", [b'{"path": 1}\n', b"[}\n", b'{"path": "/a", "deep": true, "sou\xff}\n'])
def test_marks_that_cannot_be_understood_taint_everything(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "taint.jsonl").write_bytes(garbage)
    assert "cannot be read" in Taint(str(tmp_path)).of([("/anything", False)])


def test_marks_that_cannot_be_opened_taint_everything(tmp_path: Path) -> None:
    (tmp_path / "taint.jsonl").mkdir()
    assert "cannot be read" in Taint(str(tmp_path)).of([("/anything", False)])
    os.rmdir(tmp_path / "taint.jsonl")
    os.symlink("/dev/zero", tmp_path / "taint.jsonl")
    assert "cannot be read" in Taint(str(tmp_path)).of([("/anything", False)])


def test_marks_that_cannot_be_kept_taint_everything_from_then_on(tmp_path: Path) -> None:
    here = Taint(str(tmp_path / "gone"), "web")
    here.mark([("/w/a", False)])
    assert "could not be kept" in here.of([("/w/elsewhere", False)])


def test_too_many_marks_become_one_of_everything(tmp_path: Path) -> None:
    here = Taint(str(tmp_path), "web")
    here.mark([(f"/w/{number}", False) for number in range(taint.MOST)])
    assert here.of([("/w/x", False)]) == ""
    here.mark([("/w/one-more", False)])
    assert here.of([("/w/x", False)]) == "web"
    assert Taint(str(tmp_path)).of([("/elsewhere", False)]) == "web"


def test_a_mark_is_written_once(tmp_path: Path) -> None:
    here = Taint(str(tmp_path), "web")
    for _ in range(5):
        here.mark([("/w/a", False)])
    lines = [line for line in (tmp_path / "taint.jsonl").read_text().splitlines() if line]
    assert [json.loads(line) for line in lines] == [{"path": "/w/a", "deep": False, "source": "web"}]


def test_what_changed_since_is_found_and_what_is_older_is_not(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "old.txt").write_text("mine")
    (work / "moved.txt").write_text("mine")
    time.sleep(0.05)
    since = time.time()
    time.sleep(0.05)
    (work / "sub" / "new.txt").write_text("theirs")
    os.utime(work / "sub" / "new.txt", (1, 1))  # a time of change cannot be set back
    here = Taint("", "web")
    here.changed([str(work)], since)
    assert here.of([(str(work / "sub" / "new.txt"), False)]) == "web"
    assert here.of([(str(work / "old.txt"), False)]) == ""


def test_a_file_that_bears_the_time_of_the_last_tick_is_found(tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("theirs")
    since = (tmp_path / "new.txt").stat().st_ctime + 0.01
    here = Taint("", "web")
    here.changed([str(tmp_path)], since)
    assert here.of([(str(tmp_path / "new.txt"), False)]) == "web"


def test_a_workspace_too_large_to_look_through_is_marked_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taint, "_LOOKS", 5)
    for number in range(9):
        (tmp_path / f"{number}").write_text("")
    here = Taint("", "web")
    here.changed([str(tmp_path)], time.time() + 100)
    assert here.of([(str(tmp_path / "unseen"), False)]) == "web"


def test_a_path_counts_as_it_really_is_too(tmp_path: Path) -> None:
    (tmp_path / "yard").mkdir()
    (tmp_path / "way").symlink_to("yard")
    (tmp_path / "yard" / "b").symlink_to("c")
    Taint(str(tmp_path), "web").mark([(f"{tmp_path}/way/a", False), (f"{tmp_path}/way/b", False)])
    later = Taint(str(tmp_path))
    assert [later.of([(f"{tmp_path}/{name}", False)]) for name in ("yard/a", "yard/b", "yard/c")] == ["web"] * 3
    Taint(str(tmp_path), "web").mark([(f"{tmp_path}/yard/d", False)])
    assert Taint(str(tmp_path)).of([(f"{tmp_path}/way/d", False)]) == "web", "read through a link it is the same file"


def test_marks_of_which_the_card_takes_only_a_part_taint_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.write
    heard = Taint(str(tmp_path), "web")
    monkeypatch.setattr(os, "write", lambda handle, data: whole(handle, data[: len(data) // 2]))
    heard.mark([("/w/a", False)])
    monkeypatch.undo()
    assert "could not be kept" in heard.of([("/anything", False)])
