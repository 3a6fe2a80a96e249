"""Broken, cut and random files: an outline or nothing, never a fault, in bounded time and memory."""

from __future__ import annotations

import os
import random
import tracemalloc
from pathlib import Path

import pytest

from edge.tools.outlines.pick import language, scanner
from edge.tools.outlines.text import Entry

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "outline"
FILES = sorted(CORPUS.glob("*/*.txt"))
ROUNDS = 6000 if os.environ.get("FIELDHAND_SOAK") == "1" else 300
_MARKS = b"{}()[]<>;:,.=#/*\\\"'`~@&|!?-+_ \t\r\n\0\xff\xc3\xe2azAZ09"


def entries(name: str, data: bytes, size: int = 1 << 30) -> list[Entry]:
    """The entries of data under a name, in blocks of whole lines of about `size` bytes."""
    blocks, at = [], 0
    while at < len(data):
        end = data.rfind(b"\n", at, at + size) + 1 if at + size < len(data) else len(data)
        end = end or data.find(b"\n", at) + 1 or len(data)
        blocks.append(data[at:end])
        at = end
    return list(scanner(language(name, data[:4096]))(blocks))


def told(found: list[Entry]) -> list[tuple[int, int, str]]:
    return sorted((entry.line, entry.depth, entry.text) for entry in found)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_beginning_of_a_file_has_an_outline_that_the_whole_file_has_as_well(file: Path) -> None:
    data = file.read_bytes()
    whole = {entry.line for entry in entries(file.stem, data)}
    chance = random.Random(3)
    for _ in range(8):
        cut = chance.randrange(len(data))
        last = data.count(b"\n", 0, cut) + 1
        lines = [entry.line for entry in entries(file.stem, data[:cut])]
        assert all(1 <= line <= last for line in lines)
        # What is open at the cut may look like something else; what is far before it does not.
        missing = {line for line in whole if line < last - 40} - set(lines)
        assert len(missing) <= 1 + len(whole) // 20, missing


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_borders_of_blocks_do_not_matter(file: Path) -> None:
    data = file.read_bytes()
    whole = [(line, depth) for line, depth, _ in told(entries(file.stem, data))]
    for size in (1, 100, 1000):
        assert [(line, depth) for line, depth, _ in told(entries(file.stem, data, size))] == whole


def test_damaged_files_raise_nothing() -> None:
    chance = random.Random(17)
    for _ in range(ROUNDS):
        file = chance.choice(FILES)
        data = bytearray(file.read_bytes())
        for _ in range(chance.randrange(1, 30)):
            at = chance.randrange(len(data))
            way = chance.randrange(3)
            if way == 0:
                data[at] = chance.choice(_MARKS)
            elif way == 1:
                del data[at : at + chance.randrange(1, 40)]
            else:
                data[at:at] = bytes(chance.choices(_MARKS, k=chance.randrange(1, 12)))
            data = data or bytearray(b"x")
        found = entries(chance.choice((file.stem, chance.choice(FILES).stem)), bytes(data))
        lines = data.count(b"\n") + 1
        assert all(1 <= entry.line <= lines and entry.depth >= 0 and entry.text for entry in found)
    print(f"{ROUNDS} damaged files")


def test_random_bytes_raise_nothing_in_any_language() -> None:
    chance = random.Random(23)
    for _ in range(ROUNDS):
        data = bytes(chance.choices(_MARKS, k=chance.randrange(400)))
        for entry in entries(chance.choice(FILES).stem, data):
            assert entry.line >= 1 and entry.text


@pytest.mark.parametrize("name", sorted({file.parent.name: file.stem for file in FILES}.values()))
def test_nothing_grows_with_what_is_left_open(name: str) -> None:
    for piece in (b"{", b"f({", b'"', b"a<(", b"<<A ", b"x = (", b"}) => {"):
        data = (piece * (300 // len(piece)) + b"\n") * 4
        tracemalloc.start()
        try:
            assert len(entries(name, data)) <= 4000
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 4 << 20
