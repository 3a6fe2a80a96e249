"""Rows run beside each other, targets are judged on medians, and what cannot run says why."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from bench import __main__ as command
from bench import harness
from bench.harness import Absent, Broken, Result, Target, judge, run_rows, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def absent() -> float:
    raise Absent("there is no such thing here")


def bench(targets: dict[str, tuple[Target, ...]], **more: Any) -> Any:
    return SimpleNamespace(**{"TITLE": "a title", "UNIT": "us", "ROUNDS": 9, "WARM": False, "TARGETS": targets, **more})


def test_rows_run_interleaved() -> None:
    order: list[str] = []

    def measure(name: str) -> Any:
        return lambda: order.append(name) or 1.0  # type: ignore[func-returns-value]

    results = run_rows([("a", measure("a")), ("b", measure("b"))], 3)
    assert order == ["a", "b"] * 3
    assert [len(result.values) for result in results] == [3, 3]


def test_a_warm_round_is_thrown_away() -> None:
    values = iter([100.0, 1.0, 2.0, 3.0])
    (result,) = run_rows([("a", lambda: next(values))], 3, warm=True)
    assert result.values == (1.0, 2.0, 3.0)


def test_a_row_that_cannot_run_says_why_and_stops_being_asked() -> None:
    asked: list[int] = []

    def measure() -> float:
        asked.append(1)
        return absent()

    first, second = run_rows([("a", lambda: 1.0), ("b", measure)], 5)
    assert (len(first.values), second.values, second.absent, len(asked)) == (5, (), "there is no such thing here", 1)


def test_a_command_is_measured_by_its_processor_time() -> None:
    busy = [sys.executable, "-I", "-c", "for _ in range(10**6): pass"]
    idle, worked = run_rows([("idle", [sys.executable, "-I", "-c", "pass"]), ("busy", busy)], 3)
    assert 0 < min(idle.values) < min(worked.values)


def test_a_command_that_fails_is_broken_with_what_it_said() -> None:
    (result,) = run_rows([("a", [sys.executable, "-I", "-c", "raise SystemExit('no way')"])], 2)
    assert (result.values, result.absent) == ((), "")
    assert "no way" in result.broken


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(ratio=1.5), 15.0, True),
        (Target(ratio=1.5), 15.1, False),
        (Target(plus=2.0), 12.0, True),
        (Target(plus=2.0), 12.1, False),
        (Target(most=3), 3.0, True),
        (Target(most=3), 4.0, False),
        (Target(ratio=2.0, plus=1.0), 11.5, False),
    ],
)
def test_a_target_is_a_bound_that_may_be_reached(target: Target, value: float, met: bool) -> None:
    assert target.met(value, 10.0) is met


def test_medians_are_judged_against_the_first_row_or_the_named_one() -> None:
    results = [Result("first", (10.0, 10.0, 99.0)), Result("other", (50.0,)), Result("row", (1.0, 12.0, 12.0))]
    verdicts = judge(results, {"row": (Target(ratio=1.1), Target(ratio=0.3, anchor="other"))})
    assert [(round(v.ratio, 2), v.met) for v in verdicts["row"]] == [(1.2, False), (0.24, True)]


def test_what_did_not_run_is_not_judged() -> None:
    results = [Result("first", (1.0,)), Result("gone", absent="no"), Result("row", (1.0,))]
    wanted = {"gone": (Target(ratio=1),), "row": (Target(ratio=1, anchor="gone"),)}
    assert judge(results, wanted) == {}


def test_the_table_shows_median_least_ratio_target_and_verdict() -> None:
    results = [Result("anchor row", (10.0, 11.0)), Result("row", (21.0, 20.0)), Result("gone", absent="no such thing")]
    results.append(Result("bad", broken="it fell"))
    wanted = {"row": (Target(ratio=2.0), Target(most=20))}
    lines = table(bench(wanted), results, judge(results, wanted)).splitlines()
    assert lines[0] == "a title [us]"
    assert lines[3].split() == ["anchor", "row", "10.50", "10.00", "anchor"]
    assert lines[4].split() == ["row", "20.50", "20.00", "1.95", "<=", "2x", "ok"]
    assert lines[5].split() == ["<=", "20", "MISS"]
    assert lines[6].split(None, 1) == ["gone", "absent: no such thing"]
    assert lines[7].split(None, 1) == ["bad", "BROKEN: it fell"]


def broken() -> float:
    raise Broken("it fell")


def run_command(monkeypatch: pytest.MonkeyPatch, value: float, *argv: str, third: Any = lambda: 1.0) -> int:
    """The command with one small bench in the place of `steps`."""
    rows = [("anchor", lambda: 10.0), ("row", lambda: value), ("third", third)]
    small = bench({"row": (Target(ratio=1.5),)}, rows=lambda: rows)
    monkeypatch.setitem(sys.modules, "bench.steps", small)
    return command.main(["steps", *argv])


def test_a_missed_target_fails_only_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_command(monkeypatch, 16.0) == 0
    assert run_command(monkeypatch, 16.0, "--check") == 1
    assert run_command(monkeypatch, 15.0, "--check") == 0


def test_a_broken_row_fails_a_check_and_an_absent_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_command(monkeypatch, 15.0, "--check", third=broken) == 1
    assert run_command(monkeypatch, 15.0, "--check", third=absent) == 0


def test_a_bench_that_cannot_be_set_up_fails_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bench.steps", bench({}, rows=broken))
    assert command.main(["steps", "--check"]) == 1


def test_the_figures_can_be_kept_as_json(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_command(monkeypatch, 12.0, "--json", str(tmp_path / "figures"))
    kept = json.loads((tmp_path / "figures").read_text())
    assert kept["machine"]["python"] == sys.version.split()[0]
    row = kept["benches"]["steps"]["rows"][1]
    assert (row["name"], row["values"]) == ("row", [12.0] * harness.ROUNDS)
    assert row["judged"] == [{"target": "<= 1.5x", "ratio": 1.2, "met": True}]


@pytest.mark.parametrize("argv", [["nothing"], ["--json"], ["--chek"]])
def test_a_word_that_is_not_understood_is_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(argv) == 2
    assert "usage: python3 -m bench" in capsys.readouterr().err


def test_without_names_every_bench_runs() -> None:
    assert command.options(["--check"]) == (list(command.NAMES), "", True)
