"""Python: classes and functions, nested ones moved in. Made to be fast: a jump from find to find, no look at each line.

Rules:
1. Strings of three quotes are taken out first, their newlines stay. Where one begins is looked at closely only when
   its line holds a comment or another string before it.
2. A definition stands first on its line, but for `async`. Decorators are no part of it.
"""

from __future__ import annotations

from edge.tools.outlines.text import Entry, indent_of, squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEWLINE, _QUOTES = b"\n", (b'"""', b"'''")
# A signature is looked for in so many bytes.
_HEAD = 2000
_BOM = b"\xef\xbb\xbf"
# What stands before the place of a cut, and how the signature begins.
_BEFORE = {b"": b"def ", b"async": b"async def ", b"class": b"class "}
_LATER = [b"async"]
_CLASS = b"class "


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    strings = _Strings()
    open_at: list[int] = []  # how far the definitions that are open here are moved in
    line = 1
    for number, block in enumerate(blocks):
        if not number and block.startswith(_BOM):
            block = block[3:]
        parts = _parts(strings.out_of(block))
        at = 0
        for before, after in zip(parts, parts[1:]):
            at += 1
            start = before.rfind(b"\n") + 1
            if start:
                line += len(before) - len(before.replace(b"\n", b""))  # sooner than `count`, where lines are short
            elif at > 1:
                continue  # on the line of the cut before
            lead = before[start:]
            indent, word = len(lead), b"def "
            if lead and lead != b"    " and (not lead.isspace() or b"\t" in lead):
                word = lead.strip()
                if word not in _BEFORE and word.split() != _LATER:
                    continue
                indent = indent_of(lead.decode("latin-1"))
                word = _BEFORE.get(word, b"async def ")
            while open_at and open_at[-1] >= indent:
                open_at.pop()
            end = after.find(b"\n")
            head = after if end < 0 else after[:end]
            if head[-1:] == b":" and len(head) < _HEAD and head.count(b"(") == head.count(b")"):
                told = (word + head[:-1]).decode("utf-8", "replace")
            else:
                told = _long(word, parts, at)
            yield Entry(line, len(open_at), told)
            open_at.append(indent)
        line += parts[-1].count(_NEWLINE)


def _parts(text: bytes) -> list[bytes]:
    """The text cut behind every `class `, and at every `def `, which is gone."""
    if b"\t" in text:
        text = text.replace(b"def\t", b"def ").replace(b"class\t", b"class ")
    parts: list[bytes] = []
    for part in text.split(b"def "):
        if _CLASS in part:
            *first, part = part.split(_CLASS)
            parts += [one + _CLASS for one in first]
        parts.append(part)
    return parts


def _long(word: bytes, parts: list[bytes], at: int) -> str:
    """A signature over several lines, or one that has more behind its colon."""
    text = parts[at]
    while len(text) < _HEAD and at + 1 < len(parts):
        text += (b"" if parts[at].endswith(_CLASS) else b"def ") + parts[at + 1]
        at += 1
    return squeezed(_to_colon((word + text[:_HEAD]).decode("utf-8", "replace")))


def _to_colon(text: str) -> str:
    """What stands before the first colon outside of brackets and strings, comments left out."""
    kept: list[str] = []
    depth = at = 0
    while at < len(text):
        letter = text[at]
        if letter in "\"'":
            end = _after_string(text, at)
            kept.append(text[at:end])
            at = end
            continue
        if letter == "#":
            at = _line_end(text, at)
            continue
        if letter == "\n" and (not depth or text[at + 1 :].lstrip().startswith(("def ", "class ", "async def "))):
            break
        if letter == ":" and not depth:
            break
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "\\" and text.startswith("\n", at + 1):
            at += 1
            letter = " "
        kept.append(letter)
        at += 1
    return "".join(kept)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _after_string(text: str, at: int) -> int:
    """The offset after the ordinary string that begins at `at`; it ends with its line."""
    quote, at = text[at], at + 1
    while at < len(text) and text[at] not in (quote, "\n"):
        at += 1 + (text[at] == "\\")
    return min(len(text), at + text.startswith(quote, at))


class _Strings:
    """Takes strings of three quotes out of blocks (rule 1); remembers the one that goes on into the next block."""

    __slots__ = ("_inside",)

    def __init__(self) -> None:
        self._inside = b""

    def out_of(self, block: bytes) -> bytes:
        """The block with as many newlines as before and none of these strings."""
        double, single = _QUOTES
        if single not in block and self._inside != single:
            if double not in block and not self._inside:
                return block
            if b"\\" not in block or b'\\"' not in block:
                quick = self._split(block, double)
                if quick is not None:
                    return quick
        return self._closely(block, block.find(single))

    def _split(self, block: bytes, mark: bytes) -> bytes | None:
        """What `_closely` gives, where nothing but these strings has to be looked at; else None."""
        parts = block.split(mark)
        inside = bool(self._inside)
        for part in parts[inside : len(parts) - 1 : 2]:
            lead = part[part.rfind(_NEWLINE) + 1 :]
            if lead and not lead.isspace() and (b"#" in lead or b'"' in lead or b"'" in lead):
                return None
        for at in range(not inside, len(parts), 2):
            parts[at] = _NEWLINE * parts[at].count(_NEWLINE)
        self._inside = mark if inside == len(parts) % 2 else b""
        return b"".join(parts)

    def _closely(self, block: bytes, next_single: int) -> bytes:
        double, single = _QUOTES
        kept: list[bytes] = []
        at = 0
        while True:
            if self._inside:
                end = self._end(block, at)
                kept.append(_NEWLINE * block.count(_NEWLINE, at, end))
                if end >= len(block) and self._inside:
                    return b"".join(kept)
                at = end
            begin = block.find(double, at)
            if 0 <= next_single < at:
                next_single = block.find(single, at)
            if next_single >= 0 and (begin < 0 or next_single < begin):
                begin = next_single
            if begin < 0:
                kept.append(block[at:])
                return b"".join(kept)
            at = self._begin(block, at, begin, kept)

    def _begin(self, block: bytes, at: int, begin: int, kept: list[bytes]) -> int:
        """A string may begin at `begin`; where to go on. What comes before is kept."""
        start = max(at, block.rfind(_NEWLINE, at, begin) + 1)
        lead = block[start:begin]
        if b"#" in lead or b'"' in lead or b"'" in lead:
            end = block.find(_NEWLINE, begin)
            end = len(block) if end < 0 else end
            begin = _first_triple(block, start, end)
            if begin < 0:
                kept.append(block[at:end])
                return end
        kept.append(block[at:begin])
        self._inside = block[begin : begin + 3]
        return begin + 3

    def _end(self, block: bytes, at: int) -> int:
        """The offset after the string we are in; the end of the block when it goes on."""
        end = block.find(self._inside, at)
        while end > at and block[end - 1] == 92:  # a backslash: one that is not escaped itself keeps the quote
            slashes = end - at - len(block[at:end].rstrip(b"\\"))
            if slashes % 2 == 0:
                break
            end = block.find(self._inside, end + 1)
        if end < 0:
            return len(block)
        self._inside = b""
        return end + 3


def _first_triple(block: bytes, start: int, end: int) -> int:
    """Where on a line the first string of three quotes begins; -1 when what looks so is in a comment or a string."""
    at = start
    while at < end:
        letter = block[at]
        if letter == 35:  # a comment
            return -1
        if letter in (34, 39):
            if block.startswith(_QUOTES, at):
                return at
            quote, at = letter, at + 1
            while at < end and block[at] != quote:
                at += 1 + (block[at] == 92)
        at += 1
    return -1
