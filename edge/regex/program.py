"""Tree to machine: places that take a character, and what can follow each of them.

Rules:
1. A *place* is one set of the pattern with its repeats written out. Places are numbered from the right, so that what
   follows place p is mostly p - 1; number 0 is the end of the pattern. A set of places is the bits of an int.
2. Between two characters stand kinds of neighbours: the one before is LINE (none), WORD or OTHER, and so is the one
   after. What follows a place depends on both where the pattern asks about places (`^ $ \\b`); else `kinds` is False.
3. `START` is one bit above the highest place: nothing has been taken yet.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.regex.chars import Chars, is_word
from edge.regex.tree import MANY, Alt, At, Rep, Seq, Set, has_at, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.tree import Node

MOST_PLACES = 2000
LINE, WORD, OTHER = 0, 1, 2
HOLDS = {
    "^": lambda before, after: before == LINE,
    "$": lambda before, after: after == LINE,
    "b": lambda before, after: (before == WORD) != (after == WORD),
    "B": lambda before, after: (before == WORD) == (after == WORD),
    "<": lambda before, after: before != WORD,
    ">": lambda before, after: after != WORD,
}


def neighbour(char: str) -> int:
    """The kind of a character as a neighbour."""
    return LINE if char == "\n" else WORD if is_word(char) else OTHER


def fits(tree: Node) -> None:
    """ToolFault when the machine of this tree has more than MOST_PLACES steps."""
    steps = size(tree)
    if steps > MOST_PLACES:
        raise ToolFault(
            f"the pattern needs {steps} steps with its repeats written out, more than {MOST_PLACES}",
            "use smaller repeats",
        )


class Program:
    """The machine of one tree.

    `sets`: each set of characters with the places that ask for it. `plain`: places followed by the next lower one
    alone, whatever stands around. `kinds`: does the pattern ask about places?
    """

    def __init__(self, tree: Node) -> None:
        self.kinds = has_at(tree)
        self.sets: dict[Chars, int] = {}
        self.places = 0
        # Nodes: an int is a place (0 the end), a str a condition, a list a choice. `then`: where each leads.
        self.nodes: list[int | str | list[int]] = [0]
        self.then = [0]
        self.after = [0]
        entry = self.build(tree, 0)
        self.places += 1
        self.start = 1 << self.places
        self.after.append(entry)
        self.plain = sum(1 << place for place in range(1, self.places) if self.nodes[self.after[place]] == place - 1)
        self.known: dict[tuple[int, int], int] = {}

    def node(self, what: int | str | list[int], then: int = 0) -> int:
        """Add a node; its number."""
        self.nodes.append(what)
        self.then.append(then)
        return len(self.nodes) - 1

    def build(self, tree: Node, then: int) -> int:
        """Add the nodes of a tree that leads to node `then`; where it is entered."""
        if isinstance(tree, Set):
            self.places += 1
            self.sets[tree.chars] = self.sets.get(tree.chars, 0) | 1 << self.places
            self.after.append(then)
            return self.node(self.places)
        if isinstance(tree, At):
            return self.node(tree.kind, then)
        if isinstance(tree, Alt):
            return self.node([self.build(branch, then) for branch in reversed(tree.items)])
        if isinstance(tree, Seq):
            for item in reversed(tree.items):
                then = self.build(item, then)
            return then
        return self.repeat(tree, then)

    def repeat(self, tree: Rep, then: int) -> int:
        """Add a repeat, written out."""
        low = tree.low
        if tree.high == MANY:
            choice: list[int] = []
            loop = self.node(choice)
            entry = self.build(tree.item, loop)
            choice += [entry, then]
            if not low:
                return loop
            low -= 1
        else:
            entry = then
            for _ in range(tree.high - low):
                entry = self.node([self.build(tree.item, entry), then])
        for _ in range(low):
            entry = self.build(tree.item, entry)
        return entry

    def follow(self, place: int, around: int) -> int:
        """The places that can follow one; `around`: 3 * kind before + kind after."""
        found = self.known.get((place, around))
        if found is None:
            found = self.known[place, around] = self.reach(self.after[place], around)
        return found

    def reach(self, node: int, around: int) -> int:
        """The places that a node leads to without taking a character."""
        before, after = divmod(around, 3)
        found, seen, stack = 0, {node}, [node]
        while stack:
            here = stack.pop()
            what = self.nodes[here]
            if isinstance(what, int):
                found |= 1 << what
                continue
            holds = isinstance(what, list) or HOLDS[what](before, after)
            onward = what if isinstance(what, list) else [self.then[here]]
            fresh = [node for node in onward if holds and node not in seen]
            seen.update(fresh)
            stack += fresh
        return found

    def next(self, bits: int, around: int) -> int:
        """The places that can follow any of these places."""
        found = (bits & self.plain) >> 1
        rest = bits & ~self.plain
        while rest:
            low = rest & -rest
            found |= self.follow(low.bit_length() - 1, around)
            rest ^= low
        return found

    def taking(self, char: str) -> int:
        """The places whose set holds the character."""
        found = 0
        for chars, places in self.sets.items():
            if chars.holds(char):
                found |= places
        return found
