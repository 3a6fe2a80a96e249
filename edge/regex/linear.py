"""Which patterns Python's `re` may be given, and the text that it gets.

`re` goes back and tries again; it is fast where there is nothing to go back to. A pattern is *proved linear* by these
rules, else it is for the automaton:

1. No group is repeated, but by a count that is fixed and small, or zero or one times. The choices are multiplied out:
   at most MOST_STRINGS strings of sets, each with a least and a most count.
2. In a string, a set with an open count is apart (no common character) from every set after it that can be the next to
   take a character: up to the first that must take one. So giving characters back never lets the string go on, and
   one attempt costs no more than the text it looks at, twice.
3. Attempts from different starts must not look at the same text too often:
   a. a string that begins with `^` is attempted once a line;
   b. a string without an endless repeat looks at no more characters than its counts add up to;
   c. else, for each endless repeat U, a set that must take a character is apart from U, and no endless repeat that is
      not apart from U stands before it. An attempt that begins inside a run of U then ends there, after no more
      characters than the counts before that set add up to, or reaches over the end of the run: that few attempts, for
      each repeat, and those that begin in what was counted, can look at one character. Rule 2 makes runs whole;
   d. or the string begins with `\\b` or with "no word before", and its endless repeats take word characters only:
      inside a run of them no other attempt begins.
   That number, summed over the strings, is at most MOST_COST.
4. `\\B` is for the automaton: in an empty text it is another thing in each version of Python.

The text is written from the tree, never from what the model wrote, with sets as ranges of code points. There are two:
one of bytes for texts below U+0080, one of characters for all others where `re` has words for the sets.
"""

from __future__ import annotations

from edge.record import Record
from edge.regex.chars import ANY, ASCII, ESCAPES, LINE_FEED, WORD, Chars, bits
from edge.regex.tree import EMPTY, MANY, Alt, At, Rep, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.tree import Node

MOST_STRINGS = 32
MOST_ITEMS = 400
MOST_COPIES = 16
MOST_COST = 300
# A set that stands so many times is written so many times: `re` is slow to count.
FEW_TIMES = 8


class Times(Record):
    """A set with its counts, as a part of a string."""

    chars: Chars
    low: int
    high: int


def is_linear(tree: Node) -> bool:
    """Is the pattern proved linear?"""
    found = _strings(tree)
    return found is not None and sum(map(_cost, found)) <= MOST_COST


def _strings(node: Node) -> list[tuple[Times | str, ...]] | None:
    """The strings of rule 1; None when there are too many or a group is repeated."""
    if isinstance(node, At):
        return [(node.kind,)]
    if isinstance(node, Set):
        return [(Times(node.chars, 1, 1),)]
    if isinstance(node, Alt):
        branches = [_strings(item) for item in node.items]
        found = [string for branch in branches if branch is not None for string in branch]
        return None if None in branches or len(found) > MOST_STRINGS else found
    return _strings_of_repeat(node) if isinstance(node, Rep) else _crossed(node.items)


def _strings_of_repeat(node: Rep) -> list[tuple[Times | str, ...]] | None:
    if isinstance(node.item, Set):
        return [(Times(node.item.chars, node.low, node.high),)]
    if (node.low, node.high) == (0, 1):
        return _strings(Alt((node.item, EMPTY)))
    return _crossed((node.item,) * node.low) if node.low == node.high <= MOST_COPIES else None


def _crossed(items: tuple[Node, ...]) -> list[tuple[Times | str, ...]] | None:
    found: list[tuple[Times | str, ...]] = [()]
    for item in items:
        more = _strings(item)
        if more is None or len(found) * len(more) > MOST_STRINGS:
            return None
        found = [left + right for left in found for right in more]
    return found if sum(map(len, found)) <= MOST_ITEMS else None


def _cost(string: tuple[Times | str, ...]) -> int:
    """How many attempts may look at one character; more than MOST_COST when rules 2 to 4 do not hold."""
    parts = [part for part in string if isinstance(part, Times)]
    if "B" in string or not _settled(parts):
        return MOST_COST + 1
    if string and string[0] == "^":
        return 1
    endless = [count for count, part in enumerate(parts) if part.high == MANY]
    counts = sum(part.low if part.high == MANY else part.high for part in parts)
    if not endless:
        return max(1, counts)
    if string[0] in ("b", "<") and all(_word(parts[count].chars) for count in endless):
        return counts + len(endless)
    return sum(_within(parts, parts[count].chars) for count in endless) * (counts + len(endless))


