"""A log of writes is read as far as it goes, and a disk is made from it as a cut leaves it."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from edge.faults import CardFault
from hil import writes
from hil.writes import DISCARD, FLUSH, FUA

SECTORS = 64


def entry(sector: int, data: bytes = b"", flags: int = 0, count: int = 0) -> bytes:
    count = count or len(data) // 512
    return struct.pack("<QQQQ", sector, count, flags, 0).ljust(512, b"\0") + data


def log(folder: Path, *entries: bytes, told: int = 0) -> Path:
    path = folder / "log"
    path.write_bytes(struct.pack("<QQQI", writes.MAGIC, 1, told, 512).ljust(512, b"\0") + b"".join(entries))
    return path


def disk(folder: Path) -> Path:
    path = folder / "disk"
    path.write_bytes(bytes(SECTORS * 512))
    return path


def sectors(path: Path) -> bytes:
    """The first byte of each sector."""
    return path.read_bytes()[::512]


def filled(byte: int, count: int = 1) -> bytes:
    return bytes([byte]) * 512 * count


def test_a_log_is_read_beyond_its_own_count_and_up_to_a_torn_end(tmp_path: Path) -> None:
    whole = (entry(3, filled(1, 2)), entry(0, flags=FLUSH), entry(5, filled(2), FUA), entry(8, flags=DISCARD, count=4))
    path = log(tmp_path, *whole, entry(9, filled(3, 2))[:-1], told=2)
    found = writes.read(path)
    assert [(one.sector, one.count, one.flags) for one in found] == [
        *((3, 2, 0), (0, 0, FLUSH), (5, 1, FUA), (8, 4, DISCARD)),
    ]
    assert [one.end for one in found] == [2048, 2560, 3584, 4096]


@pytest.mark.parametrize("raw", [b"", b"x" * 1024, struct.pack("<QQQI", writes.MAGIC, 1, 0, 4096).ljust(4096, b"\0")])
def test_what_is_no_log_is_said_to_be_none(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(raw)
    with pytest.raises(CardFault, match="log is no log of writes"):
        writes.read(tmp_path / "log")


def test_the_length_of_a_log_tells_how_many_writes_it_held(tmp_path: Path) -> None:
    found = writes.read(log(tmp_path, entry(1, filled(1)), entry(2, filled(2)), entry(3, filled(3))))
    assert [writes.upto(found, length) for length in (512, 1535, 1536, 2560, 9999)] == [0, 0, 1, 2, 3]


def test_without_a_flush_only_the_last_block_of_a_card_is_uncertain(tmp_path: Path) -> None:
    """Sectors 6, 7 | 8, 9, 10: behind the last, the block that begins at 8 may be torn, 6 and 7 stand."""
    entries = [entry(number, filled(number)) for number in (6, 7, 8, 9, 10)]
    replay = writes.Replay(disk(tmp_path), log(tmp_path, *entries))
    seen = set()
    for seed in range(64):
        replay.cut(tmp_path / "cut", 5, random.Random(seed))
        found = sectors(tmp_path / "cut")
        assert found[:8] == bytes((0, 0, 0, 0, 0, 0, 6, 7)) and not any(found[11:])
        seen.add(found[8:11])
    assert seen == {bytes((a, b, c)) for a in (0, 8) for b in (0, 9) for c in (0, 10)}


def test_behind_a_flush_everything_is_uncertain_and_before_it_nothing(tmp_path: Path) -> None:
    entries = (entry(1, filled(1)), entry(0, flags=FLUSH), entry(30, filled(2)), entry(40, filled(3, 2)))
    replay = writes.Replay(disk(tmp_path), log(tmp_path, *entries))
    seen = set()
    for seed in range(64):
        lost = replay.cut(tmp_path / "cut", 4, random.Random(seed))
        found = sectors(tmp_path / "cut")
        assert found[1] == 1 and lost == (found[30], found[40], found[41]).count(0)
        seen.add((found[30], found[40], found[41]))
    assert len(seen) == 8


def test_a_replay_goes_on_from_cut_to_cut(tmp_path: Path) -> None:
    entries = [part for number in range(4) for part in (entry(number, filled(number + 1)), entry(0, flags=FLUSH))]
    replay = writes.Replay(disk(tmp_path), log(tmp_path, *entries))
    for count in range(1, 5):
        assert replay.cut(tmp_path / "cut", 2 * count, random.Random(0)) == 0
        assert sectors(tmp_path / "cut")[:4] == bytes(range(1, count + 1)).ljust(4, b"\0")


def test_a_discard_takes_nothing_away(tmp_path: Path) -> None:
    entries = (entry(2, filled(7)), entry(2, flags=DISCARD, count=1), entry(0, flags=FLUSH))
    replay = writes.Replay(disk(tmp_path), log(tmp_path, *entries))
    replay.to(3)
    assert sectors(tmp_path / "disk")[2] == 7
