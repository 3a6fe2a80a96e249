"""Makefile targets and `define`s; stages of a Dockerfile."""

from __future__ import annotations

from edge.tools.outlines.text import Entry, numbered, squeezed, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DIRECTIVES = words(
    "include -include sinclude export unexport override private undefine vpath ifeq ifneq ifdef ifndef else endif load "
    "endef"
)


def makefile(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """Rules but for special targets (`.PHONY`), with what they depend on."""
    goes_on = inside = False
    for number, raw in numbered(blocks):
        text = raw.strip()
        before, goes_on = goes_on, text.endswith("\\")
        words = text.split(None, 2)
        if inside:
            inside = words[:1] != ["endef"]
            continue
        if before or not text or raw[0] == "\t" or text[0] == "#":
            continue
        if words[0] == "define" or words[:2] == ["override", "define"]:
            inside = True
            yield Entry(number, 0, squeezed(text))
        elif words[0] not in _DIRECTIVES:
            head = _rule(text.rstrip("\\"))
            if head:
                yield Entry(number, 0, squeezed(head))


def _rule(text: str) -> str:
    """The targets and what they depend on; nothing for a variable, also for one of a target."""
    colon = equal = end = -1
    depth = 0
    for at, mark in enumerate(text):
        if mark in "({" and text[at - 1 : at] == "$":
            depth += 1
        elif mark in ")}" and depth:
            depth -= 1
        elif depth:
            continue
        elif mark == ":" and colon < 0:
            colon = at
        elif mark == "=":
            equal = at
            break
        elif mark == ";" or (mark == "#" and text[at - 1 : at] != "\\"):
            end = at
            break
    targets = text[:colon].strip().rstrip("&").strip() or text[:colon].strip()
    special = targets[:1] == "." and targets[1:].replace("_", "").isupper()
    if colon < 0 or equal >= 0 or not targets or special:
        return ""
    return text[: end if end >= 0 else len(text)].rstrip()


def dockerfile(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """`FROM image AS name`: one line for each stage."""
    for number, raw in numbered(blocks):
        text = raw.strip()
        if text[:5].lower() in ("from ", "from\t"):
            yield Entry(number, 0, squeezed(text))
