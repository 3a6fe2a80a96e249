from __future__ import annotations

import json
import os
import posix as record
import stat
import threading

import pytest

from edge.peripherals.guard.journal import Journal, last
from edge.peripherals.guard.protocol import Transition
from edge.record import replace
from tests.support.boards import eventually


def note(number, name="fan"):
    return Transition(float(number), name, bool(number % 2), "set", f"c{number}")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "board.jsonl"


def test_a_transition_is_one_line_that_stands_at_once(tmp_path, path):
    journal = Journal(str(tmp_path))
    journal.add(note(1), 1700000000.25)
    expected = {"board": 1.0, "wall": 1700000000.25, "name": "fan", "state": True, "why": "set", "call": "c1"}
    assert json.loads(path.read_text()) == expected
    journal.close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_level_kind_and_boot_are_written(tmp_path, path):
    journal = Journal(str(tmp_path), "boot-1")
    journal.add(Transition(1.0, "heater", True, "set", level=0.25), 0.0)
    journal.add(Transition(2.0, "heater", True, "does not obey", kind="fault"), 0.0)
    journal.close()
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (first["level"], first["boot"], "kind" in first) == (0.25, "boot-1", False)
    assert (second["kind"], "level" in second) == ("fault", False)
    assert [row["why"] for row in last(str(tmp_path), 9)] == ["set", "does not obey"]


def test_a_card_that_takes_its_time_holds_up_nobody_and_gets_everything(tmp_path, monkeypatch):
    started, go, synced, named = threading.Event(), threading.Event(), [], []

    def slow(fd):
        started.set()
        assert go.wait(60)
        found = os.fstat(fd)
        (named if stat.S_ISDIR(found.st_mode) else synced).append(found.st_size)

    monkeypatch.setattr(record, "fsync", slow)
    journal = Journal(str(tmp_path), "boot", aside=True)  # in a new file, whose name has to be kept too
    journal.add(note(1), 0.0)
    eventually(lambda: journal.sync() or started.is_set())  # the thread may need its time to write, too
    assert not synced
    journal.add(note(2), 0.0)
    journal.sync()
    assert not synced
    go.set()
    eventually(lambda: not journal._busy)
    eventually(lambda: journal.sync() or len(synced) == 2)
    journal.close()
    assert synced[-1] == (tmp_path / "board.jsonl").stat().st_size and len(named) == 1


def test_a_card_that_stands_still_costs_a_moment_and_lines_come_in_their_order(tmp_path, path, monkeypatch):
    stands, go, write = threading.Event(), threading.Event(), os.write

    def slow(fd, text):
        stands.set()
        assert go.wait(60)
        return write(fd, text)

    monkeypatch.setattr(record, "write", slow)
    journal = Journal(str(tmp_path), "boot", aside=True)
    for at in range(9):
        journal.add(note(at), 0.0)  # returns, though nothing is written yet
    assert stands.wait(60) and not path.read_bytes()
    journal.sync()
    go.set()
    journal.close()
    assert [json.loads(line)["board"] for line in path.read_text().splitlines()] == list(range(9))


