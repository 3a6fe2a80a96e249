"""A compiled pattern: which lines match, and where.

Rules:
1. A pattern that stands for texts alone is looked for with `bytes.find`, with the line feed beside it where `^` or `$`
   stands at its edge.
2. Else, where every match holds one of a few texts, only lines with one of them are looked at closely, as long as they
   are few: no more than a quarter of the buffer.
3. Else lines are passed over by the classes of their bytes (classes.py), where that leaves few.
4. A line or block is looked at closely by `re` where the pattern is proved linear (linear.py), else by the automaton
   (machine.py). Patterns are given to `re` only when that pays for its compiler.
5. A Regex may be used by several threads: what it keeps is made anew rather than changed, and made twice at worst.
"""

from __future__ import annotations

from edge.regex import scan
from edge.regex.chars import ANY, FAMILY
from edge.regex.classes import classes
from edge.regex.linear import is_linear
from edge.regex.machine import Dead, Found, Machine
from edge.regex.need import OTHER_CASES, need
from edge.regex.program import LINE, fits, neighbour
from edge.regex.quick import Quick
from edge.regex.reduce import reduced
from edge.regex.scan import decoded, width
from edge.regex.tree import EMPTY, MANY, At, Rep, Seq, Set, has_at, mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from edge.regex.quick import InBytes
    from edge.regex.scan import Late
    from edge.regex.tree import Node

# Bytes that must come before `re` compiles for them; the automaton is made faster than it.
PAYS = 2048
# A block for the automaton is smaller: it is the slower way, and the caller wants to be asked.
SLOW_BLOCK = 1 << 14
# A line longer than this goes through the automaton in pieces.
LONG_LINE = 1 << 20
# A block that is not plain ASCII is looked at in smaller ones, many of which will be.
SMALL_BLOCK = 1 << 11
ANYTHING = Rep(Set(ANY), 0, MANY)
# Close looks before it is judged whether they are few.
TRIALS = 32
# A text comes often when it comes once in so many bytes: then jumping to it is no gain.
OFTEN = 256
SAMPLE = 1 << 10
# Bytes to be searched before it is worth while to find the classes of a pattern.
PAYS_CLASSES = 1 << 15


def encoded(texts: tuple[str, ...]) -> tuple[bytes, ...]:
    """Texts as they stand in a file; () when one has half a character, which can be part of a whole one there."""
    if any(not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text) for text in texts):
        return ()
    return tuple(text.encode() for text in texts)


def whole_texts(tree: Node, exact: tuple[str, ...]) -> tuple[tuple[bytes, ...], bool, bool]:
    """The texts that the pattern stands for, and whether one text has `^` before or `$` after it; no texts: more.

    `exact`: what the tree stands for, conditions on places left out.
    """
    items = tree.items if isinstance(tree, Seq) else (tree,)
    begins = bool(items) and items[0] == At("^")
    ends = len(items) > begins and items[-1] == At("$")
    inner = Seq(items[begins : len(items) - ends])
    texts = () if not exact or has_at(inner) else encoded(exact)
    return (() if (begins or ends) and len(texts) != 1 else texts), begins, ends


def row_of_texts(tree: Node) -> tuple[bytes, ...]:
    """The texts of a pattern that is texts with `.*` between them; () for any other."""
    if not isinstance(tree, Seq) or ANYTHING not in tree.items:
        return ()
    texts: list[bytes] = []
    part: list[Node] = []
    for item in (*tree.items, ANYTHING):
        if item == ANYTHING:
            text = encoded(need(Seq(tuple(part))).exact)
            texts.append(text[0] if len(text) == 1 and not any(map(has_at, part)) else b"")
            part = []
        else:
            part.append(item)
    return tuple(texts) if all(texts) else ()


def folded_texts(tree: Node) -> tuple[bytes, ...]:
    """Texts of which every matching line holds one after bytes.lower()."""
    texts = need(tree, fold=True).best
    others = [other for other in OTHER_CASES if any(FAMILY[other][0] in text for text in texts)]
    return encoded((*texts, *others)) if texts else ()


