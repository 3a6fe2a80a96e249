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

_SKIP = names("if then else elif do while until ! { case in for function time coproc shell spawn")
_FETCHERS = names("curl wget fetch aria2c")
_BEFORE = names("sudo doas env command exec nohup")
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
        words[0] = words[0].lstrip("!")
        name = words[0].rpartition("/")[2]
        if (name in _NAMES or name.startswith("mkfs.") or ">" in words) and len(found) < MOST:
            found[(name, *words[1:200])] = None
    return list(found)


def fetched(text: str) -> bool:
    """True when what one program downloads goes to a shell."""
    for mark in ";&\n(){}`'\"":
        text = text.replace(mark, " ; ")
    stages = [stage.split() for stage in text.split("|")]
    for left, right in zip(stages, stages[1:]):
        if ";" in left:
            left = left[len(left) - left[::-1].index(";") :]
        right = [word for word in right if word not in _BEFORE and word[:1] != "-"]
        names_ = [words[0].rpartition("/")[2] for words in (left, right) if words]
        if len(names_) == 2 and names_[0] in _FETCHERS and names_[1] in SHELLS:
            return True
    return False
