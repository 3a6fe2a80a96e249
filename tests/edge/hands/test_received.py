"""What came over a serial port: bounded bytes, the text in them, and what a search takes."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from edge.hands.received import ROOM, Received, look, share_of_noise, text_of


def pattern(text: str) -> Any:
    """A search by Python's own engine."""

    def search(seen: str) -> Any:
        found = re.search(text, seen)
        return found and found.span()

    return search


def test_the_oldest_bytes_go_and_are_counted_once() -> None:
    came = Received()
    came.add(b"a" * ROOM)
    came.add(b"bc")
    data, first = came.waiting()
    assert (len(data), first, data[-2:]) == (ROOM, 2, b"bc") and came.came == ROOM + 2
    assert [came.take(first), came.take(first)] == [2, 0]
    assert came.take(first + ROOM - 1) == 0 and came.waiting() == (b"c", ROOM + 1)


def test_what_came_after_the_look_stays() -> None:
    came = Received()
    came.add(b"one")
    data, first = came.waiting()
    came.add(b"two")
    came.take(first + len(data))
    assert came.waiting()[0] == b"two"
    came.take(0)
    assert came.waiting()[0] == b"two"


def test_no_byte_is_no_news() -> None:
    came = Received()
    at = came.at
    came.add(b"")
    assert came.at == at


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\x1b[31mred\x1b[0m \x07!", "red !"),
        (b"T=21\xc2\xb0", "T=21\u00b0"),
        (b"XX\xb2$", "XX\ufffd$"),
        (b"\x1b]0;title\x07ok", "ok"),
    ],
)
def test_bytes_become_text_without_escapes(data: bytes, text: str) -> None:
    assert text_of(data) == text


@pytest.mark.parametrize(
    "noise", [b"", b"XX\xb2", b"\xff\x00\xfe", b"\xe2\x82", b"\x1b", b"\x1b[", b"\x9b1", b"T=\x1b"]
)
def test_an_answer_is_found_behind_any_noise_and_all_before_it_is_taken(noise: bytes) -> None:
    found = look(noise + b"T=21.5\r\nH=40", pattern(r"T=[0-9.]+"), "text")
    assert found is not None and found.match == "T=21.5" and found.size == len(noise) + 8 and not found.last


def test_an_answer_at_the_very_end_may_have_more_behind_it() -> None:
    found = look(b"T=2", pattern(r"T=[0-9.]+"), "text")
    assert found is not None and found.last and found.size == 3


def test_nothing_is_nothing() -> None:
    assert look(b"", pattern("x*"), "text") is None and look(b"abc", pattern("x"), "text") is None


def test_hexadecimal_digits_are_searched_in_pairs() -> None:
    found = look(b"\x01\x03\x02\x00\xd7", pattern("03 02 (.. ..)"), "hex")
    assert found is not None and (found.match, found.size) == ("03 02 00 d7", 5)


def test_what_is_taken_shows_what_was_found_whatever_came() -> None:
    chance = random.Random(7)
    pieces = (b"T=1", b"\r\n", b"\r", b"\x1b[3m", b"\x1b", b"\xe2\x82\xac", b"\xe2", b"ab", b"\x9b", b"\x00", b"\n")
    seen = 0
    for _ in range(3000):
        data = b"".join(chance.choices(pieces, k=8))
        found = look(data, pattern("T=1"), "text")
        assert (found is not None) == (b"T=1" in data), data
        if found is not None:
            seen += 1
            assert found.size <= len(data) and found.text.endswith("T=1")
            assert "T=1" in text_of(data[: found.size].replace(b"\x1b", b"")), data
    assert seen > 500


def test_the_share_that_is_no_text() -> None:
    assert share_of_noise(b"\xff" * 15) == 0.0
    assert share_of_noise(b"\xff\x81" * 8) == 1.0
    assert share_of_noise("T=21.5 °C\r\n".encode() * 4) == 0.0
    assert 0.4 < share_of_noise(b"ab\x01\xfe" * 8) < 0.6
