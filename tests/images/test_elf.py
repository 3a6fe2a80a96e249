"""ELF files are read as the loader reads them; what is damaged is a fault, never a wrong answer."""

from __future__ import annotations

import os
import random
import struct
import sys
import time
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import elf
from tests.support import elves

ROUNDS = 4000 if os.environ.get("FIELDHAND_SOAK") == "1" else 400


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("order", ["<", ">"])
def test_what_a_file_says_is_read(bits: int, order: str) -> None:
    made = elves.make(
        bits, 40, 0x5000400, needed=("libc.so.6", "libm.so.6"), interpreter="/lib/ld.so", soname="libx.so.1",
        rpath="/old", runpath="$ORIGIN/x", order=order,
    )  # fmt: skip
    read = elf.read(made)
    assert (read.bits, read.little, read.machine, read.flags, read.kind) == (bits, order == "<", 40, 0x5000400, 3)
    assert read.needed == ("libc.so.6", "libm.so.6") and read.interpreter == "/lib/ld.so"
    assert (read.soname, read.rpath, read.runpath) == ("libx.so.1", "/old", "$ORIGIN/x")


def test_attributes_are_read_over_texts_and_long_numbers() -> None:
    pairs = bytes((5,)) + b"7-A\0" + bytes((6, 10, 67)) + b"2.09\0" + bytes((28, 1, 70, 0x81, 0x01))
    scope = bytes((1,)) + (5 + len(pairs)).to_bytes(4, "little") + pairs
    other = b"gnu\0" + b"\x01\x06\0\0\0\0"
    vendor = b"aeabi\0" + scope
    data = b"A" + b"".join((4 + len(part)).to_bytes(4, "little") + part for part in (other, vendor))
    assert elf.arm_attributes(data) == {6: 10, 28: 1, 70: 129}


def test_sections_are_found_by_name() -> None:
    made = elves.make(sections={".modinfo": b"depends=a,b\0", ".other": b"x"})
    assert elf.section(made, ".modinfo") == b"depends=a,b\0"
    assert elf.section(made, ".absent") == b""
    assert elf.section(elves.make(bits=64, sections={".modinfo": b"y"}), ".modinfo") == b"y"


def test_a_library_that_chooses_its_code_says_so() -> None:
    plain, chosen = b"\0" * 16 + b"\0" * 12 + b"\x12\0\0\0", b"\0" * 16 + b"\0" * 12 + b"\x1a\0\0\0"
    assert not elf.chooses(elves.make(sections={".dynsym": plain}))
    assert elf.chooses(elves.make(sections={".dynsym": chosen}))


def test_a_program_of_this_machine_is_read_as_the_loader_sees_it() -> None:
    maps = Path("/proc/self/maps").read_text("ascii")
    read = elf.read(Path(sys.executable).resolve().read_bytes())
    assert read.interpreter.startswith("/lib") and read.needed
    for name in read.needed:
        assert f"/{name.partition('.so')[0]}" in maps


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"#!/bin/sh\n" * 10, b"\x7fELF\x03\x01" + b"\0" * 60])
def test_what_is_no_elf_is_told(data: bytes) -> None:
    with pytest.raises(CardFault):
        elf.read(data)


def test_a_file_that_is_cut_off_is_told_wherever_it_ends() -> None:
    made = elves.make(
        needed=("libc.so.6",), interpreter="/lib/ld.so", sections={".ARM.attributes": elves.attributes({6: 4})}
    )
    whole = elf.read(made)
    for length in range(len(made)):
        with pytest.raises(CardFault):
            assert elf.read(made[:length]) == whole
            raise CardFault("what was cut off was not needed")


def test_damage_is_a_fault_or_an_answer_and_nothing_else() -> None:
    chance = random.Random(7)
    made = elves.make(needed=("libc.so.6",), sections={".ARM.attributes": elves.attributes({6: 4, 28: 1})})
    told = 0
    for _ in range(ROUNDS):
        data = bytearray(made)
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            elf.read(bytes(data))
        except CardFault:
            told += 1
    print(f"{ROUNDS} damaged files, {told} told")
    assert 0 < told < ROUNDS


def header(bits: int, programs: int, count: int, sections: int = 0, section_count: int = 0) -> bytes:
    """A head with these places and counts, and nothing behind it."""
    first = b"\x7fELF" + bytes((bits // 32, 1, 1)).ljust(12, b"\0")
    form = "<HHIQQQIHHHHHH" if bits == 64 else "<HHIIIIIHHHHHH"
    wide = bits == 64
    sizes = (64, 56, count, 64, section_count, 0) if wide else (52, 0, count, 40, section_count, 0)
    return first + struct.pack(form, 3, 183 if wide else 40, 1, 0, programs, sections, 0, *sizes)


def test_places_beyond_all_numbers_of_this_machine_are_outside_the_file() -> None:
    for programs, sections in ((1 << 63, 0), ((1 << 64) - 1, 0)):
        with pytest.raises(CardFault, match="cut off"):
            elf.read(header(64, programs, 1, sections) + bytes(200))
    with pytest.raises(CardFault, match="cut off"):
        elf.section(header(64, 0, 0, 1 << 63, 2) + bytes(200), ".modinfo")


def test_what_a_file_claims_of_itself_costs_no_time() -> None:
    """Segments without number over one dynamic section without end; a number of a million digits."""
    began = time.process_time()
    body = struct.pack("<IIIIIIII", 2, 84, 0, 0, 1_600_000, 0, 0, 0) + b"\x07\0\0\0\0\0\0\0" * 200_000
    for count, told in ((65535, "claims 65535 segments"), (200, "no end")):
        with pytest.raises(CardFault, match=told):
            elf.read(header(32, 52, count) + body)
    pairs = b"\x06" + b"\xff" * 1_000_000 + b"\0"
    scope = bytes((1,)) + struct.pack("<I", 5 + len(pairs)) + pairs
    vendor = b"aeabi\0" + scope
    with pytest.raises(CardFault, match="damaged"):
        elf.arm_attributes(b"A" + struct.pack("<I", 4 + len(vendor)) + vendor)
    assert time.process_time() - began < 5
