"""One file of systemd's journal, read from its end (systemd.io/JOURNAL_FILE_FORMAT).

Rules:
1. Every number in the file is checked before it is used: a file that is torn, made by somebody, or written meanwhile
   gives fewer entries or a ToolFault, never a loop, never more memory than stated here.
2. The file is read by pread in pages: it may shrink under us, which a map would not survive.
3. Objects lie at multiples of 8. The list of entries is a chain of arrays, each longer than the one before, filled in
   order; zeros stand behind the last.
4. Both layouts (8-byte offsets; `compact` with 4-byte ones) and keyed hashes are read: no hash is computed. What has a
   certain value is found by the chain of all values of its field, each of which lists its entries.
5. A field that is compressed is unpacked as far as this Python can (journal_unpack.py), else it is told as such.
"""

from __future__ import annotations

import os

from edge.faults import ToolFault
from edge.hands.journal_unpack import WAYS, unpacked
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = 16384
PAGES = 256  # pages that are kept
FIELD = 8192  # bytes of one field
ITEMS = 1024  # fields of one entry
ARRAYS = 4096
BUCKETS = 65536  # of the table of field names
VALUES = 100_000  # of one field
CACHED = 20000  # fields that are kept: the same ones come again and again
SMALL = 256  # bytes of a field that is kept
_SIGNATURE = b"LPKSHHRH"
_KNOWN = 1 | 2 | 4 | 8 | 16  # incompatible flags: xz, lz4, keyed hash, zstd, compact
_COMPACT = 16
_HEADER = 208  # bytes that every version has
_DATA, _FIELD, _ENTRY, _ARRAY = 1, 2, 3, 6
_AHEAD = 64  # entries that may be there before the header says so


class Entry(Record):
    """One entry. `at` is microseconds since 1970; `fields` are places of data objects."""

    sequence: int
    at: int
    boot: str
    fields: tuple[int, ...]