def _within(parts: list[Times], run: Chars) -> int:
    """How far an attempt gets that begins in a run of the set; more than MOST_COST when there is no bound."""
    far = 1
    for part in parts:
        if part.chars.apart(run):
            if part.low:
                return far
        elif part.high == MANY:
            break
        else:
            far += part.high
    return MOST_COST + 1


def _settled(parts: list[Times]) -> bool:
    """Rule 2."""
    for count, part in enumerate(parts):
        if part.low == part.high:
            continue
        for after in parts[count + 1 :]:
            if not part.chars.apart(after.chars):
                return False
            if after.low:
                break
    return True


def _word(chars: Chars) -> bool:
    return not (chars.mask & ~WORD or chars.negated or chars.ranges or chars.fold or chars.kinds.strip("wdaul"))


# --- the text for `re` ---

PLACES = {"^": "^", "$": "$", "b": r"\b", "<": r"(?<!\w)", ">": r"(?!\w)"}
# A byte from 0x80 on may be a part of a word or none: beside one there may be an edge.
HIGH_PLACES = {**PLACES, "b": r"(?:\b|(?<=[\x80-\xff])|(?=[\x80-\xff]))"}
# In a pattern of bytes these are the members of a set beyond ASCII.
HIGH = ((0x80, 0xFF),)


def written(node: Node, narrow: bool, high: bool = False) -> str:
    """The pattern for `re`. `narrow`: for bytes below 128; else for characters, "" when `re` has no words for it.

    `high` and `narrow`: for all bytes, of a tree whose characters are bytes (quick.py).
    """
    if isinstance(node, At):
        return (HIGH_PLACES if high else PLACES)[node.kind]
    if isinstance(node, Set):
        return _narrow_set(node.chars, high) if narrow else _wide_set(node.chars)
    if isinstance(node, Rep):
        return _repeat(written(node.item, narrow, high), node)
    parts = [written(item, narrow, high) if item != EMPTY else "(?:)" for item in node.items]
    if not all(parts):
        return ""
    return f"(?:{'|'.join(parts)})" if isinstance(node, Alt) else "".join(parts)


def _repeat(inner: str, node: Rep) -> str:
    """The first time stands apart, so that `re` can look for it before it tries."""
    if not inner:
        return ""
    one = inner if isinstance(node.item, Set) else f"(?:{inner})"
    if node.low == 0:
        return one + ("*" if node.high == MANY else f"{{0,{node.high}}}")
    if node.low == node.high <= FEW_TIMES:
        return one * node.low
    if node.high == MANY:
        return one * 2 + "*" if node.low == 1 else f"{one}{one}{{{node.low - 1},}}"
    return one if node.high == 1 else f"{one}{one}{{{node.low - 1},{node.high - 1}}}"


def _narrow_set(chars: Chars, high: bool) -> str:
    mask = chars.mask
    if mask == ANY.mask and (not high or chars.ranges):
        return "."
    more = "\\x80-\\xff" if high and chars.ranges else ""
    return _in_brackets(mask, more) if mask or more else "[^\\x00-\\xff]"


def _in_brackets(mask: int, more: str = "") -> str:
    """A set in brackets; a single character alone."""
    ranges = _ranges(mask)
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and not more:
        return f"\\x{ranges[0][0]:02x}"
    return "[" + "".join(f"\\x{low:02x}-\\x{high:02x}" for low, high in ranges) + more + "]"


def _ranges(mask: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for code in bits(mask):
        if found and found[-1][1] == code - 1:
            found[-1] = found[-1][0], code
        else:
            found.append((code, code))
    return found


def _wide_set(chars: Chars) -> str:
    """The set in characters; "" when it cannot be said. `\\w` and `\\d` bring their part below U+0080 along."""
    if chars == ANY:
        return "."
    kinds = chars.kinds
    if chars.fold or any(
        kind not in "wdWDS" or chars.base & ESCAPES[kind].mask != ESCAPES[kind].mask for kind in kinds
    ):
        return ""
    more = "".join(f"\\{kind}" for kind in kinds)
    more += "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in chars.ranges)
    if chars.negated:
        return "[^" + _in_brackets((chars.base | LINE_FEED) & ASCII, more or "\\n")[1:]
    if kinds.strip("wd"):
        # A class that is the opposite of another holds the line feed.
        return {"W": r"[^\w\n]", "D": r"[^\d\n]", "S": r"\S"}.get(kinds, "") if chars == _named(kinds) else ""
    return _in_brackets(chars.mask, more) if chars.mask or more else "[^\\x00-\\U0010ffff]"


def _named(kinds: str) -> Chars | None:
    item = ESCAPES.get(kinds)
    return Chars(item.mask, item.ranges, item.kinds) if item else None
