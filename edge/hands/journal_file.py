"""One file of systemd's journal, read from its end (systemd.io/JOURNAL_FILE_FORMAT).

Rules:
1. Every number in the file is checked before it is used: a file that is torn, made by somebody, or written meanwhile
   gives fewer entries or a ToolFault, never a loop, never more memory than stated here.
2. The file is read by pread in pages: it may shrink under us, which a map would not survive.
3. Objects lie at multiples of 8. The list of entries is a chain of arrays, each longer than the one before, filled in
   order; zeros stand behind the last.
4. Both layouts (8-byte offsets; `compact` with 4-byte ones) and keyed hashes are read: no hash is looked at.
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
CACHED = 20000  # fields that are kept: the same ones come again and again
SMALL = 256  # bytes of a field that is kept
_SIGNATURE = b"LPKSHHRH"
_KNOWN = 1 | 2 | 4 | 8 | 16  # incompatible flags: xz, lz4, keyed hash, zstd, compact
_COMPACT = 16
_HEADER = 208  # bytes that every version has
_DATA, _ENTRY, _ARRAY = 1, 3, 6
_AHEAD = 64  # entries that may be there before the header says so


class Entry(Record):
    """One entry. `at` is microseconds since 1970, `since_boot` since its boot; `fields` are places of data objects."""

    sequence: int
    at: int
    since_boot: int
    boot: str
    fields: tuple[int, ...]


class Journal:
    """An open journal file. ToolFault when it is none, or needs what is not known here."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self._size = os.fstat(descriptor).st_size
        self._pages: dict[int, bytes] = {}
        self._known: dict[int, tuple[str, bytes]] = {}
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
        self.first, self.last = _number(head, 184, 8), _number(head, 192, 8)

    def entries(self) -> Iterator[Entry]:
        """The entries from the last to the first. What cannot be read is counted in `torn` and left out."""
        for place in self._places():
            entry = self._entry(place)
            if entry is None:
                self.torn += 1
                if self.torn > _AHEAD:
                    return
            else:
                yield entry

    def field(self, place: int) -> tuple[str, bytes]:
        """Name and value of one field, at most FIELD bytes of it; ("", b"") when it cannot be read.

        A field whose packing this Python does not know is named after it: `?zstd`.
        """
        known = self._known.get(place)
        if known is not None:
            return known
        found = self._field(place)
        if len(found[1]) <= SMALL:
            if len(self._known) >= CACHED:
                self._known.clear()
            self._known[place] = found
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
        step = 4 if self._compact else 16
        if size < 64:
            return None
        count = min((size - 64) // step, ITEMS)
        raw = self._read(place + 16, 48 + count * step)
        if len(raw) < 48 + count * step:
            return None
        width = 4 if self._compact else 8
        fields = tuple([_number(raw, 48 + step * index, width) for index in range(count)])
        return Entry(_number(raw, 0, 8), _number(raw, 8, 8), _number(raw, 16, 8), raw[24:40].hex(), fields)

    def _places(self) -> Iterator[int]:
        """Where the entries are, the last first."""
        before = 0
        chain = []
        for place, count in self._chain():
            chain.append((place, count, before))
            before += count
        width = 4 if self._compact else 8
        for place, count, earlier in reversed(chain):
            left = self._entries - earlier
            end = min(count, left + _AHEAD) if left > 0 else count
            while end > 0:
                begin = max(0, end - 2048)
                raw = self._read(place + 24 + begin * width, (end - begin) * width)
                for index in range(len(raw) // width - 1, -1, -1):
                    found = _number(raw, index * width, width)
                    if found:
                        yield found
                end = begin

    def _chain(self) -> Iterator[tuple[int, int]]:
        """The arrays of entries, with room for how many; each lies behind the one before, so the chain ends."""
        place, last = self._arrays, 0
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


def _number(raw: bytes, place: int, size: int) -> int:
    """A little-endian number; 0 beyond the end."""
    return int.from_bytes(raw[place : place + size], "little")
