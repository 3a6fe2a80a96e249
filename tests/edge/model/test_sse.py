"""Server-sent events, torn anywhere."""

from __future__ import annotations

import random

import pytest

from edge.model.sse import LONGEST, Events
from tests.support.boards import rounds


def read(raw, *cuts):
    events = Events()
    found = []
    for start, end in zip((0, *cuts), (*cuts, len(raw))):
        found += events.feed(raw[start:end])
    return found + events.end()


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data:a\r\n\r\ndata:  b\r\r", ["a", " b"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b": comment\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", ["a"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"\n\n\ndata: a\n\n\n", ["a"]),
        (b"data\n\n", [""]),
        (b"data: a\n", ["a"]),
        (b"data: a", ["a"]),
        (b"data: [DONE]", ["[DONE]"]),
        (b"datax: a\n\nnothing", []),
        (b"data: \xff\xc3\xa9\n\n", ["\ufffd\u00e9"]),
        (b"", []),
    ],
)
def test_events(raw, found):
    assert read(raw) == found


def test_torn_anywhere_it_is_the_same():
    lines = [b"data: \xf0\x9f\x98\x80 a", b"data:b", b"", b": c", b"event: d", b"data: e\xc3\xa9", b"", b""]
    for end in (b"\n", b"\r\n", b"\r"):
        raw = end.join(lines)
        whole = read(raw)
        assert whole[0] == "\U0001f600 a\nb"
        for cut in range(len(raw) + 1):
            assert read(raw, cut) == whole, (end, cut)
    chance = random.Random(3)
    count = rounds(5000)
    raw = b"\r\n".join(lines * 3)
    whole = read(raw)
    for _ in range(count):
        cuts = sorted(chance.randrange(len(raw)) for _ in range(chance.randrange(12)))
        assert read(raw, *cuts) == whole, cuts
    print(f"{count} random cuts")


def test_a_line_without_end_is_bounded():
    events = Events()
    with pytest.raises(ValueError, match="longer than"):
        for _ in range(LONGEST // 1000 + 2):
            events.feed(b"x" * 1000)


def test_an_event_of_many_lines_is_bounded():
    events = Events()
    with pytest.raises(ValueError, match="longer than"):
        for _ in range(LONGEST // 1000 + 2):
            events.feed(b"data: " + b"x" * 1000 + b"\n")
