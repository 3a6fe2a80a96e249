"""How facts stand in a text."""

from __future__ import annotations

import json

import pytest

from edge.tools.fact_text import DATA, bounded, fitted, named, size, table


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (948 << 20, "948 MiB"), (1 << 50, "1.0 PiB"), (None, "-")],
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_columns() -> None:
    assert table([("a", "10"), ("bbb", "2")], " r") == ["a    10", "bbb   2"]
    assert named([("a", "1"), ("bb", ""), ("ccc", "2")]) == ["a    1", "ccc  2"] and table([]) == []
    assert table([("a\nb\x1b[2J", "c")]) == ["a b  c"]


def test_a_cut_is_stated_and_keeps_the_wanted_end() -> None:
    lines = [f"line {n}" for n in range(1000)]
    first, last = fitted(lines, 500), fitted(lines, 500, newest_last=True)
    assert first.startswith("line 0\n") and first.endswith("of 1,000 lines shown; narrow it]") and len(first) <= 500
    assert last.endswith("line 999") and last.startswith("[") and len(last) <= 500
    assert fitted(["a", "b"]) == "a\nb"


def test_data_is_bounded_from_either_end() -> None:
    found = {"rows": [{"text": "x" * 100, "n": n} for n in range(1000)], "other": 1}
    for last, kept in ((False, 0), (True, 999)):
        told = bounded(found, "rows", last)
        assert len(json.dumps(told)) <= DATA + 100 and told["rows"][-1 if last else 0]["n"] == kept
        assert told["rows_left_out"] + len(told["rows"]) == 1000 and told["other"] == 1
    assert bounded({"rows": []}, "rows") == {"rows": []}
