"""A cut behind any write of a card's first start: it starts again, and what it was told on the laptop is not lost.

In its first start a card grows its data partition, makes the file system there, and takes provision.toml. From one such
start, whose every write was logged, the card is made as a cut at many moments would have left it; most of these cards
are judged without a start.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from edge.card import layout, mbr, state
from edge.faults import CardFault
from hil import card, data, writes
from hil.writes import Write
from images.host import run
from tests.support.emulated import UNTIL, holding, image, shell
from tests.support.faults import MACHINE, PROVISION
from tests.support.lost_writes import Recorded, boots, in_slots, replay

pytestmark = [pytest.mark.emulated, pytest.mark.long]
SEED = 10
SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
CUTS = 200 if SOAK else 40
STARTS = 5 if SOAK else 1
TOLD = PROVISION.splitlines()[-1].encode()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """The first start of a card, up to its confirmation."""
    folder = tmp_path_factory.mktemp("first")
    before, log = folder / "before", folder / "log"
    card.insert(image(MACHINE), folder / "flashed")
    card.put(folder / "flashed", layout.CONFIG, "provision.toml", PROVISION.encode())
    with holding(MACHINE, folder / "flashed", folder, drive=writes.drive(folder / "card.img", log, "if=sd")) as board:
        run("cp", "--sparse=always", board.card, before)
        board.boot()
        shell(board)
        assert board.console.run(UNTIL.format("grep -q CONFIRMED=1 /run/fieldhand/boot.txt", 600), 900)[0] == 0
        board.cut()
    yield Recorded(before, log, ())
    run("rm", "-rf", folder)


def places(found: Sequence[Write], count: int, drawn: random.Random) -> list[int]:
    """Behind which writes the power goes: half of them outside of the data partition, where few are."""
    outside = [number + 1 for number, one in enumerate(found) if one.sector < layout.PARTS[layout.DATA][0]]
    some = drawn.sample(outside, min(count // 2, len(outside)))
    return sorted({*some, *(drawn.randrange(len(found) + 1) for _ in range(count // 2))})


def table(cut: Path) -> str:
    """What is wrong with the partition table; "" when nothing is."""
    with cut.open("rb") as file:
        found = mbr.read(file.read(mbr.SIZE))
    entry = found.part(layout.DATA) if found is not None else None
    right = entry is not None and entry.first == layout.PARTS[layout.DATA][0]
    return "" if right else "the partition table is torn"


def waits(cut: Path) -> bool:
    """Whether what was told on the laptop lies on the first partition still, to be taken."""
    try:
        return TOLD in card.get(cut, layout.CONFIG, "provision.toml")
    except CardFault:
        return False


def taken(part: Path) -> bool:
    """Whether what was told on the laptop stands in the settings, or is ready to be moved there."""
    places = ("/config/config.toml", "/provision.ready/config/config.toml")
    return TOLD in b"".join(run("debugfs", "-R", f'cat "{place}"', part) for place in places)


def judged(cut: Path, before: Path, folder: Path) -> list[str]:
    """What is wrong with a card that a cut left. A data partition that the state does not call made is made again."""
    found = [*boots(cut, before), table(cut)]
    made = card.boot_state(cut).data == state.MADE
    try:
        part = data.take(cut, folder / "part")
        if made:
            data.mend(part)
        if not waits(cut) and not (made and taken(part)):
            found.append("what was told on the laptop neither waits nor stands in the settings")
    except CardFault as fault:
        found.append(str(fault))
    return [one for one in found if one]


def test_a_card_that_is_cut_in_its_first_start_can_start_and_has_what_it_was_told(
    first: Recorded, tmp_path: Path
) -> None:
    drawn, lost, wrong, waiting = random.Random(SEED), 0, [], 0
    again = replay(first, tmp_path)
    chosen = places(again.writes, CUTS, drawn)
    assert not in_slots(first.log)
    for place in chosen:
        lost += again.cut(tmp_path / "cut", place, drawn)
        waiting += waits(tmp_path / "cut")
        found = judged(tmp_path / "cut", first.base, tmp_path)
        wrong += [f"cut behind write {place} of {len(again.writes)}: {one}" for one in found]
    told = f"{lost} sectors lost, provision.toml still to be taken on {waiting} cards"
    print(f"\n{len(chosen)} cuts in {MACHINE}'s first start (seed {SEED}), {told}")
    assert not wrong
    assert 0 < waiting < len(chosen)


def test_a_board_starts_from_a_card_whose_first_start_was_cut(first: Recorded, tmp_path: Path) -> None:
    drawn, again = random.Random(SEED), replay(first, tmp_path)
    for place in sorted(drawn.sample(range(len(again.writes)), STARTS)):
        again.cut(tmp_path / "cut", place, drawn)
        with holding(MACHINE, tmp_path / "cut", tmp_path) as board:
            board.boot()
            shell(board)
            assert board.console.run("grep -q ' /data ext4 rw' /proc/mounts && dmesg -n 1")[0] == 0
            assert board.console.run("grep -q 'line = \"GPIO17\"' /data/config/config.toml")[0] == 0
            code, text = board.console.run("fieldhand --yes --state /data/state tool file_write path=a content=it", 600)
            assert code == 0 and "wrote 2 bytes" in text, text
        print(f"\nstarted after a cut behind write {place} of {len(again.writes)} of the first start")
