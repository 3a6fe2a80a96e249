"""The flat scan: destruction looked for in a text that cannot be read as a whole. Pure, linear.

Rules:
1. It cuts at every sign that may end a command, forgets quotation marks and backslashes, and judges each piece.
2. It only adds what is destructive; that the text was not understood is said by the caller.
"""

from __future__ import annotations

from edge.gate.shell.marks import names
from edge.gate.shell.ruin import RUINS
from edge.gate.shell.ruin_board import DISKS
from edge.gate.shell.shells import SHELLS
from edge.gate.shell.wrappers import WRAPPERS
from edge.gate.shell.writers import WRITERS

_SKIP = names("if then else elif do while until ! { case in for function time")
_NAMES = frozenset((*RUINS, *DISKS, *WRAPPERS, *WRITERS, *SHELLS, "find", "eval", "trap"))
MOST = 4000


def pieces(text: str) -> list[tuple[str, ...]]:
    """The words of each piece whose first word is worth a look."""
    table = dict.fromkeys(map(ord, ";|&\n(){}`\r$"), "\n")
    table.update(dict.fromkeys(map(ord, "\\'\""), ""))
    table.update({ord(">"): " > ", ord("<"): " < "})
    found: dict[tuple[str, ...], None] = {}
    for piece in text.translate(table).split("\n"):
        words = piece.split()
        while words and (words[0] in _SKIP or ("=" in words[0] and not words[0].startswith("="))):
            words.pop(0)
        if not words:
            continue
        name = words[0].rpartition("/")[2]
        if (name in _NAMES or name.startswith("mkfs.") or ">" in words) and len(found) < MOST:
            found[(name, *words[1:200])] = None
    return list(found)
