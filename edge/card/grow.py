"""The data partition to the end of the card: the entry in the partition table, and the kernel told of it.

Rules:
1. Only the length of entry 4 changes, in the one sector that holds the table: a cut leaves the old table or the new
   one, and the next start goes on. The entry never shrinks.
2. The end is the last whole ERASE block of the card, and at most what an entry can say (2 TiB).
3. The kernel is told by BLKPG_RESIZE_PARTITION, which works while other partitions are in use (include/uapi/linux/
   blkpg.h, block/ioctl.c); where it does not know that, by BLKRRPART, which needs all of them free. If neither works
   the new length is in force from the next start: the file system made now is made for what the kernel knows.
4. A plain file is a card too: its table is written and nobody has to be told.
"""

from __future__ import annotations

import os

from edge.card import mbr
from edge.card.layout import DATA, MIB, SECTOR
from edge.faults import CardFault
from edge.record import Record

ERASE = 4 * MIB
LARGEST = (1 << 32) - 1
BLKPG, RESIZE_PARTITION, BLKRRPART = 0x1269, 3, 0x125F
TOLD, REREAD, LATER, FILE = "told", "reread", "later", "file"


class Grown(Record):
    """What the data partition is now, in sectors. `kernel`: TOLD, REREAD, LATER (rule 3) or FILE."""

    first: int
    before: int
    sectors: int
    kernel: str

    @property
    def changed(self) -> bool:
        return self.before != self.sectors


def target(first: int, sectors: int, disk: int) -> int:
    """How long a partition that begins at `first` is to be on a card of `disk` sectors; never less than it is."""
    end = min(disk // ERASE * ERASE, LARGEST // ERASE * ERASE)
    return max(sectors, end - first)


def grow(path: str) -> Grown:
    """Grow partition 4 of a disk or a card file; CardFault when it has no such partition or cannot be written."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise CardFault(f"{path} cannot be opened to grow its data partition: {error.strerror}") from error
    try:
        return _grow(fd, path)
    except OSError as error:
        raise CardFault(f"the partition table of {path} cannot be changed: {error.strerror}") from error
    finally:
        os.close(fd)


def _grow(fd: int, path: str) -> Grown:
    block = os.pread(fd, mbr.SIZE, 0)
    table = mbr.read(block)
    entry = table.part(DATA) if table is not None else None
    if entry is None:
        raise CardFault(f"{path} has no partition {DATA} for data", "flash a card with fieldhand image flash")
    sectors = target(entry.first, entry.sectors, size(fd) // SECTOR)
    if sectors != entry.sectors:
        wanted = mbr.grown(block, DATA, sectors)
        if os.pwrite(fd, wanted, 0) != len(wanted):
            raise CardFault(f"the partition table of {path} was not written whole")
        os.fsync(fd)
        if os.pread(fd, mbr.SIZE, 0) != wanted:
            raise CardFault(f"the partition table of {path} does not keep what is written", "use another card")
    return Grown(entry.first, entry.sectors, sectors, _tell(fd, entry.first, sectors))


def size(fd: int) -> int:
    """Bytes of a disk or a file."""
    return os.lseek(fd, 0, os.SEEK_END)


def _tell(fd: int, first: int, sectors: int) -> str:
    """Tell the kernel. Told again what it knows already it agrees: a start after a cut needs no other way."""
    import stat

    if not stat.S_ISBLK(os.fstat(fd).st_mode):
        return FILE
    from fcntl import ioctl

    asked, kept = resize_request(DATA, first * SECTOR, sectors * SECTOR)
    for request, argument, done in ((BLKPG, asked, TOLD), (BLKRRPART, b"", REREAD)):
        try:
            ioctl(fd, request, argument)
        except OSError:
            continue
        return done
    del kept  # the kernel read it by its address until here
    return LATER


def resize_request(number: int, start: int, length: int) -> tuple[bytes, object]:
    """The argument of BLKPG, and what must live as long as it: struct blkpg_ioctl_arg points into it.

    struct blkpg_partition: start and length in bytes (long long), number (int), two names of 64 bytes.
    """
    import struct
    from array import array

    body = array("B", struct.pack("=qqi64s64s4x", start, length, number, b"", b""))
    address, _ = body.buffer_info()
    return struct.pack("@iiiP", RESIZE_PARTITION, 0, len(body), address), body
