"""The data partition of a card: taken out as the table says, mended as a start does it, read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.card import layout, mbr
from edge.faults import CardFault
from hil import data
from images.host import missing, run

pytestmark = pytest.mark.skipif(bool(missing(["mke2fs", "e2fsck", "debugfs"])), reason="e2fsprogs are not here")
FIRST, SECTORS = 4096, 16 << 11
BLOCK = 4096


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """A card with nothing but data: /state holds one file."""
    (tmp_path / "tree/state").mkdir(parents=True)
    (tmp_path / "tree/state/one").write_text("kept")
    part, found = tmp_path / "made", tmp_path / "card"
    run("mke2fs", "-q", "-F", "-t", "ext4", "-b", str(BLOCK), "-d", tmp_path / "tree", part, f"{SECTORS >> 1}k")
    small = [mbr.Entry(1024 * number, 1024, layout.FAT32) for number in (1, 2, 3)]
    table = mbr.Table(layout.DISK_ID, (*small, mbr.Entry(FIRST, SECTORS, layout.LINUX)))
    found.write_bytes(mbr.pack(table).ljust(FIRST * layout.SECTOR, b"\0") + part.read_bytes())
    return found


def test_what_is_taken_out_is_as_long_as_the_table_says_and_can_be_read(card: Path, tmp_path: Path) -> None:
    part = data.take(card, tmp_path / "part")
    assert part.stat().st_size == SECTORS * layout.SECTOR
    data.mend(part)
    assert (data.folder(part, "state", tmp_path / "out") / "one").read_text() == "kept"
    with pytest.raises(CardFault, match="part has no folder absent"):
        data.folder(part, "absent", tmp_path / "other")


def test_a_card_without_data_is_told(tmp_path: Path) -> None:
    (tmp_path / "card").write_bytes(bytes(4096))
    with pytest.raises(CardFault, match="card has no partition 4 for data"):
        data.take(tmp_path / "card", tmp_path / "part")


def test_a_damaged_one_is_told_with_what_is_wrong(card: Path, tmp_path: Path) -> None:
    part = data.take(card, tmp_path / "part")
    with part.open("r+b") as file:
        file.write(os.urandom(BLOCK))
    with pytest.raises(CardFault, match=r"(?s)part is damaged beyond what a start mends: .*superblock"):
        data.mend(part)


def test_a_mark_that_a_kernel_takes_away_is_no_damage_and_a_wrong_bitmap_is(card: Path, tmp_path: Path) -> None:
    part = data.take(card, tmp_path / "part")
    run("debugfs", "-w", "-R", "feature orphan_present", part)
    data.mend(part)
    held = run("debugfs", "-R", "bmap /state/one 0", part).decode().strip()
    run("debugfs", "-w", "-R", f"freeb {held}", part)
    with pytest.raises(CardFault, match=r"(?s)part is damaged .*Block bitmap differences"):
        data.mend(part)
