"""Device tree: nodes with their labels, the nodes that an overlay refers to."""

from __future__ import annotations

from edge.tools.outlines.code import TREE
from edge.tools.outlines.text import Entry, numbered
from edge.tools.outlines.walk import BODY, TYPE, Dialect, Found, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edge.tools.outlines.walk import Frame, Head

_DIRECTIVES = ("#include", "#define", "#undef", "#if", "#el", "#endif")


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    return Walk(_Tree()).entries(_referred(blocks), numbered)


def _referred(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """`&{/path}` has braces that open nothing: they are written as other marks on the way."""
    for block in blocks:
        at = block.find(b"&{")
        while at >= 0:
            end = block.find(b"}", at, at + 512)
            if end < 0:
                break
            block = block[: at + 1] + b"\x01" + block[at + 2 : end] + b"\x02" + block[end + 1 :]
            at = block.find(b"&{", end)
        yield block


class _Tree(Dialect):
    syntax = TREE

    def line(self, number: int, clean: str, raw: str, walk: Walk) -> bool:
        return clean.lstrip().startswith(_DIRECTIVES)

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        if end != "{":
            return Found(BODY)
        text = head.clean.rstrip()
        at = max([start for start, _, _ in head.places if text[start:].strip()], default=0)
        shown = head.shown(at).replace("\x01", "{").replace("\x02", "}")
        if shown.startswith("/omit-if-no-ref/"):
            shown = shown[16:].strip()
        return Found(TYPE, shown, at)
