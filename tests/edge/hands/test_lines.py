"""What is read from a file is bounded in bytes, in memory and in time, and each bound that bites is said."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from edge.hands import lines
from edge.hands.lines import entries, window
from tests.support.opening import hand, world


def never() -> str:
    return ""


def read(path: Path, first: int = 1, count: int = 200, limit: int = 8192, late: Callable[[], str] = never) -> dict:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return window(descriptor, first, count, limit, late)
    finally:
        os.close(descriptor)


def test_a_hole_is_not_read_and_what_comes_after_it_is(tmp_path: Path) -> None:
    with open(tmp_path / "f", "wb") as file:
        file.write(b"begin\n")
        file.truncate(1 << 40)
    begun = time.monotonic()
    text = read(tmp_path / "f")["text"]
    assert text.startswith("begin\n") and text.endswith(
        "[reading stopped where the file holds nothing more but a hole]"
    )
    with open(tmp_path / "f", "r+b") as file:
        file.seek(1 << 39)
        file.write(b"\nafter\n")
    assert read(tmp_path / "f", 3, 1)["text"] == "after"
    assert time.monotonic() - begun < 60


def test_a_file_of_zeros_that_are_there_is_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\0" * 300_000 + b"\nlast\n")
    assert read(tmp_path / "f", 2)["text"] == "last"
    (tmp_path / "f").write_bytes(b"\0" * 65536)
    assert "stopped" not in read(tmp_path / "f")["text"]


def test_reading_stops_between_two_blocks_when_it_is_late_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"line\n" * 100_000)
    looks = iter(["", "", "after 3 s"])
    found = read(tmp_path / "f", 1, 100_000, 1 << 30, lambda: next(looks))
    assert found["text"].endswith("\n[reading stopped after 3 s]") and found["lines"] < 30_000
    assert read(tmp_path / "f", 90_000, 5, late=lambda: "because the call was ended")["text"] == (
        "[reading stopped because the call was ended]"
    )


def test_the_permits_time_and_the_end_of_the_call_stop_a_reader(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes((b"x" * 99 + b"\n") * 200_000)
    here = world(tmp_path)
    assert "[reading stopped after" in hand(here, "read", "f", seconds=0.0).read("f", 100_000, 9)["text"]
    cut = hand(here, "read", "f")
    here.cuts += 1
    assert cut.read("f", 100_000, 9)["text"] == "[reading stopped because the call was ended]"
    assert hand(here, "read", "f").read("f", 150_000, 1)["text"] == "x" * 99


def test_reading_stops_after_so_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_SCAN", 1 << 20)
    (tmp_path / "f").write_bytes(b"line\n" * 400_000)
    assert read(tmp_path / "f", 399_999)["text"] == "[reading stopped after 1 MiB]"
    (tmp_path / "f").write_bytes(b"x" * ((1 << 20) - 1) + b"\n")
    assert "stopped" not in read(tmp_path / "f", 2)["text"]


def test_a_huge_folder_is_cut_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_LOOKED_AT", 700)
    for number in range(701):
        (tmp_path / f"f{number:04}").touch()
    descriptor = os.open(tmp_path, os.O_RDONLY)
    assert entries(descriptor)[-1] == "[more than 200 more names left out]"
    os.unlink(tmp_path / "f0000")
    assert entries(descriptor)[-1] == "[200 more names left out]" and len(entries(descriptor)) == 501
    os.close(descriptor)
