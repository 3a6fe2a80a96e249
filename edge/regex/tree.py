"""The parsed pattern: five kinds of nodes.

A repeat without an upper end has `high` = MANY. `At.kind` is one of
`^` start of the line, `$` its end, `b` a word's edge, `B` none, `<` not after a word character, `>` not before one.
"""

from __future__ import annotations

from edge.record import Record
from edge.regex.chars import Chars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Node = Union["Set", "Seq", "Alt", "Rep", "At"]

MANY = 1 << 30
MIRROR = {"^": "$", "$": "^", "<": ">", ">": "<", "b": "b", "B": "B"}


class Set(Record):
    """One character out of a set."""

    chars: Chars


class At(Record):
    """A condition on a place, which takes no character."""

    kind: str


class Seq(Record):
    """One after the other; none at all is the empty pattern."""

    items: tuple[Node, ...]


class Alt(Record):
    """One of them."""

    items: tuple[Node, ...]


class Rep(Record):
    """`low` to `high` times."""

    item: Node
    low: int
    high: int


EMPTY = Seq(())


def size(node: Node) -> int:
    """How many steps the machine of this pattern has, repeats written out."""
    if isinstance(node, (Set, At)):
        return 1
    if isinstance(node, Rep):
        return (size(node.item) + 1) * max(1, node.low + 1 if node.high == MANY else node.high)
    return sum(map(size, node.items)) + (isinstance(node, Alt))


def mirror(node: Node) -> Node:
    """The pattern that matches the reversed text."""
    if isinstance(node, At):
        return At(MIRROR[node.kind])
    if isinstance(node, Seq):
        return Seq(tuple(mirror(item) for item in reversed(node.items)))
    if isinstance(node, Alt):
        return Alt(tuple(map(mirror, node.items)))
    if isinstance(node, Rep):
        return Rep(mirror(node.item), node.low, node.high)
    return node


def has_at(node: Node) -> bool:
    """Does it ask about a place anywhere?"""
    if isinstance(node, (Seq, Alt)):
        return any(map(has_at, node.items))
    return has_at(node.item) if isinstance(node, Rep) else isinstance(node, At)
