"""A file as blocks of whole lines."""

from __future__ import annotations

import os
import random
import tracemalloc
from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.hands.blocks import LONGEST, Blocks
from tests.support import descriptors
from tests.support.opening import hand, world


def blocks_of(folder: Path, data: bytes) -> Blocks:
    (folder / "f").write_bytes(data)
    return Blocks(os.open(folder / "f", os.O_RDONLY), lambda: "")


def test_blocks_end_where_lines_end_and_together_are_the_file(tmp_path: Path) -> None:
    chance = random.Random(5)
    for size in (0, 1, 100, 65535, 65536, 65537, 300_000):
        lines = []
        while sum(map(len, lines)) < size:
            lines.append(b"x" * chance.randrange(200) + b"\n")
        data = b"".join(lines)[:size]
        found = list(blocks_of(tmp_path, data))
        assert b"".join(found) == data and all(found)
        assert all(block.endswith(b"\n") for block in found[:-1])


def test_a_long_line_is_cut_and_lines_are_counted_as_before(tmp_path: Path) -> None:
    long = b"y" * (5 * LONGEST)
    for data in (b"a\n" + long + b"\nb\n", long + b"\n" + long, b"a\n" + long, long + b"\n\n" + long + b"\nc"):
        made = blocks_of(tmp_path, data)
        found = b"".join(made)
        assert found.split(b"\n") == [line[:LONGEST] for line in data.split(b"\n")]
        assert made.cut == data.count(long)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes((b"x" * 79 + b"\n") * 200_000 + b"z" * 4_000_000)
    made = Blocks(os.open(tmp_path / "f", os.O_RDONLY), lambda: "")
    tracemalloc.start()
    try:
        assert sum(block.count(b"\n") for block in made) == 200_000
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_it_stops_when_it_is_told_to_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x\n" * 500_000)
    answers = iter(["", "", "because the call was ended"])
    made = Blocks(os.open(tmp_path / "f", os.O_RDONLY), lambda: next(answers))
    assert sum(map(len, made)) == 2 * 65536 and made.why == "because the call was ended"


def test_the_descriptor_is_given_back_at_the_end_and_when_nobody_wants_the_rest(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x\n" * 200_000)
    before = descriptors.count()
    for _ in range(5):
        list(hand(world(tmp_path), "read", "f").blocks("f"))
        made = hand(world(tmp_path), "read", "f").blocks("f")
        next(iter(made))
        del made
        assert list(Blocks(-1, lambda: "")) == []
    assert descriptors.count() <= before + 5  # each world holds its root


def test_only_regular_files_have_blocks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "sub").mkdir()
    for path in ("pipe", "sub", "missing"):
        with pytest.raises(ToolFault):
            hand(world(tmp_path), "read", path).blocks(path)
