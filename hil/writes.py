"""What a board wrote to a disk, one write after the other, and the disk as a power cut behind any of them leaves it.

QEMU's driver blklogwrites writes the log; its form is that of the kernel's dm-log-writes
(Documentation/admin-guide/device-mapper/log-writes.rst). Units are sectors of 512 bytes.

Rules:
1. An SD card has no flush: the kernel knows it as `write through`, and what it took is on it. QEMU's card hands its
   sectors on one by one, so a cut behind any write of the log is one that the board could have met, a request torn in
   its middle included. Of the last block of 4 KiB, which is always in one request, any sectors are there or not.
2. A disk with a cache (a stick at USB) is told to flush. What it was given before the last flush is there; of what
   came after it every sector is there or not, whatever came first.
3. The log is read as far as it goes: its own count of entries is renewed only now and then, and its last entry may be
   torn.
4. How long the log is when an acknowledgement was seen bounds what came before it. So the disk after a cut behind that
   has to hold what was acknowledged.
"""

from __future__ import annotations

import random
import struct
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from edge.card.layout import SECTOR
from edge.faults import CardFault
from edge.record import Record
from images.host import run

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4
BLOCK = 8  # sectors
_SUPER = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")


class Write(Record):
    """One entry: where it goes, how long it is, what kind it is, where its data lie in the log, where it ends there."""

    sector: int
    count: int
    flags: int
    at: int
    end: int


def drive(disk: Path, log: Path, interface: str) -> str:
    """A disk as -drive takes it, with every write noted in `log`, which is made empty."""
    log.write_bytes(b"")
    file, noted = (f"{name}.driver=raw,{name}.file.driver=file,{name}.file.filename" for name in ("file", "log"))
    return f"{interface},driver=blklogwrites,{file}={disk},{noted}={log},log-sector-size={SECTOR}"


def read(log: Path) -> list[Write]:
    """The entries of a log, by rule 3. CardFault when it is none."""
    length = log.stat().st_size
    with log.open("rb") as file:
        head = file.read(_SUPER.size)
        if len(head) < _SUPER.size or _SUPER.unpack(head)[::3] != (MAGIC, SECTOR):
            raise CardFault(f"{log.name} is no log of writes with sectors of {SECTOR} bytes")
        found: list[Write] = []
        at = SECTOR
        while at + SECTOR <= length:
            file.seek(at)
            sector, count, flags, _ = _ENTRY.unpack(file.read(_ENTRY.size))
            end = at + SECTOR + (0 if flags & DISCARD else count * SECTOR)
            if end > length or not (count or flags):
                break
            found.append(Write(sector, count, flags, at + SECTOR, end))
            at = end
    return found


def upto(writes: Sequence[Write], length: int) -> int:
    """How many writes a log of that length held: a cut behind so many comes after what was seen then."""
    return bisect_left([write.end for write in writes], length + 1)


def settled(writes: Sequence[Write], cut: int) -> int:
    """How many of the first `cut` writes are on the disk for certain: rule 2 where there is any flush, else rule 1."""
    if any(write.flags & FLUSH for write in writes):
        return max((number + 1 for number in range(cut) if writes[number].flags & FLUSH), default=0)
    first = cut
    while first and writes[first - 1].sector // BLOCK == writes[cut - 1].sector // BLOCK and cut - first < BLOCK:
        first -= 1
    return first


class Replay:
    """The disk `base` as it was before the log began; `to` makes it the disk behind ever later writes of it."""

    def __init__(self, base: Path, log: Path) -> None:
        self.writes = read(log)
        self._base, self._log = base, log
        self._done = 0

    def to(self, count: int) -> None:
        """Do the writes up to the first `count`."""
        with self._base.open("r+b") as disk, self._log.open("rb") as log:
            for write in self.writes[self._done : count]:
                _do(disk, log, write, range(write.count))
        self._done = max(self._done, count)

    def cut(self, into: Path, count: int, drawn: random.Random) -> int:
        """Make `into` the disk after a cut behind the first `count` writes; how many sectors are lost."""
        self.to(settled(self.writes, count))
        run("cp", "--sparse=always", self._base, into)
        lost = 0
        with into.open("r+b") as disk, self._log.open("rb") as log:
            for write in self.writes[self._done : count]:
                kept = [number for number in range(write.count) if drawn.random() < 0.5]
                _do(disk, log, write, kept)
                lost += write.count - len(kept)
        return lost


def _do(disk: BinaryIO, log: BinaryIO, write: Write, kept: Sequence[int]) -> None:
    """The sectors `kept` of a write. A discard says of its sectors only that nobody wants them: they stay."""
    if write.flags & DISCARD:
        return
    for number in kept:
        log.seek(write.at + number * SECTOR)
        disk.seek((write.sector + number) * SECTOR)
        disk.write(log.read(SECTOR))