class Journal:
    """An open journal file. ToolFault when it is none, or needs what is not known here."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        self._pages: dict[int, bytes] = {}
        self.known: dict[int, tuple[str, str]] = {}
        self.torn = 0  # places that could not be read
        head = self._read(0, min(_HEADER, self._size))
        if len(head) < _HEADER or head[:8] != _SIGNATURE:
            raise ToolFault(f"{name} is no journal file")
        flags = _number(head, 12, 4)
        if flags & ~_KNOWN:
            raise ToolFault(f"{name} was written by a later systemd than this version can read")
        self._compact = bool(flags & _COMPACT)
        self._arrays = _number(head, 176, 8)
        self._entries = _number(head, 152, 8)
        self._table, self._buckets = _number(head, 120, 8), _number(head, 128, 8)
        self.first, self.last = _number(head, 184, 8), _number(head, 192, 8)

    def entries(self, having: list[int] | None = None) -> Iterator[Entry]:
        """The entries from the last to the first. What cannot be read is counted in `torn` and left out.

        having: places of data objects, as `values` gives them: only entries with one of them.
        """
        places = self._places(self._arrays, self._entries) if having is None else self._of(having)
        for place in places:
            entry = self._entry(place)
            if entry is None:
                self.torn += 1
                if self.torn > _AHEAD:
                    return
            else:
                yield entry

    def values(self, name: str) -> Iterator[tuple[int, str]]:
        """Every value that a field has in this file, with the place of its data object; in no order."""
        place = self._named(name.encode())
        seen: set[int] = set()
        while place and place not in seen and len(seen) < VALUES:
            seen.add(place)
            if not self._object(place, _DATA)[0]:
                self.torn += 1
                return
            found = self.field(place)
            if found[0] == name:
                yield place, found[1]
            place = _number(self._read(place + 32, 8), 0, 8)

    def _named(self, name: bytes) -> int:
        """The first data object of a field; 0 when no entry has it."""
        seen: set[int] = set()
        for bucket in range(min(self._buckets // 16, BUCKETS)):
            place = _number(self._read(self._table + 16 * bucket, 8), 0, 8)
            while place and place not in seen and len(seen) < VALUES:
                seen.add(place)
                size, _ = self._object(place, _FIELD)
                if size == 40 + len(name) and self._read(place + 40, len(name)) == name:
                    return _number(self._read(place + 32, 8), 0, 8)
                place = _number(self._read(place + 24, 8), 0, 8) if size else 0
        return 0

    def _of(self, having: list[int]) -> Iterator[int]:
        """The entries that these data objects list, the last first: what was written later lies behind."""
        ways = []
        for place in having:
            raw = self._read(place + 40, 24)
            ways.append(chain_of(_number(raw, 0, 8), self._places(_number(raw, 8, 8), _number(raw, 16, 8) - 1)))
        ahead = [(next(way, 0), way) for way in ways]
        last = 0
        while ahead:
            ahead.sort(key=lambda one: one[0])
            place, way = ahead.pop()
            if place and (not last or place < last):
                last = place
                yield place
            if place:
                ahead.append((next(way, 0), way))

    def field(self, place: int) -> tuple[str, str]:
        """Name and value of one field, at most FIELD bytes of it; ("", "") when it cannot be read.

        A field whose packing this Python does not know is named after it: `?zstd`.
        """
        known = self.known.get(place)
        if known is not None:
            return known
        name, value = self._field(place)
        found = name, value.decode("utf-8", "replace")
        if len(found[1]) <= SMALL:
            if len(self.known) >= CACHED:
                self.known.clear()
            self.known[place] = found
        return found

    def _field(self, place: int) -> tuple[str, bytes]:
        start = 72 if self._compact else 64
        size, flags = self._object(place, _DATA)
        if size <= start:
            return "", b""
        raw = self._read(place + start, min(size - start, FIELD))
        way = next((name for bit, name in WAYS if flags & bit), "")
        if way:
            plain = unpacked(way, self._read(place + start, min(size - start, 1 << 20)), FIELD)
            if plain is None:
                return f"?{way}", b""
            raw = plain
        name, parted, value = raw.partition(b"=")
        return (name.decode("ascii", "replace"), value) if parted and len(name) < 65 else ("", b"")

    def _entry(self, place: int) -> Entry | None:
        size, _ = self._object(place, _ENTRY)
        if size < 64:
            return None
        step = 4 if self._compact else 16
        count = min((size - 64) // step, ITEMS)
        raw = self._read(place + 16, 48 + count * step)
        if len(raw) < 48 + count * step:
            return None
        fields = self._numbers(raw[48:]) if self._compact else self._numbers(raw[48:])[::2]
        return Entry(_number(raw, 0, 8), _number(raw, 8, 8), raw[24:40].hex(), tuple(fields))

    def _numbers(self, raw: bytes) -> list[int]:
        """Offsets in a row, as wide as this file has them."""
        from sys import byteorder

        width = 4 if self._compact else 8
        if byteorder == "little":
            found: list[int] = memoryview(raw[: len(raw) // width * width]).cast("I" if self._compact else "Q").tolist()
            return found
        return [_number(raw, at, width) for at in range(0, len(raw) - width + 1, width)]

    def _places(self, arrays: int, entries: int) -> Iterator[int]:
        """What a chain of arrays that holds `entries` entries lists, the last first."""
        before = 0
        chain = []
        for place, count in self._chain(arrays):
            chain.append((place, count, before))
            before += count
        width = 4 if self._compact else 8
        for place, count, earlier in reversed(chain):
            left = entries - earlier
            end = min(count, left + _AHEAD) if left > 0 else count
            while end > 0:
                begin = max(0, end - 2048)
                raw = self._read(place + 24 + begin * width, (end - begin) * width)
                yield from filter(None, reversed(self._numbers(raw)))
                end = begin

    def _chain(self, place: int) -> Iterator[tuple[int, int]]:
        """The arrays of entries, with room for how many; each lies behind the one before, so the chain ends."""
        last = 0
        width = 4 if self._compact else 8
        for _ in range(ARRAYS):
            if place <= last:
                return
            size, _ = self._object(place, _ARRAY)
            if size < 24:
                self.torn += 1
                return
            yield place, min((size - 24) // width, (self._size - place) // width)
            last, place = place, _number(self._read(place + 16, 8), 0, 8)

    def _object(self, place: int, kind: int) -> tuple[int, int]:
        """Size and flags of the object at `place`; (0, 0) when there is none of this kind."""
        if place % 8 or not _HEADER <= place <= self._size - 16:
            return 0, 0
        head = self._read(place, 16)
        if len(head) < 16 or head[0] != kind:
            return 0, 0
        size = _number(head, 8, 8)
        return (size, head[1]) if 16 <= size <= self._size - place else (0, 0)

    def _read(self, place: int, size: int) -> bytes:
        """`size` bytes from `place`, fewer at the end of the file or when it cannot be read."""
        page, offset = divmod(place, PAGE)
        if offset + size <= PAGE:
            return self._page(page)[offset : offset + size]
        parts = [self._page(page)[offset:]]
        left = size - len(parts[0])
        while left > 0 and len(parts[-1]) > 0:
            page += 1
            parts.append(self._page(page)[:left])
            left -= len(parts[-1])
        return b"".join(parts)

    def _page(self, number: int) -> bytes:
        found = self._pages.get(number)
        if found is None:
            if len(self._pages) >= PAGES:
                self._pages.clear()
            try:
                found = os.pread(self._descriptor, PAGE, number * PAGE)
            except OSError:
                found = b""
            self._pages[number] = found
        return found


def chain_of(first: int, others: Iterator[int]) -> Iterator[int]:
    """The others, then the first: a data object keeps its oldest entry by itself."""
    yield from others
    if first:
        yield first


def _number(raw: bytes, place: int, size: int) -> int:
    """A little-endian number; 0 beyond the end."""
    return int.from_bytes(raw[place : place + size], "little")
