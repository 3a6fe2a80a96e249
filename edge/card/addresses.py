"""The addresses of this board in its networks, for status.txt."""

from __future__ import annotations

from edge.card import programs


def addresses() -> list[str]:
    """`port: address` of what other hosts may know, as ip(8) tells it; none where that does not run."""
    code, lines = programs.run(["ip", "-o", "addr", "show", "scope", "global"], 10)
    if code:
        return []
    rows = [line.split() for line in lines]
    return [f"{row[1]}: {row[3]}" for row in rows if len(row) > 3] or ["none yet"]
