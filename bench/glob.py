"""glob `**/*.py` over a generated tree of 48,000 files, through the gate and the hands, against GNU find.

Processor time, user and system: find's with its process, ours in an agent that is there. Both have to find the same
number of files, and the first of them by name, else the row is void.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess

from bench import scratch
from bench.harness import Absent, Broken, Target
from bench.search import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bench.harness import Measure

TITLE = "glob **/*.py over 48,000 files"
UNIT = "ms"
ROUNDS = 9
WARM = True
RUNS = 3
SEED = 48
FILES = 48_000

FIND = {"few": "GNU find, 2 % are hits", "many": "GNU find, 65 % are hits"}
OWN = {"few": "fieldhand, 2 % are hits", "many": "fieldhand, 65 % are hits"}
SHARE = {"few": 0.02, "many": 0.65}
TARGETS = {OWN[kind]: (Target(ratio=0.75, anchor=FIND[kind]),) for kind in FIND}


def make(folder: str, share: float) -> None:
    """Empty files in nested folders of some 60 files each; `share` of them end in .py."""
    chance = random.Random(SEED)
    folders = [folder]
    for number in range(FILES // 60):
        folders.append(os.path.join(chance.choice(folders[-40:]), f"part{number}"))
        os.mkdir(folders[-1])
    for number in range(FILES):
        end = ".py" if chance.random() < share else chance.choice((".c", ".txt", ".md", ".log", ""))
        with open(os.path.join(chance.choice(folders), f"module_{number}{end}"), "wb"):
            pass


def find(folder: str, wanted: list[str]) -> float:
    """The processor time of GNU find in ms; what it found goes into `wanted`, sorted."""
    program = shutil.which("find")
    if program is None:
        raise Absent("there is no find here")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, ".", "-name", "*.py"], cwd=folder, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wanted[:] = sorted(line[2:] for line in done.stdout.decode().splitlines())
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def own(searcher: Searcher, wanted: list[str]) -> float:
    """Our processor time in ms. Broken when something else was found."""
    _, used, facts = searcher.search("glob", {"pattern": "**/*.py", "limit": 200})
    if facts["total"] != len(wanted) or facts["paths"] != wanted[: len(facts["paths"])] or not facts["paths"]:
        raise Broken(f"{facts['total']} files were found, find finds {len(wanted)}")
    return used * 1000


def rows() -> list[tuple[str, Measure]]:
    """find and ours, on a tree with few hits and on one with many."""
    made: list[tuple[str, Measure]] = []
    for kind, share in SHARE.items():
        folder = os.path.join(scratch.folder(memory=True), kind)
        os.mkdir(folder)
        make(folder, share)
        made += _pair(kind, folder, Searcher(folder))
    return made


def _pair(kind: str, folder: str, searcher: Searcher) -> list[tuple[str, Measure]]:
    wanted: list[str] = []
    return [
        (FIND[kind], lambda: min(find(folder, wanted) for _ in range(RUNS))),
        (OWN[kind], lambda: min(own(searcher, wanted) for _ in range(RUNS))),
    ]
