"""Zstandard frames, unpacked as far as the fields of the journal need it (RFC 8878).

Rules:
1. No dictionaries, no checksums: a frame that needs the one is not unpacked, the other is not looked at.
2. Whatever the bytes are, at most `most` bytes come out, tables have at most 2**12 places, and every loop takes input
   or gives output. What is broken is None.
3. Literals and sequences are as in the RFC; names are its names.
"""

from __future__ import annotations

from edge.hands.zstd_tables import (
    LITERAL_CODES,
    MATCH_CODES,
    OFFSET_CODES,
    Broken,
    Forward,
    Table,
    Tree,
    backward,
    single,
    spread,
    tree_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.zstd_tables import Bits, Code

_MAGIC = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 17  # bytes that a block may give
_BLOCKS = 64  # that are looked at
_DEFAULTS = (LITERAL_CODES, OFFSET_CODES, MATCH_CODES)


def unpack(raw: bytes, most: int) -> bytes | None:
    """At most `most` bytes of the plain text of the first frame; None when it is none or broken."""
    try:
        return _Frame(raw, most).run()
    except (Broken, IndexError):
        return None


class _Frame:
    """One frame: what was given out, and what a block leaves to the next one."""

    def __init__(self, raw: bytes, most: int) -> None:
        self.raw = raw
        self.most = most
        self.out = bytearray()
        self.tree: Tree | None = None
        self.tables: list[Table | None] = [None, None, None]
        self.offsets = [1, 4, 8]

    def run(self) -> bytes:
        at = self._head()
        for _ in range(_BLOCKS):
            if len(self.out) >= self.most:
                break
            head = int.from_bytes(self.raw[at : at + 3], "little")
            if at + 3 > len(self.raw):
                raise Broken
            at += 3
            last, kind, size = head & 1, head >> 1 & 3, head >> 3
            if size > _BLOCK or kind == 3:
                raise Broken
            taken = 1 if kind == 1 else size
            block = self.raw[at : at + taken]
            if len(block) < taken:
                raise Broken
            if kind == 2:
                self._block(block)
            else:
                self.out += block * min(size, self.most) if kind == 1 else block
            at += taken
            if last:
                break
        return bytes(self.out[: self.most])

    def _head(self) -> int:
        """Where the first block begins."""
        if self.raw[:4] != _MAGIC:
            raise Broken
        told = self.raw[4]
        if told & 8 or told & 3:
            raise Broken  # a reserved bit; a dictionary
        alone = told >> 5 & 1
        size = (alone, 2, 4, 8)[told >> 6]
        return 5 + (0 if alone else 1) + size

    def _block(self, block: bytes) -> None:
        literals, at = self._literals(block)
        count, at = _count(block, at)
        if not count:
            self.out += literals
            return
        modes = block[at]
        at += 1
        tables = []
        for place, default in enumerate(_DEFAULTS):
            table, at = self._table(place, modes >> (6 - 2 * place) & 3, default, block, at)
            tables.append(table)
        self._sequences(count, tables, backward(block[at:]), literals)

    # --- literals (3.1.1.3.1) ---

    def _literals(self, block: bytes) -> tuple[bytes, int]:
        kind, form = block[0] & 3, block[0] >> 2 & 3
        if kind < 2:
            width = 1 if form in (0, 2) else 2 if form == 1 else 3
            size = int.from_bytes(block[:width], "little") >> (3 if width == 1 else 4)
            if size > _BLOCK:
                raise Broken
            if kind == 1:
                return block[width : width + 1] * size, width + 1
            return _exactly(block, width, size), width + size
        width, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        head = int.from_bytes(block[:width], "little") >> 4
        size, packed = head & (1 << bits) - 1, head >> bits
        data = _exactly(block, width, packed)
        if size > _BLOCK:
            raise Broken
        if kind == 2:
            self.tree, used = tree_of(data)
            data = data[used:]
        if self.tree is None:
            raise Broken
        return _streams(self.tree, data, size, 1 if form == 0 else 4, self.most), width + packed

    # --- sequences (3.1.1.3.2) ---

    def _table(self, place: int, mode: int, default: Code, block: bytes, at: int) -> tuple[Table, int]:
        if mode == 3:
            table = self.tables[place]
            if table is None:
                raise Broken
            return table, at
        if mode == 0:
            table = spread(list(default.counts), default.accuracy)
        elif mode == 1:
            table, at = single(block[at], default), at + 1
        else:
            forward = Forward(block, at)
            counts, accuracy = forward.counts(default.most, default.symbols)
            table, at = spread(counts, accuracy), forward.end()
        self.tables[place] = table
        return table, at

    def _sequences(self, count: int, tables: list[Table], bits: Bits, literals: bytes) -> None:
        lengths, offsets, matches = tables
        states = [bits.take(table.accuracy) for table in tables]
        used = 0
        for left in range(count, 0, -1):
            symbols = [table.symbols[state] for table, state in zip(tables, states)]
            offset = (1 << symbols[1]) + bits.take(symbols[1])
            match = _value(MATCH_CODES, symbols[2], bits)
            length = _value(LITERAL_CODES, symbols[0], bits)
            self._copy(literals[used : used + length], length, self._offset(offset, length), match)
            used += length
            if len(self.out) >= self.most:
                return
            if left > 1:
                states[0] = lengths.next(states[0], bits)
                states[2] = matches.next(states[2], bits)
                states[1] = offsets.next(states[1], bits)
        self.out += literals[used:]

    def _offset(self, value: int, length: int) -> int:
        """The offset that a sequence means: a new one, or one of the last three (3.1.2.5)."""
        last = self.offsets
        if value > 3:
            last[:] = [value - 3, last[0], last[1]]
            return last[0]
        which = value - 1 if length else value
        found = last[which] if which < 3 else last[0] - 1
        if which:
            last[:] = [found, last[0], last[1] if which > 1 else last[2]]
        return found

    def _copy(self, literals: bytes, length: int, offset: int, match: int) -> None:
        self.out += literals
        if len(self.out) >= self.most:
            return  # also where the literals were not read further than that
        if len(literals) < length:
            raise Broken
        start = len(self.out) - offset
        if start < 0 or offset < 1:
            raise Broken
        left = min(match, self.most)
        while left > 0:
            piece = self.out[start : start + left]
            self.out += piece
            start += len(piece)
            left -= len(piece)


def _value(code: Code, symbol: int, bits: Bits) -> int:
    """A length: what its symbol stands for, and as many bits more as it says."""
    return code.base[symbol] + bits.take(code.extra[symbol])


def _count(block: bytes, at: int) -> tuple[int, int]:
    """The number of sequences, in one to three bytes."""
    first = block[at]
    if first < 128:
        return first, at + 1
    if first < 255:
        return (first - 128 << 8) + block[at + 1], at + 2
    return block[at + 1] + (block[at + 2] << 8) + 0x7F00, at + 3


def _exactly(block: bytes, at: int, size: int) -> bytes:
    found = block[at : at + size]
    if len(found) < size:
        raise Broken
    return found


def _streams(tree: Tree, data: bytes, size: int, count: int, most: int) -> bytes:
    """Literals in one stream, or in four behind a table of the sizes of the first three; the first `most` of them."""
    if count == 1:
        return tree.decode(data, size, most)
    each = (size + 3) // 4
    if size < 3 * each:
        raise Broken
    sizes = [int.from_bytes(data[place : place + 2], "little") for place in (0, 2, 4)]
    out, at = b"", 6
    for packed in [*sizes, len(data) - 6 - sum(sizes)]:
        if len(out) < most and packed > 0:
            wanted = each if at + packed < len(data) else size - 3 * each
            out += tree.decode(_exactly(data, at, packed), wanted, most - len(out))
        at += packed
    return out
