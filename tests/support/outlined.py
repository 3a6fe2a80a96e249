"""The entries of an outline, read out of its text; a scanner on a text."""

from __future__ import annotations

import re

from edge.tools.outlines.pick import language, scanner

_ENTRY = re.compile(r"(\d+): ( *)(.*)")


def entries(text: str) -> list[tuple[int, int, str]]:
    """Line, depth and signature of each entry of an outline as the model gets it."""
    found = [_ENTRY.fullmatch(line) for line in text.split("\n")[1:]]
    return [(int(one[1]), len(one[2]) // 2, one[3]) for one in found if one]


def scanned(name: str, text: str | bytes) -> list[tuple[int, int, str]]:
    """The same from a text under the name of a file, without a file."""
    data = text if isinstance(text, bytes) else text.encode()
    blocks = [data] if data else []
    found = scanner(language(name, data[:4096]))(blocks)
    return sorted([(entry.line, entry.depth, entry.text) for entry in found])


def names(name: str, text: str | bytes) -> list[str]:
    """Only the signatures."""
    return [entry[2] for entry in scanned(name, text)]
