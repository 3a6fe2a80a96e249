"""Whole cards as plain files, and a card whose power is cut at a chosen write."""

from __future__ import annotations

import random
from pathlib import Path

from edge.card import layout, mbr
from edge.card import state as states
from edge.card.slots import Card, Device
from edge.card.state import State

# A small card: the same places for table and state, slots of a quarter of a MiB behind them.
SLOT_SECTORS = 512
FIRST = {layout.CONFIG: 2048, layout.SLOT_A: 2560, layout.SLOT_B: 3072, layout.DATA: 3584}
CONFIRMED = State("a", "b", True, 0, "made", "confirmed")


def small_card(path: Path, state: State | None = CONFIRMED, slots: tuple[bytes, bytes] = (b"", b"")) -> Path:
    """A card with these slots; no state at all for None."""
    first, second, third, fourth = (mbr.Entry(FIRST[number], SLOT_SECTORS, 0x0C) for number in (1, 2, 3, 4))
    with path.open("wb") as file:
        file.truncate(4096 * layout.SECTOR)
        file.write(mbr.pack(mbr.Table(layout.DISK_ID, (first, second, third, fourth))))
        for place in layout.STATE_PLACES if state is not None else ():
            file.seek(place * layout.SECTOR)
            file.write(states.pack(state or CONFIRMED))
        for number, content in ((layout.SLOT_A, slots[0]), (layout.SLOT_B, slots[1])):
            file.seek(FIRST[number] * layout.SECTOR)
            file.write(content)
    return path


def opened(path: Path, write: bool = True) -> Card:
    return Card(Device(str(path), write))


def held_in(path: Path, slot: str, size: int) -> bytes:
    """The first bytes of a slot as they stand in the file."""
    with path.open("rb") as file:
        file.seek(FIRST[layout.SLOTS[slot]] * layout.SECTOR)
        return file.read(size)


def volume(text: bytes) -> bytearray:
    """The smallest FAT32 by hand: clusters of 512 bytes, one table; slot.json under its long name in clusters 3, 4."""
    made = bytearray(512 * 64)
    made[11:17] = b"\x00\x02\x01\x01\x00\x01"  # sectors of 512, one is a cluster, one reserved, one table
    made[32:36], made[36:40], made[44:48] = (64).to_bytes(4, "little"), b"\x01\0\0\0", b"\x02\0\0\0"
    made[510:512] = b"\x55\xaa"
    for cluster, after in ((2, 0x0FFFFFFF), (3, 4), (4, 0x0FFFFFF8)):
        made[512 + 4 * cluster : 516 + 4 * cluster] = after.to_bytes(4, "little")
    name = "slot.json\0".encode("utf-16-le").ljust(26, b"\xff")
    long = b"\x41" + name[:10] + b"\x0f\0\0" + name[10:22] + b"\0\0" + name[22:26]
    short = b"SLOT~1  JSO\x20" + bytes(8) + b"\0\0" + bytes(4) + b"\x03\0" + len(text).to_bytes(4, "little")
    made[1024 : 1024 + 64] = long + short
    made[1536 : 1536 + len(text)] = text
    return made


class PowerGone(Exception):
    """The supply failed in the middle of a write or a sync."""


class CutDevice(Device):
    """The power goes at act number `cut` (a write or a sync, from 0). What was synced is on the card; of what was not,
    every sector is there or not by chance, and one of them may be torn, as on a card that was writing it.
    """

    def __init__(self, path: str, cut: int, chance: random.Random) -> None:
        super().__init__(path, True)
        self.acts = 0
        self._cut = cut
        self._chance = chance
        self._before: dict[int, bytes] = {}  # sectors as they were at the last sync

    def write(self, at: int, data: bytes) -> None:
        for sector in range(at // 512, (at + len(data) + 511) // 512):
            if sector not in self._before:
                self._before[sector] = super().read(sector * 512, 512)
        super().write(at, data)
        self._act()

    def sync(self) -> None:
        self._act()
        super().sync()
        self._before.clear()

    def _act(self) -> None:
        if self.acts == self._cut:
            self._lose()
            raise PowerGone
        self.acts += 1

    def _lose(self) -> None:
        torn = self._chance.choice(sorted(self._before)) if self._before and self._chance.random() < 0.5 else -1
        for sector, before in self._before.items():
            if sector == torn:
                now = super().read(sector * 512, 512)
                part = self._chance.randrange(512)
                super().write(sector * 512, now[:part] + before[part:])
            elif self._chance.random() < 0.5:
                super().write(sector * 512, before)
