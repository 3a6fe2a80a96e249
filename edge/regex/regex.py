"""A compiled pattern: which lines match, and where."""

from __future__ import annotations

from edge.faults import BudgetFault
from edge.regex.machine import Dead, Found, Machine
from edge.regex.program import LINE, neighbour
from edge.regex.tree import At, Seq, mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from edge.regex.tree import Node

BLOCK = 1 << 16


def decoded(data: bytes) -> str:
    """Bytes as text; a byte that is no UTF-8 is one character."""
    return data.decode("utf-8", "surrogateescape")


def width(text: str) -> int:
    """How many bytes the text was."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


class Regex:
    """A pattern that can be searched for as often as wanted, from several threads at once."""

    def __init__(self, tree: Node, words: bool = False) -> None:
        self.tree = Seq((At("<"), tree, At(">"))) if words else tree
        self.machine = Machine(self.tree)
        self.needle = b""
        self.plan = "dfa"
        self.spans: tuple[Machine, Machine] | None = None

    def lines(
        self, data: bytes, start: int = 0, end: int | None = None, late: Callable[[], bool] | None = None
    ) -> Iterator[int]:
        """The start offset of every line in data[start:end] that matches, in order.

        The buffer holds whole lines; the last one counts without its line feed too. `late` is asked before each block:
        BudgetFault when it says True.
        """
        stop = len(data) if end is None else end
        while start < stop:
            if late is not None and late():
                raise BudgetFault("the search was stopped, for its time is used up", "narrow it down")
            close = data.rfind(b"\n", start, start + BLOCK) + 1 if stop - start > BLOCK else stop
            if not close:
                close = data.find(b"\n", start + BLOCK, stop) + 1 or stop
            yield from self._block(data, start, close)
            start = close

    def _block(self, data: bytes, start: int, end: int) -> Iterator[int]:
        """The same for a few whole lines."""
        text = decoded(data[start:end])
        narrow = len(text) == end - start
        if not text.endswith("\n"):
            text += "\n"
        at, mapped, offset = 0, 0, start
        while at < len(text):
            hit = self._first(text, at)
            if hit < 0:
                return
            line = text.rfind("\n", at, hit) + 1 or at
            offset = start + line if narrow else offset + width(text[mapped:line])
            mapped = line
            yield offset
            at = text.find("\n", hit) + 1

    def _first(self, text: str, at: int) -> int:
        """Where the first match at or after the start of a line was noticed, -1 when there is none."""
        end = len(text)
        while at < end:
            walk = iter(text)
            walk.__setstate__(at)  # type: ignore[attr-defined]
            state = self.machine.at(LINE)
            try:
                for char in walk:
                    state = state[char]
            except Found:
                return end - walk.__length_hint__() - 1  # type: ignore[attr-defined, no-any-return]
            except Dead:
                at = text.find("\n", end - walk.__length_hint__() - 1) + 1  # type: ignore[attr-defined]
            else:
                return -1
        return -1

    def matches(self, line: bytes) -> bool:
        """Does the line match? A line feed at its end does not count."""
        return self._first(decoded(line.rstrip(b"\n")) + "\n", 0) >= 0

    def find(self, data: bytes, at: int = 0, end: int | None = None) -> tuple[int, int] | None:
        """Start and end of the leftmost match at or after `at`, the longest one that begins there; None without one.

        It lies within one line. What stands before `at` is seen by `^` and `\\b`.
        """
        stop = len(data) if end is None else end
        close = data.find(b"\n", at, stop)
        found = self._span(data, at, stop if close < 0 else close)
        if found is None and close >= 0:
            line = next(self.lines(data, close + 1, stop), None)
            if line is not None:
                close = data.find(b"\n", line, stop)
                found = self._span(data, line, stop if close < 0 else close)
        return found

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
        length = _last(forth, rest, neighbour(text[first - 1]) if first else before, LINE)
        assert length is not None
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
