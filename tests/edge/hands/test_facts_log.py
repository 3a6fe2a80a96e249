"""Text logs from their end, and times as logs and people write them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from edge.hands.facts_log import BLOCK, Query, backwards, iso, moment, stamp, tail
from tests.support.fact_boards import nobody_waits

NOW = iso("2026-05-20T12:00:00") or 0.0


def opened(path: Path, data: bytes) -> int:
    path.write_bytes(data)
    return os.open(path, os.O_RDONLY)


@pytest.mark.parametrize("size", [0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_lines_backwards_are_the_lines_forwards(size: int, tmp_path: Path) -> None:
    data = b"".join(b"line %d\n" % n for n in range(size // 6))[:size]
    descriptor = opened(tmp_path / "log", data)
    found = list(backwards(descriptor, nobody_waits))[::-1]
    os.close(descriptor)
    assert [line for line in found if line] == [line for line in data.split(b"\n") if line]


def test_one_endless_line_costs_no_memory(tmp_path: Path) -> None:
    descriptor = opened(tmp_path / "log", b"start" + b"x" * (40 * BLOCK) + b"\nlast\n")
    found = list(backwards(descriptor, nobody_waits))
    os.close(descriptor)
    assert found[:2] == [b"", b"last"] and found[2].startswith(b"start") and len(found[2]) < 4 * BLOCK


def test_the_newest_that_fit_newest_last(tmp_path: Path) -> None:
    descriptor = opened(tmp_path / "log", b"".join(b"May 20 10:%02d:00 host app: n%d\n" % (n, n) for n in range(60)))
    assert [line.text[-3:] for line in tail(descriptor, Query(2), NOW, nobody_waits)] == ["n58", "n59"]
    fitting = [line.text.split()[-1] for line in tail(descriptor, Query(5, text="N4"), NOW, nobody_waits)]
    assert fitting == ["n45", "n46", "n47", "n48", "n49"]
    window = Query(99, since=NOW - 6600, until=NOW - 6300)
    assert [line.text[-3:] for line in tail(descriptor, window, NOW, nobody_waits)] == [f"n{n}" for n in range(10, 16)]
    assert tail(descriptor, Query(9, unit="nothing"), NOW, nobody_waits) == []
    os.close(descriptor)


def test_lines_without_a_time_belong_to_the_line_before(tmp_path: Path) -> None:
    data = b"".join(b"2026-05-20T10:0%d:00Z head %d\n  more of %d\n" % (n, n, n) for n in range(4))
    descriptor = opened(tmp_path / "log", data)
    window = Query(9, since=1779271260.0, until=1779271320.0)
    found = [line.text[-9:] for line in tail(descriptor, window, NOW, nobody_waits)]
    assert found == ["0Z head 1", "more of 1", "0Z head 2", "more of 2"]
    assert [line.at for line in tail(descriptor, window, NOW, nobody_waits)][:2] == [1779271260.0] * 2
    os.close(descriptor)


def test_a_boot_with_a_wrong_clock_hides_nothing(tmp_path: Path) -> None:
    wrong = b"1970-01-01T00:00:09Z no clock yet\n" * 20
    descriptor = opened(tmp_path / "log", b"2026-05-20T10:00:00Z a\n" + wrong + b"2026-05-20T10:05:00Z b\n")
    found = tail(descriptor, Query(9, since=1779271200.0), NOW, nobody_waits)
    assert [line.text[-1] for line in found] == ["a", "b"]
    os.close(descriptor)


def test_older_lines_are_left_out(tmp_path: Path) -> None:
    descriptor = opened(tmp_path / "log", b"2020-01-01T00:00:00Z old\n" * 2000 + b"2026-05-20T11:59:00 new\n")
    assert len(tail(descriptor, Query(9, since=NOW - 3600), NOW, nobody_waits)) == 1
    os.close(descriptor)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-05-20T10:00:00Z", 1779271200.0),
        ("2026-05-20T12:00:00+02:00 x", 1779271200.0),
        ("2026-05-20T06:30:00-0330", 1779271200.0),
        ("1970-01-01T00:00:00Z", 0.0),
        ("2024-02-29T00:00:00Z", 1709164800.0),
        ("2026-05-20T10:00:00.25Z", 1779271200.25),
    ],
)
def test_times_with_a_zone(text: str, seconds: float) -> None:
    assert iso(text) == seconds


def test_times_without_a_zone_are_local() -> None:
    wanted = time.mktime((2026, 5, 20, 10, 30, 5, 0, 0, -1))
    for text in ("2026-05-20T10:30:05", "2026-05-20 10:30:05 x", "2026-05-20 10:30:05,123"):
        found = iso(text)
        assert found is not None and int(found) == wanted
    assert iso("2026-05-20") == time.mktime((2026, 5, 20, 0, 0, 0, 0, 0, -1))
    assert stamp("<13>May 20 10:30:05 host x", NOW) == wanted
    assert stamp("Dec 31 23:59:59 host x", NOW) == time.mktime((2025, 12, 31, 23, 59, 59, 0, 0, -1))


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "2026-13-01", "2026-05-40", "May x 10:00:00", "May 20", "9999-01-01"),
        *("May 99999999999999999999 10:00:00", "May 20 99999999999:00:00", "2026-05-20T10:00:" + "9" * 400),
        *("May \xb2 10:00:00", "202\xb2-05-20 10:00", "2026-05-20T10:0\xb2", "2026-05-20T10:00:00+0\xb200"),
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert stamp(text, NOW) is None


def test_times_as_people_say_them() -> None:
    assert [moment(text, 10_000.0) for text in ("90s", "2 min", "1h", "1.5h", "1d ago", "5000", "2hours")] == [
        *(9910.0, 9880.0, 6400.0, 4600.0, -76400.0, 5000.0, 2800.0),
    ]
    for text in ("", "soon", "h", "-5h", "1x", "nan", "inf", "1e5", "..h"):
        assert moment(text, 10_000.0) is None
    assert moment("2026-05-20T10:00:00Z", 0.0) == 1779271200.0
