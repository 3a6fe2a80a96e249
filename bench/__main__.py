"""`python3 -m bench [NAME ...] [--json FILE] [--check]`: the tables; with --check exit 1 when a target is missed."""

from __future__ import annotations

import importlib
import json
import sys

from bench import harness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = (
    *("start", "arm", "memory", "steps", "wall", "parallel", "output", "reading", "regex", "outline"),
    *("grep", "grep_memory", "glob", "pins", "first_edge", "guard", "guard_start"),
)
USAGE = f"usage: python3 -m bench [{'|'.join(NAMES)} ...] [--json FILE] [--check]"


def options(argv: list[str]) -> tuple[list[str], str, bool]:
    """The names, the file for JSON, whether to check. ValueError for what is not understood."""
    names: list[str] = []
    file, check = "", False
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--check":
            check = True
        elif word == "--json" and rest:
            file = rest.pop(0)
        elif word in NAMES:
            names.append(word)
        else:
            raise ValueError(f"{word} is not understood\n{USAGE}")
    return names or list(NAMES), file, check


def run(name: str) -> tuple[dict[str, Any], int]:
    """Run one bench file and print its table; its figures, and how many targets were missed or rows broken."""
    bench = importlib.import_module(f"bench.{name}")
    try:
        rows = bench.rows()
    except harness.Broken as how:
        print(f"{bench.TITLE}: BROKEN: {how}", end="\n\n", flush=True)
        return {"title": bench.TITLE, "broken": str(how)}, 1
    results = harness.run_rows(rows, bench.ROUNDS, bench.WARM)
    verdicts = harness.judge(results, bench.TARGETS)
    print(harness.table(bench, results, verdicts), end="\n\n", flush=True)
    missed = sum(not verdict.met for found in verdicts.values() for verdict in found)
    return harness.as_json(bench, results, verdicts), missed + sum(bool(result.broken) for result in results)


def main(argv: list[str]) -> int:
    """Run what was asked for; the exit code."""
    try:
        names, file, check = options(argv)
    except ValueError as error:
        sys.stderr.write(f"bench: {error}\n")
        return 2
    figures: dict[str, Any] = {"machine": harness.machine(), "benches": {}}
    missed = 0
    for name in names:
        figures["benches"][name], more = run(name)
        missed += more
    if file:
        with open(file, "w", encoding="utf-8") as output:
            json.dump(figures, output, indent=1)
    print("every target that could be measured here is met" if not missed else f"missed or broken: {missed}")
    return 1 if missed and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
