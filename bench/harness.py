"""Runs the rows of a bench file beside each other and judges them against their targets.

Rules:
1. A bench file has `TITLE`, `UNIT`, `rows() -> [(name, measure), ...]` and `TARGETS = {name: (Target, ...)}`. The first
   row is the anchor. A measure is a callable that returns one figure in `UNIT`, or an argument vector, whose figure
   is its processor time in ms.
2. Rows run interleaved: every round runs each row once, in order, so that a loud machine is loud for all of them.
   `ROUNDS` of them, at least nine where time is measured; one more before them, thrown away, when the file says
   `WARM = True`.
3. A target is a ratio to an anchor, a count, or a distance from an anchor in `UNIT`; never a time. It is judged on
   medians.
4. A row that cannot run on this machine raises Absent with the reason: it is printed, and no target of it counts. A
   row that fails raises Broken: it is printed, and counts as a missed target.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time

from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any, Union

    Measure = Union[Callable[[], float], Sequence[str]]

ROUNDS = 9


class Absent(Exception):
    """This row cannot run here: the machine lacks what it needs. The text says what."""


class Broken(Exception):
    """This row failed: what it measures did not do its part. The text says how."""


class Target(Record):
    """What a row must keep. `anchor`: the row it is compared with, the first one when empty.

    `ratio`: at most so many times the anchor. `plus`: at most so much more than the anchor. `most`: at most this.
    """

    ratio: float | None = None
    plus: float | None = None
    most: float | None = None
    anchor: str = ""

    def words(self) -> str:
        """The target as it stands in the table."""
        parts = []
        if self.ratio is not None:
            parts.append(f"<= {self.ratio:g}x")
        if self.plus is not None:
            parts.append(f"<= +{self.plus:g}")
        if self.most is not None:
            parts.append(f"<= {self.most:g}")
        return ", ".join(parts) + (f" of {self.anchor}" if self.anchor else "")

    def met(self, value: float, anchor: float) -> bool:
        """Is `value` within the target?"""
        return (
            (self.ratio is None or value <= self.ratio * anchor)
            and (self.plus is None or value <= anchor + self.plus)
            and (self.most is None or value <= self.most)
        )


class Result(Record):
    """One row after its rounds. `absent` or `broken` says why there are no values."""

    name: str
    values: tuple[float, ...] = ()
    absent: str = ""
    broken: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)


class Verdict(Record):
    """One target of one row, judged."""

    target: Target
    ratio: float
    met: bool


def processor_ms(argv: Sequence[str], env: dict[str, str] | None = None) -> float:
    """User and system time of a command and all it waits for, in ms. Broken when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Broken(f"{argv[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-300:].strip()}")
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def run_rows(rows: list[tuple[str, Measure]], rounds: int, warm: bool = False) -> list[Result]:
    """Every row once per round; a row that is absent or broken once is not asked again."""
    values: dict[str, list[float]] = {name: [] for name, _ in rows}
    out: dict[str, Result] = {}
    for number in range(rounds + warm):
        for name, measure in rows:
            if name in out:
                continue
            try:
                value = measure() if callable(measure) else processor_ms(measure)
            except Absent as why:
                out[name] = Result(name, absent=str(why))
            except Broken as how:
                out[name] = Result(name, broken=str(how))
            else:
                if number or not warm:
                    values[name].append(value)
    return [out.get(name, Result(name, tuple(values[name]))) for name, _ in rows]


def judge(results: list[Result], targets: dict[str, tuple[Target, ...]]) -> dict[str, list[Verdict]]:
    """The verdicts of each row that has targets, ran, and whose anchors ran."""
    by_name = {result.name: result for result in results}
    verdicts: dict[str, list[Verdict]] = {}
    for name, wanted in targets.items():
        result = by_name[name]
        for target in wanted:
            anchor = by_name[target.anchor] if target.anchor else results[0]
            if result.values and anchor.values:
                ratio = result.median / anchor.median if anchor.median else float("inf")
                met = target.met(result.median, anchor.median)
                verdicts.setdefault(name, []).append(Verdict(target, ratio, met))
    return verdicts


def table(bench: ModuleType, results: list[Result], verdicts: dict[str, list[Verdict]]) -> str:
    """The results as lines of text."""
    wide = max(len(result.name) for result in results)
    head = f"{'row':{wide}}  {'median':>9}  {'min':>9}  {'ratio':>6}  target"
    anchors = {results[0].name} | {target.anchor for wanted in bench.TARGETS.values() for target in wanted}
    lines = [f"{bench.TITLE} [{bench.UNIT}]", head, "-" * len(head)]
    for result in results:
        start = f"{result.name:{wide}}  "
        if not result.values:
            lines.append(start + (f"BROKEN: {result.broken}" if result.broken else f"absent: {result.absent}"))
            continue
        found = verdicts.get(result.name, [])
        start += f"{result.median:9.2f}  {min(result.values):9.2f}  "
        if result.name in anchors:
            lines.append(f"{start}{'':6}  anchor")
        elif not found:
            lines.append(f"{start}{_ratio(result, results[0]):>6}")
        for verdict in found:
            ratio = "" if verdict.target.most is not None else f"{verdict.ratio:.2f}"
            lines.append(f"{start}{ratio:>6}  {verdict.target.words()}  {'ok' if verdict.met else 'MISS'}")
            start = " " * len(start)
    return "\n".join(lines)


def _ratio(result: Result, anchor: Result) -> str:
    return f"{result.median / anchor.median:.2f}" if anchor.values and anchor.median else ""


def as_json(bench: ModuleType, results: list[Result], verdicts: dict[str, list[Verdict]]) -> dict[str, Any]:
    """The same for a file that is kept, so that the curve over time can be seen."""
    rows = []
    for result in results:
        found = verdicts.get(result.name, [])
        judged = [{"target": v.target.words(), "ratio": round(v.ratio, 4), "met": v.met} for v in found]
        rows.append({**as_dict(result), "values": list(result.values), "judged": judged})
    return {"title": bench.TITLE, "unit": bench.UNIT, "rows": rows}


def machine() -> dict[str, Any]:
    """What the figures were taken on, as far as it changes them."""
    return {
        "python": sys.version.split()[0],
        "executable": os.path.basename(sys.executable),
        "machine": os.uname().machine,
        "processors": os.cpu_count(),
        "load": [round(part, 2) for part in os.getloadavg()],
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
