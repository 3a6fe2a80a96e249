"""What Python's `re` does for a pattern that is proved linear.

Rules:
1. A character above U+007F is one to four bytes from 0x80 on, and a byte that is no UTF-8 is one of them. A set that
   may hold one is written as a set of bytes that takes them all, a number of them as up to four times that number. So
   bytes can be searched as they are: no line is missed (`rough`).
2. What is found so is certain where no set may hold such a character and no word's edge is asked for (`exact`). Else
   the line is looked at closely: in bytes when it is plain ASCII (`narrow`), as characters otherwise (`wide`).
3. Where the pattern of rule 1 is not proved linear itself, there is no such search.
4. `re` compiles each of them when it is first wanted.
"""

from __future__ import annotations

from edge.regex.chars import Chars
from edge.regex.linear import HIGH, is_linear, written
from edge.regex.tree import MANY, Alt, At, Rep, Seq, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.regex.tree import Node

    # Searches from here to there: a match, or None.
    InBytes = Callable[[bytes, int, int], Any]
    InText = Callable[[str, int, int], Any]

_BYTES = 4  # of one character, at most (RFC 3629)


def in_bytes(node: Node) -> Node:
    """The pattern of rule 1: its characters are bytes."""
    if isinstance(node, Set):
        return Rep(Set(_high(node.chars)), 1, _BYTES) if node.chars.wide else node
    if isinstance(node, Rep):
        if isinstance(node.item, Set) and node.item.chars.wide:
            return Rep(Set(_high(node.item.chars)), node.low, min(node.high * _BYTES, MANY))
        return Rep(in_bytes(node.item), node.low, node.high)
    if isinstance(node, Alt):
        return Alt(tuple(map(in_bytes, node.items)))
    return Seq(_joined(list(map(in_bytes, node.items)))) if isinstance(node, Seq) else node


def _high(chars: Chars) -> Chars:
    return Chars(chars.mask, HIGH)


def _joined(items: list[Node]) -> tuple[Node, ...]:
    """Neighbours of one set with all high bytes as one repeat: where the one ends and the other begins is all one."""
    found: list[Node] = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Rep) and isinstance(last, Rep) and item.item == last.item and _is_high(item.item):
            found[-1] = Rep(item.item, last.low + item.low, min(last.high + item.high, MANY))
        else:
            found.append(item)
    return tuple(found)


def _is_high(node: Node) -> bool:
    return isinstance(node, Set) and node.chars.ranges == HIGH


def _exact(node: Node) -> bool:
    """Rule 2: are bytes as good as characters in every line?"""
    if isinstance(node, Set):
        return not node.chars.wide
    if isinstance(node, At):
        return node.kind in "^$"
    return _exact(node.item) if isinstance(node, Rep) else all(map(_exact, node.items))


class Quick:
    """The searches by `re` of one pattern, see the rules."""

    __slots__ = ("_narrow", "_tree", "_wide", "exact", "rough")

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._narrow: list[InBytes] = []
        self._wide: list[InText | None] = []
        self.exact = _exact(tree)
        self.rough: InBytes | None = self.narrow if self.exact else None
        if not self.exact:
            loose = in_bytes(tree)
            self.rough = _searching(written(loose, narrow=True, high=True).encode()) if is_linear(loose) else None

    @property
    def narrow(self) -> InBytes:
        """The search in plain ASCII."""
        if not self._narrow:
            self._narrow.append(_searching(written(self._tree, narrow=True).encode()))
        return self._narrow[0]

    @property
    def wide(self) -> InText | None:
        """The search in characters; None where `re` has no words for the sets."""
        if not self._wide:
            words = written(self._tree, narrow=False)
            self._wide.append(_searching(words) if words else None)
        return self._wide[0]


def _searching(words: str | bytes) -> Callable[[Any, int, int], Any]:
    import re

    return re.compile(words, re.MULTILINE).search
