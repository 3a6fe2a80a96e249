"""The line that says how far something is."""

from __future__ import annotations

import pytest

from edge.cli.moving import Moving, line


def test_rate_and_time_left_are_said_as_far_as_they_are_known() -> None:
    assert line("writing", 1_000_000, 0, 1_000_000, 0.0) == "writing  1.0 MB"
    assert line("writing", 1_000_000, 4_000_000, 1_000_000, 0.5) == "writing  1.0 of 4.0 MB  25 %"
    assert line("writing", 1_000_000, 4_000_000, 1_000_000, 2.0) == "writing  1.0 of 4.0 MB  25 %  0.5 MB/s  6 s left"
    assert line("writing", 4_000_000, 4_000_000, 4_000_000, 2.0) == "writing  4.0 of 4.0 MB  100 %  2.0 MB/s"
    assert line("writing", 1, 400_000_000, 1_000_000, 2.0).endswith("13 min left")


def test_where_nobody_looks_it_is_said_now_and_then(capfd: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    moving = Moving({"a": "first"}, lambda: now[0])
    for done in range(0, 101, 5):
        moving("a", done * 10**6, 10**8)
        now[0] += 1.0
    moving("b", 1, 2)
    moving.end()
    lines = capfd.readouterr().err.splitlines()
    assert [text.split("  ")[0] for text in lines] == ["first", "first", "first", "b"]
    assert lines[0] == "first  0.0 of 100.0 MB  0 %" and "75 %  5.0 MB/s  5 s left" in lines[1]
