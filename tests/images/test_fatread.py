from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from edge.card.fat import is_fat32
from edge.card.layout import PARTS, SECTOR, SLOT_A
from edge.faults import CardFault
from images.fatread import Volume
from tests.support import small_cards

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
START, LENGTH = PARTS[SLOT_A][0] * SECTOR, PARTS[SLOT_A][1] * SECTOR


def reader(data: bytes | bytearray) -> Callable[[int, int], bytes]:
    return lambda offset, length: bytes(data[offset : offset + length])


@pytest.fixture(scope="module")
def slot(small_card: Path) -> tuple[Path, bytes]:
    """The folder that was put into a slot, and the bytes of a card up to the end of that slot."""
    with small_card.open("rb") as file:
        return small_card.with_suffix(".parts") / "slot", file.read(START + LENGTH)


@small_cards.needs_fat
def test_what_was_copied_in_is_read_byte_for_byte_with_its_long_names(slot: tuple[Path, bytes]) -> None:
    folder, data = slot
    volume = Volume(reader(data), START, LENGTH)
    found = {file.path: file for file in volume.files() if not file.folder}
    put = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert found.keys() == put.keys()
    for name, path in put.items():
        assert b"".join(volume.pieces(found[name])) == path.read_bytes(), name
    assert volume.content("ROOT.SHA256").endswith(b"  root.sqfs\n")


@small_cards.needs_fat
def test_a_byte_is_told_by_the_file_it_is_in(slot: tuple[Path, bytes]) -> None:
    _, data = slot
    volume = Volume(reader(data), START, LENGTH)
    root = volume.find("root.sqfs")
    assert root is not None
    at = next(volume.runs(root.cluster))[0]
    assert volume.owner(at + 70_000) == "root.sqfs"
    assert volume.owner(START + 100) == "the boot sectors"
    assert volume.owner(START + volume.table_at + 5) == "the allocation table"
    assert volume.owner(volume.place(volume.root)) == "the root folder"
    assert volume.owner(START + LENGTH - 5) == "free space"


@small_cards.needs_fat
def test_all_that_a_computer_looks_at_is_in_use_and_nothing_else(slot: tuple[Path, bytes]) -> None:
    folder, data = slot
    volume = Volume(reader(data), START, LENGTH)
    areas = list(volume.used())
    assert areas[0][0] == START and areas == sorted(areas)
    assert all(end < start for (_, end), (start, _) in zip(areas, areas[1:]))
    files = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert files < sum(end - start for start, end in areas) - volume.data_at < files + 8192


@small_cards.needs_fat
def test_a_damaged_file_system_is_a_fault_or_is_read_but_never_hangs(slot: tuple[Path, bytes]) -> None:
    _, data = slot
    chance = random.Random(20)
    whole = Volume(reader(data), START, LENGTH)
    inner = [START, START + whole.table_at, whole.place(whole.root)]
    rounds, faults = (300 if SOAK else 30), 0
    damaged = bytearray(data)
    for _ in range(rounds):
        at = chance.choice(inner)
        kept = bytes(damaged[at : at + 512])
        for _ in range(chance.choice((1, 4, 60))):
            damaged[at + chance.randrange(512)] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        try:
            volume = Volume(reader(damaged), START, LENGTH)
            for file in volume.files():
                for _ in volume.pieces(file):
                    pass
            volume.owner(START + LENGTH // 2)
        except CardFault:
            faults += 1
        damaged[at : at + 512] = kept
    print(f"{rounds} damaged file systems, {faults} of them told as such")
    assert 0 < faults < rounds


def test_a_chain_that_loops_is_told() -> None:
    data = bytearray(70_000 * 512)
    data[11:14] = (512).to_bytes(2, "little") + b"\x01"
    data[14:17] = (32).to_bytes(2, "little") + b"\x01"
    data[32:36] = (70_000).to_bytes(4, "little")
    data[36:40] = (600).to_bytes(4, "little")
    data[44:48] = (2).to_bytes(4, "little")
    data[510:512] = b"\x55\xaa"
    assert is_fat32(bytes(data[:512]))
    table = 32 * 512
    data[table + 8 : table + 12] = (3).to_bytes(4, "little")
    data[table + 12 : table + 16] = (2).to_bytes(4, "little")
    folder = (32 + 600) * 512
    data[folder : folder + 1024] = b"\xe5" * 1024  # files that are gone, in both clusters of the folder
    with pytest.raises(CardFault, match="without an end"):
        list(Volume(reader(data)).files())
    data[table + 12 : table + 16] = (0x0FFFFF00).to_bytes(4, "little")
    with pytest.raises(CardFault, match="leaves it"):
        list(Volume(reader(data)).files())


def test_what_is_no_fat32_is_told() -> None:
    assert not is_fat32(b"") and not is_fat32(bytes(510) + b"\x55\xaa")
    with pytest.raises(CardFault, match="no FAT32 file system at byte 4096"):
        Volume(reader(bytes(8192)), 4096)
