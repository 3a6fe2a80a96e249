"""Packed fields."""

from __future__ import annotations

import lzma
import random

import pytest

from edge.hands.journal_unpack import lz4, unpacked
from tests.support.journals import literal_lz4


@pytest.mark.parametrize("size", [0, 1, 14, 15, 16, 269, 270, 271, 5000])
def test_literals_of_every_length(size: int) -> None:
    raw = bytes(n % 251 for n in range(size))
    assert unpacked("lz4", literal_lz4(raw), 9000) == raw


def test_copies_that_overlap_and_copies_that_do_not() -> None:
    # 1 literal, then 15+4+0 bytes from 1 byte before: a run; then 3 literals.
    assert lz4(b"\x1fa\x01\x00\x00\x30xyz", 100) == b"a" * 20 + b"xyz"
    # 4 literals, then 4 bytes from 4 before, then 1 literal.
    assert lz4(b"\x40abcd\x04\x00\x10z", 100) == b"abcdabcdz"
    assert lz4(b"\x40abcd\x02\x00\x10z", 100) == b"abcdcdcdz"


@pytest.mark.parametrize("raw", [b"\x40ab", b"\x10a\x00\x00\x00", b"\x10a\x09\x00\x00", b"\x00"])
def test_what_leads_before_its_begin_or_past_its_end_is_broken(raw: bytes) -> None:
    assert lz4(raw, 100) in (None, b"")


def test_what_claims_to_be_huge_costs_what_was_wanted() -> None:
    bomb = b"\x1fa\x01\x00" + b"\xff" * 100_000 + b"\x00"
    assert lz4(bomb, 1000) == b"a" * 1000
    packed = lzma.compress(bytes(8 << 20), lzma.FORMAT_XZ, lzma.CHECK_NONE, preset=0)
    assert unpacked("xz", packed, 1000) == bytes(1000)


def test_broken_bytes_are_none_or_something_short() -> None:
    chance = random.Random(3)
    for _ in range(3000):
        raw = bytes(chance.randrange(256) for _ in range(chance.randrange(60)))
        assert len(lz4(raw, 500) or b"") <= 500
        assert unpacked("xz", raw, 500) in (None, b"")
    assert unpacked("zstd", b"", 9) is None and unpacked("other", b"", 9) is None
