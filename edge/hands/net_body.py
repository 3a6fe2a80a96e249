"""The body of an answer: as much of it as is wanted, whatever it is packed in.

Rules:
1. What is kept is bounded by `limit`, and no step makes more than PIECE bytes beyond it: a bomb costs no memory.
2. Both sides of the unpacking are bounded: the bytes that come (by the room of the connection) and those that go out.
3. gzip and deflate (with or without the frame of zlib, as servers differ) are unpacked. Anything else is handed on as
   it came, and said.
"""

from __future__ import annotations

import zlib

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PIECE = 1 << 16  # bytes
_PACKED = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class Body:
    """`data` is at most the limit; `cut`: there was more; `packed`: the coding that was left as it is, or ""."""

    __slots__ = ("cut", "data", "packed")

    def __init__(self, data: bytes, cut: bool, packed: str) -> None:
        self.data = data
        self.cut = cut
        self.packed = packed


def collect(more: Callable[[int], bytes], coding: str, limit: int) -> Body:
    """Read by `more(most)` (b"" is the end) until `limit` bytes are there. ToolFault when the packing is broken."""
    coding = coding.strip().lower()
    coding = "" if coding == "identity" else coding
    unpack = _Unpacker(coding) if coding in _PACKED else None
    kept = bytearray()
    while len(kept) <= limit:
        piece = more(PIECE)
        if not piece:
            if unpack is not None and not unpack.whole:
                raise ToolFault(f"the answer is said to be {coding} and ends before its end")
            break
        if unpack is None:
            kept += piece
        else:
            unpack.into(kept, piece, limit + 1)
            if unpack.over:
                break
    cut = len(kept) > limit
    del kept[limit:]
    return Body(bytes(kept), cut, "" if unpack is not None else coding)


class _Unpacker:
    """Unpacks piece by piece; several members of gzip may follow each other (RFC 1952 section 2.2)."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._head = b""
        self._made: Any = None if coding == "deflate" else zlib.decompressobj(_PACKED[coding])
        self.whole = True
        self.over = False

    def into(self, kept: bytearray, piece: bytes, room: int) -> None:
        """Append what `piece` unpacks to, until `kept` has `room` bytes."""
        if self._made is None:
            piece = self._head + piece
            if len(piece) < 2:
                self._head = piece
                self.whole = False
                return
            framed = piece[0] & 15 == 8 and int.from_bytes(piece[:2], "big") % 31 == 0
            self._made = zlib.decompressobj(15 if framed else -15)
        try:
            while len(kept) < room and not self.over:
                most = min(PIECE, room - len(kept))
                made = self._made.decompress(piece, most)
                kept += made
                # At the end of a member the unconsumed tail says what the unused data say.
                piece = self._next_member() if self._made.eof else self._made.unconsumed_tail
                if not piece and len(made) < most:
                    break
        except zlib.error as error:
            raise ToolFault(f"the answer is said to be {self._coding} and is not ({error})") from error
        self.whole = bool(self._made.eof)

    def _next_member(self) -> bytes:
        """What follows the end of a member, when it is one; what is none is padding, and then it is over."""
        rest: bytes = self._made.unused_data
        if self._coding != "deflate" and b"\x1f\x8b".startswith(rest[:2]):
            if len(rest) < 2:
                return b""
            self._made = zlib.decompressobj(31)
            return rest
        self.over = True
        return b""
