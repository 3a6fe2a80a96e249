"""Markdown headings, exactly (CommonMark 0.31, sections 4.2 to 4.7): `#` and underlined ones.

Rules:
1. Nothing in a fence is a heading: ``` or ~~~, of three or more, closed by as many of the same, moved in by less than
   four; an unclosed one goes to the end. Nothing moved in by four is one, nor front matter, nor an HTML comment.
2. Lines of one paragraph above an underline are one heading, told by the first of them.
"""

from __future__ import annotations

from edge.tools.outlines.text import Entry, indent_of, numbered, squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PARAGRAPH = 20


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    reader = _Reader()
    for number, line in numbered(blocks):
        found = reader.line(number, line)
        if found is not None:
            yield found


class _Reader:
    """Where we are: in a fence, a comment, front matter, a paragraph."""

    def __init__(self) -> None:
        self._fence = ""
        self._comment = False
        self._matter = ""
        self._paragraph: list[str] = []
        self._begins = 0

    def line(self, number: int, line: str) -> Entry | None:
        text = line.strip()
        if self._skipped(number, line, text):
            return None
        indent = indent_of(line)
        if not text or (indent >= 4 and not self._paragraph):
            self._paragraph = []
            return None
        if indent >= 4:
            self._paragraph.append(text)  # a lazy line of the paragraph, never a heading
            return None
        level = len(text) - len(text.lstrip("#"))
        if 0 < level < 7 and text[level : level + 1] in ("", " ", "\t"):
            self._paragraph = []
            return _entry(number, level, _unclosed(text[level:].strip()))
        if self._paragraph and text.strip(text[0]) == "" and text[0] in "=-":
            told = " ".join(self._paragraph)
            self._paragraph = []
            return _entry(self._begins, 1 if text[0] == "=" else 2, told)
        self._text(number, text)
        return None

    def _text(self, number: int, text: str) -> None:
        """A line of a paragraph, or of something that is none: a rule, a quotation, a list, a table."""
        bare = "".join(text.split())
        rule = len(bare) > 2 and bare[0] in "*-_" and not bare.strip(bare[0])
        listed = text[0] in "-+*" and text[1:2] in ("", " ", "\t")
        digits = len(text) - len(text.lstrip("0123456789"))
        listed = listed or (
            0 < digits < 10 and text[digits : digits + 1] in (".", ")") and text[digits + 1 : digits + 2] == " "
        )
        if rule or listed or text[0] in ">|":
            self._paragraph = []
            return
        if not self._paragraph:
            self._begins = number
        if len(self._paragraph) < _PARAGRAPH:
            self._paragraph.append(text)

    def _skipped(self, number: int, line: str, text: str) -> bool:
        """Is the line inside of something that holds no heading?"""
        if self._matter:
            if text in (self._matter, "...") and line[:1] == text[:1]:
                self._matter = ""
            return True
        if number == 1 and line.rstrip() in ("---", "+++"):
            self._matter = line.rstrip()
            return True
        if self._fence:
            mark = self._fence
            if text.startswith(mark) and not text.strip(mark[0]) and indent_of(line) < 4:
                self._fence = ""
            return True
        if self._comment:
            self._comment = "-->" not in line
            return True
        return self._opens(line, text)

    def _opens(self, line: str, text: str) -> bool:
        indent = indent_of(line)
        for mark in ("`", "~"):
            wide = len(text) - len(text.lstrip(mark))
            if wide > 2 and indent < 4 and not (mark == "`" and "`" in text[wide:]):
                self._fence = mark * wide
                self._paragraph = []
                return True
        if indent < 4 and "<!--" in text and "-->" not in text[text.rindex("<!--") :]:
            self._comment = True
            self._paragraph = []
            return True
        return text.startswith("<!--") and indent < 4


def _unclosed(text: str) -> str:
    """A heading without the `#` that may close it."""
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else text


def _entry(number: int, level: int, text: str) -> Entry:
    return Entry(number, level - 1, f"{'#' * level} {squeezed(text)}".rstrip())
