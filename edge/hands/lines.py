"""Lines out of an open file, and names out of an open folder: bounded in bytes, in memory and in time.

Rules:
1. The size that a file claims is never believed: /proc and /sys claim 0 or a page. Reading goes on to the end.
2. Memory is constant: lines are cut from blocks, a longer line than _LONGEST_LINE is cut, not within a character, and
   marked.
3. Lines before a window are counted, not cut; lines before the end are looked for from the end backwards.
4. A hole is not read: what a sparse file has not written is passed over.
5. A bound that bites is said in the text.
"""

from __future__ import annotations

import os

from edge.gate.paths import is_odd
from edge.text import letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_BLOCK = 65536
_ENTRIES = 500
_LONGEST_LINE = 4096
_SCAN = 256 << 20
# Of a huge folder no more names than these are even looked at.
_LOOKED_AT = 20000
# What is kept of a file that tells no true size (rule 1), when its last lines are asked for.
_TAIL = 4 << 20


def entries(descriptor: int) -> list[str]:
    """Names in a folder, sorted, folders with a slash; at most _ENTRIES, and the cut is said."""
    names: list[str] = []
    more = False
    with os.scandir(descriptor) as found:
        for entry in found:
            if len(names) == _LOOKED_AT:
                more = True
                break
            names.append(entry.name + "/" * entry.is_dir(follow_symlinks=False))
    plain = [ascii(name)[1:-1] if is_odd(name) else name for name in sorted(names)]
    if len(plain) > _ENTRIES:
        left = f"{'more than ' * more}{len(plain) - _ENTRIES}"
        return [*plain[:_ENTRIES], f"[{left} more names left out]"]
    return plain


def window(descriptor: int, first: int, count: int, limit: int, late: Callable[[], str]) -> dict[str, Any]:
    """`count` lines from line `first`, at most `limit` bytes, at least one line: `text raw first lines more total`.

    first: from 1, or from the end when negative: -1 is the last line. The `first` of the result is negative when it is
    not known which line from the beginning it is. raw: the bytes of `text`, without the ends of lines. total: the lines
    of the file, None when its end was not seen. `crlf`: lines ended so; `long`: some were cut. OSError as it comes.
    late: asked between two blocks; a reason to stop, in words, or "".
    """
    if first > 0:
        return _forward(_blocks(descriptor, late), first, count, limit)
    size = os.fstat(descriptor).st_size
    if not size or not os.pread(descriptor, 1, size - 1):
        return _tail(descriptor, -first, count, limit, late)
    start, seen, why = _back(descriptor, size, -first, late)
    if why:
        return _Kept(0, 0).told(first, None, why)
    os.lseek(descriptor, start, os.SEEK_SET)
    lines = min(count, seen)
    found = _forward(_blocks(descriptor, late), 1, lines, limit)
    return {**found, **_place(first, start == 0, seen, found)}


def _place(first: int, whole: bool, seen: int, found: dict[str, Any]) -> dict[str, Any]:
    """Where a window from the end is: in lines from 1 when all of the file was looked at, else from the end."""
    more = found["lines"] < seen
    return {"first": 1, "more": more, "total": seen} if whole else {"first": first, "more": more, "total": None}


def _back(descriptor: int, size: int, wanted: int, late: Callable[[], str]) -> tuple[int, int, str]:
    """Where the `wanted`th line from the end begins, how many lines follow, or why that was not found out."""
    end = size
    missing = wanted + (os.pread(descriptor, 1, size - 1) == b"\n")
    while end:
        why = late() or (f"after {_SCAN >> 20} MiB" if size - end >= _SCAN else "")
        if why:
            return 0, 0, why
        begin = max(0, end - _BLOCK)
        block = os.pread(descriptor, end - begin, begin)
        there = block.count(b"\n")
        if there >= missing:
            at = len(block)
            for _ in range(missing):
                at = block.rfind(b"\n", 0, at)
            return begin + at + 1, wanted, ""
        missing -= there
        end = begin
    return 0, wanted - missing + 1, ""


def _tail(descriptor: int, wanted: int, count: int, limit: int, late: Callable[[], str]) -> dict[str, Any]:
    """The last lines of what has to be read through to know its end."""
    kept = b""
    total, cut = 0, False
    why = ""
    for block in _blocks(descriptor, late):
        if isinstance(block, str):
            why = block
            break
        total += block.count(b"\n")
        kept += block
        if len(kept) > 2 * _TAIL:
            kept, cut = kept[-_TAIL:], True
    total += bool(kept) and not kept.endswith(b"\n")
    lines = kept.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if cut and wanted >= len(lines):
        lines = lines[1:]  # its beginning is gone
    begin = max(0, len(lines) - wanted)
    found = _forward(iter([b"\n".join(lines[begin:]) + b"\n"] if lines else []), 1, count, limit)
    first = total - (len(lines) - begin) + 1
    found.update(first=max(1, first), total=None if why else total, more=found["lines"] < len(lines) - begin)
    return {**found, "text": found["text"] + f"\n[reading stopped {why}]"} if why else found


