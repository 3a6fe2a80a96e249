"""The tape where nothing can be kept: no writable state folder, or a test that wants none.

The contract of `Tape`, in memory: it refuses the same records, gives the same numbers and finds the same
messages, but only among the last records, and says so in `notice`.
"""

from __future__ import annotations

import _thread
import time

from edge.faults import TapeFault
from edge.tape.disk import boot_id
from edge.tape.form import encode
from edge.tape.recall import around, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

RECORDS = 2000
BYTES = 4 << 20


class Unkept:
    """A tape in memory, of the last `records` records in at most `size` bytes. `dropped`: how many are gone."""

    durable = False
    name = "unkept"
    path = ""

    def __init__(self, records: int = RECORDS, size: int = BYTES) -> None:
        from collections import deque

        self._lines: deque[bytes] = deque()
        self._records, self._bytes = records, size
        self._size = 0
        self._boot = boot_id()
        self._closed = False
        self._lock: Any = _thread.allocate_lock()
        self.seq = 0
        self.dropped = 0

    @property
    def notice(self) -> str:
        """What the operator must know of this tape, as a sentence."""
        said = "nothing is kept: this record ends with the process"
        return f"{said}, and its oldest {self.dropped} entries were dropped" if self.dropped else said

    def append(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> int:
        """Take one record; its number. TapeFault when it cannot be one, or the tape is closed."""
        with self._lock:
            return self._append(kind, fields)

    def _append(self, kind: str, fields: Mapping[str, Any]) -> int:
        if self._closed:
            raise TapeFault("the tape unkept is closed")
        line = encode(self.seq + 1, self._boot, time.monotonic(), time.time(), kind, fields)
        self._lines.append(line)
        self.seq += 1
        self._size += len(line)
        while len(self._lines) > self._records or (self._size > self._bytes and len(self._lines) > 1):
            self._size -= len(self._lines.popleft())
            self.dropped += 1
        return self.seq

    def sync(self) -> None:
        """Nothing to do, as long as it is open."""
        if self._closed:
            raise TapeFault("the tape unkept is closed")

    def close(self) -> None:
        """Forget everything."""
        self._closed = True
        self._lines.clear()

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """As Tape.search, among the records that are left."""
        whole = self._whole()
        return search(lambda count, offset: whole[offset : offset + count], len(whole), query, limit)

    def around(self, seq: int, context: int) -> list[dict[str, Any]]:
        """As Tape.around, among the records that are left."""
        whole = self._whole()
        return around(lambda count, offset: whole[offset : offset + count], len(whole), seq, context)

    def _whole(self) -> bytes:
        if self._closed:
            raise TapeFault("the tape unkept is closed")
        with self._lock:
            return b"".join(self._lines)
