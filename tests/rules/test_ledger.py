"""The row ledger tests/rows.toml is whole and true.

Rules:
1. Every id of tests/cases/rows.tsv stands in it once, with the same owner; no other does.
2. A row that is to be built is `tested` or `later`; the others are what the list says, with a reason.
3. A `tested` row names tests. Each exists, and where its file was part of this run it ran and passed: a failure, a
   skip or a wrong name is a fault, and so is a test that every usual run leaves out. What was left out of this run
   alone (other files, -m, -k) is said at its end.
4. This file runs after all others (tests/conftest.py).
"""

from __future__ import annotations

import ast
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.sources import ROOT, none_of, python_files

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STATES = {"build": ("tested", "later"), "project rule": ("rule",), "n/a": ("n/a",), "out": ("out",)}
KEYS = {"owner", "words", "state", "tests", "reason"}

Row = dict[str, Any]


def listed() -> dict[str, tuple[str, str]]:
    """Id -> owner and what becomes of it, from the checked-in list."""
    lines = (ROOT / "tests/cases/rows.tsv").read_text("utf-8").splitlines()
    cells = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    found = {row: (owner, state) for row, owner, state in cells}
    assert len(found) == len(cells)
    return found


def ledger() -> dict[str, Row]:
    return tomllib.loads((ROOT / "tests/rows.toml").read_text("utf-8"))


def wrong_row(name: str, row: Row, owner: str, fate: str) -> list[str]:
    """What is wrong with the form of one row, as sentences."""
    found = []
    if row.get("owner") != owner:
        found.append(f"{name}: owner is {row.get('owner')!r}, the list says {owner!r}")
    if row.get("state") not in STATES[fate]:
        found.append(f"{name}: state {row.get('state')!r} is none of {', '.join(STATES[fate])}")
    if not 1 <= len(str(row.get("words", "")).split()) <= 16:
        found.append(f"{name}: a few words, please")
    if set(row) - KEYS:
        found.append(f"{name}: unknown key {', '.join(sorted(set(row) - KEYS))}")
    if (row.get("state") == "tested") != bool(row.get("tests")):
        found.append(f"{name}: tests are named by `tested` rows and by no others")
    if (row.get("state") in ("rule", "n/a", "out")) != bool(row.get("reason")):
        found.append(f"{name}: a reason belongs to `rule`, `n/a` and `out` and to no others")
    return found


def wrong_form(rows: dict[str, Row], known: dict[str, tuple[str, str]]) -> list[str]:
    """What is wrong with the ledger, apart from its tests."""
    found = [f"{name}: no row in tests/rows.toml" for name in known if name not in rows]
    found += [f"{name}: there is no such requirement" for name in rows if name not in known]
    return found + [
        sentence for name in rows if name in known for sentence in wrong_row(name, rows[name], *known[name])
    ]


