"""From hit to hit through a buffer of lines.

Rules:
1. A buffer is searched in blocks of whole lines, at most BLOCK bytes each unless one line is longer. Before each the
   caller is asked whether it is late.
2. Offsets are bytes. A text is as long as its bytes exactly when each of its characters is one byte.
"""

from __future__ import annotations

from edge.faults import BudgetFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Optional, TypeVar

    Late = Optional[Callable[[], bool]]
    Text = TypeVar("Text", str, bytes)

BLOCK = 1 << 16


def decoded(data: bytes) -> str:
    """Bytes as text; a byte that is no UTF-8 is one character."""
    return data.decode("utf-8", "surrogateescape")


def width(text: str) -> int:
    """How many bytes the text was."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def in_time(late: Late) -> None:
    """BudgetFault when the caller says that it is late."""
    if late is not None and late():
        raise BudgetFault("the search was stopped, for its time is used up", "narrow it down")


def blocks(data: bytes, start: int, end: int, most: int, late: Late) -> Iterator[tuple[int, int]]:
    """The buffer in pieces of whole lines, in order."""
    while start < end:
        in_time(late)
        close = end
        if end - start > most:
            close = data.rfind(b"\n", start, start + most) + 1 or data.find(b"\n", start + most, end) + 1 or end
        yield start, close
        start = close


def every_line(data: bytes, start: int, end: int, late: Late) -> Iterator[int]:
    """Where each line starts."""
    for low, high in blocks(data, start, end, BLOCK, late):
        at = low
        while at < high:
            yield at
            at = data.find(b"\n", at, high) + 1 or high


class Ahead:
    """The next place of each of a few texts in a buffer, never looked for twice."""

    def __init__(self, data: bytes, texts: Sequence[bytes], start: int, end: int) -> None:
        self.data = data
        self.texts = texts
        self.end = end
        self.places = [data.find(text, start, end) for text in texts]

    def first(self, at: int) -> int:
        """Where the first of them stands at or after `at`, -1 when none does. `at` never goes back."""
        best = -1
        for count, place in enumerate(self.places):
            if 0 <= place < at:
                place = self.places[count] = self.data.find(self.texts[count], at, self.end)
            if place >= 0 and (best < 0 or place < best):
                best = place
        return best


def lines_with(ahead: Ahead, start: int, late: Late) -> Iterator[tuple[int, int]]:
    """Start and end of each line in which one of the texts stands; the line feed is not counted."""
    data, end, at, asked = ahead.data, ahead.end, start, start + BLOCK
    in_time(late)
    while True:
        hit = ahead.first(at)
        if hit < 0:
            return
        if hit >= asked:
            in_time(late)
            asked = hit + BLOCK
        close = data.find(b"\n", hit, end)
        close = end if close < 0 else close
        yield data.rfind(b"\n", at, hit) + 1 or at, close
        at = close + 1


def in_a_row(data: bytes, texts: Sequence[bytes], low: int, high: int) -> bool:
    """Do the texts stand one after the other in data[low:high], with anything between them?"""
    for text in texts:
        low = data.find(text, low, high)
        if low < 0:
            return False
        low += len(text)
    return True


def edged_lines(data: bytes, text: bytes, edges: tuple[bool, bool], start: int, end: int, late: Late) -> Iterator[int]:
    """Where each line starts that begins, or ends, with the text; both edges: that is the text."""
    begins, ends = edges
    if start >= end:
        return
    alone = end - start == len(text) and data.startswith(text, start, end)
    text = b"\n" * begins + text + b"\n" * ends
    if begins and (data.startswith(text[1:], start, end) or alone):
        yield start
    asked = at = start
    while True:
        hit = data.find(text, at, end)
        if hit < 0:
            break
        if hit >= asked:
            in_time(late)
            asked = hit + BLOCK
        yield hit + 1 if begins else data.rfind(b"\n", start, hit) + 1 or start
        at = hit + len(text) - ends
    if ends and not data.endswith(b"\n", start, end) and data.endswith(text[:-1], start, end):
        yield data.rfind(b"\n", start, end) + 1 or start


def hits(text: Text, feed: Text, first: Callable[[Text, int], int]) -> Iterator[int]:
    """Where each matching line of a text starts; `first` says where the next match was noticed, -1 where none is."""
    at = 0
    while 0 <= at < len(text):
        hit = first(text, at)
        if hit < 0:
            return
        yield text.rfind(feed, at, hit) + 1 or at
        at = text.find(feed, hit) + 1 or len(text)
