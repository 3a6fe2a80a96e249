"""grep over a generated tree of 3,000 files, through the gate and the hands, against GNU grep -raE.

Each figure is the least wall time of a few runs; GNU grep's begins with its process, ours runs in an agent that is
there. Every row has to find the same lines as GNU grep, else it is void.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time

from bench import scratch, trees
from bench.harness import Absent, Broken, Target
from bench.search import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness import Measure

TITLE = "grep over 3,000 files"
UNIT = "ms"
ROUNDS = 9
WARM = True
RUNS = 3

# What is searched for, and how much of GNU grep's time it may take; None: shown, not judged.
PATTERNS = {
    "rare literal": ("_handler(self, value):", "F", 1.7),
    "regex with a literal": (r"def \w+_handler\(", "", 1.7),
    "regex, any case": (r"def \w+_HANDLER\(", "i", None),
    "regex without a literal": ("[0-9]{3}[_-][a-z]", "", 6.0),
    "automaton only": ("([0-9]+[_-])+([a-z]+[(])+", "", None),
}
TARGETS = {
    f"{name}: fieldhand": (Target(ratio=most, anchor=f"{name}: GNU grep"),)
    for name, (_, _, most) in PATTERNS.items()
    if most is not None
}


def gnu(folder: str, pattern: str, flags: str) -> tuple[float, list[str]]:
    """The time of GNU grep in ms, and `path:number` of what it found, sorted."""
    program = shutil.which("grep")
    if program is None:
        raise Absent("there is no grep here")
    options = "-rnaF" if "F" in flags else "-rnaE" + flags
    begin = time.perf_counter()
    done = subprocess.run([program, options, "-e", pattern, "."], cwd=folder, env={"LC_ALL": "C"}, capture_output=True)
    took = (time.perf_counter() - begin) * 1000
    lines = [line.split(b":")[:2] for line in done.stdout.splitlines()]
    return took, sorted(f"{path.decode()[2:]}:{number.decode()}" for path, number in lines)


def own(searcher: Searcher, pattern: str, flags: str, wanted: Callable[[], list[str]]) -> float:
    """The time of our search in ms. Broken when it does not find what GNU grep found."""
    wall, _, facts = searcher.search("grep", {"pattern": pattern, "flags": f"am1000{flags}"})
    found = {f"{path}:{number}" for path, number, _ in facts["found"]}
    if facts["hits"] != len(wanted()) or not found or not found <= set(wanted()):
        raise Broken(f"{facts['hits']} lines were found, GNU grep finds {len(wanted())}")
    return wall * 1000


def rows() -> list[tuple[str, Measure]]:
    """Two rows for each pattern, GNU grep and ours."""
    folder = os.path.join(scratch.folder(memory=True), "tree")
    os.mkdir(folder)
    trees.make(folder)
    searcher = Searcher(folder)
    made: list[tuple[str, Measure]] = []
    for name, (pattern, flags, _) in PATTERNS.items():
        made += _pair(name, folder, searcher, pattern, flags)
    return made


def _pair(name: str, folder: str, searcher: Searcher, pattern: str, flags: str) -> list[tuple[str, Measure]]:
    wanted: list[str] = []

    def theirs() -> float:
        runs = [gnu(folder, pattern, flags) for _ in range(RUNS)]
        wanted[:] = runs[0][1]
        return min(took for took, _ in runs)

    def ours() -> float:
        return min(own(searcher, pattern, flags, lambda: wanted) for _ in range(RUNS))

    return [(f"{name}: GNU grep", theirs), (f"{name}: fieldhand", ours)]
