from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.card import mbr
from edge.card.layout import CONFIG, DATA, PARTS, SECTOR, SLOT_A
from edge.faults import CardFault
from images import bmap
from tests.support import small_cards

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
BMAPTOOL = shutil.which("bmaptool")
needs_bmaptool = pytest.mark.skipif(BMAPTOOL is None, reason="no bmap-tools here")


@pytest.fixture(scope="module")
def begin(small_card: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The card up to the end of its first partition, sparse: what is shown on it costs a quarter."""
    length = PARTS[SLOT_A][0] * SECTOR
    path = tmp_path_factory.mktemp("begin") / "begin.img"
    with small_card.open("rb") as source, path.open("wb") as file:
        file.truncate(length)
        small_cards.write_sparse(file, 0, source.read(length))
    return path


@small_cards.needs_fat
def test_the_map_is_of_the_bytes_and_not_of_the_holes(begin: Path, tmp_path: Path) -> None:
    full = tmp_path / "full.img"
    full.write_bytes(begin.read_bytes())
    if full.stat().st_blocks == begin.stat().st_blocks:
        pytest.skip("this file system keeps no holes apart")
    assert bmap.make(full) == bmap.make(begin)


@small_cards.needs_fat
def test_what_the_last_owner_left_on_a_card_shows_nowhere_that_is_looked_at(small_card: Path) -> None:
    found = bmap.of(small_card)
    mapped = {block for part in found.ranges for block in range(part.first, part.last + 1)}
    with small_card.open("rb") as file:

        def dirty(offset: int, length: int) -> bytes:
            """A card full of 0xA5 on which the mapped blocks were written."""
            first, behind = offset // 4096, -(-(offset + length) // 4096)
            file.seek(first * 4096)
            blocks = [
                file.read(4096) if at in mapped else file.read(4096) and b"\xa5" * 4096 for at in range(first, behind)
            ]
            return b"".join(blocks)[offset - first * 4096 :][:length]

        assert not any(dirty(mbr.SIZE, 1024 * 512 - mbr.SIZE))
        volume = small_cards.volume(dirty, SLOT_A)
        for inner in volume.files():
            if not inner.folder:
                path = small_card.with_suffix(".parts") / "slot" / inner.path
                assert b"".join(volume.pieces(inner)) == path.read_bytes()
        at = volume.start + volume.table_at
        first, second = (dirty(at + number * volume.table_size, volume.table_size) for number in (0, 1))
        assert first == second and first.count(0) > len(first) // 2
        assert not any(dirty(PARTS[DATA][0] * SECTOR, 4096))
    assert found.bytes < found.size // 5


@small_cards.needs_fat
def test_ranges_are_short_and_stay_inside_their_partition(small_card: Path) -> None:
    found = bmap.of(small_card)
    edges = [first * SECTOR for first, _, _ in PARTS.values()]
    for start, end in map(found.place, found.ranges):
        assert end - start <= 256 * 1024
        assert not any(start < edge < end for edge in edges)
    data = small_card.read_bytes()
    assert all(hashlib.sha256(data[slice(*found.place(part))]).hexdigest() == part.sha256 for part in found.ranges)


def test_an_image_without_a_partition_table_is_mapped_whole(tmp_path: Path) -> None:
    image = tmp_path / "x.img"
    image.write_bytes(bytes(600_000) + b"x")
    found = bmap.of(image)
    assert found.mapped == found.blocks == 147
    assert found.place(found.ranges[-1])[1] == 600_001
    assert bmap.read(bmap.make(image).encode()) == found
    assert bmap.whole(600_001).mapped == 147


def test_an_empty_and_an_absent_image_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(CardFault, match="is empty"):
        bmap.make(tmp_path / "empty")
    with pytest.raises(CardFault, match="could not be read"):
        bmap.make(tmp_path / "absent")


@small_cards.needs_fat
@needs_bmaptool
def test_bmap_tools_copies_by_our_map_and_sees_a_flipped_byte(begin: Path, tmp_path: Path) -> None:
    told = tmp_path / "card.bmap"
    told.write_text(bmap.make(begin))
    copy = tmp_path / "copy.img"
    command = [str(BMAPTOOL), "copy", "--bmap", str(told), str(begin), str(copy)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    assert bmap.of(copy) == bmap.of(begin)
    damaged = tmp_path / "damaged.img"
    shutil.copy(begin, damaged)
    small_cards.flip(damaged, small_cards.place_in(damaged, CONFIG, 0) + 3)
    command[4] = str(damaged)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.returncode != 0 and "checksum mismatch" in ran.stderr


@needs_bmaptool
def test_a_map_of_bmap_tools_is_read(tmp_path: Path) -> None:
    image = tmp_path / "x.img"
    with image.open("wb") as file:
        file.truncate(3 << 20)
        for at, count in ((0, 5000), (1 << 20, 3), ((3 << 20) - 4096, 4096)):
            file.seek(at)
            file.write(b"x" * count)
    told = tmp_path / "x.bmap"
    subprocess.run([str(BMAPTOOL), "create", "-o", str(told), str(image)], check=True, timeout=60)
    found = bmap.read(told.read_bytes(), "x.bmap")
    data = image.read_bytes()
    assert found.size == 3 << 20 and found.mapped >= 4
    for part in found.ranges:
        assert hashlib.sha256(data[slice(*found.place(part))]).hexdigest() == part.sha256


GOOD = bmap.text(bmap.Map(40_960, 4096, (bmap.Range(0, 3, "ab" * 32), bmap.Range(5, 9, "cd" * 32))))


def summed(text: str) -> bytes:
    """The text with its own checksum made right again, so that what else is wrong comes to light."""
    lines = [
        f"    <BmapFileChecksum> {'0' * 64} </BmapFileChecksum>" if "BmapFileChecksum" in line else line
        for line in text.splitlines()
    ]
    zeroed = "\n".join(lines)
    return zeroed.replace("0" * 64, hashlib.sha256(zeroed.encode()).hexdigest(), 1).encode()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("> 5-9 <", "> 3-9 <", "not in order"),
        ("> 5-9 <", "> 5-10 <", "outside the image"),
        ("> 5-9 <", "> 9-5 <", "not in order"),
        ("> 5-9 <", "> 5-x <", "cannot be read"),
        ("> 5-9 <", "> 5-8 <", "counts 9 of 10 blocks, its ranges say 8 of 10"),
        ("> 40960 <", "> 0 <", "an image of 0 bytes"),
        ("> 40960 <", "> -1 <", "a number is wanted"),
        ("> 4096 <", "> 4097 <", "blocks of 4097"),
        ("> sha256 <", "> sha1 <", "of the kind sha1"),
        ('version="2.0"', 'version="3.0"', "no block map of version 2.0"),
        ("<ChecksumType> sha256 </ChecksumType>", "", "has no ChecksumType"),
        ("</bmap>", "", "is no XML"),
        ('<?xml version="1.0" ?>', '<!DOCTYPE bmap [<!ENTITY a "b">]>', "declares a document type"),
    ],
)
def test_a_wrong_map_is_told_with_what_is_wrong(old: str, new: str, told: str) -> None:
    assert bmap.read(summed(GOOD)).mapped == 9
    assert old in GOOD
    with pytest.raises(CardFault, match=told):
        bmap.read(summed(GOOD.replace(old, new)), "x.bmap")


@pytest.mark.parametrize(
    ("ranges", "told"),
    [
        ((), "it does not map any block"),
        ((bmap.Range(1, 9, "ab" * 32),), "it does not map the first block, with the partition table"),
    ],
)
def test_a_map_that_leaves_the_partition_table_out_is_no_map_of_a_card(
    ranges: tuple[bmap.Range, ...], told: str
) -> None:
    text = bmap.text(bmap.Map(40_960, 4096, ranges))
    with pytest.raises(CardFault, match=f"x.bmap is no map of a card: {told}"):
        bmap.read(text.encode(), "x.bmap")


def test_a_map_with_any_byte_changed_is_refused() -> None:
    chance = random.Random(7)
    data = GOOD.encode()
    # Each byte once in the long run, a part of them here; the checksum holds the comment as well.
    places = range(len(data)) if SOAK else chance.sample(range(len(data)), 150)
    for at in places:
        with pytest.raises(CardFault):
            bmap.read(data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :])
    print(f"{len(places)} changed maps refused")


@pytest.mark.parametrize("code", ["utf-16", "utf-16-be", "utf-32", "cp037"])
def test_a_document_type_is_seen_in_every_encoding(code: str) -> None:
    head = '<?xml version="1.0" encoding="{}"?>'.format(code.partition("-be")[0])
    rest = '<!DOCTYPE b [<!ENTITY a "2.0">]><bmap version="&a;"/>'
    data = head.encode() + rest.encode(code) if code == "cp037" else (head + rest).encode(code)
    with pytest.raises(CardFault, match=r"x\.bmap (is no block map: it is not UTF-8|is no XML|declares)"):
        bmap.read(data, "x.bmap")
