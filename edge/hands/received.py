"""What came over a serial port: a bounded store of bytes, and the text that is read in it.

Rules:
1. At most ROOM bytes wait. When more come the oldest go, and how many went is told with what is read next.
2. Bytes are bytes until here: decoded with replacement, without terminal escapes, every line end as "\\n". In the form
   `hex` they are pairs of digits with a blank between.
3. A search sees all that waits, so noise before an answer is passed over. Noise may hold an ESC that seems to swallow
   what follows: where nothing is found, the text is looked at once more with every ESC taken out first.
4. What is taken is all up to the end of what was found, with the line end right behind it; the rest waits.
"""

from __future__ import annotations

import _thread
import time

from edge.record import Record
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Search = Callable[[str], "tuple[int, int] | None"]

ROOM = 1 << 16  # bytes
ENOUGH = 16  # bytes, from which on it is judged whether they are text
_LINE_ENDS = (b"\r\n", b"\n", b"\r")


class Found(Record):
    """`text`: all up to the end of the match, which is `match`. `size`: how many bytes that are. `last`: nothing
    waits behind it, so that more of it may come.
    """

    text: str
    match: str
    size: int
    last: bool


class Received:
    """`came`: bytes in all; `at`: when the last ones came, monotonic; `lost`: those that went untold."""

    def __init__(self) -> None:
        self._lock: Any = _thread.allocate_lock()
        self._data = b""
        self.came = 0
        self.lost = 0
        self.at = time.monotonic()

    def add(self, data: bytes) -> None:
        if not data:
            return
        with self._lock:
            whole = self._data + data
            self.lost += max(0, len(whole) - ROOM)
            self._data = whole[-ROOM:]
            self.came += len(data)
            self.at = time.monotonic()

    def waiting(self) -> tuple[bytes, int]:
        """The bytes that wait, and the place of the first among all that came."""
        with self._lock:
            return self._data, self.came - len(self._data)

    def take(self, upto: int) -> int:
        """Let go all before this place; how many bytes were lost that nobody was told of."""
        with self._lock:
            self._data = self._data[max(0, upto - (self.came - len(self._data))) :]
            lost, self.lost = self.lost, 0
            return lost


def text_of(data: bytes) -> str:
    """Rule 2, as text."""
    return plain(data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))


def hex_of(data: bytes) -> str:
    return data.hex(" ")


def _unescaped(data: bytes) -> str:
    return text_of(data.replace(b"\x1b", b""))


def look(data: bytes, search: Search, form: str) -> Found | None:
    """What `search` finds in it, None when nothing."""
    for view in (hex_of,) if form == "hex" else (text_of, _unescaped):
        text = view(data)
        span = search(text) if text else None
        if span is not None:
            size = _size(data, text[: span[1]], view)
            size += next((len(end) for end in _LINE_ENDS if form == "text" and data.startswith(end, size)), 0)
            return Found(text[: span[1]], text[span[0] : span[1]], size, span[1] == len(text))
        if view is text_of and b"\x1b" not in data:
            break
    return None


def _size(data: bytes, text: str, view: Callable[[bytes], str]) -> int:
    """The fewest bytes that show this text; all where no number of them does, as within an escape."""
    low, high = 0, len(data)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if len(view(data[:middle])) >= len(text) else (middle + 1, high)
    return low if view(data[:low])[: len(text)] == text else len(data)


def share_of_noise(data: bytes) -> float:
    """Which share of these bytes is no text; 0.0 where there are too few to judge."""
    if len(data) < ENOUGH:
        return 0.0
    text = data.decode("utf-8", "replace")
    odd = sum(one == "\ufffd" or (one < " " and one not in "\t\n\r\x1b\0") for one in text)
    return odd / len(text)