class Regex:
    """A pattern that can be searched for as often as wanted, from several threads at once.

    `needle`: a text that every match holds, b"" when none is known. `plan`: `literal`, `re` or `dfa`.
    """

    def __init__(self, tree: Node, ignore_case: bool = False, words: bool = False) -> None:
        self.tree: Node = Seq((At("<"), tree, At(">"))) if words else tree
        fits(self.tree)
        self.small = reduced(self.tree)
        self.every = self.small in (EMPTY, At("^"), At("$"))
        wanted = need(self.small)
        self.whole, self.begins, self.ends = whole_texts(self.small, wanted.exact)
        self.texts = encoded(wanted.best)
        self.needle = b"".join(encoded((wanted.one,)))
        self.row = row_of_texts(self.small)
        self.folded = folded_texts(self.small) if ignore_case else ()
        plain = bool(self.every or self.whole or self.row)
        self.plan = "literal" if plain else "re" if is_linear(self.small) else "dfa"
        self.work = 0
        self.quick: Quick | None = None
        self.classes: dict[bool, tuple[bytes, tuple[bytes, ...]] | None] = {}
        self.machine_made: Machine | None = None
        self.spans: tuple[Machine, Machine] | None = None

    def lines(self, data: bytes, start: int = 0, end: int | None = None, late: Late = None) -> Iterator[int]:
        """The start offset of every line in data[start:end] that matches, in order.

        The buffer holds whole lines; the last one counts without its line feed too. `late` is asked at the start and
        at least once for each 64 KiB of text that is looked at closely: BudgetFault when it says True.
        """
        stop = len(data) if end is None else min(end, len(data))
        self.prepare(stop - start)
        if self.every:
            return scan.every_line(data, start, stop, late)
        if self.whole:
            return self._literal(data, start, stop, late)
        if self.folded:
            return self._folded(data, start, stop, late)
        if self.texts and not self._weak(data, start, stop):
            return self._few(data, start, stop, late)
        return self._blocks(data, start, stop, late)

    def by_automaton(self, data: bytes) -> Iterator[int]:
        """The same lines of a whole buffer, found without literals and `re`: slower, and never slower than that."""
        for low, high in scan.blocks(data, 0, len(data), SLOW_BLOCK, None):
            yield from self._block(data, low, high, None)

    def matches(self, line: bytes) -> bool:
        """Does the line match? A line feed at its end does not count."""
        stop = len(line) - line.endswith(b"\n")
        self.prepare(stop)
        return self.every or self._holds(line, 0, stop)

    def find(self, data: bytes, at: int = 0, end: int | None = None) -> tuple[int, int] | None:
        """Start and end of the leftmost match at or after `at`, the longest one that begins there; None without one.

        It lies within one line. What stands before `at` is seen by `^` and `\\b`.
        """
        stop = len(data) if end is None else min(end, len(data))
        close = data.find(b"\n", at, stop)
        found = self._span(data, at, stop if close < 0 else close)
        if found is None and close >= 0:
            line = next(self.lines(data, close + 1, stop), None)
            if line is not None:
                close = data.find(b"\n", line, stop)
                found = self._span(data, line, stop if close < 0 else close)
        return found

    def prepare(self, size: int) -> None:
        """Have `re` compile the pattern once enough text is to be searched."""
        self.work += size
        if self.plan == "re" and self.work >= PAYS and self.quick is None:
            self.quick = Quick(self.small)

    @property
    def machine(self) -> Machine:
        """The automaton that looks for any match."""
        if self.machine_made is None:
            self.machine_made = Machine(self.small)
        return self.machine_made

    # --- ways through a buffer ---

    def _literal(self, data: bytes, start: int, stop: int, late: Late) -> Iterator[int]:
        if self.begins or self.ends:
            return scan.edged_lines(data, self.whole[0], (self.begins, self.ends), start, stop, late)
        return (low for low, _ in scan.lines_with(scan.Ahead(data, self.whole, start, stop), start, late))

    def _few(self, data: bytes, start: int, stop: int, late: Late) -> Iterator[int]:
        """A close look at lines with a needed text; where they turn out to be many, at all of the next block."""
        ahead = scan.Ahead(data, self.texts, start, stop)
        while start < stop:
            looked, close = 0, stop
            for count, (low, high) in enumerate(scan.lines_with(ahead, start, late)):
                if self._holds(data, low, high):
                    yield low
                looked += high - low
                if count > TRIALS and 4 * looked > high - start and not self.row:
                    start = high + 1
                    close = data.find(b"\n", start + scan.BLOCK, stop) + 1 or stop
                    yield from self._blocks(data, start, close, late)
                    break
            start = close

    def _folded(self, data: bytes, start: int, stop: int, late: Late) -> Iterator[int]:
        """The same without regard to case: block by block, in small letters."""
        for low, high in scan.blocks(data, start, stop, scan.BLOCK, late):
            small = data[low:high].lower()
            for first, last in scan.lines_with(scan.Ahead(small, self.folded, 0, len(small)), 0, None):
                if self._holds(data, low + first, low + last):
                    yield low + first

    def _weak(self, data: bytes, start: int, stop: int) -> bool:
        """Are the texts short, and come so often that a look at all of it is done sooner than all the jumps to them?"""
        return (
            (self.quick is not None or self.work > PAYS_CLASSES)
            and not self.row
            and min(map(len, self.texts)) <= 2
            and _often(data, self.texts, start, min(stop, start + SAMPLE))
        )

    def _blocks(self, data: bytes, start: int, stop: int, late: Late) -> Iterator[int]:
        """A close look at all of it, or at the lines that are left by the classes of their bytes."""
        quick = self.quick
        for low, high in scan.blocks(data, start, stop, scan.BLOCK if quick else SLOW_BLOCK, late):
            ahead = self._translated(data, low, high) if self.work > PAYS_CLASSES else None
            if ahead:
                for first, last in scan.lines_with(ahead, 0, None):
                    if self._holds(data, low + first, low + last):
                        yield low + first
            elif high - low > LONG_LINE:
                if self._long(data, low, high - data.endswith(b"\n", low, high), late):
                    yield low
            elif quick and quick.rough:
                yield from self._roughly(data, low, high, quick.rough, quick.exact)
            elif quick and high - low > 2 * SMALL_BLOCK and not quick.wide and not data[low:high].isascii():
                for first, last in scan.blocks(data, low, high, SMALL_BLOCK, None):
                    yield from self._block(data, first, last, quick)
            else:
                yield from self._block(data, low, high, quick)

    def _translated(self, data: bytes, low: int, high: int) -> scan.Ahead | None:
        """The way through a block by the classes of its bytes; None when that is no gain."""
        block = data[low:high]
        plain = block.isascii()
        if plain not in self.classes:
            self.classes[plain] = classes(self.small, plain)
        found = self.classes[plain]
        if found is None:
            return None
        table, texts = found
        if _often(block[:SAMPLE].translate(table), texts, 0, SAMPLE):
            return None
        return scan.Ahead(block.translate(table), texts, 0, high - low)

    def _roughly(self, data: bytes, low: int, high: int, search: InBytes, exact: bool) -> Iterator[int]:
        """By a pattern of bytes; a line is looked at again where that says too much."""
        end = high - data.endswith(b"\n", low, high)
        while low <= end:
            found = search(data, low, end)
            if not found:
                return
            hit = found.start()
            line = data.rfind(b"\n", low, hit) + 1 or low
            close = data.find(b"\n", hit, end)
            close = end if close < 0 else close
            if exact or self._holds(data, line, close):
                yield line
            low = close + 1

    def _block(self, data: bytes, low: int, high: int, quick: Quick | None) -> Iterator[int]:
        block = data[low:high]
        if quick and block.isascii():
            end = len(block) - block.endswith(b"\n")
            yield from map(low.__add__, scan.hits(block, b"\n", _within(quick.narrow, end)))
            return
        text = decoded(block)
        same = len(text) == len(block)
        if not text.endswith("\n"):
            text += "\n"
        last = len(text) - 1
        wide = quick.wide if quick else None
        first = self._first if wide is None else _within(wide, last)
        mapped, offset = 0, low
        for line in scan.hits(text, "\n", first):
            offset = low + line if same else offset + width(text[mapped:line])
            mapped = line
            yield offset

    # --- a close look ---

    def _holds(self, data: bytes, low: int, high: int) -> bool:
        """Does the one line match?"""
        if self.row:
            return scan.in_a_row(data, self.row, low, high)
        if high - low > LONG_LINE:
            return self._long(data, low, high, None)
        line = data[low:high]
        quick = self.quick
        if quick and (quick.exact or line.isascii()):
            return quick.narrow(line, 0, len(line)) is not None
        text = decoded(line)
        if quick and quick.wide:
            return quick.wide(text, 0, len(text)) is not None
        return self._first(text + "\n", 0) >= 0

    def _first(self, text: str, at: int) -> int:
        """Where the automaton notices the first match at or after the start of a line, -1 when there is none.

        The text ends with a line feed.
        """
        machine = self.machine
        end = len(text)
        while 0 <= at < end:
            walk = iter(text)
            walk.__setstate__(at)  # type: ignore[attr-defined]
            state = machine.at(LINE)
            try:
                for char in walk:
                    state = state[char]
            except Found:
                return end - walk.__length_hint__() - 2  # type: ignore[attr-defined, no-any-return]
            except Dead:
                at = text.find("\n", end - walk.__length_hint__() - 1) + 1 or end  # type: ignore[attr-defined]
            else:
                return end - 1 if state is machine.found else -1
        return -1

    def _long(self, data: bytes, low: int, high: int, late: Late) -> bool:
        """Does one very long line match? In pieces, which are cut between characters."""
        state = self.machine.at(LINE)
        while low < high:
            scan.in_time(late)
            cut = min(high, low + SLOW_BLOCK)
            while cut < high and data[cut] & 0xC0 == 0x80 and cut > low + SLOW_BLOCK - 4:
                cut -= 1
            try:
                for char in decoded(data[low:cut]):
                    state = state[char]
            except Found:
                return True
            except Dead:
                return False
            low = cut
        return self.machine.ends(state, LINE)

    def _span(self, data: bytes, at: int, end: int) -> tuple[int, int] | None:
        """The span within the rest of one line. Backwards for where matches begin, then forwards for the longest."""
        if self.spans is None:
            self.spans = Machine(mirror(self.tree), searching=False), Machine(self.tree, False, floating=False)
        back, forth = self.spans
        text = decoded(data[at:end])
        before = neighbour(decoded(data[max(0, at - 4) : at])[-1:] or "\n")
        begin = _last(back, text[::-1], LINE, before)
        if begin is None:
            return None
        first = len(text) - begin
        rest = text[first:]
        length = _last(forth, rest, neighbour(text[first - 1]) if first else before, LINE) or 0
        low = at + width(text[:first])
        return low, low + width(rest[:length])


def _last(machine: Machine, text: str, before: int, after: int) -> int | None:
    """How many characters the longest match from the start of the text takes, or the last one to end in it."""
    state, found = machine.at(before), None
    try:
        for count, char in enumerate(text):
            state = state[char]
            if state.hit:
                found = count
    except Dead:
        return found
    return len(text) if machine.ends(state, after) else found


def _often(data: bytes, texts: tuple[bytes, ...], start: int, stop: int) -> bool:
    """Is one of the texts met too often here to jump to it?"""
    return sum(data.count(text, start, stop) for text in texts) * OFTEN > stop - start


def _at(found: Any) -> int:
    """Where a match of `re` begins, -1 when there is none."""
    return int(found.start()) if found else -1


def _within(search: Callable[[Any, int, int], Any], end: int) -> Callable[[Any, int], int]:
    """The search up to `end`."""
    return lambda text, at: _at(search(text, at, end))
