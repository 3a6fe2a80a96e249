"""Packed files: what they hold comes out in bounded blocks, and what is broken or endless is a sentence."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable

import pytest

from edge.faults import ToolFault
from edge.tools import grep_packed
from edge.tools.grep_packed import BLOCK, kind, unpacked

PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def parts(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("size", [1, 100, 300_000])
def test_what_was_packed_comes_out_however_it_is_cut(name: str, size: int) -> None:
    data = random.Random(size).randbytes(size // 2) + b"pump on\n" * (size // 16)
    packed = PACKERS[name](data)
    assert kind(packed) == name
    for whole, wanted in ((packed, data), (packed + packed, data + data), (packed + bytes(9), data)):
        for cut in (max(1, len(whole) // 97), len(packed), len(whole)):
            blocks = list(unpacked(name, parts(whole, cut)))
            assert b"".join(blocks) == wanted and all(len(block) <= BLOCK for block in blocks)


@pytest.mark.parametrize("name", PACKERS)
def test_what_is_cut_off_or_broken_is_a_sentence(name: str) -> None:
    packed = PACKERS[name](b"pump on\n" * 1000)
    for bad in (packed[:-3], packed[: len(packed) // 2], packed[:12] + b"\xff\x00\xff" + packed[15:], packed + b"junk"):
        with pytest.raises(ToolFault, match=f"what {name} packed is broken"):
            list(unpacked(name, [bad]))


@pytest.mark.parametrize("name", PACKERS)
def test_a_small_file_that_holds_too_much_ends_in_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = PACKERS[name](bytes(3 << 20))
    for most, fits in ((3 << 20, True), ((3 << 20) - 1, False)):
        monkeypatch.setattr(grep_packed, "MOST", most)
        total = 0
        if fits:
            assert sum(map(len, unpacked(name, [packed]))) == 3 << 20
            continue
        with pytest.raises(ToolFault, match="holds more than"):
            for block in unpacked(name, [packed]):
                total += len(block)
        assert total <= most


def test_what_wants_too_much_memory_is_refused() -> None:
    with pytest.raises(ToolFault, match="xz"):
        list(unpacked("xz", [lzma.compress(b"x", preset=9)]))


def test_other_files_are_not_taken_for_packed_ones() -> None:
    for head in (b"", b"BZ", b"plain", b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"):
        assert kind(head) == ""
