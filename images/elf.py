"""What an ELF file says of itself: for which processor it is, which libraries it needs, what ARM attributes it has.

Rules:
1. Only what a gate asks for is read: the header, PT_DYNAMIC, PT_INTERP, sections by name. Both sizes, both byte orders.
2. What is cut off or points outside the file is a CardFault, never a wrong answer.
3. Libraries are read from the program headers, as the loader reads them; sections may be stripped.
4. The time does not hang on what a file claims: counts and names have bounds far above those of real files.

Sources: elf(5); Arm IHI 0045 (Addenda to the ABI, build attributes).
"""

from __future__ import annotations

import struct

from edge.faults import CardFault
from edge.record import Record

MAGIC = b"\x7fELF"
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 14, 15, 29
STT_GNU_IFUNC = 10
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EF_ARM_ABI_FLOAT_SOFT, EF_ARM_ABI_FLOAT_HARD = 0x200, 0x400
TAG_CPU_ARCH, TAG_ABI_VFP_ARGS = 6, 28
# Tags whose value is text; from 32 on, odd ones are text too.
_TEXT_TAGS = frozenset((4, 5, 67))
_COMPATIBILITY = 32
_MOST_SEGMENTS, _MOST_ENTRIES, _LONGEST, _DIGITS = 256, 4096, 4096, 10


class Elf(Record):
    """What was read. `needed`, `runpath` as the file has them; `attributes` are those of .ARM.attributes by tag."""

    bits: int
    little: bool
    kind: int
    machine: int
    flags: int
    interpreter: str = ""
    needed: tuple[str, ...] = ()
    soname: str = ""
    rpath: str = ""
    runpath: str = ""
    attributes: tuple[tuple[int, int], ...] = ()


class _File:
    """The bytes with their size and order."""

    def __init__(self, data: bytes) -> None:
        if len(data) < 52 or data[:4] != MAGIC or data[4] not in (1, 2) or data[5] not in (1, 2):
            raise CardFault("it is no ELF file")
        self.data = data
        self.wide = data[4] == 2
        self.order = "<" if data[5] == 1 else ">"
        header = "HHIQQQIHHHHHH" if self.wide else "HHIIIIIHHHHHH"
        found = self.at(header, 16)
        self.kind, self.machine = found[0], found[1]
        self.programs, self.sections, self.flags = found[4], found[5], found[6]
        self.program_size, self.program_count = found[8], found[9]
        self.section_size, self.section_count, self.names_at = found[10], found[11], found[12]

    def at(self, form: str, offset: int) -> tuple[int, ...]:
        try:
            return struct.unpack_from(self.order + form, self.data, offset)
        except (struct.error, OverflowError) as fault:
            raise CardFault("it is cut off") from fault

    def segment(self, number: int) -> tuple[int, int, int, int]:
        """Type, offset, address, size in the file."""
        place = self.programs + number * self.program_size
        if self.wide:
            kind, _, offset, address, _, size = self.at("IIQQQQ", place)
        else:
            kind, offset, address, _, size = self.at("IIIII", place)
        return kind, offset, address, size

    def segments(self) -> list[tuple[int, int, int, int]]:
        if self.program_count > _MOST_SEGMENTS:
            raise CardFault(f"it claims {self.program_count} segments")
        return [self.segment(number) for number in range(self.program_count)]

    def cut(self, offset: int, size: int) -> bytes:
        if offset + size > len(self.data):
            raise CardFault("it is cut off")
        return self.data[offset : offset + size]

    def text(self, offset: int) -> str:
        """A string that ends with a zero byte."""
        end = self.data.find(b"\0", offset, offset + _LONGEST)
        if not 0 <= offset < len(self.data) or end < 0:
            raise CardFault("a name in it lies outside the file")
        return self.data[offset:end].decode("utf-8", "replace")

    def section(self, name: str) -> bytes:
        """The bytes of a section, empty when there is none."""
        if not self.section_count or self.names_at >= self.section_count:
            return b""
        names = self._section(self.names_at)[1]
        for number in range(self.section_count):
            label, offset, size, kind = self._section(number)
            if kind != 8 and self.text(names + label) == name:
                return self.cut(offset, size)
        return b""

    def _section(self, number: int) -> tuple[int, int, int, int]:
        """Name, offset, size, type."""
        place = self.sections + number * self.section_size
        if self.wide:
            name, kind, _, _, offset, size = self.at("IIQQQQ", place)
        else:
            name, kind, _, _, offset, size = self.at("IIIIII", place)
        return name, offset, size, kind


def is_elf(start: bytes) -> bool:
    """True when a file that begins so is meant as ELF."""
    return start[:4] == MAGIC


