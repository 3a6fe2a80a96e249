"""Runs of sets as texts: `[0-9]{3}[_-][a-z]` holds no text, but every match is `000_e` once each byte is its class.

Rules:
1. Bytes that every set of the pattern takes or leaves together are one class. The table translates each byte to one
   member of its class, the most common one, so that need.py judges how rare a text is. The line feed is a class of
   its own. There is one table for plain ASCII, and one of the pattern in bytes (quick.py) for everything.
2. A match of the pattern is, translated, a match of the pattern of classes. What need.py says that such a match must
   hold stands in every line that matches. The other way round it is not so: a line is looked at closely.
"""

from __future__ import annotations

from edge.regex.chars import Chars
from edge.regex.need import need, worth
from edge.regex.quick import in_bytes
from edge.regex.tree import Alt, At, Rep, Seq, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.tree import Node

MOST_SETS = 30
LEAST = 2.0  # how rare the texts must be, in need.py's measure
_COMMON = b" etaoinsrlhdcumpfgybvw0123456789_.,:-/=\"'()"
_ORDER = bytes([*_COMMON, *[code for code in range(128) if code not in _COMMON]])  # of members, best first


def classes(tree: Node, plain: bool) -> tuple[bytes, tuple[bytes, ...]] | None:
    """The table for `bytes.translate`, and the texts of which every matching line holds one then; None without any.

    `plain`: for buffers of plain ASCII.
    """
    loose = tree if plain else in_bytes(tree)
    sets: dict[Chars, int] = {}
    _sets(loose, sets)
    if not 0 < len(sets) <= MOST_SETS:
        return None
    members: dict[int, int] = {}  # of each class, which sets it is in as bits, the code that stands for it
    table = bytearray(256)
    for code in _ORDER:
        inside = sum(bit for chars, bit in sets.items() if chars.mask >> code & 1)
        table[code] = members.setdefault(-1 if code == 10 else inside, code)
    high = 0 if plain else sum(bit for chars, bit in sets.items() if chars.wide)
    spare = next((code for code in reversed(_ORDER) if code not in members.values()), None)
    if high not in members and spare is None:
        return None
    table[128:] = bytes([members.setdefault(high, spare or 0)]) * 128
    members.pop(-1)
    found = need(_of_classes(loose, sets, members)).best
    return (bytes(table), tuple(text.encode() for text in found)) if worth(found) >= LEAST else None


def _sets(node: Node, found: dict[Chars, int]) -> None:
    """Every set of a pattern with a bit of its own."""
    if isinstance(node, Set):
        found.setdefault(node.chars, 1 << len(found))
    elif isinstance(node, Rep):
        _sets(node.item, found)
    elif not isinstance(node, At):
        for item in node.items:
            _sets(item, found)


def _of_classes(node: Node, sets: dict[Chars, int], members: dict[int, int]) -> Node:
    """The pattern with each set as the set of the members that stand for its classes."""
    if isinstance(node, Set):
        bit = sets[node.chars]
        return Set(Chars(sum(1 << code for inside, code in members.items() if inside & bit)))
    if isinstance(node, Rep):
        return Rep(_of_classes(node.item, sets, members), node.low, node.high)
    if isinstance(node, At):
        return node
    items = tuple(_of_classes(item, sets, members) for item in node.items)
    return Alt(items) if isinstance(node, Alt) else Seq(items)
