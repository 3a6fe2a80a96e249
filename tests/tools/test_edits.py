"""Exact replacing: the bytes that are not named stay, and what is not unique or not there is said with its place."""

from __future__ import annotations

import os
import random
import time

import pytest

from edge.faults import ToolFault
from edge.tools.diffs import diff
from edge.tools.edits import LARGEST, edit
from edge.tools.patches import apply, read

ROUNDS = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000


def one(data: bytes, old: str, new: str, every: bool = False, line: int = 1) -> bytes:
    return edit(data, [(old, new)], every, line, "f")[0]


def fault(data: bytes, old: str, new: str, every: bool = False, line: int = 1) -> str:
    with pytest.raises(ToolFault) as caught:
        edit(data, [(old, new)], every, line, "f")
    return str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        b"one\r\nKEY\r\ntwo\r\n",
        b"one\nKEY\nno end",
        b"\xef\xbb\xbfone\nKEY\n",
        b"page\x0cone\nKEY\x0b\x1c\x85\n",
        b"caf\xe9 \xff\xfe\x00\nKEY\n\x80",
        b"\nKEY\n\n\n",
        b"KEY",
        b"mixed\r\nKEY\nends\rhere\r\n",
    ],
    ids=ascii,
)
def test_every_other_byte_stays(data: bytes) -> None:
    assert one(data, "KEY", "value") == data.replace(b"KEY", b"value")
    assert one(data, "KEY", "") == data.replace(b"KEY", b"")
    assert one(data, "KEY", "zwei ä", every=True).count(b"zwei") == 1


def test_utf_16_and_latin_1_files_are_edited_in_their_own_letters() -> None:
    for code in ("utf-16-le", "utf-16-be"):
        data = "\ufeffhällo\r\nwörld ☀\r\n".encode(code)
        assert one(data, "wörld", "Welt ä") == "\ufeffhällo\r\nWelt ä ☀\r\n".encode(code)
    assert one("Größe\n5 °C\n".encode("latin-1"), "Größe", "Höhe") == "Höhe\n5 °C\n".encode("latin-1")
    for old in ("ÿ", "x"):
        assert "Latin-1" in fault("Größe ÿ x".encode("latin-1"), old, "☀") and "nothing was changed"
    assert one("Größe x".encode("latin-1"), "x", "ü") == "Größe ü".encode("latin-1")


def test_a_file_with_a_broken_byte_is_still_edited_as_utf_8() -> None:
    log = "Größe 5 °C\n".encode() + b"\xff\xfe torn\n" + "Höhe x\n".encode()
    assert one(log, "x", "☀ ü") == log.replace(b" x", " ☀ ü".encode())
    assert one(log, "Größe", "Länge") == log.replace("Größe".encode(), "Länge".encode())
    assert "is not whole" in fault(b"\xff\xfea", "a", "b")


def test_what_stands_several_times_is_told_with_its_lines() -> None:
    data = b"x = 1\ny = 2\nx = 1\nx = 1\n"
    assert "old stands 3 times, in lines 1, 3, 4" in fault(data, "x = 1", "x = 2")
    assert one(data, "x = 1", "x = 2", line=4) == b"x = 1\ny = 2\nx = 1\nx = 2\n"
    assert one(data, "x = 1", "x = 2", every=True, line=2) == b"x = 1\ny = 2\nx = 2\nx = 2\n"
    assert "stands 2 times, in lines 1, 1" in fault(b"aaa", "aa", "b")
    assert one(b"aaa", "aa", "b", every=True) == b"ba"
    assert "in lines 1, 1, 1, 1, 1, ..." in fault(b"a" * 9, "a", "b")


def test_what_is_missing_is_told_with_where_it_nearly_stands() -> None:
    data = b"def f(a,  b):\r\n\treturn a\r\n"
    assert "line 2 differs in blanks" in fault(data, "    return a", "x")
    assert "line 1 differs" in fault(data, "def f(a, b):", "x")
    assert "(the file ends its lines with CRLF)" in fault(data, "b):\n\treturn", "x")
    assert "file_read shows the exact text" in fault(data, "quite another", "x")
    assert "from line 2 on" in fault(data, "def f", "x", line=2)
    assert "there is no line 9 (the file has 3 lines" in fault(data, "a", "x", line=9)


@pytest.mark.parametrize("every", [True, False])
def test_nothing_to_look_for_and_nothing_to_change_are_faults(every: bool) -> None:
    assert "old is empty" in fault(b"abc", "", "x", every)
    assert "are the same" in fault(b"abc", "b", "b", every)


def test_several_edits_follow_each_other_and_a_fault_names_which() -> None:
    data, changes = edit(b"a b\n", [("a", "b2"), ("b2", "c")], False, 1, "f")
    assert data == b"c b\n" and len(changes) == 2
    with pytest.raises(ToolFault, match="edit 2 of 2 in f: old does not stand"):
        edit(b"a b\n", [("a", "c"), ("a", "d")], False, 1, "f")


def test_what_would_grow_out_of_bounds_and_what_would_take_long_is_refused_soon() -> None:
    begun = time.monotonic()
    assert "would be" in fault(b"a" * (1 << 20), "a", "b" * 100, every=True)
    data, (change,) = edit(b"a" * LARGEST, [("a", "b")], True, 1, "f")
    assert change.count == LARGEST == len(data) and "16777152 more places" in diff(change, 999)
    assert "does not stand" in fault(b"x\n" * (LARGEST // 2), "x\n" * 100_000 + "y", "z")
    assert "more than 10000 times" in fault(b"a" * LARGEST, "a", "b")
    assert time.monotonic() - begun < 60


def test_random_edits_are_those_of_the_plain_way_and_their_diff_says_just_what_changed() -> None:
    chance = random.Random(7)
    done = 0
    for _ in range(ROUNDS):
        data = "".join(chance.choice("ab\n") for _ in range(chance.randrange(40))).encode()
        old = "".join(chance.choice("ab\n") for _ in range(chance.randrange(1, 4)))
        new = "".join(chance.choice("abc\n") for _ in range(chance.randrange(4)))
        every, line = chance.random() < 0.5, chance.choice((1, 1, 2, 3))
        start = sum(len(part) + 1 for part in data.split(b"\n")[: line - 1])
        count = sum(data.startswith(old.encode(), at) for at in range(start, len(data)))
        if old == new or line > data.count(b"\n") + 1 or not (count if every else count == 1):
            fault(data, old, new, every, line)
            continue
        result, (change,) = edit(data, [(old, new)], every, line, "f")
        assert result == data[:start] + data[start:].replace(old.encode(), new.encode())
        (patch,) = read(f"--- a/f\n+++ b/f\n{diff(change, 1 << 20)}\n")
        if "more places" not in diff(change, 1 << 20):
            assert apply(data, patch) == (result, ()), (data, old, new)
            done += 1
    print(f"{ROUNDS} edits, {done} diffs applied")
    assert done > ROUNDS // 10
