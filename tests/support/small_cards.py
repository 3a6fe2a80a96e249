"""A card image as the builder lays it out, small inside: real FAT32 by mkfs.vfat and mtools, random files."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import BinaryIO

import pytest

from edge.card.layout import CONFIG, CONFIG_LABEL, PARTS, SECTOR, SLOT_A, SLOT_LABEL
from images import card, fat, host
from images.fatread import Read, Volume

EPOCH = 1_700_000_000
needs_fat = pytest.mark.skipif(
    bool(host.missing(["mkfs.vfat", "mcopy"])), reason=f"not here: {host.missing(['mkfs.vfat', 'mcopy'])}"
)


def slot_files(folder: Path, seed: int) -> None:
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
    (folder / "slot.json").write_text('{"data_schema":1,"product":"pi-armv6","version":"1.0"}\n')


def make(image: Path, seed: int = 1) -> Path:
    """The whole card, sparse, in the file `image`; what it was made of stays in a folder beside it."""
    work = image.with_suffix(".parts")
    slot_files(work / "slot", seed)
    (work / "config").mkdir()
    (work / "config/status.txt").write_bytes(b"not started yet\r\n" + b" " * 4000)
    (work / "config/README.txt").write_bytes(b"what this is\r\n")
    for number, name, label in ((CONFIG, "config", CONFIG_LABEL), (SLOT_A, "slot", SLOT_LABEL)):
        fat.make(work / f"{name}.fat", label, 0xEDCE0000 + number, PARTS[number][1], work / name, EPOCH)
    card.make(image, work / "config.fat", work / "slot.fat")
    return image


def write_sparse(file: BinaryIO, start: int, data: bytes) -> None:
    """Write what is not zero of `data`, in steps of 64 KiB."""
    for at in range(0, len(data), 1 << 16):
        piece = data[at : at + (1 << 16)]
        if piece.count(0) != len(piece):
            file.seek(start + at)
            file.write(piece)


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
