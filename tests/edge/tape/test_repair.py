"""A torn end is cut off behind the last valid record and kept aside; damage before that stays where it is."""

from __future__ import annotations

import os
import random

import pytest

from edge.tape.journal import Tape
from edge.tape.reader import Reader
from tests.support.tape_disks import QuickDisk

ROUNDS = 300 if os.environ.get("FIELDHAND_SOAK") == "1" else 30


def written(folder: str, count: int = 5) -> tuple[str, bytes]:
    tape = Tape.create(folder, "torn", QuickDisk())
    for number in range(1, count + 1):
        tape.append("note", {"text": f"record {number}"})
    tape.close()
    with open(tape.path, "rb") as file:
        return tape.path, file.read()


def aside(folder: str) -> dict[str, bytes]:
    found = {}
    for name in sorted(os.listdir(folder)):
        if ".torn-" in name:
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found


def overwrite(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


@pytest.mark.parametrize(
    "tail",
    [b"{", b"x\n", b"\0" * 4096, b"\0" * 300_000 + b"\n", b'{"seq":6,"boot":"00000000"}\n', b"\n", "é".encode()[:1]],
    ids=["begun", "line of garbage", "zeros", "many zeros", "no checksum", "empty line", "half a character"],
)
def test_a_tail_is_cut_off_kept_aside_and_told(tmp_path, tail: bytes) -> None:
    folder = str(tmp_path)
    path, good = written(folder)
    overwrite(path, good + tail)
    tape = Tape.open(folder, "torn", QuickDisk())
    assert tape.seq == 6
    assert tape.append("note", {"text": "on"}) == 7
    tape.close()
    assert aside(folder) == {"torn.torn-1": tail}
    records = list(Reader(path))
    assert [record["seq"] for record in records] == [1, 2, 3, 4, 5, 6, 7]
    assert (records[5]["kind"], records[5]["bytes"], records[5]["file"]) == ("note", len(tail), "torn.torn-1")
    assert f"{len(tail)} bytes" in records[5]["text"]
    with open(path, "rb") as file:
        assert file.read().startswith(good)


def test_a_sound_tape_is_not_touched_and_goes_on(tmp_path) -> None:
    folder = str(tmp_path)
    path, good = written(folder)
    tape = Tape.open(folder, "torn", QuickDisk())
    assert tape.seq == 5
    tape.close()
    with open(path, "rb") as file:
        assert file.read() == good
    assert aside(folder) == {}


def test_a_changed_byte_costs_its_own_record_and_nothing_behind_it(tmp_path) -> None:
    folder = str(tmp_path)
    path, good = written(folder)
    lines = good.splitlines(keepends=True)
    dice = random.Random(5)
    for _ in range(ROUNDS):
        place = dice.randrange(len(good))
        changed = good[:place] + bytes([good[place] ^ (1 << dice.randrange(8))]) + good[place + 1 :]
        overwrite(path, changed)
        before = len(aside(folder))
        tape = Tape.open(folder, "torn", QuickDisk())
        tape.append("note", {"text": "on"})
        tape.close()
        hit = good[:place].count(b"\n") + 1
        # A changed end of a line makes one line of two.
        lost = {hit, hit + 1} if good[place] == 10 and hit < 5 else {hit}
        sound = [n for n in range(1, 6) if n not in lost]
        reader = Reader(path)
        records = list(reader)
        assert [record["seq"] for record in records][: len(sound)] == sound
        assert records[-1]["text"] == "on" and reader.torn == 0
        if 5 in lost:
            # Behind the last valid record there is only a torn end.
            assert aside(folder)[f"torn.torn-{before + 1}"] == changed[len(b"".join(lines[: len(sound)])) :]
            assert "torn end" in records[-2]["text"] and reader.damaged == 0
        else:
            assert len(aside(folder)) == before and len(records) == len(sound) + 1
            assert records[-1]["seq"] == 6 and reader.damaged == sum(len(lines[n - 1]) for n in lost)
            with open(path, "rb") as file:
                assert file.read().startswith(changed)
    print(f"repair: {ROUNDS} changed bytes")


def test_a_torn_end_behind_a_damaged_middle_is_cut_and_the_middle_stays(tmp_path) -> None:
    folder = str(tmp_path)
    path, good = written(folder, 6)
    lines = good.splitlines(keepends=True)
    lines[2] = b"\0" * len(lines[2])
    lines[0] = b"#" + lines[0][1:]
    overwrite(path, b"".join(lines) + b"torn")
    tape = Tape.open(folder, "torn", QuickDisk())
    assert tape.seq == 7
    assert [row["content"] for row in tape.search("record", 9)] == []
    tape.close()
    assert aside(folder) == {"torn.torn-1": b"torn"}
    assert [record["seq"] for record in Reader(path)] == [2, 5, 6, 7]
    with open(path, "rb") as file:
        assert file.read().startswith(b"".join(lines))


def test_every_truncation_leaves_the_whole_lines_before_it(tmp_path) -> None:
    folder = str(tmp_path)
    path, good = written(folder, 2)
    for length in range(len(good)):
        overwrite(path, good[:length])
        tape = Tape.open(folder, "torn", QuickDisk())
        whole = good[:length].count(b"\n")
        torn = length != good[:length].rfind(b"\n") + 1
        assert tape.seq == whole + torn
        tape.close()
    print(f"repair: {len(good)} truncations")


def test_a_later_repair_takes_the_next_free_name(tmp_path) -> None:
    folder = str(tmp_path)
    path, _ = written(folder)
    for tail in (b"one", b"two", b"three"):
        with open(path, "ab") as file:
            file.write(tail)
        Tape.open(folder, "torn", QuickDisk()).close()
    assert aside(folder) == {"torn.torn-1": b"one", "torn.torn-2": b"two", "torn.torn-3": b"three"}


def test_a_file_that_never_was_a_tape_becomes_an_empty_one(tmp_path) -> None:
    folder = str(tmp_path)
    overwrite(os.path.join(folder, "torn.jsonl"), b"hello\nworld\n")
    tape = Tape.open(folder, "torn", QuickDisk())
    assert tape.seq == 1
    tape.close()
    assert aside(folder) == {"torn.torn-1": b"hello\nworld\n"}
