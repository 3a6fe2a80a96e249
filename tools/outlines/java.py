"""Java: types, methods, constructors; those of nested and anonymous classes too."""

from __future__ import annotations

from edge.tools.outlines.code import JAVA
from edge.tools.outlines.text import Entry, balanced, numbered, word_at, words
from edge.tools.outlines.walk import BODY, FILE, TYPE, VALUE, Dialect, Found, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edge.tools.outlines.walk import Frame, Head

_TYPES = ("class", "interface", "enum", "record", "@interface")
_MODIFIERS = words(
    "public protected private static final abstract sealed non-sealed strictfp synchronized native default transient "
    "volatile"
)
_CONTROL = words("if for while switch catch try do else return throw synchronized new assert yield")


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    return Walk(_Java()).entries(blocks, numbered)


class _Java(Dialect):
    syntax = JAVA

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        start = _past_annotations(head.clean)
        text = head.clean[start:].rstrip()
        words = text.split()
        if not words:
            return Found(BODY)
        left = [word for word in words[:8] if word not in _MODIFIERS]
        sort = left[0].partition("(")[0] if left else ""
        if end == "{" and sort in _TYPES and len(left) > 1 and "(" not in left[0]:
            at = start + text.index(sort) + len(sort)
            name = word_at(head.clean[at:].lstrip())
            if name:
                return Found(TYPE, head.shown(start), at + 1, name)
        if end == "{" and _anonymous(text):
            return Found(TYPE)
        if frame.kind not in (FILE, TYPE):
            return Found(VALUE if text.endswith(("=", "]")) else BODY)
        return _method(head, start, text, end, frame)


def _past_annotations(clean: str) -> int:
    """Where a head begins after `@Name` and `@Name(...)`."""
    at = 0
    while True:
        at += len(clean[at:]) - len(clean[at:].lstrip())
        if not clean.startswith("@", at) or clean.startswith("@interface", at):
            return at
        at += 1 + len(word_at(clean, at + 1, "_."))
        opened = at + len(clean[at:]) - len(clean[at:].lstrip())
        if clean.startswith("(", opened):
            at = balanced(clean, opened, "(", ")")


def _anonymous(text: str) -> bool:
    """Does the text end with `new Name(...)`?"""
    if not text.endswith(")"):
        return False
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            words = text[:at].split("<")[0].split()
            return len(words) > 1 and words[-2].endswith("new")
    return False


def _method(head: Head, start: int, text: str, end: str, frame: Frame) -> Found:
    opened = text.find("(")
    if text[0] == ",":
        return Found(TYPE if end == "{" else BODY)
    if opened < 0:
        compact = text.split()[-1] == frame.name and end == "{" and "=" not in text
        return Found(BODY, head.shown(start), start) if compact else Found(VALUE if "=" in text else BODY)
    before = text[:opened].rstrip()
    if "=" in before or not before:
        return Found(VALUE if end == "{" else BODY)
    name = before.split()[-1].rpartition(">")[2]
    typed = [word for word in before[: -len(name) or None].split() if word not in _MODIFIERS]
    if not name.replace("$", "_").isidentifier() or name in _CONTROL or (typed and typed[0] in _CONTROL):
        return Found(BODY)
    if not typed and name != frame.name:
        return Found(TYPE if frame.name and end == "{" and name.isupper() else BODY, name="")
    return Found(BODY, head.shown(start) + ";" * (end == ";"), start + opened - 1)
