"""The image of a whole card: partition table, boot state, parts at their places. A sparse file; pure copying.

Rules:
1. The places are those of edge/card/layout.py. What no part fills is a hole, that is zero.
2. Both slots are the same bytes: a card that was just flashed falls back to what it is.
3. Both copies of the boot state say "flashed". The data partition is an entry without a file system: the board makes
   it, since made here it would hang on the time of the build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from edge.card import layout, mbr, state
from edge.faults import CardFault

_STEP = 64 * 1024
_ZERO = bytes(_STEP)


def table() -> mbr.Table:
    """The partition table every card of ours is flashed with."""
    first, second, third, fourth = (
        mbr.Entry(*layout.PARTS[number], active=number == layout.CONFIG) for number in (1, 2, 3, 4)
    )
    return mbr.Table(layout.DISK_ID, (first, second, third, fourth))


def make(image: Path, config: Path, slot: Path, at: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Write the image of a card from the FAT of p1 and the FAT of a slot; `at(done, total)` hears how far it is.
    CardFault when a part has not the length of its place."""
    parts = ((layout.CONFIG, config), (layout.SLOT_A, slot), (layout.SLOT_B, slot))
    total = sum(path.stat().st_size for _, path in parts)
    done = 0
    for number, path in parts:
        if path.stat().st_size != layout.PARTS[number][1] * layout.SECTOR:
            raise CardFault(f"{path.name} has not the length of partition {number}")
    with image.open("wb") as card:
        card.truncate(layout.IMAGE_SECTORS * layout.SECTOR)
        card.write(mbr.pack(table()))
        for place in layout.STATE_PLACES:
            card.seek(place * layout.SECTOR)
            card.write(state.pack(state.flashed()))
        for number, path in parts:
            with path.open("rb") as part:
                for count in _copied(part, card, layout.PARTS[number][0] * layout.SECTOR):
                    done += count
                    at(done, total)


def _copied(part: BinaryIO, card: BinaryIO, place: int) -> Iterator[int]:
    """Copy what is not zero; the length of each piece as soon as it is done."""
    for piece in iter(lambda: part.read(_STEP), b""):
        if piece != _ZERO[: len(piece)]:
            card.seek(place)
            card.write(piece)
        place += len(piece)
        yield len(piece)
