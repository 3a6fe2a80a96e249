"""What was found, as text of bounded size: lines with their numbers, names of files, counts. Pure.

Rules:
1. A hit is `number:text`, a line of context `number-text`; blocks that do not touch are parted by `--` when there is
   context. In a tree the lines of a file stand below a line with its path.
2. At most `most` hits and ROOM bytes are shown. Everything else is counted, and the last line says how much that is.
   A hit comes before its context: of that, the nearest lines are shown that leave room for it.
3. A line longer than WIDE bytes is cut around what matched in it, and that is said.
"""

from __future__ import annotations

from edge.text import letters
from edge.tools.search_said import shown_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.regex.regex import Regex

ROOM = 7600  # bytes: about 8 KB with what is said of them
WIDE = 500
_SAID = 60  # bytes of a number and of what is said of a cut line
_MOST_OF_A_LINE = 3 * WIDE + _SAID  # a byte that is no UTF-8 is shown as three
_TOLD = 65536  # beyond that the length of a line is not known for sure
_AHEAD = 120  # bytes of a cut line that are shown before the match


class Page:
    """Collects what is shown. `kind`: content, files or count. `single`: one file was asked for by its name.

    `less`: there was no room for some of the context.
    """

    def __init__(self, kind: str, most: int, single: bool, regex: Regex) -> None:
        self.kind = kind
        self.single = single
        self.full = self.less = False
        self.hits = self.files = self.shown = self.shown_files = 0
        self.lines: list[str] = []
        self.found: list[list[Any]] = []
        self._regex = regex
        self._most = most
        self._room = ROOM
        self._path = ""

    @property
    def counts(self) -> bool:
        """True when lines are only counted: their numbers are not wanted, or no longer."""
        return self.full or self.kind != "content"

    def apart(self) -> None:
        """What comes does not touch what came."""
        self._put("--")

    def context(self, path: str, number: int, line: bytes) -> None:
        if self._headed(path):
            self.less |= not self._put(f"{number}-{_head(line)}{_cut(line)}")

    def nearest(self, before: list[bytes], line: bytes) -> list[bytes]:
        """The last of the lines before a hit for which there is room, with the hit itself."""
        if (len(before) + 1) * _MOST_OF_A_LINE < self._room:
            return before
        room = self._room - _size(line)
        for at in range(len(before) - 1, -1, -1):
            room -= _size(before[at])
            if room < 0:
                self.less = True
                return before[at + 1 :]
        return before

    def hit(self, path: str, number: int, line: bytes, matching: bool) -> None:
        """A line that is wanted. `matching`: it holds a match, where a long one is cut."""
        if self.shown >= self._most:
            self.full = True
        if not self.full and self._headed(path):
            text = self._around(line, matching)
            if self._put(f"{number}:{text}"):
                self.shown += 1
                self.found.append([path, number, text])

    def ended(self, path: str, hits: int) -> None:
        """A file is done that had so many hits."""
        if not hits:
            return
        self.hits += hits
        self.files += 1
        if self.kind == "content":
            self.shown_files += self._path == path
            return
        name = shown_as(path)
        text = name if self.kind == "files" else str(hits) if self.single else f"{name}:{hits}"
        self.full = self.full or self.shown >= self._most
        if not self.full and self._put(text):
            self.shown += 1
            self.shown_files += 1
            self.found.append([path, hits])

    def _headed(self, path: str) -> bool:
        """The line with the path of a file before the first line of it."""
        if path != self._path:
            self._path = path
            if not self.single:
                return self._put(shown_as(path))
        return not self.full

    def _put(self, text: str) -> bool:
        self._room -= len(text.encode("utf-8", "replace")) + 1
        if self._room < 0 and self.lines:
            self.full = True
        if not self.full:
            self.lines.append(text)
        return not self.full

    def _around(self, line: bytes, matching: bool) -> str:
        if len(line) <= WIDE:
            return _decoded(line)
        span = self._regex.find(line) if matching else None
        start = max(0, min((span[0] if span else 0) - _AHEAD, len(line) - WIDE))
        while start and line[start] & 0xC0 == 0x80 and start < len(line) - 1:  # no character of UTF-8 is cut
            start += 1
        return "..." * bool(start) + _decoded(line[start : letters(line, min(start + WIDE, len(line)))]) + _cut(line)


def _head(line: bytes) -> str:
    return _decoded(line if len(line) <= WIDE else line[: letters(line, WIDE)])


def _size(line: bytes) -> int:
    """The room that a line takes at most."""
    return len(_decoded(line[:WIDE]).encode("utf-8")) + _SAID


def _decoded(line: bytes) -> str:
    return (line[:-1] if line.endswith(b"\r") else line).decode("utf-8", "replace")


def _cut(line: bytes) -> str:
    if len(line) <= WIDE:
        return ""
    return f"... [line cut, {f'{len(line):,} bytes' if len(line) < _TOLD else 'more than 64 KiB'}]"