def read(data: bytes) -> Elf:
    """What the file says; CardFault when it is none, or damaged."""
    opened = _File(data)
    segments = opened.segments()
    named = _dynamic(opened, segments)
    interpreter = next((opened.text(offset) for kind, offset, _, _ in segments if kind == PT_INTERP), "")
    marked = opened.section(".ARM.attributes") if opened.machine == 40 else b""
    return Elf(
        bits=64 if opened.wide else 32,
        little=opened.order == "<",
        kind=opened.kind,
        machine=opened.machine,
        flags=opened.flags,
        interpreter=interpreter,
        needed=tuple(named.get(DT_NEEDED, [])),
        soname="".join(named.get(DT_SONAME, [])[:1]),
        rpath="".join(named.get(DT_RPATH, [])[:1]),
        runpath="".join(named.get(DT_RUNPATH, [])[:1]),
        attributes=tuple(sorted(arm_attributes(marked, opened.order).items())),
    )


def section(data: bytes, name: str) -> bytes:
    """The bytes of one section, empty when there is none; CardFault when the file is damaged."""
    return _File(data).section(name)


def chooses(data: bytes) -> bool:
    """True when the dynamic symbols hold a function that the loader asks which code to take (STT_GNU_IFUNC)."""
    opened = _File(data)
    symbols = opened.section(".dynsym")
    step, place = (24, 4) if opened.wide else (16, 12)
    return any(symbols[at + place] & 15 == STT_GNU_IFUNC for at in range(0, len(symbols) - step + 1, step))


def _dynamic(opened: _File, segments: list[tuple[int, int, int, int]]) -> dict[int, list[str]]:
    """The texts of the dynamic section by tag."""
    entries: list[tuple[int, int]] = []
    step = 16 if opened.wide else 8
    for kind, offset, _, size in segments:
        if kind == PT_DYNAMIC:
            for place in range(offset, offset + size, step):
                tag, value = opened.at("qQ" if opened.wide else "iI", place)
                if tag == 0:
                    break
                entries.append((tag, value))
                if len(entries) > _MOST_ENTRIES:
                    raise CardFault("its dynamic section has no end")
    tables = [value for tag, value in entries if tag == DT_STRTAB]
    named: dict[int, list[str]] = {}
    for tag, value in entries:
        if tag in (DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH):
            if not tables:
                raise CardFault("its dynamic section has no names")
            named.setdefault(tag, []).append(opened.text(_offset(segments, tables[0]) + value))
    return named


def _offset(segments: list[tuple[int, int, int, int]], address: int) -> int:
    """Where in the file an address is loaded from."""
    for kind, offset, start, size in segments:
        if kind == PT_LOAD and start <= address < start + size:
            return offset + address - start
    raise CardFault("its names are not loaded from the file")


def arm_attributes(data: bytes, order: str = "<") -> dict[int, int]:
    """The numbers of the file scope of the vendor `aeabi`, by tag; empty when there are none."""
    found: dict[int, int] = {}
    place = 1
    if data[:1] not in (b"", b"A"):
        raise CardFault("its ARM attributes are of an unknown form")
    while place + 4 < len(data):
        (size,) = struct.unpack_from(order + "I", data, place)
        end = data.find(b"\0", place + 4)
        if size < 5 or place + size > len(data) or end < 0:
            raise CardFault("its ARM attributes are damaged")
        if data[place + 4 : end] == b"aeabi":
            found.update(_file_scope(data[end + 1 : place + size], order))
        place += size
    return found


def _file_scope(data: bytes, order: str) -> dict[int, int]:
    found: dict[int, int] = {}
    place = 0
    while place + 5 <= len(data):
        (size,) = struct.unpack_from(order + "I", data, place + 1)
        if size < 5 or place + size > len(data):
            raise CardFault("its ARM attributes are damaged")
        if data[place] == 1:
            found.update(_pairs(data[place + 5 : place + size]))
        place += size
    return found


def _pairs(data: bytes) -> dict[int, int]:
    found: dict[int, int] = {}
    place = 0
    while place < len(data):
        tag, place = _uleb(data, place)
        if tag == _COMPATIBILITY:
            _, place = _uleb(data, place)
        if tag in _TEXT_TAGS or (tag >= _COMPATIBILITY and (tag % 2 or tag == _COMPATIBILITY)):
            end = data.find(b"\0", place)
            if end < 0:
                raise CardFault("its ARM attributes are damaged")
            place = end + 1
        else:
            found[tag], place = _uleb(data, place)
    return found


def _uleb(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits per byte, the lowest first, and where it ends."""
    value = shift = 0
    while place < len(data) and shift < 7 * _DIGITS:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not byte & 0x80:
            return value, place
    raise CardFault("its ARM attributes are damaged")
