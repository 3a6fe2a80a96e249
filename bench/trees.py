"""Generated trees of files: the same on every machine, from a seed, with what makes searching hard.

3,000 files whose sizes are log-normal (median 4 KB), 2 % binary, 5 % with very long lines, some with letters beyond
ASCII; nested folders, several endings. Nothing in them is like a key, so that no tool leaves anything out.
"""

from __future__ import annotations

import os
import random

SEED = 20240817
FILES = 3000
_ENDS = (".py", ".c", ".h", ".md", ".log", ".txt", ".sh")
_WORDS = (
    *(
        "the",
        "of",
        "and",
        "read(port)",
        "write(self, x)",
        "(a + b)",
        "_limit",
        "max_on",
        "the_value",
        "call();",
        "read",
    ),
    *("open", "close", "sensor", "pump", "valve", "level", "value", "return", "self", "def", "class", "import", "if"),
    *("else", "while", "for", "result", "status", "error", "warning", "timeout", "retry", "config", "line", "port"),
    *("frame", "packet", "buffer", "index", "count", "size", "offset", "handler", "request", "response", "session"),
    *("token_ring", "state", "ready", "Grad", "über", "Wärme", "naïve", "温度", "0x1f", "3.14", "42", "1000"),
)


def make(folder: str, files: int = FILES) -> int:
    """Fill an empty folder; the number of bytes. About one line in 40,000 holds `def NAME_handler(`."""
    chance = random.Random(SEED)
    folders = [folder]
    for number in range(files // 12):
        above = chance.choice(folders[-60:])
        if above.count("/") - folder.count("/") < 7:
            folders.append(os.path.join(above, f"part{number}"))
            os.mkdir(folders[-1])
    lines = [_line(chance) for _ in range(4000)]
    total = 0
    for number in range(files):
        data = _content(chance, lines, min(int(chance.lognormvariate(8.4, 1.35)), 2 << 20))
        total += len(data)
        name = f"{chance.choice(_WORDS[10:30])}_{number}{chance.choice(_ENDS)}"
        with open(os.path.join(chance.choice(folders), name), "wb") as made:
            made.write(data)
    return total


def _content(chance: random.Random, lines: list[bytes], size: int) -> bytes:
    kind = chance.random()
    if kind < 0.02:
        return b"\x7fDATA\0" + chance.randbytes(size)
    ends = b" " if kind < 0.07 else b"\n"
    parts = []
    while size > 0:
        line = chance.choice(lines)
        if chance.random() < 1 / 40_000:
            line = b"def pump_%d_handler(self, value):" % chance.randrange(1000)
        parts.append(line)
        size -= len(line) + 1
    return ends.join(parts) + b"\n"


def _line(chance: random.Random) -> bytes:
    indent = "    " * chance.choice((0, 0, 1, 1, 2, 3))
    return (indent + " ".join(chance.choices(_WORDS, k=chance.randrange(1, 14)))).encode()
