"""A smaller pattern that matches in exactly the same lines.

Rules:
1. Only whether a line holds a match is kept, not where: `find` uses the pattern as it was written.
2. What may be left out at the start of a match is left out: if `E{2,5}F` matches then so does `EEF`, a little later
   in the line. The same holds at the end, and within the branches of a choice. A condition on a place (`^ $ \\b`) stays
   where it is and ends the leaving out, except that `^` before `.*` asks for nothing, as does `$` after it.
3. Repeats of repeats and neighbours of one set are counted together where the sum is without gaps: `(x+x+)+` is
   `x{2,}`. Choices between single characters are one set.
4. The reductions need no look at the text, and take time that grows with the pattern.
"""

from __future__ import annotations

from edge.regex.chars import ANY, Chars
from edge.regex.tree import EMPTY, MANY, Alt, At, Rep, Seq, Set, mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.tree import Node

MOST_COPIES = 1000


def reduced(tree: Node) -> Node:
    """The smaller pattern."""
    found = simple(tree)
    for _ in range(2):
        less = _shaved(_loose(found))
        found = mirror(found if less is found else simple(less))
    return found


def simple(node: Node) -> Node:
    """The same pattern with less around it."""
    if isinstance(node, Seq):
        return _sequence(node)
    if isinstance(node, Alt):
        return _choice(node)
    return _repeat(simple(node.item), node.low, node.high) if isinstance(node, Rep) else node


def _sequence(node: Seq) -> Node:
    items: list[Node] = []
    for item in map(simple, node.items):
        for part in item.items if isinstance(item, Seq) else (item,):
            joined = _joined(items[-1], part) if items else None
            if joined is None:
                items.append(part)
            else:
                items[-1] = joined
    return items[0] if len(items) == 1 else Seq(tuple(items))


def _joined(left: Node, right: Node) -> Node | None:
    """Two neighbours as one repeat of a set; None where that is not so, or no gain."""
    if not (isinstance(left, Rep) or isinstance(right, Rep)):
        return None
    first = left if isinstance(left, Rep) else Rep(left, 1, 1)
    second = right if isinstance(right, Rep) else Rep(right, 1, 1)
    if not isinstance(first.item, Set) or first.item != second.item:
        return None
    return Rep(first.item, first.low + second.low, min(MANY, first.high + second.high))


def _choice(node: Alt) -> Node:
    items: list[Node] = []
    for item in map(simple, node.items):
        for part in item.items if isinstance(item, Alt) else (item,):
            if isinstance(part, Set) and items and isinstance(items[-1], Set):
                both = _union(items[-1].chars, part.chars)
                if both is not None:
                    items[-1] = Set(both)
                    continue
            items.append(part)
    return items[0] if len(items) == 1 else Alt(tuple(items))


def _union(one: Chars, other: Chars) -> Chars | None:
    if one == other:
        return one
    if one.negated or other.negated or one.fold != other.fold:
        return None
    kinds = "".join(sorted({*one.kinds, *other.kinds}))
    return Chars(one.base | other.base, tuple(sorted({*one.ranges, *other.ranges})), kinds, False, one.fold)


def _repeat(item: Node, low: int, high: int) -> Node:
    if high == 0 or item == EMPTY:
        return EMPTY
    if isinstance(item, At):
        return item if low else EMPTY
    if isinstance(item, Alt) and EMPTY in item.items:
        rest = tuple(branch for branch in item.items if branch != EMPTY)
        return _repeat(rest[0] if len(rest) == 1 else Alt(rest), 0, high)
    if isinstance(item, Rep) and _whole(item, low, high):
        many = item.high == MANY or high == MANY
        return _repeat(item.item, item.low * low, MANY if many else item.high * high)
    return item if low == high == 1 else Rep(item, low, high)


def _whole(inner: Rep, low: int, high: int) -> bool:
    """Is every count between the least and the most one that `low` to `high` times the inner repeat can give?"""
    if inner.low * low > MOST_COPIES or (low == 0 and inner.low > 1):
        return False
    return low == high or inner.high == MANY or low * inner.high + 1 >= (low + 1) * inner.low


def _loose(node: Node) -> Node:
    """Without a `^` that asks for nothing because anything may follow it."""
    if isinstance(node, Alt):
        return Alt(tuple(map(_loose, node.items)))
    if isinstance(node, Seq) and len(node.items) > 1 and node.items[0] == At("^"):
        after = node.items[1]
        if isinstance(after, Rep) and after.item == Set(ANY) and after.high == MANY:
            return Seq(node.items[1:])
    return node


def _shaved(node: Node) -> Node:
    """Without what a match can begin after."""
    if isinstance(node, Rep):
        return _shaved_repeat(node)
    if isinstance(node, Alt):
        items = tuple(map(_shaved, node.items))
        if EMPTY in items:
            return EMPTY
        return node if all(less is item for less, item in zip(items, node.items)) else Alt(items)
    if isinstance(node, Seq):
        for count, item in enumerate(node.items):
            less = _shaved(item)
            if less is item and not count:
                return node
            if less != EMPTY:
                return Seq((less, *node.items[count + 1 :]))
        return EMPTY
    return node


def _shaved_repeat(node: Rep) -> Node:
    first = _shaved(node.item) if node.low else EMPTY
    if first == EMPTY:
        return EMPTY
    return Seq((first, Rep(node.item, node.low - 1, node.low - 1))) if node.low > 1 else first
