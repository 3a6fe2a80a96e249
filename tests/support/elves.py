"""ELF files made on the spot: just enough of one for what reads it."""

from __future__ import annotations

import struct
from collections.abc import Mapping

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 14, 15, 29
BASE = 0x10000


def attributes(pairs: Mapping[int, int]) -> bytes:
    """A section .ARM.attributes that holds numbers by tag, each below 128."""
    inner = b"".join(bytes((tag, value)) for tag, value in pairs.items())
    scope = b"\x05ARM7\0" if not pairs else b""
    body = bytes((1,)) + struct.pack("<I", 5 + len(scope + inner)) + scope + inner
    vendor = b"aeabi\0" + body
    return b"A" + struct.pack("<I", 4 + len(vendor)) + vendor


def make(
    bits: int = 32, machine: int = 40, flags: int = 0x5000200, kind: int = 3, needed: tuple[str, ...] = (),
    interpreter: str = "", soname: str = "", rpath: str = "", runpath: str = "",
    sections: Mapping[str, bytes] | None = None, order: str = "<",
) -> bytes:  # fmt: skip
    """An ELF file of one loaded segment with a dynamic section, and the sections that are asked for."""
    wide = bits == 64
    names = bytearray(b"\0")

    def text(value: str) -> int:
        place = len(names)
        names.extend(value.encode() + b"\0")
        return place

    entries = [(DT_NEEDED, text(name)) for name in needed]
    tags = ((DT_SONAME, soname), (DT_RPATH, rpath), (DT_RUNPATH, runpath))
    entries += [(tag, text(value)) for tag, value in tags if value]
    head, step, row = (64, 56, 16) if wide else (52, 32, 8)
    size = head + 3 * step
    path = interpreter.encode() + b"\0"
    names_at, dynamic_at = size, size + len(names)
    dynamic = b"".join(
        struct.pack(order + ("qQ" if wide else "iI"), tag, value)
        for tag, value in (*entries, (DT_STRTAB, BASE + names_at), (0, 0))
    )
    path_at = dynamic_at + len(dynamic)
    end = path_at + len(path)
    segments = [(PT_LOAD, 0, BASE, end), (PT_DYNAMIC, dynamic_at, BASE + dynamic_at, len(dynamic))]
    segments.append((PT_INTERP if interpreter else 0, path_at, BASE + path_at, len(path)))
    body, table, count = _sections(sections or {}, end, wide, order)
    programs = b"".join(
        struct.pack(order + "IIQQQQQQ", part, 5, offset, address, address, length, length, 1)
        if wide
        else struct.pack(order + "IIIIIIII", part, offset, address, address, length, length, 5, 1)
        for part, offset, address, length in segments
    )
    first = b"\x7fELF" + bytes((2 if wide else 1, 1 if order == "<" else 2, 1)) + b"\0" * 9
    form = "HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"
    header = struct.pack(
        order + form, kind, machine, 1, 0, head, end + len(body), flags, head, step, 3, 64 if wide else 40, count,
        count - 1,
    )  # fmt: skip
    assert row in (8, 16) and len(first + header) == head
    return first + header + programs + bytes(names) + dynamic + path + body + table


def _sections(sections: Mapping[str, bytes], start: int, wide: bool, order: str) -> tuple[bytes, bytes, int]:
    """The bytes of the sections, their table, how many there are with the empty first one and that of the names."""
    labels, body = bytearray(b"\0"), bytearray()
    rows = [(0, 0, 0, 0)]
    for name, data in sections.items():
        rows.append((len(labels), 1, start + len(body), len(data)))
        labels.extend(name.encode() + b"\0")
        body.extend(data)
    own = len(labels)
    labels.extend(b".shstrtab\0")
    rows.append((own, 3, start + len(body), len(labels)))
    body.extend(labels)
    form = "IIQQQQIIQQ" if wide else "IIIIIIIIII"
    table = b"".join(
        struct.pack(order + form, name, kind, 0, 0, offset, size, 0, 0, 1, 0) for name, kind, offset, size in rows
    )
    return bytes(body), table, len(rows)
