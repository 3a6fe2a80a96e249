"""The two codes of Zstandard: finite states (FSE, RFC 8878 section 4.1) and Huffman (section 4.2). Bounded and pure."""

from __future__ import annotations

from edge.record import Record


class Broken(ValueError):
    """The bytes are no such code."""


class Code(Record):
    """What the symbols of a kind stand for, and how they are counted unless a block says otherwise (3.1.1.3.2.1).

    most: the largest accuracy that a block may give its own table; symbols: how many there are.
    """

    base: tuple[int, ...]
    extra: tuple[int, ...]
    counts: tuple[int, ...]
    accuracy: int
    most: int
    symbols: int


_LITERAL_EXTRA = (*(0,) * 16, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
_MATCH_EXTRA = (*(0,) * 32, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)


def _bases(extra: tuple[int, ...], start: int) -> tuple[int, ...]:
    """Each symbol begins where the one before it ends."""
    found = [start]
    for bits in extra[:-1]:
        found.append(found[-1] + (1 << bits))
    return tuple(found)


LITERAL_CODES = Code(
    # From symbol 24 on a base is the power of two of its bits.
    (*_bases(_LITERAL_EXTRA, 0)[:25], *[1 << bits for bits in _LITERAL_EXTRA[25:]]),
    _LITERAL_EXTRA,
    (4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1),
    6,
    9,
    36,
)
MATCH_CODES = Code(
    (*_bases(_MATCH_EXTRA, 3)[:43], *[(1 << bits) + 3 for bits in _MATCH_EXTRA[43:]]),
    _MATCH_EXTRA,
    (1, 4, 3, 2, 2, 2, 2, 2, 2, *(1,) * 37, *(-1,) * 7),
    6,
    9,
    53,
)
OFFSET_CODES = Code((), (), (1, 1, 1, 1, 1, 1, 2, 2, 2, *(1,) * 15, *(-1,) * 5), 5, 8, 32)


class Bits:
    """A stream that is read from its end: `value` holds `left` bits, the highest first. Beyond them come zeros."""

    __slots__ = ("left", "value")

    def __init__(self, value: int, left: int) -> None:
        self.value = value
        self.left = left

    def take(self, count: int) -> int:
        """The next `count` bits; Broken when they are not there."""
        self.left -= count
        if self.left < 0:
            raise Broken
        return self.value >> self.left & (1 << count) - 1


def backward(raw: bytes) -> Bits:
    """The stream in `raw`: its last byte is not 0, and its highest bit that is set ends the padding."""
    if not raw or not raw[-1]:
        raise Broken
    value = int.from_bytes(raw, "little")
    return Bits(value, value.bit_length() - 1)


class Table:
    """States of one kind of symbol: for each its symbol, how many bits the next one takes, and from where it counts."""

    __slots__ = ("accuracy", "bases", "symbols", "widths")

    def __init__(self, accuracy: int, symbols: list[int], widths: list[int], bases: list[int]) -> None:
        self.accuracy, self.symbols, self.widths, self.bases = accuracy, symbols, widths, bases

    def next(self, state: int, bits: Bits) -> int:
        return self.bases[state] + bits.take(self.widths[state])


def single(symbol: int, code: Code) -> Table:
    """One symbol that always comes."""
    if symbol >= code.symbols:
        raise Broken
    return Table(0, [symbol], [0], [0])


def spread(counts: list[int], accuracy: int) -> Table:
    """The table of these counts (4.1.1): -1 is less than one, its state stands at the end."""
    size = 1 << accuracy
    symbols = [0] * size
    high = size - 1
    for symbol, count in enumerate(counts):
        if count == -1:
            symbols[high] = symbol
            high -= 1
    step, place = (size >> 1) + (size >> 3) + 3, 0
    for symbol, count in enumerate(counts):
        for _ in range(count):
            symbols[place] = symbol
            place = (place + step) & (size - 1)
            while place > high:
                place = (place + step) & (size - 1)
    if place:
        raise Broken
    following = [abs(count) for count in counts]
    widths, bases = [], []
    for symbol in symbols:
        state = following[symbol]
        following[symbol] += 1
        width = accuracy - (state.bit_length() - 1)
        widths.append(width)
        bases.append((state << width) - size)
    return Table(accuracy, symbols, widths, bases)


class Forward:
    """Bits from the lowest of each byte on: the counts of a table stand so."""

    def __init__(self, raw: bytes, at: int) -> None:
        self._value = int.from_bytes(raw[at:], "little")
        self._room = (len(raw) - at) * 8
        self._start = at
        self._used = 0

    def end(self) -> int:
        """The first byte behind what was read."""
        return self._start + (self._used + 7) // 8

    def _look(self, count: int) -> int:
        return self._value >> self._used & (1 << count) - 1

    def _take(self, count: int) -> int:
        found = self._look(count)
        self._used += count
        if self._used > self._room:
            raise Broken
        return found

    def counts(self, most: int, symbols: int) -> tuple[list[int], int]:
        """The counts of the symbols, and the accuracy."""
        accuracy = self._take(4) + 5
        if accuracy > most:
            raise Broken
        left = (1 << accuracy) + 1
        found: list[int] = []
        while left > 1 and len(found) < symbols:
            width = left.bit_length()
            low = (1 << width) - 1 - left
            value = self._look(width - 1)
            if value < low:
                self._take(width - 1)
            else:
                value = self._take(width)
                if value >= 1 << width - 1:
                    value -= low
            found.append(value - 1)
            left -= abs(value - 1)
            if value == 1:
                self._zeros(found, symbols)
        if left != 1 or len(found) > symbols:
            raise Broken
        return found, accuracy

    def _zeros(self, found: list[int], symbols: int) -> None:
        """A count of none is followed by how many more there are."""
        while len(found) <= symbols:
            more = self._take(2)
            found += [0] * more
            if more < 3:
                return


class Tree:
    """A Huffman code: for every `bits` bits the symbol and how many of them it takes."""

    def __init__(self, weights: list[int]) -> None:
        total = sum(1 << weight - 1 for weight in weights if weight)
        self.bits = total.bit_length()
        rest = (1 << self.bits) - total
        if not 0 < self.bits <= 11 or rest & rest - 1 or rest <= 0:
            raise Broken
        weights = [*weights, rest.bit_length()]
        self.symbols: list[int] = []
        self.widths: list[int] = []
        for weight in range(1, self.bits + 1):
            for symbol, one in enumerate(weights):
                if one == weight:
                    self.symbols += [symbol] * (1 << weight - 1)
                    self.widths += [self.bits + 1 - weight] * (1 << weight - 1)
        if len(self.symbols) != 1 << self.bits:
            raise Broken

    def decode(self, raw: bytes, size: int, most: int) -> bytes:
        """The first `most` of the `size` symbols of one stream, which must end with its last bit."""
        bits = backward(raw)
        value, left, mask = bits.value << self.bits, bits.left, (1 << self.bits) - 1
        out = bytearray()
        for _ in range(min(size, most)):
            if left <= 0:
                raise Broken
            place = value >> left & mask  # the bits from `left` down, zeros beyond the end
            out.append(self.symbols[place])
            left -= self.widths[place]
        if left and size <= most:
            raise Broken
        return bytes(out)


def tree_of(raw: bytes) -> tuple[Tree, int]:
    """The tree that stands at the beginning of `raw`, and how many bytes it takes (4.2.1)."""
    head = raw[0]
    if head >= 128:
        count = head - 127
        used = 1 + (count + 1) // 2
        if used > len(raw):
            raise Broken
        nibbles = [half for byte in raw[1:used] for half in (byte >> 4, byte & 15)]
        return Tree(nibbles[:count]), used
    if head + 1 > len(raw):
        raise Broken
    part = raw[1 : head + 1]
    forward = Forward(part, 0)
    counts, accuracy = forward.counts(6, 256)
    return Tree(_weights(spread(counts, accuracy), backward(part[forward.end() :]))), head + 1


def _weights(table: Table, bits: Bits) -> list[int]:
    """Weights by two states that take turns, until the bits are used up."""
    states = [bits.take(table.accuracy), bits.take(table.accuracy)]
    found: list[int] = []
    turn = 0
    while len(found) < 255:
        state = states[turn]
        found.append(table.symbols[state])
        if bits.left < table.widths[state]:
            found.append(table.symbols[states[1 - turn]])
            return found
        states[turn] = table.next(state, bits)
        turn = 1 - turn
    raise Broken
