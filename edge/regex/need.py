"""Literals: texts of which every match holds at least one.

Rules:
1. A literal is found by walking the tree with the set of all texts that the part read so far can be (`exact`), as
   long as that set is small. Where it grows too large it is offered, and the walk begins again.
2. Of all sets that were offered the one that will be met least often is taken: longer and rarer is better, several
   texts are worse than one.
3. Without regard to case the literals are in small letters, for a buffer after bytes.lower(). A line can then do
   without them only if it holds one of OTHER_CASES, which are a k, an s or an i as well, in place of one.
"""

from __future__ import annotations

from edge.record import Record
from edge.regex.chars import FAMILIES, bits
from edge.regex.tree import Alt, At, Rep, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.chars import Chars
    from edge.regex.tree import Node

MOST_TEXTS = 8
MOST_LENGTH = 200
# Characters above U+007F in the case family of one below it, which lower() of bytes leaves alone.
OTHER_CASES = tuple(member for family in FAMILIES for member in family[2:] if family[0] < "\x80")
# How often a character is met in code, prose and logs, by rough order: these are the most common ones.
COMMON = frozenset(" etaoinsrl")
USUAL = frozenset("dhcumpfgybvw0123456789_.,:-/=\"'()TSAEICNRO")


class Need(Record):
    """`exact`: every text that can be matched, () when they are not known.

    `best`: one of these is in every match. `one`: this is in every match, "" when there is none.
    """

    exact: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    one: str = ""


def need(node: Node, fold: bool = False) -> Need:
    """What a match of this tree must hold. `fold`: after lower(), see rule 3."""
    if isinstance(node, Set):
        members = _members(node.chars, fold)
        return Need(members, members, members[0] if len(members) == 1 else "")
    if isinstance(node, At):
        return Need(("",))
    if isinstance(node, Alt):
        return _any_of([need(item, fold) for item in node.items])
    if isinstance(node, Rep):
        return _repeated(node, fold)
    walk = Walk(fold)
    for item in node.items:
        walk.add(item)
    return walk.done()


def worth(texts: tuple[str, ...]) -> float:
    """How seldom any of them will be met: higher is more seldom; 0 when there is nothing to look for."""
    if not texts or not all(texts):
        return 0.0
    least = min(sum(1 if char in COMMON else 2 if char in USUAL else 3 for char in text) for text in texts)
    return least / (1 + len(texts) / 4)


class Walk:
    """The way through a sequence.

    `run`: the texts that end here; `whole`: is it all that was read so far? `solo`: the one text that ends here.
    """

    def __init__(self, fold: bool) -> None:
        self.fold = fold
        self.run: tuple[str, ...] = ("",)
        self.solo = ""
        self.whole = True
        self.best: tuple[str, ...] = ()
        self.one = ""

    def offer(self, texts: tuple[str, ...]) -> None:
        """Keep these as the best ones if they are."""
        if len(texts) == 1 and worth(texts) > worth((self.one,)):
            self.one = texts[0]
        if worth(texts) > worth(self.best):
            self.best = texts

    def add(self, item: Node) -> None:
        """Read one more item."""
        found = need(item, self.fold)
        if len(found.exact) == 1 and len(self.solo) < MOST_LENGTH:
            self.solo += found.exact[0]
        else:
            self.offer((self.solo,))
            self.solo = ""
        if found.exact:
            longer = _crossed(self.run, found.exact)
            if longer:
                self.run = longer
                return
        self.offer(found.best)
        self.offer((found.one,))
        if isinstance(item, Rep) and item.low and not found.exact:
            # What stands before a repeat is followed by its first times, what comes after follows its last ones.
            sure = need(Rep(item.item, item.low, item.low), self.fold).exact
            self.offer(_crossed(self.run, sure) or self.run)
            self.run = sure or ("",)
        else:
            self.offer(self.run)
            self.run = found.exact or ("",)
        self.whole = False

    def done(self) -> Need:
        """What was found."""
        self.offer(self.run)
        self.offer((self.solo,))
        return Need(self.run if self.whole else (), self.best, self.one)


def _crossed(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """Every text of one followed by every text of the other; () when that is too much."""
    if len(left) == len(right) == 1:
        return (left[0] + right[0],) if len(left[0]) + len(right[0]) <= MOST_LENGTH else ()
    if len(left) * len(right) > MOST_TEXTS or max(map(len, left)) + max(map(len, right), default=0) > MOST_LENGTH:
        return ()
    return tuple(dict.fromkeys(first + second for first in left for second in right))


def _any_of(found: list[Need]) -> Need:
    exact = tuple(dict.fromkeys(text for one in found for text in one.exact))
    if not all(one.exact for one in found) or len(exact) > MOST_TEXTS:
        exact = ()
    best = tuple(dict.fromkeys(text for one in found for text in one.best))
    ones = {one.one for one in found}
    best = best if all(one.best for one in found) and len(best) <= MOST_TEXTS else ()
    return Need(exact, best, ones.pop() if len(ones) == 1 else "")


def _repeated(node: Rep, fold: bool) -> Need:
    if not node.low:
        return Need()
    inner = need(node.item, fold)
    texts = inner.exact
    for _ in range(node.low - 1 if texts else 0):
        longer = _crossed(texts, inner.exact)
        if not longer:
            return Need((), max(texts, inner.best, key=worth), inner.one)
        texts = longer
    one = texts[0] if len(texts) == 1 else inner.one
    return Need(texts if node.low == node.high else (), texts or inner.best, one)


def _members(chars: Chars, fold: bool) -> tuple[str, ...]:
    """The characters of a small set, () for a large one. `fold`: as small letters, OTHER_CASES left out."""
    mask = chars.mask
    if chars.negated or chars.kinds or not _few(mask, 6 if fold else 3):
        return ()
    if fold:
        small = {chr(code).lower() for code in bits(mask)}
        wide = any(low != high or chr(low) not in OTHER_CASES for low, high in chars.ranges)
        return () if wide or len(small) > 3 else tuple(sorted(small))
    found = [chr(code) for code in bits(mask)]
    for low, high in chars.ranges:
        found += map(chr, range(low, min(high, low + 3) + 1))
    return tuple(found) if len(found) <= 3 else ()


def _few(mask: int, most: int) -> bool:
    return bin(mask).count("1") <= most
