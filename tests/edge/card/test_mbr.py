"""The partition table: what is packed is read back, by us and by sfdisk; nonsense is none."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.card import layout, mbr
from edge.faults import CardFault


def of_the_layout() -> mbr.Table:
    parts = [mbr.Entry(*layout.PARTS[number]) for number in (1, 2, 3, 4)]
    return mbr.Table(layout.DISK_ID, (parts[0], parts[1], parts[2], parts[3]))


def test_what_is_packed_is_read_back() -> None:
    block = mbr.pack(of_the_layout())
    assert len(block) == 512 and mbr.read(block) == of_the_layout()
    active = mbr.Table(7, (mbr.Entry(2048, 9, 0x0C, active=True), None, None, mbr.Entry(4096, 1, 0x83)))
    assert mbr.read(mbr.pack(active)) == active


def test_only_the_length_changes_when_a_part_grows() -> None:
    block = mbr.pack(of_the_layout())
    grown = mbr.grown(block, 4, 1_000_000)
    table = mbr.read(grown)
    assert table is not None and table.part(4) == mbr.Entry(layout.PARTS[4][0], 1_000_000, layout.LINUX)
    assert [at for at in range(512) if block[at] != grown[at]] == [506, 507, 508]
    with pytest.raises(CardFault, match="overlap"):
        mbr.grown(block, 1, layout.PARTS[3][0])
    with pytest.raises(CardFault, match="2 TiB"):
        mbr.grown(block, 4, (1 << 32) - 1)
    with pytest.raises(CardFault, match="no partition 2"):
        mbr.grown(mbr.pack(mbr.Table(1, (mbr.Entry(1, 1, 1), None, None, None))), 2, 5)


def test_what_makes_no_sense_is_no_table() -> None:
    good = bytearray(mbr.pack(of_the_layout()))
    assert mbr.read(bytes(512)) is None and mbr.read(bytes(good[:511])) is None
    for at, byte in ((510, 0), (446, 0x17), (454, 0xFF), (447 + 16 * 4 - 1, 0xFF)):
        bad = good.copy()
        bad[at] ^= byte or 0x55
        assert mbr.read(bytes(bad)) is None or mbr.read(bytes(bad)) != of_the_layout()
    with pytest.raises(CardFault, match="no type"):
        mbr.pack(mbr.Table(1, (mbr.Entry(0, 1, 0x83), None, None, None)))


def test_no_block_of_bytes_is_a_traceback() -> None:
    chance = random.Random(4)
    good = mbr.pack(of_the_layout())
    tables = 0
    for _ in range(2000):
        block = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            block[chance.randrange(440, 512)] = chance.randrange(256)
        table = mbr.read(bytes(block))
        if table is not None:
            tables += 1
            assert mbr.read(mbr.pack(table)) == table
    print(f"2000 spoilt tables, {tables} still make sense")
    assert 0 < tables < 2000


@pytest.mark.skipif(not shutil.which("sfdisk", path="/usr/sbin:/sbin:/usr/bin"), reason="sfdisk is not on this machine")
def test_sfdisk_reads_the_same(tmp_path: Path) -> None:
    image = tmp_path / "card"
    image.write_bytes(mbr.pack(of_the_layout()))
    with image.open("r+b") as file:
        file.truncate(layout.IMAGE_SECTORS * 512)
    sfdisk = shutil.which("sfdisk", path="/usr/sbin:/sbin:/usr/bin")
    told = subprocess.run([str(sfdisk), "-d", image], capture_output=True, text=True, check=True).stdout
    assert f"label-id: {layout.DISK_ID:#x}" in told.lower()
    for first, sectors, kind in layout.PARTS.values():
        line = next(line for line in told.splitlines() if f"start={first:>12}" in line)
        assert f"size={sectors:>12}" in line and f"type={kind:x}" in line
