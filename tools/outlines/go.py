"""Go: functions, methods and types; types in a group and in a function too."""

from __future__ import annotations

from edge.tools.outlines.code import GO, Masker
from edge.tools.outlines.text import Entry, numbered, squeezed, word_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHAPES = ("struct", "interface")


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    mask = Masker(GO).mask
    depth = 0  # open braces
    group = -1  # the depth at which `type (` was opened
    for number, raw in numbered(blocks):
        clean = mask(raw)
        text = clean.strip()
        if not text:
            continue
        if clean[0] not in " \t" and text.startswith(("func ", "type ")):
            depth, group = 0, -1  # gofmt: a definition of the file stands at its margin, whatever was left open
        if group == depth and text[0] == ")":
            group = -1
        elif group == depth and word_at(text):
            yield Entry(number, min(depth, 8), "type " + _head(clean, raw))
        elif text.startswith("type "):
            if text[5:].strip() == "(":
                group = depth
            elif word_at(text[5:].strip()):
                yield Entry(number, min(depth, 8), _head(clean, raw))
        elif text.startswith("func ") and not depth:
            yield Entry(number, 0, _head(clean, raw))
        depth = max(0, depth + clean.count("{") - clean.count("}"))


def _head(clean: str, raw: str) -> str:
    """A line up to the brace that opens a body; the braces of `struct{}` and `interface{}` are no body."""
    at = clean.find("{")
    while at >= 0 and clean[:at].rstrip().endswith(_SHAPES) and clean[at + 1 :].lstrip().startswith("}"):
        at = clean.find("{", clean.index("}", at))
    end = len(clean.rstrip()) if at < 0 else at
    return squeezed(raw[:end])
