"""What an open regular file says: a window of lines, a part of its bytes, or all of it.

Rules:
1. What begins like a binary file is told by its kind, not poured out; its bytes are there for who asks for bytes.
2. UTF-16 with its mark is read as the UTF-8 that says the same, up to _WIDE bytes.
3. Memory is bounded whatever the file claims (edge/hands/lines.py).
"""

from __future__ import annotations

import os

from edge.faults import ToolFault
from edge.hands.lines import window
from edge.hands.looks import HEAD, binary, codec, decoded
from edge.hands.replace import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.hands.replace import Stamp

_WIDE = 8 << 20
_BLOCK = 1 << 20
_NAMES = {"utf-8-sig": "UTF-8 with a byte-order mark", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE"}


def lines_of(
    descriptor: int, first: int, count: int, limit: int, kernel: bool, late: Callable[[], str]
) -> dict[str, Any]:
    """The window as edge/hands/lines.py has it, with `said`; or `binary` and `size` with an empty text."""
    head = os.read(descriptor, HEAD)
    os.lseek(descriptor, 0, os.SEEK_SET)
    kind, mark = binary(head, kernel), codec(head)
    size = os.fstat(descriptor).st_size
    if not kind and mark.startswith("utf-16") and size > _WIDE:
        kind = f"{_NAMES[mark]} text of more than {_WIDE >> 20} MiB"
    if kind:
        return {"binary": kind, "size": size, "text": "", "first": first, "lines": 0, "more": False, "total": None}
    if mark.startswith("utf-16"):
        found = _wide(descriptor, mark, first, count, limit, late)
    else:
        found = window(descriptor, first, count, limit, late)
    raw: bytes = found.pop("raw")
    told = ([_NAMES[mark]] if mark else []) + ["CRLF line ends"] * bool(found.pop("crlf"))
    told += ["of a long line from_byte reads the rest"] * bool(found.pop("long"))
    if mark == "utf-8-sig" and found["first"] == 1:
        raw = raw.replace(b"\xef\xbb\xbf", b"", 1)
    if kernel and b"\0" in raw:
        raw = raw.strip(b"\0").replace(b"\0", b" ")  # proc(5): zeros end the words of cmdline and of a device tree
    text, said = decoded(raw, told)
    return {**found, "text": text, "said": list(said)}


def _wide(descriptor: int, mark: str, first: int, count: int, limit: int, late: Callable[[], str]) -> dict[str, Any]:
    """A window of UTF-16 text, by way of a file in memory that holds the same as UTF-8."""
    raw, _ = _drain(descriptor, _WIDE, late)
    copy = os.memfd_create("text")
    try:
        view = memoryview(raw.decode(mark, "replace").lstrip("\ufeff").encode("utf-8", "replace"))
        while view:
            view = view[os.write(copy, view) :]
        os.lseek(copy, 0, os.SEEK_SET)
        return window(copy, first, count, limit, late)
    finally:
        os.close(copy)


def bytes_of(descriptor: int, start: int, count: int, late: Callable[[], str]) -> dict[str, Any]:
    """`data start size more`; a negative start counts from the end."""
    size = os.fstat(descriptor).st_size
    if not size or not os.pread(descriptor, 1, size - 1):  # what does not tell its size is read through
        raw, more = _drain(descriptor, _WIDE, late)
        begin = max(0, len(raw) + start) if start < 0 else start
        data = raw[begin : begin + count]
        return {"data": data, "start": begin, "size": None if more else len(raw), "more": begin + count < len(raw)}
    begin = max(0, size + start) if start < 0 else start
    data = b""
    count = min(count, max(0, size - begin))
    while len(data) < count and (block := os.pread(descriptor, min(_BLOCK, count - len(data)), begin + len(data))):
        data += block
    size = os.fstat(descriptor).st_size
    return {"data": data, "start": begin, "size": size, "more": bool(data) and begin + len(data) < size}


def all_of(descriptor: int, shown: str, most: int, late: Callable[[], str]) -> tuple[bytes, Stamp]:
    """All bytes and the stamp from before they were read. ToolFault when there are more than `most`."""
    before = os.fstat(descriptor)
    raw, more = _drain(descriptor, most, late)
    if more:
        raise ToolFault(f"{shown} is larger than {most >> 20} MiB or could not be read in time", "nothing was changed")
    return raw, stamp(before)


def _drain(descriptor: int, most: int, late: Callable[[], str]) -> tuple[bytes, bool]:
    """At most `most` bytes from the beginning, and whether there are more, or time was up."""
    kept: list[bytes] = []
    size = 0
    while size <= most and not late():
        block = os.read(descriptor, min(_BLOCK, most + 1 - size))
        if not block:
            return b"".join(kept), False
        kept.append(block)
        size += len(block)
    return b"".join(kept)[:most], True
