"""The data partition reaches the end of the card, whatever the card, and nothing else of the table changes."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import pytest

from edge.card import grow, layout, mbr
from edge.faults import CardFault

FIRST, SHIPPED, _ = layout.PARTS[layout.DATA]


def card(path: Path, mib: int) -> str:
    """A card as it is flashed, of another size."""
    first, second, third, fourth = (mbr.Entry(*layout.PARTS[number]) for number in (1, 2, 3, 4))
    path.write_bytes(mbr.pack(mbr.Table(layout.DISK_ID, (first, second, third, fourth))))
    os.truncate(path, mib << 20)
    return str(path)


def head(path: str) -> bytes:
    """The table and what follows it."""
    with open(path, "rb") as file:
        return file.read(16 * mbr.SIZE)


def test_it_ends_with_the_card_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    path = card(tmp_path / "card", 253)
    found = grow.grow(path)
    assert found == grow.Grown(FIRST, SHIPPED, 252 * layout.MIB - FIRST, grow.FILE) and found.changed
    before = head(path)
    again = grow.grow(path)
    assert not again.changed and again.sectors == found.sectors
    assert head(path) == before


def test_only_the_length_of_the_data_partition_changes(tmp_path: Path) -> None:
    path = card(tmp_path / "card", 256)
    before = head(path)
    grow.grow(path)
    after = head(path)
    changed = [at for at, (one, other) in enumerate(zip(before, after)) if one != other]
    assert set(changed) <= set(range(446 + 3 * 16 + 12, 446 + 4 * 16))
    assert os.path.getsize(path) == 256 << 20


def test_a_card_of_the_images_own_size_and_one_beyond_a_table_of_this_kind() -> None:
    assert grow.target(FIRST, SHIPPED, layout.IMAGE_SECTORS) == SHIPPED
    assert grow.target(FIRST, SHIPPED, layout.IMAGE_SECTORS - 1) == SHIPPED
    assert FIRST + grow.target(FIRST, SHIPPED, 1 << 40) <= 1 << 32


def test_for_every_size_it_is_aligned_inside_and_never_shorter() -> None:
    dice = random.Random(4)
    for _ in range(2000):
        disk = layout.IMAGE_SECTORS + dice.randrange(1 << dice.randrange(1, 36))
        found = grow.target(FIRST, SHIPPED, disk)
        assert found >= SHIPPED
        assert (FIRST + found) % grow.ERASE == 0
        assert FIRST + found <= max(disk, FIRST + SHIPPED)


def test_what_is_no_card_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(bytes(1 << 20))
    with pytest.raises(CardFault, match="no partition 4 for data"):
        grow.grow(str(other))
    assert other.read_bytes() == bytes(1 << 20)
    with pytest.raises(CardFault, match="cannot be opened"):
        grow.grow(str(tmp_path / "absent"))


def test_the_request_to_the_kernel_is_laid_out_as_its_header_says() -> None:
    asked, body = grow.resize_request(4, 4096, 8192)
    operation, flags, length, address = struct.unpack("@iiiP", asked)
    told = bytes(body)  # type: ignore[call-overload]
    assert (operation, flags, length) == (3, 0, len(told)) and address
    assert struct.unpack_from("=qqi", told) == (4096, 8192, 4)
    assert len(told) == 152 and not any(told[20:])
