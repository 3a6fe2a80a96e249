"""Private memory of a process that searches one large log, in MiB: the high mark of a fresh process, told by itself.

The interpreter and all of the agent that a search needs are in it. The log is 500 MB, sparse in nothing, with a hit at
its start and one at its end; the second log is one line of 200 MB.
"""

from __future__ import annotations

import json
import os
import sys

from bench import agent, scratch
from bench.harness import Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bench.harness import Measure

TITLE = "Private memory of grep over a large log"
UNIT = "MiB"
ROUNDS = 9
WARM = False

SMALL, LARGE, LINE = "a log of 64 KB", "a log of 500 MB", "one line of 200 MB"
TARGETS = {LARGE: (Target(most=16.0),), LINE: (Target(most=16.0),)}
_LINE = b"2024-05-01T12:00:00 node pump[%d]: level ok, valve closed, nothing to be told of this minute\n"


def log(path: str, size: int) -> None:
    """A log of about `size` bytes, with `needle found` in its first and in its last line."""
    block = b"".join(_LINE % number for number in range(5000))
    with open(path, "wb") as made:
        made.write(b"needle found\n")
        while made.tell() < size:
            made.write(block)
        made.write(b"needle found\n")


def line(path: str, size: int) -> None:
    """One line without an end, with the needle in the middle."""
    with open(path, "wb") as made:
        for half in (size // 2, size // 2):
            for _ in range(half >> 20):
                made.write(b"x" * (1 << 20))
            made.write(b"needle found" * (made.tell() < size))


def mark(folder: str, name: str, hits: int) -> float:
    """The high mark of one search. Broken when it did not find what is there."""
    args = json.dumps({"pattern": "needle [f]o+und", "path": name})
    told = json.loads(agent.told([sys.executable, "-m", "bench.search", folder, "grep", args]))
    if told["hits"] != hits:
        raise Broken(f"{told['hits']} hits, there are {hits}")
    return float(told["mib"])


def rows() -> list[tuple[str, Measure]]:
    """The logs lie on the disk, for a tmpfs would need the memory."""
    folder = scratch.folder()
    log(os.path.join(folder, "small"), 1 << 16)
    log(os.path.join(folder, "large"), 500_000_000)
    line(os.path.join(folder, "line"), 200 << 20)
    return [
        (SMALL, lambda: mark(folder, "small", 2)),
        (LARGE, lambda: mark(folder, "large", 2)),
        (LINE, lambda: mark(folder, "line", 1)),
    ]
