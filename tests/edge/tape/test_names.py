"""What tapes are called, in which order, and which one is meant."""

from __future__ import annotations

import os
import time

import pytest

from edge.faults import TapeFault, UsageFault
from edge.tape.journal import Tape
from edge.tape.names import find, names, new_name, path_of, sort, tapes
from tests.support.tape_disks import QuickDisk


@pytest.fixture
def folder(tmp_path) -> str:
    return str(tmp_path)


def put(folder: str, *found: str) -> None:
    for name in found:
        with open(os.path.join(folder, name), "w"):
            pass


def test_a_name_is_date_time_and_four_random_digits(folder: str) -> None:
    name = new_name(folder, 1.7e9)
    assert name[:16] == time.strftime("%Y%m%d-%H%M%S-", time.localtime(1.7e9))
    assert len(name) == 20 and int(name[16:], 16) >= 0
    assert len({new_name(folder, 1.7e9) for _ in range(20)}) > 1
    assert path_of(tapes("/state"), name) == f"/state/tapes/{name}.jsonl"


def test_names_sort_in_the_order_of_birth_when_the_clock_goes_back(folder: str) -> None:
    born = []
    for wall in (1.7e9, 1.7e9 - 3600, 0.0, 1.7e9 + 5, 1.7e9 + 4, -1.0, 1e30):
        name = new_name(folder, wall)
        put(folder, name + ".jsonl")
        born.append(name)
        put(folder, "zz-given.jsonl", "20240101-000000.jsonl")
    assert [name for name in names(folder) if name in born] == born


def test_a_name_follows_the_last_second_of_a_day(folder: str) -> None:
    put(folder, "20241231-235959-ffff.jsonl")
    assert new_name(folder, 0.0).startswith("20250101-000000-")


def test_the_list_is_of_tapes_only(folder: str) -> None:
    put(folder, "b.jsonl", "a.jsonl", "a.torn-1", ".hidden.jsonl", "note.txt")
    assert names(folder) == ["a", "b"]
    assert names(folder + "/none") == []
    with pytest.raises(TapeFault, match="cannot be read"):
        names(folder + "/note.txt")


def odd_ones(folder: str) -> list[str]:
    """What looks like a tape and is none: a folder, a pipe, a link, a socket, names that no tape has."""
    os.mkdir(os.path.join(folder, "folder.jsonl"))
    os.mkfifo(os.path.join(folder, "pipe.jsonl"))
    os.symlink("b.jsonl", os.path.join(folder, "link.jsonl"))
    called = ["x\x1b[31m.jsonl", "two words.jsonl", "y" * 65 + ".jsonl", os.fsdecode(b"\xff.jsonl")]
    put(folder, *called)
    return sorted([*called, "folder.jsonl", "pipe.jsonl", "link.jsonl"])


def test_what_only_looks_like_a_tape_is_passed_over(folder: str) -> None:
    put(folder, "a.jsonl", "b.jsonl")
    odd = odd_ones(folder)
    assert sort(folder) == (["a", "b"], odd)
    assert names(folder) == ["a", "b"]
    assert find(folder, "last") == "b"
    with pytest.raises(UsageFault, match="there is no tape pipe"):
        find(folder, "pipe")


def test_last_is_the_newest_tape_on_which_somebody_said_something(folder: str) -> None:
    def tape(name: str, *kinds: str) -> None:
        made = Tape.create(folder, name, QuickDisk())
        for kind in kinds:
            made.append(kind, {"text": kind})
        made.close()

    tape("a")
    assert find(folder, "last") == "a"
    tape("b", "open", "close")
    tape("c")
    assert find(folder, "last") == "b"
    tape("d", "open", "line", "close")
    tape("e", "open", "close")
    tape("f")
    put(folder, "g.jsonl")
    assert find(folder, "last") == "d"
    with open(os.path.join(folder, "g.jsonl"), "w") as file:
        file.write("no tape\n")
    assert find(folder, "last") == "d"


def test_a_name_its_beginning_or_last_mean_one_tape(folder: str) -> None:
    put(folder, "20240101-101010-aaaa.jsonl", "20240101-111111-bbbb.jsonl", "20240102-000000-cccc.jsonl", "2024.jsonl")
    assert find(folder, "last") == "20240102-000000-cccc"
    assert find(folder, "20240102") == "20240102-000000-cccc"
    assert find(folder, "20240101-101010-aaaa") == "20240101-101010-aaaa"
    assert find(folder, "2024") == "2024"
    with pytest.raises(UsageFault, match=r"2 tapes begin with 20240101 \(the newest are 20240101-111111-bbbb, 2024"):
        find(folder, "20240101")
    for unknown in ("1999", "", "../2024"):
        with pytest.raises(UsageFault, match="the newest are 20240102-000000-cccc, 20240101-111111-bbbb"):
            find(folder, unknown)


def test_without_tapes_the_folder_is_named(folder: str) -> None:
    with pytest.raises(UsageFault, match=f"there is no tape yet: nothing was recorded in {folder}"):
        find(folder, "last")
