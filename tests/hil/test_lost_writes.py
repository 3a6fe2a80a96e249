"""A cut behind any write that a board made: what it acknowledged before that is there, and it starts again.

From one run of a board, whose every write was logged, its card and a stick are made as a cut at many moments would have
left them: of what was not flushed yet each sector is there or not by chance. Most are judged without a start.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil import data, writes
from hil.writes import FLUSH, Replay
from images.host import run
from tests.support.emulated import holding, shell
from tests.support.lost_writes import MACHINE, NOTES, TORN, Recorded, boots, in_slots, judged, recorded, replay

pytestmark = [pytest.mark.emulated, pytest.mark.long]
SEED = 7
SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
CUTS = 200 if SOAK else 30
STARTS = 5 if SOAK else 1


@pytest.fixture(scope="module")
def disks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Recorded, Recorded]]:
    folder = tmp_path_factory.mktemp("recorded")
    yield recorded(folder)
    run("rm", "-rf", folder)


def places(told: Recorded, count: int) -> list[int]:
    """Where the power goes: right behind all that was known when something was acknowledged, and by chance."""
    drawn = random.Random(SEED)
    found = writes.read(told.log)
    seen = {writes.upto(found, length) for length in (*told.notes, *told.turns)}
    return sorted(seen | {drawn.randrange(len(found) + 1) for _ in range(count - len(seen))})


def test_a_card_has_what_was_acknowledged_after_a_cut_behind_any_write(
    disks: tuple[Recorded, Recorded], tmp_path: Path
) -> None:
    told, drawn, lost, wrong = disks[0], random.Random(SEED), 0, []
    again = replay(told, tmp_path)
    assert not in_slots(told.log)
    assert not any(one.flags & FLUSH for one in again.writes), "this card is told to flush: rule 1 of hil/writes.py"
    for place in places(told, CUTS):
        lost += again.cut(tmp_path / "cut", place, drawn)
        part = data.take(tmp_path / "cut", tmp_path / "part")
        found = judged(told, part, length(again, place), tmp_path) + boots(tmp_path / "cut", told.base)
        wrong += [f"cut behind write {place} of {len(again.writes)}: {one}" for one in found]
    print(f"\n{len(places(told, CUTS))} cuts of {MACHINE}'s card (seed {SEED}), {lost} sectors lost")
    assert not wrong


def test_a_stick_has_what_was_acknowledged_though_nothing_unflushed_is_certain(
    disks: tuple[Recorded, Recorded], tmp_path: Path
) -> None:
    told, drawn, lost, wrong = disks[1], random.Random(SEED), 0, []
    again = replay(told, tmp_path)
    first = next(number for number, one in enumerate(again.writes) if one.end > told.notes[0])
    later = [place for place in places(told, CUTS) if place >= first - 1]
    assert any(one.flags & FLUSH for one in again.writes), "this stick is never told to flush: nothing on it is certain"
    for place in later:
        lost += again.cut(tmp_path / "cut", place, drawn)
        found = judged(told, tmp_path / "cut", length(again, place), tmp_path)
        wrong += [f"cut behind write {place} of {len(again.writes)}: {one}" for one in found]
    print(f"\n{len(later)} cuts of a stick (seed {SEED}), {lost} sectors lost")
    assert not wrong


def length(again: Replay, place: int) -> int:
    """How long the log was behind so many writes."""
    return again.writes[place - 1].end if place else 0


@pytest.mark.long
def test_a_board_starts_from_a_card_that_a_cut_left(disks: tuple[Recorded, Recorded], tmp_path: Path) -> None:
    told, drawn = disks[0], random.Random(SEED)
    again = replay(told, tmp_path)
    for place in sorted(drawn.sample(range(writes.upto(again.writes, told.notes[0]), len(again.writes)), STARTS)):
        again.cut(tmp_path / "cut", place, drawn)
        notes = sum(seen <= length(again, place) for seen in told.notes)
        with holding(MACHINE, tmp_path / "cut", tmp_path) as board:
            board.boot()
            shell(board)
            call = board.console.run
            assert call("grep -q ' /data ext4 rw' /proc/mounts && dmesg -n 1")[0] == 0
            assert call("fieldhand audit verify --state /data/state", 600)[0] in (0, TORN)
            assert (
                call(f"cd /data/notes && for i in $(seq {notes}); do grep -q text-$i note-$i || exit 1; done")[0] == 0
            )
            code, text = call("fieldhand --yes --state /data/state tool file_write path=after content=it", 600)
            assert code == 0 and "wrote 2 bytes" in text, text
        print(
            f"\nstarted after a cut behind write {place} of {len(again.writes)}, {notes} of {NOTES} notes acknowledged"
        )
