"""A card's file for QEMU: made from an image, looked into and changed from outside, as a laptop or bad luck would.

Rules:
1. The image is never written: each test has a copy, sparse, as long as the next power of two (QEMU takes no other
   length for a card), so the data partition has something to grow into.
2. Files on the FAT partitions are read and written by mtools at their offset; nothing is mounted.
"""

from __future__ import annotations

import os
from pathlib import Path

from edge.card import grow, layout, prepare, slots, state
from edge.faults import CardFault
from images.host import run
from images.source import Image

_LARGEST = 4 << 30  # bytes


def images() -> Path:
    """Where built images are: FIELDHAND_IMAGES, else dist/images of the checkout."""
    return Path(os.environ.get("FIELDHAND_IMAGES") or Path(__file__).resolve().parent.parent / "dist" / "images")


def image(product: str) -> Path | None:
    """The newest image of a product, packed or not; None when there is none."""
    found = [path for end in ("*/*.img", "*/*.img.zst") for path in (images() / product).glob(end)]
    return max(found, key=lambda path: path.stat().st_mtime) if found else None


def size(length: int) -> int:
    """The length of a card in QEMU: the next power of two that is not less."""
    return 1 << max(0, length - 1).bit_length()


def insert(source: Path, card: Path) -> None:
    """Make `card` a copy of an image (.img or .img.zst)."""
    Image(source).unpack(card, _LARGEST)
    with card.open("r+b") as file:
        file.truncate(size(card.stat().st_size))


def get(card: Path, part: int, name: str) -> bytes:
    """A file of a FAT partition; CardFault when it is not there."""
    return run("mcopy", "-n", "-i", _place(card, part), f"::{name}", "-")


def put(card: Path, part: int, name: str, data: bytes) -> None:
    """Write a file of a FAT partition, in place of one that is there."""
    kept = card.with_suffix(".put")
    try:
        kept.write_bytes(data)
        run("mcopy", "-D", "o", "-o", "-i", _place(card, part), kept, f"::{name}")
    finally:
        kept.unlink(missing_ok=True)


def started(card: Path) -> None:
    """Do to a card as it was flashed what its first start does: the data partition grown and made, slot a confirmed."""
    grow.grow(str(card))
    with slots.Card(slots.Device(str(card), write=True)) as found:
        run(*prepare.make_words(found))
        found.keep(state.State(slot="a", prev="b", good=True, data=state.MADE, why="confirmed"))


def put_data(card: Path, local: Path, name: str) -> None:
    """Copy a file of this machine onto the data partition of a card whose board was shut down; `name` as in /data.

    CardFault when it does not fit, is there already, or the folder is not there.
    """
    folder, _, last = name.rpartition("/")
    place = _data(card)
    if b"Type: directory" not in run("debugfs", "-R", f'stat "/{folder}"', place):
        raise CardFault(f"{name} could not be put onto the data partition: there is no folder {folder}/")
    told = card.with_suffix(".acts")
    told.write_text(f'cd "/{folder}"\nwrite "{local}" "{last}"\n')
    said = run("debugfs", "-w", "-f", told, place)
    told.unlink()
    if b"Allocated inode" not in said:
        raise CardFault(f"{name} could not be put onto the data partition: {said.decode('utf-8', 'replace').strip()}")


def to_recover(card: Path) -> bool:
    """Whether the data partition was not let go by its board: its journal is to be replayed."""
    return b"needs_recovery" in run("debugfs", "-R", "show_super_stats -h", _data(card))


def _data(card: Path) -> str:
    """The data partition, as debugfs takes it."""
    return f"{card}?offset={layout.PARTS[layout.DATA][0] * layout.SECTOR}"


def boot_state(card: Path) -> state.State:
    """The boot state by both copies."""
    first, second = (_sector(card, place) for place in layout.STATE_PLACES)
    return state.chosen(first, second)


def set_state(card: Path, wanted: state.State) -> None:
    """Write both copies of the boot state."""
    with card.open("r+b") as file:
        for place in layout.STATE_PLACES:
            file.seek(place * layout.SECTOR)
            file.write(state.pack(wanted))


def tear(card: Path, copy: int) -> None:
    """Flip a byte of one copy (1 or 2) of the boot state."""
    flip(card, layout.STATE_PLACES[copy - 1] * layout.SECTOR + 9)


def spoil(card: Path, part: int, name: str) -> None:
    """Flip one byte in the middle of a file of a FAT partition, where it lies: nothing else of the card changes."""
    data = get(card, part, name)
    middle = len(data) // 2
    begin, count, _ = layout.PARTS[part]
    with card.open("rb") as file:
        file.seek(begin * layout.SECTOR)
        at = file.read(count * layout.SECTOR).find(data[middle : middle + layout.SECTOR])
    if at < 0:
        raise CardFault(f"{name} was not found on partition {part}")
    flip(card, begin * layout.SECTOR + at)


def flip(card: Path, offset: int) -> None:
    """Change every bit of one byte."""
    with card.open("r+b") as file:
        file.seek(offset)
        old = file.read(1)
        file.seek(offset)
        file.write(bytes([old[0] ^ 0xFF]))


def _sector(card: Path, place: int) -> bytes:
    with card.open("rb") as file:
        file.seek(place * layout.SECTOR)
        return file.read(layout.STATE_BYTES)


def _place(card: Path, part: int) -> str:
    return f"{card}@@{layout.PARTS[part][0] * layout.SECTOR}"