def _forward(blocks: Iterator[bytes | str], first: int, count: int, limit: int) -> dict[str, Any]:
    kept = _Kept(count, limit)
    skip = first - 1
    ended = True  # the last byte that was passed over ended a line
    for block in blocks:
        if isinstance(block, str):
            return kept.told(first, None, block)
        if skip:
            there = block.count(b"\n")
            if there < skip:
                skip -= there
                ended = block.endswith(b"\n")
                continue
            block = block[_after(block, skip) :]
            skip = 0
        if not kept.take(block):
            return kept.told(first, None)
    kept.end()
    if skip:
        return kept.told(first, first - 1 - skip + (not ended))
    return kept.told(first, first - 1 + len(kept.lines) if not kept.more else None)


def _after(block: bytes, count: int) -> int:
    """The offset after the `count`th newline of a block that has so many."""
    low = at = 0
    while count > 64:  # halve: counting is much cheaper than finding one by one
        middle = len(block) - (len(block) - low) // 2
        there = block.count(b"\n", low, middle)
        if there >= count or middle <= low:
            break
        count -= there
        low = middle
    at = low - 1
    for _ in range(count):
        at = block.find(b"\n", at + 1)
    return at + 1


class _Kept:
    """The lines of a window as they come, their bytes and the room for them."""

    __slots__ = ("_count", "_cut", "_limit", "_rest", "_size", "crlf", "lines", "long", "more")

    def __init__(self, count: int, limit: int) -> None:
        self.lines: list[bytes] = []
        self.more = False
        self.crlf = self.long = False
        self._count = count
        self._limit = limit
        self._size = 0
        self._rest = b""
        self._cut = False

    def take(self, block: bytes) -> bool:
        """The next block; False when nothing more is wanted."""
        if block and len(self.lines) >= self._count:
            self.more = True
            return False
        whole = (self._rest + block).split(b"\n")
        self._rest = whole.pop()
        for line in whole:
            if not self._line(line):
                return False
        if len(self._rest) > _LONGEST_LINE:
            self._rest, self._cut = self._rest[: _LONGEST_LINE + 1], True
        return True

    def end(self) -> None:
        """There are no more blocks: what is left is the last line."""
        if self._rest and not self.more:
            self._line(self._rest)

    def _line(self, line: bytes) -> bool:
        if len(self.lines) >= self._count:
            self.more = True
            return False
        if self._cut or len(line) > _LONGEST_LINE:
            line = line[: letters(line, _LONGEST_LINE)] + b" [line cut]"
            self._cut, self.long = False, True
        elif line.endswith(b"\r"):
            line = line[:-1]
            self.crlf = True
        self._size += len(line) + 1
        if self._size > self._limit and self.lines:
            self.more = True
            return False
        self.lines.append(line)
        return True

    def told(self, first: int, total: int | None, why: str = "") -> dict[str, Any]:
        """The result of `window`; why: the reason for which reading stopped."""
        if why:
            self.end()
        lines = self.lines + [b"[reading stopped " + why.encode() + b"]"] * bool(why)
        raw = b"\n".join(lines)
        text = raw.decode("utf-8", "replace")
        said = {"text": text, "raw": raw, "first": first, "lines": len(self.lines), "more": self.more}
        return {**said, "total": total, "crlf": self.crlf, "long": self.long}


def _blocks(descriptor: int, late: Callable[[], str]) -> Iterator[bytes | str]:
    """The blocks of a file; in the end perhaps why there are no more of them, as text."""
    scanned = 0
    while True:
        reason = late()
        if reason:
            yield reason
            return
        block = os.read(descriptor, _BLOCK)
        if not block:
            return
        if scanned >= _SCAN:
            yield f"after {_SCAN >> 20} MiB"
            return
        scanned += len(block)
        yield block
        if not block[0] and not block.strip(b"\0") and not _pass_hole(descriptor):
            yield "where the file holds nothing more but a hole"
            return


def _pass_hole(descriptor: int) -> bool:
    """Go to the next byte that was ever written; False when there is none. True where holes are not known."""
    try:
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return True
    try:
        os.lseek(descriptor, here, os.SEEK_DATA)
    except OSError as error:
        from errno import ENXIO

        if error.errno != ENXIO:
            return True
        return os.fstat(descriptor).st_size <= here  # at the end anyway: the next read says so
    return True
