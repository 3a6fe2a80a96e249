"""A writer of journal files, by systemd.io/JOURNAL_FILE_FORMAT: entries in, the bytes of a file out.

Hashes are left 0: the reader looks at none. Tables, chains and arrays are those of the format.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Mapping

BOOT = "0123456789abcdef0123456789abcdef"
BUCKETS = 7
FLAGS = {"xz": 1, "lz4": 2, "zstd": 4}
NEEDS = {"xz": 1, "lz4": 2, "zstd": 8}


def number(value: int, size: int = 8) -> bytes:
    return value.to_bytes(size, "little")


def literal_lz4(raw: bytes) -> bytes:
    """An LZ4 block of literals alone, behind the size that the journal puts before it."""
    left = len(raw) - 15
    size = bytes([0xF0 if left >= 0 else len(raw) << 4])
    while left >= 0:
        size += bytes([min(left, 255)])
        left -= 255
    return number(len(raw)) + size + raw


PACK = {
    "xz": lambda raw: lzma.compress(raw, lzma.FORMAT_XZ, lzma.CHECK_NONE),
    "lz4": literal_lz4,
    "zstd": lambda raw: b"\x28\xb5\x2f\xfd" + raw[:20],
}


class Writer:
    """One file. `arrays` says how many entries the first array holds; each next one holds twice as many."""

    def __init__(self, compact: bool = False, pack: str = "", arrays: int = 4) -> None:
        self.compact, self.pack, self.first = compact, pack, arrays
        self.data = bytearray(272)
        self.known: dict[bytes, int] = {}
        self.fields: dict[bytes, int] = {}
        self.main: list[int] = []
        self.having: dict[int, list[int]] = {}
        self.times: list[int] = []
        self.table = self.object(5, bytes(16 * BUCKETS)) + 16

    def object(self, kind: int, body: bytes, flags: int = 0) -> int:
        place = len(self.data)
        size = 16 + len(body)
        self.data += bytes([kind, flags]) + bytes(6) + number(size) + body + bytes(-size % 8)
        return place

    def put(self, place: int, value: int, size: int = 8) -> None:
        self.data[place : place + size] = number(value, size)

    def get(self, place: int) -> int:
        return int.from_bytes(self.data[place : place + 8], "little")

    def field(self, name: bytes) -> int:
        if name not in self.fields:
            place = self.object(2, bytes(24) + name)
            bucket = self.table + 16 * (sum(name) % BUCKETS)
            self.put(place + 24, self.get(bucket))
            self.put(bucket, place)
            self.fields[name] = place
        return self.fields[name]

    def value(self, name: bytes, value: bytes) -> int:
        raw = name + b"=" + value
        if raw not in self.known:
            flags, body = 0, raw
            if self.pack and len(raw) > 100:
                flags, body = FLAGS[self.pack], PACK[self.pack](raw)
            place = self.object(1, bytes(56 if self.compact else 48) + body, flags)
            head = self.field(name) + 32
            self.put(place + 32, self.get(head))
            self.put(head, place)
            self.known[raw] = place
        return self.known[raw]

    def add(self, at: int, fields: Mapping[str, str | bytes], boot: str = BOOT) -> None:
        """One entry at `at` microseconds since 1970."""
        places = [
            self.value(name.encode(), value if isinstance(value, bytes) else value.encode())
            for name, value in fields.items()
        ]
        items = b"".join(number(place, 4) if self.compact else number(place) + bytes(8) for place in places)
        self.times.append(at)
        head = number(len(self.times)) + number(at) + number(at) + bytes.fromhex(boot) + bytes(8)
        entry = self.object(3, head + items)
        self.main.append(entry)
        for place in places:
            self.having.setdefault(place, []).append(entry)

    def arrays(self, places: list[int]) -> int:
        """A chain of arrays; the last one has room left."""
        first = before = start = 0
        size, width = self.first, 4 if self.compact else 8
        while start < len(places):
            part = places[start : start + size]
            items = b"".join(number(one, width) for one in part) + bytes(width * (size - len(part)))
            place = self.object(6, bytes(8) + items)
            if before:
                self.put(before + 16, place)
            first, before, start, size = first or place, place, start + size, size * 2
        return first

    def bytes(self, live: bool = False) -> bytes:
        """The file. `live`: as one that is being written, whose head does not count the latest entries."""
        for place, entries in self.having.items():
            self.put(place + 40, entries[0])
            self.put(place + 48, self.arrays(entries[1:]))
            self.put(place + 56, len(entries))
        arrays = self.arrays(self.main)
        flags = (16 if self.compact else 0) | NEEDS.get(self.pack, 0)
        head = b"LPKSHHRH" + number(0, 4) + number(flags, 4) + number(int(live)) + bytes(64)
        numbers = [272, len(self.data) - 272, 0, 0, self.table, 16 * BUCKETS, 0, 0]
        numbers += [len(self.main) - 3 * live, len(self.main), 1, arrays]
        numbers += [self.times[0] if self.times else 0, self.times[-1] if self.times else 0, 0]
        self.data[:208] = head + b"".join(map(number, numbers))
        return bytes(self.data)


def journal(count: int, **how: object) -> Writer:
    """`count` entries, one each second, of three services; every tenth is an error."""
    made = Writer(**how)  # type: ignore[arg-type]
    for place in range(count):
        unit = ("pump", "ssh", "cron")[place % 3]
        fields = {"MESSAGE": f"line {place} of {unit}", "PRIORITY": "3" if place % 10 == 0 else "6"}
        source = {"_PID": str(100 + place % 3), "SYSLOG_IDENTIFIER": unit, "_SYSTEMD_UNIT": f"{unit}.service"}
        made.add(start(place), {**fields, **source})
    return made


def start(place: int) -> int:
    """The time of entry `place` of `journal`, in microseconds."""
    return 1_700_000_000_000_000 + place * 1_000_000


def texts(lines: Iterable[object]) -> list[str]:
    return [line.text for line in lines]  # type: ignore[attr-defined]
