"""The partition table of a card: four primary entries and a disk id, as text of 512 bytes. Bytes only, no files.

    0    boot code: zero              440  disk id, 4 bytes little endian     444  zero, 2 bytes
    446  four entries of 16 bytes     510  55 AA
    entry: 1 active (0x80 or 0), 3 CHS of the first sector, 1 type, 3 CHS of the last, 4 first sector, 4 sectors

Rules:
1. All sizes are sectors of 512 bytes. An entry whose type is 0 is none.
2. CHS numbers are the ones that say "look at the sector numbers": FE FF FF, for cards are larger than CHS reaches.
3. What is read is judged by its sense only: the signature, entries inside 32 bits, none that overlaps another.
4. `grown` changes the length of one entry and nothing else, so that a cut between old and new leaves either.

Source: the layout that sfdisk(8) and the Linux kernel (block/partitions/msdos.c) read.
"""

from __future__ import annotations

from edge.faults import CardFault
from edge.record import Record, replace

SIZE = 512
_ID, _ENTRIES, _SIGNATURE = 440, 446, b"\x55\xaa"
_FAR = b"\xfe\xff\xff"
_ACTIVE = 0x80
_LIMIT = 1 << 32


class Entry(Record):
    """One partition: `first` and `sectors` in sectors, `kind` is the type byte (0x0C FAT32, 0x83 Linux)."""

    first: int
    sectors: int
    kind: int
    active: bool = False


class Table(Record):
    """A partition table: the disk id and what stands at the places 1 to 4, None where nothing does."""

    disk_id: int
    entries: tuple[Entry | None, Entry | None, Entry | None, Entry | None]

    def part(self, number: int) -> Entry | None:
        """Partition `number`, 1 to 4."""
        return self.entries[number - 1] if 1 <= number <= 4 else None


def pack(table: Table) -> bytes:
    """The sector of a table; CardFault when an entry does not fit into 32 bits or overlaps another."""
    wrong = _wrong(table)
    if wrong:
        raise CardFault(wrong)
    entries = b"".join(_packed(entry) for entry in table.entries)
    head = bytes(_ID) + table.disk_id.to_bytes(4, "little") + bytes(2)
    return head + entries + _SIGNATURE


def read(block: bytes) -> Table | None:
    """The table in the first sector of a card; None when there is none or it makes no sense."""
    if len(block) < SIZE or block[SIZE - 2 : SIZE] != _SIGNATURE:
        return None
    places = [block[at : at + 16] for at in range(_ENTRIES, _ENTRIES + 64, 16)]
    if any(place[0] not in (0, _ACTIVE) for place in places):
        return None
    first, second, third, fourth = (_unpacked(place) for place in places)
    table = Table(int.from_bytes(block[_ID : _ID + 4], "little"), (first, second, third, fourth))
    return None if _wrong(table) else table


def grown(block: bytes, number: int, sectors: int) -> bytes:
    """The first sector with another length of partition `number`; CardFault when the table cannot hold that."""
    table = read(block)
    old = table.part(number) if table is not None else None
    if table is None or old is None:
        raise CardFault(f"the card has no partition {number}")
    entries = [
        replace(old, sectors=sectors) if place == number else entry for place, entry in enumerate(table.entries, 1)
    ]
    wrong = _wrong(Table(table.disk_id, (entries[0], entries[1], entries[2], entries[3])))
    if wrong:
        raise CardFault(wrong)
    at = _ENTRIES + 16 * (number - 1) + 12
    return block[:at] + sectors.to_bytes(4, "little") + block[at + 4 :]


def _packed(entry: Entry | None) -> bytes:
    if entry is None:
        return bytes(16)
    head = bytes((_ACTIVE if entry.active else 0,)) + _FAR + bytes((entry.kind,)) + _FAR
    return head + entry.first.to_bytes(4, "little") + entry.sectors.to_bytes(4, "little")


def _unpacked(place: bytes) -> Entry | None:
    if not place[4]:
        return None
    first, sectors = int.from_bytes(place[8:12], "little"), int.from_bytes(place[12:16], "little")
    return Entry(first, sectors, place[4], place[0] == _ACTIVE)


def _wrong(table: Table) -> str:
    """What makes no sense in a table, as a sentence; empty when all does."""
    taken = [(entry.first, entry.first + entry.sectors, number) for number, entry in _numbered(table)]
    for number, entry in _numbered(table):
        if not 1 <= entry.kind <= 255 or entry.first < 1 or entry.sectors < 1:
            return f"partition {number} has no type, no place or no length"
        if entry.first + entry.sectors > _LIMIT:
            return f"partition {number} ends behind what a partition table of this kind can say (2 TiB)"
    for start, end, number in taken:
        for other_start, other_end, other in taken:
            if number < other and start < other_end and other_start < end:
                return f"partitions {number} and {other} overlap"
    return ""


def _numbered(table: Table) -> list[tuple[int, Entry]]:
    return [(number, entry) for number, entry in enumerate(table.entries, 1) if entry is not None]