def defined(text: str) -> set[str]:
    """The tests that a file defines, as `name` or `Class::name`."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def exists(test: str) -> bool:
    """True when the file of a test id is there and defines it."""
    file, _, inner = test.partition("::")
    path = ROOT / file
    return path.is_file() and inner.partition("[")[0] in defined(path.read_text("utf-8"))


def of(test: str, ids: Any) -> list[str]:
    """The ids that a name stands for: itself, or all its parameters."""
    return [one for one in ids if one == test or one.startswith(f"{test}[")]


def unproved(name: str, test: str, run: Any) -> list[str]:
    """Why a named test does not prove its row in this run, as sentences; empty when it does or was left out."""
    if not exists(test):
        return [f"{name}: there is no test {test}"]
    if test.partition("::")[0] not in run.files:
        return []
    ran = of(test, run.outcomes)
    if not ran:
        return [] if run.narrowed and of(test, run.deselected) else [f"{name}: {test} did not run"]
    return [f"{name}: {one} was {run.outcomes[one]}" for one in ran if run.outcomes[one] != "passed"]


def named(rows: dict[str, Row]) -> list[tuple[str, str]]:
    return [(name, test) for name, row in rows.items() for test in row.get("tests", ())]


def test_every_requirement_has_its_row_in_form() -> None:
    assert len(listed()) == 263
    none_of(wrong_form(ledger(), listed()))


def test_every_named_test_exists_and_passed(this_run: Any) -> None:
    rows = ledger()
    none_of([sentence for name, test in named(rows) for sentence in unproved(name, test, this_run)])
    count = {
        state: sum(row["state"] == state for row in rows.values())
        for state in ("tested", "later", "rule", "n/a", "out")
    }
    this_run.notes.append("row ledger: " + ", ".join(f"{count[state]} {state}" for state in count))
    absent = sorted({name for name, test in named(rows) if not of(test, this_run.outcomes)})
    if absent:
        this_run.notes.append(f"row ledger: not run this time, so not shown again: {', '.join(absent)}")


def test_the_ledger_ran_after_all_others(this_run: Any) -> None:
    whole = {path.relative_to(ROOT).as_posix() for path in python_files("tests") if path.name.startswith("test_")}
    if this_run.files >= whole:
        assert {one.partition("::")[0] for one in [*this_run.outcomes, *this_run.deselected]} >= whole - {HERE}


# A made-up run for the counter-tests.
HERE = "tests/rules/test_ledger.py"
TOLD = SimpleNamespace(
    narrowed=True,
    files={HERE},
    deselected={f"{HERE}::test_every_requirement_has_its_row_in_form"},
    outcomes={
        f"{HERE}::test_a_row_in_bad_form_is_found[a]": "passed",
        f"{HERE}::test_a_row_in_bad_form_is_found[b]": "skipped",
        f"{HERE}::test_a_missing_and_an_unknown_row_are_found": "passed",
    },
)


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ("tests/rules/test_nothing.py::test_x", "there is no test"),
        (f"{HERE}::test_nothing", "there is no test"),
        (f"{HERE}::test_a_row_in_bad_form_is_found", "was skipped"),
        (f"{HERE}::test_a_row_in_bad_form_is_found[a]", ""),
        (f"{HERE}::test_a_row_in_bad_form_is_found[c]", "did not run"),
        (f"{HERE}::test_a_missing_and_an_unknown_row_are_found", ""),
        (f"{HERE}::test_the_ledger_ran_after_all_others", "did not run"),
        (f"{HERE}::test_every_requirement_has_its_row_in_form", ""),
        ("tests/rules/test_cycles.py::test_a_cycle_is_found", ""),
    ],
)
def test_a_test_that_is_absent_skipped_or_misnamed_proves_nothing(test: str, sentence: str) -> None:
    found = unproved("S-01", test, TOLD)
    assert bool(found) == bool(sentence) and sentence in "".join(found)


def test_what_every_usual_run_leaves_out_proves_nothing() -> None:
    usual = SimpleNamespace(**{**vars(TOLD), "narrowed": False})
    test = f"{HERE}::test_every_requirement_has_its_row_in_form"
    assert unproved("S-01", test, usual) == [f"S-01: {test} did not run"]


@pytest.mark.parametrize(
    ("row", "fate", "sentence"),
    [
        ({"owner": "x", "words": "a b", "state": "later"}, "build", "owner is 'x'"),
        ({"owner": "me", "words": "a b", "state": "done"}, "build", "state 'done'"),
        ({"owner": "me", "words": "a b", "state": "later"}, "out", "state 'later'"),
        ({"owner": "me", "words": "", "state": "later"}, "build", "a few words"),
        ({"owner": "me", "words": "a b", "state": "tested"}, "build", "tests are named"),
        ({"owner": "me", "words": "a b", "state": "later", "tests": ["x"]}, "build", "tests are named"),
        ({"owner": "me", "words": "a b", "state": "rule"}, "project rule", "a reason belongs"),
        ({"owner": "me", "words": "a b", "state": "later", "test": ["x"]}, "build", "unknown key test"),
    ],
)
def test_a_row_in_bad_form_is_found(row: Row, fate: str, sentence: str) -> None:
    found = wrong_row("S-01", row, "me", fate)
    assert len(found) == 1 or sentence.startswith("state")
    assert sentence in found[0]


def test_a_missing_and_an_unknown_row_are_found() -> None:
    good = {"owner": "me", "words": "a b", "state": "later"}
    known = {"S-01": ("me", "build"), "S-02": ("me", "build")}
    assert wrong_form({"S-01": good, "S-02": good}, known) == []
    assert wrong_form({"S-01": good, "S-99": good}, known) == [
        "S-02: no row in tests/rows.toml",
        "S-99: there is no such requirement",
    ]
