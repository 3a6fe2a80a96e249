"""A card image as the builder lays it out, small inside: real FAT32 by mkfs.vfat and mtools, random files."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from pathlib import Path
from typing import BinaryIO

import pytest

from edge.card import mbr, state
from edge.card.layout import (
    CONFIG,
    CONFIG_LABEL,
    DISK_ID,
    IMAGE_SECTORS,
    PARTS,
    SECTOR,
    SLOT_A,
    SLOT_B,
    SLOT_LABEL,
    STATE_PLACES,
)
from images.fatread import Read, Volume

PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
needs_fat = pytest.mark.skipif(
    not all(shutil.which(name, path=PLACES) for name in ("mkfs.vfat", "mcopy")), reason="no dosfstools or mtools here"
)


def fat(files: list[Path], sectors: int, label: str, into: Path) -> bytes:
    """The bytes of a FAT32 partition with these files and folders."""
    with into.open("wb") as file:
        file.truncate(sectors * SECTOR)
    told = {"PATH": PLACES, "TZ": "UTC", "LC_ALL": "C"}
    make = ["mkfs.vfat", "--invariant", "-F32", "-s1", "-n", label, "-i", "EDCE0002", str(into)]
    subprocess.run(make, env=told, check=True, stdout=subprocess.DEVNULL, timeout=60)
    subprocess.run(["mcopy", "-smpQi", str(into), *map(str, files), "::"], env=told, check=True, timeout=60)
    data = into.read_bytes()
    into.unlink()
    return data


def slot_files(folder: Path, seed: int) -> list[Path]:
    """What a slot holds: a kernel, an initramfs, a device tree in a folder, a root and its hash."""
    chance = random.Random(seed)

    def some(count: int) -> bytes:
        return bytes(chance.getrandbits(8) for _ in range(4096)) * (count // 4096) + b"end"

    # A root with zeros inside: they are content, though their blocks are all zero.
    root = some(600_000) + bytes(40_000) + some(80_000)
    (folder / "dtb").mkdir(parents=True)
    (folder / "dtb/bcm2835-rpi-zero.dtb").write_bytes(some(9_000))
    (folder / "kernel").write_bytes(some(300_000))
    (folder / "initrd").write_bytes(some(100_000))
    (folder / "root.sqfs").write_bytes(root)
    (folder / "root.sha256").write_text(f"{hashlib.sha256(root).hexdigest()}  root.sqfs\n")
    (folder / "slot.json").write_text('{"data_schema":1,"product":"pi-small","version":"1.0"}\n')
    return sorted(folder.iterdir())


def make(image: Path, seed: int = 1) -> Path:
    """The whole card, sparse, in the file `image`; a folder beside it is used and stays."""
    work = image.with_suffix(".parts")
    slot = fat(slot_files(work / "slot", seed), PARTS[SLOT_A][1], SLOT_LABEL, work / "fat")
    (work / "status.txt").write_bytes(b"not started yet\r\n" + b" " * 4000)
    (work / "README.txt").write_bytes(b"what this is\r\n")
    config = fat([work / "status.txt", work / "README.txt"], PARTS[CONFIG][1], CONFIG_LABEL, work / "fat")
    one, two, three, four = (mbr.Entry(*PARTS[number]) for number in (1, 2, 3, 4))
    with image.open("wb") as card:
        card.truncate(IMAGE_SECTORS * SECTOR)
        card.write(mbr.pack(mbr.Table(DISK_ID, (one, two, three, four))))
        for place in STATE_PLACES:
            card.seek(place * SECTOR)
            card.write(state.pack(state.flashed()))
        for number, data in ((CONFIG, config), (SLOT_A, slot), (SLOT_B, slot)):
            write_sparse(card, PARTS[number][0] * SECTOR, data)
    return image


def write_sparse(card: BinaryIO, start: int, data: bytes) -> None:
    """Write what is not zero of `data`, in steps of 64 KiB."""
    step = 1 << 16
    for at in range(0, len(data), step):
        piece = data[at : at + step]
        if piece.count(0) != len(piece):
            card.seek(start + at)
            card.write(piece)


def place_in(image: Path, number: int, offset: int) -> int:
    """The byte of the image at `offset` of partition `number`."""
    return PARTS[number][0] * SECTOR + offset


def flip(image: Path, offset: int, bit: int = 1) -> None:
    """One flipped bit in a file."""
    with image.open("r+b") as file:
        file.seek(offset)
        (byte,) = file.read(1)
        file.seek(offset)
        file.write(bytes((byte ^ bit,)))


def volume(read: Read, number: int) -> Volume:
    """The file system of partition `number` of a card that `read` reads."""
    first, sectors, _ = PARTS[number]
    return Volume(read, first * SECTOR, sectors * SECTOR)
