"""One pack of a repository: where an object lies, and what it is, with bounds on memory, depth and time.

Sources: gitformat-pack(5). Rules:
1. Nothing of a pack is believed: each offset, count and size is compared with what is there.
2. An object is inflated to the size that its head says and no byte further; more than MOST is refused beforehand.
3. A chain of deltas is followed at most CHAIN deep, without recursion, and never to an offset twice.
"""

from __future__ import annotations

import os

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 16 << 20  # bytes of one object
CHAIN = 4096  # git packs 50, and never more than 4095
_KINDS = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_BLOCK = 16384
_CACHE = 4 << 20


class Pack:
    """`index` and `data` are descriptors, which are closed with it. ToolFault when it is broken."""

    def __init__(self, name: str, index: int, data: int, late: Callable[[], None]) -> None:
        self.name = name
        self._index, self._data = index, data
        self._late = late
        self._size = os.fstat(data).st_size
        self._kept: dict[int, tuple[bytes, bytes]] = {}
        self._held = 0
        self._read_index()

    def close(self) -> None:
        os.close(self._index)
        os.close(self._data)

    # --- where ---

    def _read_index(self) -> None:
        head = os.pread(self._index, 8, 0)
        self._new = head == b"\xfftOc\x00\x00\x00\x02"
        start = 8 if self._new else 0
        table = os.pread(self._index, 1024, start)
        size = os.fstat(self._index).st_size
        if len(table) < 1024 or (head[:4] == b"\xfftOc" and not self._new):
            raise self._broken("its index")
        self._fan = [int.from_bytes(table[at : at + 4], "big") for at in range(0, 1024, 4)]
        self.count = count = self._fan[255]
        self._names = start + 1024
        least = self._names + count * (28 if self._new else 24) + 40
        if sorted(self._fan) != self._fan or size < least or self._size < 32:
            raise self._broken("its index")
        if os.pread(self._data, 8, 0)[:4] != b"PACK":
            raise self._broken("its head")

    def _name(self, number: int) -> bytes:
        if self._new:
            return os.pread(self._index, 20, self._names + 20 * number)
        return os.pread(self._index, 24, self._names + 24 * number)[4:]

    def _range(self, first: int) -> tuple[int, int]:
        return (self._fan[first - 1] if first else 0), self._fan[first]

    def find(self, sha: bytes) -> int:
        """The offset of an object by its 20 bytes; -1 when it is not here."""
        low, high = self._range(sha[0])
        while low < high:
            middle = (low + high) // 2
            name = self._name(middle)
            if name == sha:
                return self._offset(middle)
            if name < sha:
                low = middle + 1
            else:
                high = middle
        return -1

    def like(self, start: str, most: int) -> list[bytes]:
        """At most `most` names (hex) that begin with `start`, at least two hexadecimal digits."""
        low, high = self._range(int(start[:2], 16))
        floor = bytes.fromhex(start.ljust(40, "0"))
        while low < high:
            middle = (low + high) // 2
            if self._name(middle) < floor:
                low = middle + 1
            else:
                high = middle
        found: list[bytes] = []
        while low < self.count and len(found) < most:
            name = self._name(low).hex()
            if not name.startswith(start):
                break
            found.append(name.encode())
            low += 1
        return found

    def _offset(self, number: int) -> int:
        if not self._new:
            offset = int.from_bytes(os.pread(self._index, 4, self._names + 24 * number), "big")
        else:
            table = self._names + 24 * self.count
            offset = int.from_bytes(os.pread(self._index, 4, table + 4 * number), "big")
            if offset & 0x80000000:
                large = table + 4 * self.count + 8 * (offset & 0x7FFFFFFF)
                offset = int.from_bytes(os.pread(self._index, 8, large), "big")
        if not 12 <= offset < self._size - 20:
            raise self._broken("an offset")
        return offset

    # --- what ---

    def get(self, offset: int) -> tuple[bytes, bytes]:
        """Kind and content of what lies at `offset`."""
        deltas: list[tuple[int, bytes]] = []
        seen: set[int] = set()
        held = 0
        while offset not in self._kept:
            self._late()
            if offset in seen or len(deltas) > CHAIN or held > 2 * MOST:
                raise self._broken("a chain of deltas")
            seen.add(offset)
            number, size, at = self._head(offset)
            if number in _KINDS:
                kind, content = _KINDS[number], self._inflated(at, size)
                self._keep(offset, kind, content)
                break
            base, at = self._base(number, offset, at)
            deltas.append((offset, self._inflated(at, size)))
            held += size
            offset = base
        else:
            kind, content = self._kept[offset]
        while deltas:
            at, delta = deltas.pop()
            self._late()
            content = patched(content, delta)
            self._keep(at, kind, content)
        return kind, content

    def _keep(self, offset: int, kind: bytes, content: bytes) -> None:
        if len(content) > _CACHE // 4:
            return
        if self._held + len(content) > _CACHE or len(self._kept) > 4096:
            self._kept.clear()
            self._held = 0
        self._kept[offset] = (kind, content)
        self._held += len(content)

    def _head(self, offset: int) -> tuple[int, int, int]:
        """The number of the kind, the inflated size, where what follows begins."""
        head = os.pread(self._data, 16, offset)
        if len(head) < 16:
            raise self._broken("an object")
        number, size, shift, at = head[0] >> 4 & 7, head[0] & 15, 4, 1
        while head[at - 1] & 0x80:
            if at > 9:
                raise self._broken("an object")
            size |= (head[at] & 0x7F) << shift
            shift += 7
            at += 1
        if size > MOST:
            raise too_large(size)
        return number, size, offset + at

    def _base(self, number: int, offset: int, at: int) -> tuple[int, int]:
        """The offset of what a delta counts from, and where the delta begins."""
        head = os.pread(self._data, 20, at)
        if number == 7 and len(head) == 20:
            found = self.find(head)  # a pack that is kept holds all its bases
            if found < 0:
                raise self._broken("a delta")
            return found, at + 20
        if number != 6 or len(head) < 20:
            raise self._broken("an object")
        back, read = head[0] & 0x7F, 1
        while head[read - 1] & 0x80:
            if read > 9:
                raise self._broken("a delta")
            back = ((back + 1) << 7) | (head[read] & 0x7F)
            read += 1
        if not 0 < back <= offset - 12:
            raise self._broken("a delta")
        return offset - back, at + read

    def _inflated(self, at: int, size: int) -> bytes:
        def more() -> bytes:
            nonlocal at
            block = os.pread(self._data, _BLOCK, at)
            at += len(block)
            return block

        content = inflated(more, size, self._late)
        if content is None:
            raise self._broken("an object")
        return content

    def _broken(self, what: str) -> ToolFault:
        return ToolFault(f"the pack {self.name} of the repository is broken: {what} is not what it should be")