def test_a_card_that_never_comes_back_is_trouble_and_not_a_memory_that_fills(tmp_path, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(record, "write", lambda fd, text: go.wait(60) and len(text))
    monkeypatch.setattr("edge.peripherals.guard.aside.MOST", 3)
    journal = Journal(str(tmp_path), "boot", aside=True)
    for at in range(9):
        journal.add(note(at), 0.0)
    assert "takes nothing any more" in journal.trouble
    go.set()
    journal.close()
    assert not journal.trouble


def test_the_run_is_written_beside_the_call_and_read_back(tmp_path, path):
    for run in ("20240101-101010-aaaa", ""):
        journal = Journal(str(tmp_path))
        journal.add(replace(note(2), owner=run), 0.0)
        journal.close()
    assert [json.loads(line).get("run") for line in path.read_text().splitlines()] == ["20240101-101010-aaaa", None]
    with open(path, "a") as file:
        file.write(path.read_text().splitlines()[0].replace('"20240101-101010-aaaa"', "7") + "\n")
    assert [(row["call"], row["run"]) for row in last(str(tmp_path), 9)] == [
        ("c2", "20240101-101010-aaaa"),
        ("c2", ""),
        ("c2", ""),
    ]


def test_a_later_start_goes_on_in_the_same_record(tmp_path, path):
    for number in range(3):
        journal = Journal(str(tmp_path))
        journal.add(note(number), 0.0)
        journal.close()
    assert len(path.read_text().splitlines()) == 3


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    journal = Journal("")
    journal.add(note(1), 0.0)
    journal.sync()
    journal.close()
    assert os.listdir(tmp_path) == []


def test_a_long_record_begins_anew_and_the_one_before_is_kept(tmp_path, path):
    journal = Journal(str(tmp_path), limit=1000)
    for number in range(100):
        journal.add(note(number), 0.0)
    journal.close()
    files = sorted(os.listdir(tmp_path))
    assert files == ["board.jsonl", "board.jsonl.1"]
    assert all((tmp_path / name).stat().st_size <= 1000 for name in files)
    both = (tmp_path / "board.jsonl.1").read_text() + path.read_text()
    numbers = [json.loads(line)["board"] for line in both.splitlines()]
    assert numbers == list(range(100 - len(numbers), 100))
    assert len(numbers) > 10


def test_the_last_ones_are_found_across_both_files(tmp_path):
    journal = Journal(str(tmp_path), limit=400)
    for number in range(20):
        journal.add(note(number), 0.0)
    journal.close()
    assert [fields["board"] for fields in last(str(tmp_path), 5)] == [15.0, 16.0, 17.0, 18.0, 19.0]
    assert [fields["board"] for fields in last(str(tmp_path), 1)] == [19.0]


def test_of_no_record_there_are_no_last_ones(tmp_path):
    assert last(str(tmp_path), 5) == []
    assert last(str(tmp_path / "absent"), 5) == []


def test_a_torn_line_does_not_take_the_next_one_with_it(tmp_path, path):
    path.write_bytes(b'{"board":1.0,"wall":0.0,"name":"fan","state":true,"why":"set","call":""}\n{"board":2.0,"wa')
    journal = Journal(str(tmp_path))
    journal.add(note(3), 0.0)
    journal.close()
    assert [fields["board"] for fields in last(str(tmp_path), 5)] == [1.0, 3.0]


def test_a_record_of_many_lines_is_read_from_its_end_only(tmp_path):
    journal = Journal(str(tmp_path))
    for number in range(2000):
        journal.add(note(number), 0.0)
    journal.close()
    found = last(str(tmp_path), 1999)
    assert found[-1]["board"] == 1999.0
    assert len(found) < 400


def test_a_record_that_cannot_be_written_is_trouble_and_no_error(tmp_path, path):
    path.mkdir()
    journal = Journal(str(tmp_path))
    journal.add(note(1), 0.0)
    journal.sync()
    assert "cannot be written: Is a directory" in journal.trouble
    path.rmdir()
    journal.add(note(2), 0.0)
    assert journal.trouble == ""
    assert len(path.read_text().splitlines()) == 1
    journal.close()


def test_a_full_card_is_trouble_until_there_is_room(tmp_path, path):
    path.symlink_to("/dev/full")
    journal = Journal(str(tmp_path))
    journal.add(note(1), 0.0)
    assert "cannot be written" in journal.trouble  # a link is not followed
    journal._fd = os.open("/dev/full", os.O_WRONLY)
    journal.add(note(2), 0.0)
    assert "No space left on device" in journal.trouble
    os.close(journal._fd)
    journal._fd = -1
    path.unlink()
    journal.add(note(3), 0.0)
    assert (journal.trouble, len(path.read_text().splitlines())) == ("", 1)
    journal.close()


def test_lines_that_are_no_transitions_are_left_out(tmp_path, path):
    good = '{"board":1.0,"wall":0.0,"name":"fan","state":true,"why":"set","call":""}'
    strange = [good.replace("true", "1"), good.replace('"fan"', "[]"), good.replace("1.0", '"1"'), "[]", "1", "", "{}"]
    path.write_text("\n".join([*strange, good, *strange]))
    assert [fields["board"] for fields in last(str(tmp_path), 20)] == [1.0]
