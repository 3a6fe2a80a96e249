"""What an open file says, as the hand on files tells it: encodings, kinds, parts of bytes, all of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from edge.faults import ToolFault
from edge.hands import reading
from tests.support.opening import hand, world


def look(folder: Path, path: str, first: int = 1, lines: int = 99) -> dict[str, Any]:
    return dict(hand(world(folder), "read", path).read(path, first, lines))


def part(folder: Path, path: str, start: int, count: int) -> tuple[bytes, int, bool]:
    found = hand(world(folder), "read", path).part(path, start, count)
    return found["data"], found["start"], found["more"]


@pytest.mark.parametrize(
    ("raw", "text", "said"),
    [
        ("\ufeffone\nzwei ä\n".encode(), "one\nzwei ä", ["UTF-8 with a byte-order mark"]),
        ("\ufeffone\nzwei ä\n".encode("utf-16-le"), "one\nzwei ä", ["UTF-16 LE"]),
        ("\ufeffone\r\nzwei ä\r\n".encode("utf-16-be"), "one\nzwei ä", ["UTF-16 BE", "CRLF line ends"]),
        ("20 °C in der Küche\n".encode("latin-1"), "20 °C in der Küche", ["no UTF-8: read as Latin-1"]),
        (b"one\r\ntwo", "one\ntwo", ["CRLF line ends"]),
        (b"one\ntwo", "one\ntwo", []),
    ],
    ids=["utf-8 mark", "utf-16-le", "utf-16-be", "latin-1", "crlf", "plain"],
)
def test_an_encoding_is_told_and_read(tmp_path: Path, raw: bytes, text: str, said: list[str]) -> None:
    (tmp_path / "f").write_bytes(raw)
    found = look(tmp_path, "f")
    assert (found["text"], found["said"]) == (text, said)
    assert look(tmp_path, "f", -1, 1)["text"] == text.split("\n")[-1]


def test_a_binary_file_is_told_and_not_poured_out(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\x1f\x8b" + os.urandom(5000))
    found = look(tmp_path, "f")
    assert (found["binary"], found["size"], found["text"], found["lines"]) == ("gzip data", 5002, "", 0)


def test_wide_text_that_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_WIDE", 100)
    (tmp_path / "f").write_bytes("\ufeff".encode("utf-16-le") + b"a\0" * 100)
    assert look(tmp_path, "f")["binary"].startswith("UTF-16 LE text of more than")


def test_zeros_between_words_of_the_kernel_are_blanks(tmp_path: Path) -> None:
    pid = os.getpid()
    here = world(tmp_path)
    found = hand(here, "read", f"/proc/{pid}/comm").read(f"/proc/{pid}/comm", 1, 9)
    assert found["place"] == "kernel" and found["text"]
    raw = reading.lines_of(os.open(f"/proc/{pid}/cmdline", os.O_RDONLY), 1, 9, 4096, True, lambda: "")
    assert "\0" not in raw["text"] and "pytest" in raw["text"] and " " in raw["text"]


def test_bytes_are_taken_from_both_ends(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(range(200)))
    assert part(tmp_path, "f", 0, 3) == (bytes((0, 1, 2)), 0, True)
    assert part(tmp_path, "f", 197, 99) == (bytes((197, 198, 199)), 197, False)
    assert part(tmp_path, "f", -2, 1) == (bytes((198,)), 198, True)
    assert part(tmp_path, "f", -500, 2) == (bytes((0, 1)), 0, True)
    assert part(tmp_path, "f", 200, 5) == (b"", 200, False)
    assert part(tmp_path, "/proc/version", 0, 5) == (b"Linux", 0, True)


def test_all_of_a_file_comes_with_what_tells_whether_it_changed(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 1000)
    data, stamp = hand(world(tmp_path), "read", "f").whole("f", 1000)
    status = (tmp_path / "f").stat()
    assert data == b"x" * 1000 and stamp == (status.st_dev, status.st_ino, 1000, status.st_ctime_ns)
    with pytest.raises(ToolFault, match="larger than"):
        hand(world(tmp_path), "read", "f").whole("f", 999)
    with pytest.raises(ToolFault, match="is a folder"):
        hand(world(tmp_path), "read", ".").whole(".", 9)


def test_a_missing_file_is_told_with_names_that_are_like_it(tmp_path: Path) -> None:
    (tmp_path / "Config.toml").write_text("")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "sensor.log").write_text("")
    with pytest.raises(ToolFault, match=r"no such file or directory \(there is Config.toml\)"):
        look(tmp_path, "config.toml")
    with pytest.raises(ToolFault, match=r"there is sensor.log"):
        look(tmp_path, "d/sensors.log")
    with pytest.raises(ToolFault, match=r"no such file or directory$"):
        look(tmp_path, "quite-another")