def inflated(more: Callable[[], bytes], size: int, late: Callable[[], None]) -> bytes | None:
    """Exactly `size` bytes of a zlib stream that comes in blocks; None when it is broken, shorter or longer."""
    import zlib

    stream = zlib.decompressobj()
    kept = bytearray()
    try:
        while not stream.eof:
            block = stream.unconsumed_tail or more()
            if not block:
                return None
            late()
            kept += stream.decompress(block, size + 1 - len(kept))
            if len(kept) > size:
                return None
    except zlib.error:
        return None
    return bytes(kept) if len(kept) == size else None


def too_large(size: int) -> ToolFault:
    return ToolFault(f"an object of {size:,} bytes is too large", f"at most {MOST:,} are taken")


def _number(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise IndexError


def patched(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of its base. ToolFault when it does not fit, or would give more than it says."""
    broken = ToolFault("a delta of the repository is broken", "git fsck tells more")
    try:
        first, at = _number(delta, 0)
        size, at = _number(delta, at)
        if first != len(base):
            raise broken
        if size > MOST:
            raise too_large(size)
        made = bytearray()
        while at < len(delta):
            order = delta[at]
            at += 1
            if order & 0x80:
                start, count, at = _copy(delta, at, order)
                if start + count > len(base):
                    raise broken
                made += base[start : start + count]
            else:
                if not order or at + order > len(delta):
                    raise broken
                made += delta[at : at + order]
                at += order
            if len(made) > size:
                raise broken
    except IndexError as error:
        raise broken from error
    if len(made) != size:
        raise broken
    return bytes(made)


def _copy(delta: bytes, at: int, order: int) -> tuple[int, int, int]:
    start = count = 0
    for bit in range(4):
        if order >> bit & 1:
            start |= delta[at] << 8 * bit
            at += 1
    for bit in range(3):
        if order >> (4 + bit) & 1:
            count |= delta[at] << 8 * bit
            at += 1
    return start, count or 0x10000, at
