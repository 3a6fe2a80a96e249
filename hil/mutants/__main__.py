"""`python -m hil.mutants [NAME ...]`: the named mutants, or all, are put on a card and have to be caught.

First the tests of all of them run on the same card with nothing broken: what fails there catches nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from edge.faults import Fault
from edge.record import replace
from hil.mutants import MUTANTS, Mutant
from hil.mutants.product import ROOT, image

SECONDS = 1800
T = TypeVar("T")
_STATES = {"error": "error", "failure": "failed", "skipped": "skipped"}


def tested(images: Path, tests: tuple[str, ...], report: Path) -> dict[str, tuple[str, str]]:
    """Each of the tests by what became of it (passed, failed, error, skipped, absent) and what it said."""
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "emulated", f"--junitxml={report}"]
    command += ["-o", "junit_logging=system-out", *tests]
    settings = {**os.environ, "FIELDHAND_IMAGES": str(images)}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=SECONDS, check=False)
    if not report.exists():
        return dict.fromkeys(tests, ("error", done.stdout[-2000:] + done.stderr[-2000:]))
    found = outcomes(report.read_text("utf-8"))
    return {test: found.get(test.partition("::")[2], ("absent", done.stdout[-2000:])) for test in tests}


def outcomes(text: str) -> dict[str, tuple[str, str]]:
    """Name of a test -> what became of it and what it said, of a report in JUnit's form."""
    found = {}
    for case in xml.fromstring(text).iter("testcase"):
        ends = {part.tag: part for part in case}
        said = "\n".join(f"{part.get('message', '')}\n{part.text or ''}" for part in case)
        state = next((word for tag, word in _STATES.items() if tag in ends), "passed")
        found[case.get("name", "")] = (state, said)
    return found


def judged(mutant: Mutant, found: dict[str, tuple[str, str]]) -> str:
    """Why a mutant was not caught as it should be, "" when it was: each of its tests failed and said why."""
    for test, (state, said) in found.items():
        if state != "failed":
            return f"{test} {state}: the broken product was not caught"
        if not re.search(mutant.says, said):
            return f"{test} failed, but did not say {mutant.says!r}: {said.strip()[:600]}"
    return ""


def carried(mutant: Mutant, folder: Path) -> str:
    """Put one mutant on a card and run its tests; why it was not caught, "" when it was."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return judged(mutant, tested(image(mutant, Path(place)), mutant.tests, folder / "report.xml"))


def sound(mutants: list[Mutant], folder: Path) -> str:
    """Why the tests of these mutants say nothing: one does not pass with nothing broken. "" when all do."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        whole = replace(mutants[0], name="whole", swaps=())
        tests = tuple(dict.fromkeys(test for mutant in mutants for test in mutant.tests))
        for test, (state, said) in tested(image(whole, Path(place)), tests, folder / "report.xml").items():
            if state != "passed":
                return f"{test} {state} with nothing broken: {said.strip()[-600:]}"
    return ""


def main(argv: list[str]) -> int:
    """0 when every mutant was caught."""
    known = [mutant.name for mutant in MUTANTS]
    unknown = [name for name in argv if name not in known]
    if unknown:
        print(f"mutants: there is no mutant {', '.join(unknown)} (known: {', '.join(known)})")
        return 2
    chosen = [mutant for mutant in MUTANTS if mutant.name in argv or not argv]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for product in dict.fromkeys(mutant.product for mutant in chosen):
            missed += _told("nothing broken", sound, [one for one in chosen if one.product == product], Path(folder))
        for mutant in chosen:
            missed += _told(f"{mutant.name} ({mutant.what})", carried, mutant, Path(folder))
    print(
        f"{len(chosen)} mutants, {missed} runs not as they should be"
        if missed
        else f"{len(chosen)} mutants, all caught"
    )
    return 1 if missed else 0


def _told(name: str, run: Callable[[T, Path], str], what: T, folder: Path) -> int:
    """Print what became of one run; 1 when it was not as it should be."""
    try:
        why = run(what, folder)
    except Fault as fault:
        why = str(fault)
    print(f"{name}: {why or 'as it should be'}", flush=True)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
