"""Compressed fields of the journal: xz by Python's own module, lz4 by the code here, zstd by zstd.py.

Every way is bounded by what the caller wants back: a small field that claims to be huge costs no more than that.
"""

from __future__ import annotations

WAYS = ((1, "xz"), (2, "lz4"), (4, "zstd"))  # flags of a data object
_MEMORY = 32 << 20  # bytes that the xz decoder may take


def unpacked(way: str, raw: bytes, most: int) -> bytes | None:
    """At most `most` bytes of the plain field; None when it cannot be unpacked here."""
    if way == "xz":
        return _xz(raw, most)
    if way == "lz4":
        return lz4(raw[8:], most)  # the first 8 bytes are the size of the plain field
    if way == "zstd":
        from edge.hands.zstd import unpack

        return unpack(raw, most)
    return None


def _xz(raw: bytes, most: int) -> bytes | None:
    try:
        import lzma
    except ImportError:
        return None  # a Python without it
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY).decompress(raw, most)
    except (lzma.LZMAError, EOFError):
        return None


def lz4(raw: bytes, most: int) -> bytes | None:
    """An LZ4 block (lz4_Block_format): literals and copies of what stands before; None when it is broken."""
    out = bytearray()
    at = 0
    while at < len(raw) and len(out) < most:
        token = raw[at]
        size, at = _length(raw, at + 1, token >> 4)
        if at + size > len(raw):
            return None
        out += raw[at : at + min(size, most)]
        at += size
        if at >= len(raw):
            break  # the last sequence has literals only
        back = raw[at] | (raw[at + 1] if at + 1 < len(raw) else 0) << 8
        size, at = _length(raw, at + 2, token & 15)
        if not 0 < back <= len(out):
            return None
        _copy(out, back, min(size + 4, most))
    return bytes(out[:most])


def _length(raw: bytes, at: int, size: int) -> tuple[int, int]:
    """A length that goes on in bytes of 255, and where it ends."""
    if size == 15:
        while at < len(raw):
            size += raw[at]
            at += 1
            if raw[at - 1] != 255:
                break
    return size, at


def _copy(out: bytearray, back: int, size: int) -> None:
    """`size` bytes from `back` bytes before the end; the two may overlap, then what was written is repeated."""
    start = len(out) - back
    while size > 0:
        piece = out[start : start + size]
        out += piece
        size -= len(piece)
        start += len(piece)
