"""Zig, exactly: functions, types by `const X = struct`, error sets, tests, comptime blocks; nested ones too."""

from __future__ import annotations

from edge.tools.outlines.code import ZIG
from edge.tools.outlines.text import Entry, numbered, word_at
from edge.tools.outlines.walk import BODY, FILE, SHAPE, TYPE, VALUE, Dialect, Found, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edge.tools.outlines.walk import Frame, Head

_BEFORE_FN = frozenset(("pub", "export", "extern", "inline", "noinline"))
_SHAPES = ("struct", "enum", "union", "opaque")


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    return Walk(_Zig()).entries(blocks, numbered)


class _Zig(Dialect):
    syntax = ZIG
    commas = (FILE, TYPE, SHAPE, BODY, VALUE)

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        text = head.clean.rstrip()
        start = len(text) - len(text.lstrip())
        words = text.split()
        if not words:
            return Found(BODY)
        if end == "{" and words[0] == "test":
            return Found(BODY, head.shown(start), start)
        if end == "{" and words == ["comptime"] and frame.kind in (FILE, TYPE):
            return Found(BODY, "comptime", start)
        leading = 0
        while leading < len(words) and (words[leading] in _BEFORE_FN or words[leading].startswith('"')):
            leading += 1
        if leading < len(words) and words[leading] == "fn":
            return _function(head, start, text, end)
        if end == "{":
            return _named(head, start, text) or Found(TYPE if _is_shape(text) else BODY)
        return Found(VALUE)


def _function(head: Head, start: int, text: str, end: str) -> Found:
    at = text.index("fn", start)
    while not text.startswith("fn", at) or word_at(text, at) != "fn":
        at = text.index("fn", at + 1)
    named = text[at + 2 :].lstrip()
    if not named or named[0] == "(":
        return Found(BODY)
    return Found(BODY, head.shown(start) + ";" * (end == ";"), at + 2 + len(text[at + 2 :]) - len(named))


def _is_shape(text: str) -> bool:
    """Does the text end with what opens a type: `struct`, `packed struct(u8)`, `union(enum)`?"""
    text = text.rstrip()
    if text.endswith(")"):
        depth = 0
        for at in range(len(text) - 1, -1, -1):
            depth += (text[at] == ")") - (text[at] == "(")
            if not depth:
                text = text[:at].rstrip()
                break
    return text.endswith(_SHAPES) and text.split()[-1].strip("(=,") in _SHAPES


def _named(head: Head, start: int, text: str) -> Found | None:
    """`const NAME = struct {`; None for any other head."""
    left, equal, right = text.partition("=")
    words = left.split()
    if not equal or "const" not in words[:2] or words[0] not in ("const", "pub"):
        return None
    value = right.split()
    while value and value[0] in ("packed", "extern"):
        value = value[1:]
    if not value:
        return None
    sort = word_at(value[0])
    if sort in _SHAPES and _is_shape(text):
        return Found(TYPE, head.shown(start), start + text[start:].index("const"))
    if value == ["error"] or value[-2:] == ["||", "error"]:
        return Found(SHAPE, head.shown(start), start + text[start:].index("const"))
    return None
