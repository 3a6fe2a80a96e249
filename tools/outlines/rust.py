"""Rust: what a keyword leads, in modules, traits, impl blocks and inside functions."""

from __future__ import annotations

from edge.tools.outlines.code import RUST
from edge.tools.outlines.text import Entry, balanced, numbered, word_at
from edge.tools.outlines.walk import BODY, SHAPE, TYPE, VALUE, Dialect, Found, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edge.tools.outlines.walk import Frame, Head

_BEFORE = frozenset(("unsafe", "async", "const", "default", "safe", "auto", "extern", '"_"', '""', "gen"))
# keyword -> what its brace opens
_KINDS = {"fn": BODY, "struct": SHAPE, "enum": SHAPE, "union": SHAPE, "trait": TYPE, "impl": TYPE, "mod": TYPE}


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    return Walk(_Rust()).entries(blocks, numbered)


class _Rust(Dialect):
    syntax = RUST

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        if frame.kind in (SHAPE, VALUE):
            return Found(VALUE)
        start = _past_attributes(head.clean)
        at = _past_visibility(head.clean, start)
        seen = ""
        while True:
            word = _token(head.clean, at)
            if word not in _BEFORE and not word.startswith('"'):
                break
            seen = word if word in ("const", "extern") else seen
            at += len(word)
            at += len(head.clean[at:]) - len(head.clean[at:].lstrip())
        if not word and seen == "extern" and end == "{":
            return Found(TYPE, head.shown(start), start)
        if word == "macro_rules":
            return Found(VALUE, head.shown(start), at)
        after = head.clean[at + len(word) :].strip()
        if word == "type" and end == ";" and after:
            return Found(VALUE, head.shown(start) + ";", at)
        if word not in _KINDS or (word != "impl" and not word_at(after)):
            return Found(BODY)
        if word == "union" and not after[0].isalpha():
            return Found(BODY)
        return Found(_KINDS[word], head.shown(start) + ";" * (end == ";"), at)


def _token(text: str, at: int) -> str:
    """The word or the string at an offset."""
    if text.startswith('"', at):
        return text[at : text.find('"', at + 1) + 1]
    return word_at(text, at)


def _past_attributes(clean: str) -> int:
    """Where a head begins after `#[...]`."""
    at = 0
    while True:
        at += len(clean[at:]) - len(clean[at:].lstrip())
        if not clean.startswith(("#[", "#!["), at):
            return at
        at = balanced(clean, clean.index("[", at), "[", "]")


def _past_visibility(clean: str, at: int) -> int:
    if word_at(clean, at) != "pub":
        return at
    at += 3
    if clean[at:].lstrip().startswith("("):
        at = clean.find(")", at) + 1 or len(clean)
    return at + len(clean[at:]) - len(clean[at:].lstrip())
