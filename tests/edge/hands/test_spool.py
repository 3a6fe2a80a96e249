"""The spool of a job: characters from anywhere, whatever the borders of the reads were; bounded; no named file."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from edge.hands import spool as module
from edge.hands.spool import MEMORY, Spool
from tests.support import descriptors

LETTERS = "aZ 9\n\té水🜚\u0301"


def text_of(chance: random.Random, length: int) -> str:
    return "".join(chance.choice(LETTERS) for _ in range(length))


def filled(made: Spool, data: bytes, chance: random.Random, most: int = 4000) -> Spool:
    at = 0
    while at < len(data):
        step = chance.randint(1, most)
        made.add(0, data[at : at + step])
        at += step
    return made


def test_every_page_is_what_was_written_wherever_it_begins(tmp_path: Path) -> None:
    chance = random.Random(1)
    wanted = text_of(chance, 120_000)
    made = filled(Spool(str(tmp_path)), wanted.encode(), chance)
    made.finish()
    assert made.length == len(wanted) and made.left_out == 0
    for _ in range(300):
        at, limit = chance.randint(-50, len(wanted) + 50), chance.randint(0, 5000)
        piece = made.read(at, limit)
        start = min(max(at, 0), len(wanted))
        assert (piece.start, piece.text, piece.left_out) == (start, wanted[start : start + limit], 0)
        assert piece.end == start + len(piece.text)
    assert "".join(made.read(at, 997).text for at in range(0, len(wanted), 997)) == wanted


def test_no_character_breaks_at_the_border_of_two_reads(tmp_path: Path) -> None:
    made = Spool(str(tmp_path))
    for byte in "é水🜚".encode():
        made.add(0, bytes([byte]))
        made.add(1, b".")
    made.finish()
    assert made.read(0, 99).text == ".é...水....🜚."
    broken = Spool(str(tmp_path))
    broken.add(0, b"a\xff\xe6\xb0")
    assert broken.read(0, 99).text == "a\ufffd"  # the rest may still come
    broken.finish()
    assert broken.read(0, 99).text == "a\ufffd\ufffd"


def test_the_head_and_the_newest_are_kept_and_what_is_between_is_counted(tmp_path: Path) -> None:
    chance = random.Random(2)
    wanted = text_of(chance, 400_000)
    made = filled(Spool(str(tmp_path), 100_000, 20_000), wanted.encode(), chance)
    for over in (False, True):
        if over:
            made.finish()
        assert made.length == len(wanted) and made.size <= 100_000 + 20_000 + MEMORY
        head, at = "", 0
        while True:
            piece = made.read(at, 3000)
            if piece.left_out:
                break
            head, at = head + piece.text, piece.end
        assert 99_990 <= len(head.encode()) <= 100_000 and wanted.startswith(head)
        assert piece.left_out == made.left_out and piece.start == at + piece.left_out
        tail, at = piece.text, piece.end
        while (piece := made.read(at, 3000)).text:
            tail, at = tail + piece.text, piece.end
        assert wanted.endswith(tail) and len(tail.encode()) >= 20_000
        assert len(head) + made.left_out + len(tail) == made.length == at


@pytest.mark.parametrize("folder", ["", "/nowhere/at/all"])
def test_without_a_place_for_a_file_memory_bounds_it(folder: str) -> None:
    made = filled(Spool(folder, tail=10_000), b"0123456789" * 50_000, random.Random(3))
    assert made.length == 500_000 and made.size <= MEMORY + 10_000 + MEMORY
    assert made.read(0, 12).text == "012345678901" and made.read(499_995, 99).text == "56789"
    made.finish()
    assert made.read(499_995, 99).text == "56789" and made.left_out > 300_000


def test_room_on_the_card_is_left_for_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Spool(str(tmp_path))
    made.add(0, b"x" * 200_000)
    free = os.statvfs(tmp_path)
    monkeypatch.setattr(module, "FREE", free.f_blocks * free.f_frsize)
    made.add(0, b"y" * 1000)
    made.add(0, b"z" * 700_000)
    made.finish()
    kept = [os.fstat(int(name)).st_size for name in os.listdir("/proc/self/fd") if _is_spool(name, tmp_path)]
    assert kept == [200_000] and made.read(200_900, 200).start > 201_000
    assert made.read(900_990, 20).text == "z" * 10
    other = Spool(str(tmp_path))
    other.add(0, b"x" * 200_000)
    assert other.read(0, 3).text == "xxx" and other.read(199_997, 9).text == "xxx"
    made.close()


def _is_spool(descriptor: str, folder: Path) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}").startswith(str(folder))
    except OSError:
        return False


def test_a_full_card_is_as_a_full_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Spool(str(tmp_path))
    made.add(0, b"x" * 200_000)
    real = os.pwrite

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "pwrite", full)
    made.add(0, b"y" * 50_000)
    monkeypatch.setattr(module.os, "pwrite", real)
    made.add(0, b"z" * 1000)
    made.finish()
    assert made.length == 251_000
    assert made.read(199_990, 20).text == "x" * 10 + "y" * 10 and made.read(250_990, 20).text == "z" * 10


@pytest.mark.parametrize("can", [True, False], ids=["as it is", "a file system without nameless files"])
def test_there_is_no_name_and_nothing_is_left(tmp_path: Path, can: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not can:
        monkeypatch.setattr(module.os, "O_TMPFILE", 0)  # to write a folder: EISDIR, as from such a file system
    before = descriptors.count()
    made = Spool(str(tmp_path))
    made.add(0, b"x" * 300_000)
    assert os.listdir(tmp_path) == [] and made.read(299_999, 9).text == "x"
    made.close()
    made.close()
    assert descriptors.count() == before and made.read(0, 9).text == ""


def test_what_it_takes_of_memory_does_not_grow_with_what_is_written(tmp_path: Path) -> None:
    made = Spool(str(tmp_path), 200_000, 50_000)
    for _ in range(200):
        made.add(0, b"one line of it\n" * 4000)
    kept = len(made._memory) + len(made._tail)
    assert kept <= 50_000 + MEMORY and len(made._places[0]) <= 20
    made.finish()
    assert made._memory == made._tail == b"" and made.length == 200 * 60_000
