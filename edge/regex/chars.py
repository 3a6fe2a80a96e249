"""Sets of characters: what one place of a pattern may hold.

Rules:
1. A character is a code point of the text, decoded as UTF-8 with `surrogateescape`: a byte that is no UTF-8 is one
   character, U+DC80 and up, which is in no named class and in every negated one.
2. No set holds the line feed: lines are searched, and it stands between them.
3. The part below U+0080 is a mask of 128 bits. The part above it is ranges and kinds, asked for one character at a
   time: nothing here walks through Unicode.
4. `\\d \\w \\s` are those of Python's `re` on text. POSIX names are theirs as far as Python's str methods know them.
5. Without regard to case a character is in a set when any character of the same case family is (`variants`).
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ASCII = (1 << 128) - 1
LINE_FEED = 1 << 10
TOP = 0x10FFFF

# Families that lower() and upper() of one character do not lead around. They are closed: every member is named.
# fmt: off
FAMILIES = (
    "kK\u212a", "sS\u017f", "iI\u0130\u0131", "\u00e5\u00c5\u212b", "\u03c9\u03a9\u2126", "\u00b5\u03bc\u039c",
    "\u03c2\u03c3\u03a3", "\u03b2\u03d0\u0392", "\u03b8\u03d1\u0398\u03f4", "\u03c6\u03d5\u03a6",
    "\u03c0\u03d6\u03a0", "\u03ba\u03f0\u039a", "\u03c1\u03f1\u03a1", "\u03b5\u03f5\u0395", "\u1e61\u1e9b\u1e60",
    "\u00df\u1e9e", "\u03b9\u0345\u0399\u1fbe", "\u01c4\u01c5\u01c6", "\u01c7\u01c8\u01c9", "\u01ca\u01cb\u01cc",
    "\u01f1\u01f2\u01f3", "\u0390\u1fd3", "\u03b0\u1fe3", "\u0432\u0412\u1c80", "\u0434\u0414\u1c81",
    "\u043e\u041e\u1c82", "\u0441\u0421\u1c83", "\u0442\u0422\u1c84\u1c85", "\u044a\u042a\u1c86",
    "\u0463\u0462\u1c87", "\ua64b\ua64a\u1c88", "\ufb05\ufb06",
)
# fmt: on
FAMILY = {member: family for family in FAMILIES for member in family}

# What str.isspace() says of characters above U+007F; the Unicode Standard, property White_Space.
# fmt: off
WIDE_SPACES = (
    (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000),
)
# fmt: on

# A range of at most so many more than one is small.
FEW = 32

# A kind is a letter; it speaks of characters above U+007F only.
KINDS: dict[str, Callable[[str], bool]] = {
    "w": str.isalnum,
    "d": str.isdecimal,
    "s": str.isspace,
    "a": str.isalpha,
    "u": str.isupper,
    "l": str.islower,
    "p": lambda char: char.isprintable() and not char.isalnum() and not char.isspace(),
    "g": lambda char: char.isprintable() and not char.isspace(),
    "r": str.isprintable,
    "W": lambda char: not char.isalnum(),
    "D": lambda char: not char.isdecimal(),
    "S": lambda char: not char.isspace(),
}


def mask_of(*ranges: tuple[int, int]) -> int:
    """The bits of code points below 128 in these ranges, both ends included."""
    mask = 0
    for low, high in ranges:
        if low < 128:
            mask |= (1 << (min(high, 127) + 1)) - (1 << low)
    return mask


DIGITS = mask_of((48, 57))
LOWER, UPPER = mask_of((97, 122)), mask_of((65, 90))
WORD = DIGITS | LOWER | UPPER | 1 << 95
SPACES = mask_of((9, 13), (28, 32))
PRINTED = mask_of((32, 126))


class Item(Record):
    """A named class as a part of a set: its mask, its ranges and its kinds above U+007F."""

    mask: int
    ranges: tuple[tuple[int, int], ...] = ()
    kinds: str = ""


ESCAPES = {
    "d": Item(DIGITS, (), "d"),
    "D": Item(ASCII ^ DIGITS, (), "D"),
    "w": Item(WORD, (), "w"),
    "W": Item(ASCII ^ WORD, (), "W"),
    "s": Item(SPACES, WIDE_SPACES),
    "S": Item(ASCII ^ SPACES, (), "S"),
}
POSIX = {
    "alnum": Item(WORD ^ 1 << 95, (), "w"),
    "alpha": Item(LOWER | UPPER, (), "a"),
    "blank": Item(1 << 9 | 1 << 32, ((0x1680, 0x1680), (0x2000, 0x200A), (0x205F, 0x205F), (0x3000, 0x3000))),
    "cntrl": Item(ASCII ^ PRINTED, ((0x80, 0x9F),)),
    "digit": Item(DIGITS),
    "graph": Item(PRINTED ^ 1 << 32, (), "g"),
    "lower": Item(LOWER, (), "l"),
    "print": Item(PRINTED, ((0xA0, 0xA0),), "r"),
    "punct": Item(PRINTED & ~WORD & ~(1 << 32) | 1 << 95, (), "p"),
    "space": Item(mask_of((9, 13)) | 1 << 32, WIDE_SPACES),
    "upper": Item(UPPER, (), "u"),
    "word": Item(WORD, (), "w"),
    "xdigit": Item(DIGITS | mask_of((65, 70), (97, 102))),
}


def variants(char: str) -> str:
    """Every character of the same case family, itself included, in the order of their code points."""
    known = set(FAMILY.get(char, char))
    for _ in range(2):
        for one in tuple(known):
            for other in (one.lower(), one.upper()):
                if len(other) == 1:
                    known.update(FAMILY.get(other, other))
    return "".join(sorted(known))


def is_word(char: str) -> bool:
    """Is this a character of a word? As `\\w`: letters, digits and the underscore."""
    return char.isalnum() or char == "_"


class Chars(Record):
    """A set of characters. `base`: those below U+0080 before `negated` turns the whole set round.

    `fold`: a large range or a kind is in it that speaks for the whole case family of each member.
    """

    base: int
    ranges: tuple[tuple[int, int], ...] = ()
    kinds: str = ""
    negated: bool = False
    fold: bool = False

    @property
    def mask(self) -> int:
        """The characters below U+0080, as bits."""
        return (self.base ^ ASCII if self.negated else self.base) & ~LINE_FEED

    @property
    def wide(self) -> bool:
        """May it hold a character above U+007F?"""
        return bool(self.negated or self.ranges or self.kinds)

    def holds(self, char: str) -> bool:
        """Is the character in the set?"""
        code = ord(char)
        if code < 128:
            return bool(self.mask >> code & 1)
        family = variants(char) if self.fold else char
        named = any(KINDS[kind](one) for kind in self.kinds for one in (family if kind in "ul" else char))
        return (named or any(map(self._in_range, family))) != self.negated

    def _in_range(self, char: str) -> bool:
        code = ord(char)
        if code < 128:
            return bool(self.base >> code & 1)
        return any(low <= code <= high for low, high in self.ranges)

    def apart(self, other: Chars) -> bool:
        """Is it certain that no character is in both?"""
        return not self.mask & other.mask and (not (self.wide and other.wide) or _wide_apart(self, other))


# Kinds that share no character.
APART = frozenset({"wW", "dD", "dW", "aW", "uW", "lW"})


def _wide_apart(one: Chars, other: Chars) -> bool:
    """The same for what is above U+007F; False when it is not certain."""
    if one.fold or other.fold or (one.negated and other.negated):
        return False
    if one.negated or other.negated:
        most, least = (one, other) if one.negated else (other, one)
        kinds = most.kinds + "d" * ("w" in most.kinds)
        inside = all(any(low2 <= low <= high <= high2 for low2, high2 in most.ranges) for low, high in least.ranges)
        return inside and all(kind in kinds for kind in least.kinds)
    pairs = (first + second for first in one.kinds for second in other.kinds)
    return (
        all(high < low2 or high2 < low for low, high in one.ranges for low2, high2 in other.ranges)
        and all(pair in APART or pair[::-1] in APART for pair in pairs)
        and _without_kinds(one.ranges, other.kinds)
        and _without_kinds(other.ranges, one.kinds)
    )


def _without_kinds(ranges: tuple[tuple[int, int], ...], kinds: str) -> bool:
    if kinds and any(high - low > FEW for low, high in ranges):
        return False
    return not any(KINDS[kind](chr(code)) for kind in kinds for low, high in ranges for code in range(low, high + 1))


def chars(items: Iterable[Item], negated: bool = False, fold: bool = False) -> Chars:
    """One set of several items."""
    base = 0
    ranges: set[tuple[int, int]] = set()
    kinds: set[str] = set()
    for item in items:
        base |= item.mask
        ranges.update(item.ranges)
        kinds.update(item.kinds)
    if fold:
        for member in _few_members(base, ranges):
            for other in variants(member):
                item = span(ord(other), ord(other))
                base |= item.mask
                ranges.update(item.ranges)
        # What is small is written out now; what is large is asked for one character at a time.
        fold = bool(kinds & {"u", "l"}) or any(high - low > FEW for low, high in ranges)
    return Chars(base, tuple(sorted(ranges)), "".join(sorted(kinds)), negated, fold)


def _few_members(base: int, ranges: set[tuple[int, int]]) -> list[str]:
    found = [chr(code) for code in bits(base & (UPPER | LOWER))]
    return found + [chr(code) for low, high in ranges if high - low <= FEW for code in range(low, high + 1)]


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def span(low: int, high: int) -> Item:
    """The item of a range of code points, both ends included."""
    return Item(mask_of((low, high)), ((max(low, 128), high),) if high > 127 else ())


def one(char: str, fold: bool = False) -> Chars:
    """The set of one character; of its whole case family when case does not count."""
    code = ord(char)
    if not fold or not char.isalpha():
        return Chars(1 << code) if code < 128 else Chars(0, ((code, code),))
    members = variants(char)
    return chars(span(ord(member), ord(member)) for member in members)


ANY = Chars(LINE_FEED, negated=True)
