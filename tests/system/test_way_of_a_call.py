"""The way of a call as CONTRIBUTING.md writes it down is the way that a call takes, station after station."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from edge.approve import Answer, Nobody
from edge.tape.audit import Audit
from edge.watch import Watcher
from tests.support.sources import ROOT
from tests.support.turns import DONE, FAN, READ, Bench

ROW = re.compile(r"^\| (?P<station>[^|]+) \| `(?P<file>[^`]+\.py)` \| `(?P<owner>\w+)\.(?P<name>\w+)` \|$", re.M)
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("## The way of a call") : PAGE.index("## How to add a tool")]
STATIONS = [match.groups() for match in ROW.finditer(SECTION)]
NAMES = [f"{owner}.{name}" for _, _, owner, name in STATIONS]


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stations that were passed, in order."""
    seen: list[str] = []

    def told(owner: Any, name: str, label: str) -> None:
        act = getattr(owner, name)

        def noting(*args: Any, **named: Any) -> Any:
            seen.append(label)
            return act(*args, **named)

        monkeypatch.setattr(owner, name, noting)

    for _, file, owner, name in STATIONS:
        module = importlib.import_module(file[:-3].replace("/", "."))
        told(getattr(module, owner), name, f"{owner}.{name}")
    return seen


class Person(Nobody):
    """Says the same to every question."""

    def __init__(self, yes: bool) -> None:
        self._yes = yes

    def at_once(self, question: Any) -> Answer:
        return Answer(self._yes, "operator", "" if self._yes else "the operator said no")


def carried(folder: Path, reply: str, passed: list[str], **changes: Any) -> tuple[list[str], Bench]:
    """What one call of a turn passed, from its reply to the next request."""
    bench = Bench(folder, [reply, DONE], watcher=Watcher(), audit=Audit.open(str(folder)), **changes)
    bench.loop.run("go")
    assert passed[-1] == "Talk.step"  # the final answer
    return passed[:-1], bench


def test_the_path_that_the_page_names_is_written_down() -> None:
    words = " ".join(station for station, _, _, _ in STATIONS)
    places = [words.index(word) for word in ("call", "approval", "dispatch", "receipt", "observer", "history entry")]
    assert places == sorted(places) and len(STATIONS) == 8
    assert len(re.findall(r"^\| .*`", SECTION, re.M)) == len(STATIONS), "a row that this test does not read"


def test_a_call_that_is_asked_about_passes_every_station_in_order(tmp_path: Path, passed: list[str]) -> None:
    found, bench = carried(tmp_path, FAN, passed, approver=Person(True))
    assert found == NAMES
    receipt = next(row["receipt"] for row in bench.records() if row["kind"] == "outcome")
    assert f"[receipt {receipt}]".encode() in bytes(bench.loop.parts.context.body)


def test_a_call_that_is_allowed_passes_all_but_the_approval(tmp_path: Path, passed: list[str]) -> None:
    found, _ = carried(tmp_path, READ, passed)
    assert found == [name for name in NAMES if name != "Calls.approve"]


def test_a_call_that_is_not_allowed_is_neither_dispatched_nor_forgotten(tmp_path: Path, passed: list[str]) -> None:
    found, bench = carried(tmp_path, FAN, passed, approver=Person(False))
    assert found == [name for name in NAMES if name not in ("Keeper.intend", "Calls._work")]
    assert not any(row.get("receipt") for row in bench.records())
