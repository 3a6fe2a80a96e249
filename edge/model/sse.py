"""Server-sent events: from bytes to the data of each event (WHATWG HTML, 9.2). Pure.

Rules:
1. Lines end with LF, CRLF or CR; an event ends with an empty line. Comments and all fields but `data` are dropped.
2. Bytes that are no UTF-8 are replaced. Lines are taken whole before they are decoded, so no character is torn.
3. An event that the end of the stream leaves open counts if it has data: some servers forget the last empty line.
"""

from __future__ import annotations

LONGEST = 1 << 20  # bytes of one line, and of the data of one event


class Events:
    """Feed it what came; ValueError when one event grows beyond LONGEST. Work is linear in what is fed."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_cr = False
        self._data: list[str] = []
        self._size = 0
        self._first = True

    def feed(self, piece: bytes) -> list[str]:
        """The data of the events that `piece` completes."""
        if b"\r" in piece or self._after_cr:
            piece = self._without_cr(piece)
        if b"\n" not in piece:
            self._rest += piece
            self._bound(len(self._rest))
            return []
        lines = (bytes(self._rest) + piece).split(b"\n")
        self._rest = bytearray(lines.pop())
        self._bound(len(self._rest))
        found: list[str] = []
        for line in lines:
            self._line(line, found)
        return found

    def end(self) -> list[str]:
        """The data of an event that was left open (rule 3)."""
        found: list[str] = []
        if self._rest:
            self._line(bytes(self._rest), found)
            self._rest = bytearray()
        self._line(b"", found)
        return found

    def _without_cr(self, piece: bytes) -> bytes:
        """CRLF and CR made LF, also where a CRLF is torn between two pieces."""
        if not piece:
            return piece
        torn, self._after_cr = self._after_cr and piece[:1] == b"\n", piece[-1:] == b"\r"
        if torn:
            piece = piece[1:]
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _line(self, line: bytes, found: list[str]) -> None:
        if self._first:
            self._first = False
            line = line[3:] if line[:3] == b"\xef\xbb\xbf" else line
        if not line:
            if self._data:
                found.append("\n".join(self._data))
                self._data, self._size = [], 0
            return
        if line[:5] == b"data:" or line == b"data":
            self._size += len(line)
            self._bound(self._size)
            value = line[5:]
            self._data.append((value[1:] if value[:1] == b" " else value).decode("utf-8", "replace"))

    def _bound(self, size: int) -> None:
        if size > LONGEST:
            raise ValueError(f"one event is longer than {LONGEST} bytes")
