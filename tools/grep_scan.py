"""The lines of one file after the other against a pattern, with the lines around a hit. Pure: bytes in, calls out.

Rules:
1. Memory is constant: a small file is searched whole, a large one in blocks of whole lines. A line longer than LONG is
   searched in overlapping pieces, in which `^` and `$` also match at the edges; that is said.
2. Lines are only looked at where the engine finds a hit; their numbers come from counting line feeds in between.
3. A file with a NUL in its first KB is binary: counted and passed over unless it is asked for.
4. Packed files, and UTF-16 with its mark, are searched by what is in them (edge/tools/grep_packed.py).
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.tools.grep_packed import kind, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from edge.regex.regex import Regex
    from edge.tool import TreeHands
    from edge.tools.grep_show import Page

LONG = 512 * 1024
_OVERLAP = 4096
_KEPT = 65536  # bytes of a line that may be shown as context of a later hit
_PACKED = (b"\x1f\x8b", b"BZ", b"\xfd7", b"\xff\xfe", b"\xfe\xff")  # how a packed file, or UTF-16, may begin
_HEAD = 1024
_COMMON = b" etaoinsrlhdcu\nmpfg_ybvw.,-=()kxS01T\"'/AE:"  # from the commonest byte on


class Search:
    """One search through many files. `before` and `after`: lines of context. `late`: has it to stop now?"""

    def __init__(self, regex: Regex, page: Page, before: int, after: int, invert: bool, binary: bool) -> None:
        self.regex = regex
        self.page = page
        self.before = before
        self.after = after
        self.invert = invert
        self.late: Callable[[], bool] | None = None
        self.searched = self.binaries = 0
        self.notes: list[str] = []
        self._binary = binary
        self.needle = b"" if invert else regex.needle
        # One byte is looked for many times faster than several: its absence settles most files.
        self.rare = bytes([max(self.needle, key=_rarity)]) if self.needle else b""

    def folder(self, tree: TreeHands, names: list[str], before: str) -> None:
        """Search files of the latest names of the tree; `before` is what stands before a name where it is shown."""
        needle, rare, binary = self.needle, self.rare, self._binary
        for name, data in tree.contents(names):
            self.searched += 1
            if tree.more or data[:2] in _PACKED:
                self._blocks(tree, data, before + name)
            elif data.find(b"\0", 0, _HEAD) >= 0 and not binary:
                self.binaries += 1
            elif not needle or (rare in data and needle in data):
                scan = Scan(self, before + name)
                scan.feed(data, len(data), True)
                self.page.ended(scan.path, scan.hits)

    def _blocks(self, tree: TreeHands, data: bytes, path: str) -> None:
        packed = kind(data)
        blocks = _from(data, tree.rest())
        scan = Scan(self, path)
        try:
            if packed and (not self._binary or packed.startswith("utf-16")):
                blocks = unpacked(packed, blocks)
            data = next(iter(blocks), b"")
            if data.find(b"\0", 0, _HEAD) >= 0 and not self._binary:
                self.binaries += 1
                return
            scan.stream(_from(data, blocks))
        except ToolFault as fault:
            self.notes.append(f"{path}: {fault.sentence}")
        finally:
            self.page.ended(path, scan.hits)


class Scan:
    """One file. `hits`: how many lines were wanted until now."""

    def __init__(self, search: Search, path: str) -> None:
        self.hits = 0
        self._search = search
        self._page = search.page
        self.path = path
        self._number = 1  # of the line that is fed next
        self._shown = 0  # the number of the last line that was shown
        self._left = 0  # lines of context that are still wanted
        self._before: list[bytes] = []  # the last lines that were fed
        self._long = self._long_hit = False

    def stream(self, blocks: Iterable[bytes]) -> None:
        """Feed blocks of any length."""
        rest = b""
        for block in blocks:
            data = rest + block if rest else block
            if self._long:
                data = self._end_of_long(data)
            cut = data.rfind(b"\n") + 1
            if cut:
                self.feed(data, cut)
            rest = data[cut:]
            if len(rest) > LONG:
                rest = self._piece(rest)
            if self.hits and self._page.kind == "files":
                return
        if self._long:
            self._end_of_long(rest + b"\n")
        elif rest:
            self.feed(rest, len(rest))

    def feed(self, data: bytes, end: int, last: bool = False) -> None:
        """Whole lines: data[:end]; the last one of a file may be without its line feed. `last`: no more will come."""
        at, number = 0, self._number
        needle = self._search.needle
        for hit in () if needle and data.find(needle, 0, end) < 0 else self._hits(data, end):
            self.hits += 1
            if self._page.counts:
                if self._page.kind == "files":
                    return
                at, number = self._follow(data, at, hit, number)
                self._left = 0
                continue
            at, number = self._follow(data, at, hit, number)
            number += data.count(b"\n", at, hit)
            self._lead(data, hit, number)
            at = data.find(b"\n", hit, end) + 1 or end + 1
            self._page.hit(self.path, number, data[hit : at - 1], not self._search.invert)
            self._shown, self._left = number, self._search.after
            number += 1
        at, number = self._follow(data, at, end, number)
        if not last and not self._page.counts:
            self._number = number + data.count(b"\n", at, end)
            if self._search.before:
                lines = [line[:_KEPT] for line in _last_lines(data, end, self._search.before)]
                self._before = (self._before + lines)[-self._search.before :]

    def _hits(self, data: bytes, end: int) -> Iterator[int]:
        found = self._search.regex.lines(data, 0, end, self._search.late)
        return _others(data, end, found) if self._search.invert else found

    def _follow(self, data: bytes, at: int, to: int, number: int) -> tuple[int, int]:
        """Show the lines after a hit as far as they are wanted; where the next line begins, and its number."""
        while self._left and at < to:
            close = data.find(b"\n", at, to)
            close = to if close < 0 else close
            self._page.context(self.path, number, data[at:close])
            self._shown = number
            self._left -= 1
            at, number = close + 1, number + 1
        return at, number

    def _lead(self, data: bytes, hit: int, number: int) -> None:
        """Show the lines before a hit, without those that were shown, and the mark between blocks."""
        search = self._search
        wanted = min(search.before, number - 1 - self._shown)
        lines = _last_lines(data, hit, wanted)
        missing = wanted - len(lines)
        if missing and self._before:
            lines = self._before[-missing:] + lines
        if lines:
            lines = self._page.nearest(lines, data[hit : data.find(b"\n", hit, hit + _KEPT)])
        if (search.before or search.after) and 0 < self._shown < number - len(lines) - 1:
            self._page.apart()
        for offset, line in enumerate(lines, number - len(lines)):
            self._page.context(self.path, offset, line)

    def _piece(self, data: bytes) -> bytes:
        """A piece of a line without an end; the last bytes of it are searched again with the next."""
        if not self._long:
            self._search.notes.append(f"{self.path}: a line of more than {LONG >> 10} KiB was searched in pieces")
            self._long, self._long_hit = True, False
        self._long_hit = self._long_hit or self._matched(data)
        return data[-_OVERLAP:]

    def _matched(self, data: bytes) -> bool:
        if next(iter(self._search.regex.lines(data, 0, len(data), self._search.late)), None) is None:
            return False
        if not self._search.invert:
            self._long_line(data)
        return True

    def _long_line(self, data: bytes) -> None:
        self.hits += 1
        if not self._page.counts:
            self._lead(b"", 0, self._number)
            self._page.hit(self.path, self._number, data, not self._search.invert)
            self._shown, self._left = self._number, self._search.after

    def _end_of_long(self, data: bytes) -> bytes:
        """What comes after the line that was searched in pieces; all of `data` when it goes on."""
        close = data.find(b"\n")
        if close < 0:
            return data
        if not self._long_hit and not self._matched(data[:close]) and self._search.invert:
            self._long_line(data[:close])
        self._long = False
        self._number += 1
        self._before = [data[:close]]
        return data[close + 1 :]


def _rarity(byte: int) -> int:
    """How rare a byte is in text and sources, roughly."""
    at = _COMMON.find(byte)
    return at if at >= 0 else len(_COMMON)


def _from(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _last_lines(data: bytes, end: int, count: int) -> list[bytes]:
    """The last `count` lines before `end`, where a line begins; fewer when there are no more."""
    lines: list[bytes] = []
    while end > 0 and len(lines) < count:
        close = end - 1 if data[end - 1] == 10 else end
        start = data.rfind(b"\n", 0, close) + 1
        lines.append(data[start:close])
        end = start
    lines.reverse()
    return lines


def _others(data: bytes, end: int, hits: Iterator[int]) -> Iterator[int]:
    """The starts of the lines of data[:end] that are not among `hits`."""
    at = 0
    wanted = next(hits, end)
    while at < end:
        close = data.find(b"\n", at, end) + 1 or end
        if at == wanted:
            wanted = next(hits, end)
        else:
            yield at
        at = close
