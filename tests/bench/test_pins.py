"""Both ways to look at a line do the same, and each figure of a line and of the guard is of what it says."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import first_edge, guard, guard_start, pins, start
from bench.chips import Chips
from bench.harness import Absent, Broken


@pytest.fixture(scope="module")
def chips(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chips]:
    with Chips(str(tmp_path_factory.mktemp("chips"))) as running:
        yield running


def test_the_gated_read_asks_what_the_bare_loop_asks() -> None:
    board = pins.Board()
    board.check()
    made = board.model.record[-3:]
    assert [one.what for one in made] == ["GET_LINEINFO", "GET_LINE", "GET_VALUES"]
    assert board.gated(1).text == "GPIO24 (physical pin 18) is high (1): an input that nobody holds"


def test_a_read_that_brings_something_else_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    board = pins.Board()
    monkeypatch.setattr(board, "bare", lambda reads: False)
    with pytest.raises(Broken, match="do not do the same"):
        board.check()


def test_a_read_that_is_not_allowed_is_broken() -> None:
    from edge.record import replace

    board = pins.Board()
    board.policy = replace(board.policy, deny_all_tools=True)
    with pytest.raises(Broken, match="the gate said deny"):
        board.gated(1)


def test_the_two_are_timed_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "READS", 3)
    board = pins.Board()
    order: list[str] = []
    for name in ("bare", "gated"):
        monkeypatch.setattr(board, name, _noted(order, name, getattr(board, name)))
    pair = pins.Pair(board)
    assert pair.bare() > 0 and pair.gated() > 0
    assert order == ["bare", "gated", "gated", "bare"]


def _noted(order: list[str], name: str, read: Any) -> Any:
    def noted(reads: int) -> Any:
        order.append(name)
        return read(reads)

    return noted


def test_instructions_are_those_of_the_reads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {"20": 50.0, "220": 90.0}  # millions
    monkeypatch.setattr(start, "VALGRIND", "valgrind")
    monkeypatch.setattr(start, "counted", lambda argv, home, run: [("command", spent[argv[-1]])])
    assert pins.counted("bare", "")() == 200.0  # thousands


def test_without_valgrind_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "VALGRIND", None)
    with pytest.raises(Absent, match="valgrind"):
        pins.counted("bare", "")()


@pytest.mark.parametrize("way", ["bare", "gated"])
def test_the_process_that_is_counted_reads(way: str) -> None:
    assert pins.main([way, "2"]) == 0


def test_an_edge_is_read_in_a_fresh_interpreter(chips: Chips, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(start, "VALGRIND", None)
    counts = first_edge.Counts(chips, str(tmp_path))
    read = counts.read()
    assert read == counts.edge != 0
    with pytest.raises(Absent, match="was not measured"):
        counts.without()
    assert counts.client() == counts.double
    assert counts.without() == counts.edge - counts.double


def test_a_reader_that_ends_without_an_edge_is_broken(
    chips: Chips, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(first_edge, "READ", "raise SystemExit(3)")
    with pytest.raises(Broken, match="no edge was read: the reader ended with 3"):
        first_edge.Counts(chips, str(tmp_path)).read()


def test_gpiozero_is_absent_where_it_is_not_installed(
    chips: Chips, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Absent, match="gpiozero is not installed"):
        first_edge.Counts(chips, str(tmp_path)).gpiozero()


def test_the_memory_of_a_guard_is_that_of_its_process(chips: Chips) -> None:
    lines = guard.Lines(chips)
    bare = guard.waiting("")
    try:
        took = lines.guard()
    except Absent as why:
        pytest.skip(str(why))
    assert 1 < bare < took < bare + 20
    with pytest.raises(Absent, match="was not measured"):
        lines.without()
    double = lines.double()
    assert lines.without() == took - double


def test_a_guard_that_has_to_compile_is_no_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(guard.forms, "ROOT", str(tmp_path))
    with pytest.raises(Absent, match="cannot be written"):
        guard.served(None, "fan", "temperature")


def test_an_interpreter_that_does_not_come_to_wait_is_broken() -> None:
    with pytest.raises(Broken, match="did not come to wait"):
        guard.waiting("raise SystemExit(3)")


def test_a_guard_is_safe_before_it_answers(chips: Chips) -> None:
    starts = guard_start.Starts(chips)
    with pytest.raises(Absent, match="no start"):
        starts.answered()
    assert guard_start.bare() > 0
    assert 0 < starts.safe() < starts.answered()


def test_chips_that_do_not_come_up_are_broken(tmp_path: Path) -> None:
    there = Chips(str(tmp_path / "nowhere"))
    with pytest.raises(Broken, match="does not answer"):
        there.__enter__()
