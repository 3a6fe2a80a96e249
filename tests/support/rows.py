"""Rows of the case files in tests/cases: columns by tabs, `#` lines are comments, the first other line names them."""

from __future__ import annotations

import codecs
from pathlib import Path

CASES = Path(__file__).resolve().parents[1] / "cases"


def rows(name: str, escaped: int = 1) -> list[tuple[str, ...]]:
    """All rows of a file; the column `escaped` is written with escapes (\\n \\t \\r \\xHH \\uHHHH)."""
    lines = (CASES / name).read_text(encoding="utf-8").split("\n")
    cells = [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")][1:]
    return [(*row[:escaped], _plain(row[escaped]), *row[escaped + 1 :]) for row in cells]


def _plain(text: str) -> str:
    """The escapes of a cell resolved, all other characters as they are."""
    return codecs.decode(text.encode("latin-1", "backslashreplace"), "unicode_escape")
