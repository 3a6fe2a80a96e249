"""What is read from a file is bounded in bytes, in memory and in time, and each bound that bites is said."""

from __future__ import annotations

import os
import random
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


def expected(data: bytes, first: int, count: int) -> tuple[list[bytes], int]:
    """The lines of a window and how many lines there are, the plain way."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    begin = first - 1 if first > 0 else max(0, len(lines) + first)
    return lines[begin : begin + count], len(lines)


@pytest.mark.parametrize("block", [1, 3, 64, 65536])
def test_windows_from_both_ends_are_those_of_the_plain_way(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_BLOCK", block)
    chance = random.Random(block)
    rounds = 5000 if os.environ.get("FIELDHAND_SOAK") == "1" else 250
    for _ in range(rounds):
        data = b"".join(chance.choice((b"a", b"bb", b"\n", b"\n", b"c\n")) for _ in range(chance.randrange(40)))
        first, count = chance.choice((1, 2, 3, 9, 40, -1, -2, -5, -40)), chance.choice((1, 2, 5, 99))
        (tmp_path / "f").write_bytes(data)
        found = read(tmp_path / "f", first, count)
        wanted, total = expected(data, first, count)
        assert found["raw"] == b"\n".join(wanted) and found["lines"] == len(wanted), (data, first, count)
        assert found["total"] in (None, total), (data, first, count)
        rest = total - (first - 1 if first > 0 else max(0, total + first)) - len(wanted)
        assert found["more"] is (rest > 0 if first > 0 else len(wanted) < min(total, -first))
    print(f"{rounds} windows in blocks of {block}")


def test_the_number_of_lines_is_told_where_the_end_was_seen(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"line\n" * 1000)
    assert read(tmp_path / "f", 990, 100)["total"] == 1000
    assert read(tmp_path / "f", 5000, 10)["total"] == 1000
    assert read(tmp_path / "f", 1, 10)["total"] is None
    found = read(tmp_path / "f", -5000, 2000)
    assert (found["first"], found["lines"], found["more"], found["total"]) == (1, 1000, False, 1000)


def test_what_claims_no_size_is_read_to_its_end_and_from_it() -> None:
    whole = Path("/proc/cpuinfo").read_bytes().split(b"\n")[:-1]
    assert os.stat("/proc/cpuinfo").st_size == 0
    found = read(Path("/proc/cpuinfo"), -3, 3)
    assert found["lines"] == 3 and found["total"] == len(whole) and found["first"] == len(whole) - 2
    assert [line.split(b":")[0] for line in found["raw"].split(b"\n")] == [line.split(b":")[0] for line in whole[-3:]]


def test_a_file_that_grows_while_it_is_read_from_its_end_gives_lines_that_were_there(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n" * 50_000)

    def grow() -> str:
        with open(tmp_path / "f", "ab") as file:
            file.write(b"new\n")
        return ""

    found = read(tmp_path / "f", -3, 3, late=grow)
    assert found["text"] == "old\nold\nold"


def test_reading_from_the_end_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_SCAN", 1 << 20)
    (tmp_path / "f").write_bytes(b"x" * (2 << 20))
    assert read(tmp_path / "f", -1)["text"] == "[reading stopped after 1 MiB]"
    assert read(tmp_path / "f", -1, late=lambda: "because the call was ended")["text"].endswith("was ended]")
