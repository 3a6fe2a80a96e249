"""Both ways of looking into the memory, through the file and by the index, find the same, in the same order."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from edge.faults import ToolFault
from edge.tape.memory import Memory
from edge.tape.memory_file import Book
from edge.tape.memory_index import Index
from tests.support import trigrams
from tests.support.tape_disks import TickingDisk

QUERIES = 4000 if os.environ.get("FIELDHAND_SOAK") == "1" else 120
WORDS = (
    *("pump", "Pumpe", "café", "cafe", "CAFÉ", "wifi", "ip", "5", "12", "7", "192.168.1.7", "naïve", "ﬁlter", "straße"),
    *(
        "锅炉",
        "温度",
        "温",
        "锅炉的温度计",
        "ポンプ",
        "がは",
        "水を",
        "한글",
        "서울",
        "ไทย",
        "🚿",
        "a",
        "pu",
        "mp",
        "umpe",
    ),
    *("vacuum", "valve", "the", "is", "bed", "\ufb03", "Ελλάδα", "ёж", "שָׁלוֹם", "कि", "x\u0301y", "\U0010ffff", "don't"),
)


def both(folder: Path) -> tuple[Memory, Memory]:
    disk, where = TickingDisk(), str(folder / "memory")
    return tuple(Memory(where, disk, indexed=indexed, least=0) for indexed in (False, True))  # type: ignore[return-value]


def has_index(folder: Path) -> bool:
    book = Book.open(TickingDisk(), str(folder / "memory"), True)
    assert book is not None
    index = Index.open(book)
    if index is not None:
        index.close()
    book.close()
    return index is not None


def test_many_queries_over_many_scripts_find_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scan, index = both(tmp_path)
    dice = random.Random(5)
    for number in range(250):
        some = [dice.choice(WORDS) for _ in range(dice.randint(1, 9))]
        glue = dice.choice([" ", "", ", ", "\n", " - "])
        key = f"{dice.choice(WORDS)} {dice.randrange(150)}"
        scan.store(key, glue.join(some), dice.choice(["core", "daily", "own"]), dice.choice(["", "far"]))
        if number % 40 == 39:
            index.recall("pump")  # so that it is brought up to date in steps
    if trigrams.why_not():
        pytest.skip(trigrams.why_not())
    assert has_index(tmp_path)
    hits = partial = 0
    for number in range(QUERIES):
        query = dice.choice([" ", "", ","]).join(dice.choice(WORDS) for _ in range(dice.randint(1, 4)))
        if number % 3 == 0:
            at = dice.randrange(len(query))
            query = query[at : at + dice.randint(1, 6)] or "x"
        bounds: dict[str, Any] = {}
        if number % 5 == 0:
            bounds = {
                "since": TickingDisk.now + dice.randrange(100),
                "until": TickingDisk.now + dice.randrange(100, 250),
            }
        told = []
        for memory in (scan, index):
            try:
                told.append(memory.recall(query, dice.choice([20]), **bounds))
            except ToolFault as fault:
                told.append(str(fault))  # type: ignore[arg-type]
        assert told[0] == told[1], query
        if not isinstance(told[0], str):
            hits += len(told[0].entries)
            partial += told[0].some
    assert hits > QUERIES and partial > QUERIES // 50
    with capsys.disabled():
        print(f" [{QUERIES} queries, {hits} hits]", end="")


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("cafe", ["b", "a"]),
        ("CAFÉ", ["b", "a"]),
        ("emperatu", ["c"]),
        ("温度", ["d"]),
        ("温", ["d"]),
        ("ポンプ", ["e"]),
        ("temperature boiler", ["c"]),
        ("snow boiler", ["c"]),
        ("snow", []),
        ("BED 7", ["f"]),
    ],
)
def test_what_each_way_finds(tmp_path: Path, indexed: bool, query: str, keys: list[str]) -> None:
    memory = both(tmp_path)[indexed]
    for key, content in (
        ("a", "the café is at the corner"),
        ("b", "the cafe is at the corner"),
        ("c", "boiler temperature 70 C"),
        ("d", "锅炉的温度是七十度"),
        ("e", "水のポンプが故障した"),
        ("f", "bed 7 was dry, bed 17 was not"),
    ):
        memory.store(key, content, "core")
    assert [entry.key for entry in memory.recall(query).entries] == keys


@pytest.mark.parametrize("indexed", [False, True])
def test_an_old_entry_with_the_rare_word_is_not_lost_behind_many_with_the_common_one(
    tmp_path: Path, indexed: bool
) -> None:
    memory = both(tmp_path)[indexed]
    memory.store("old", "the vacuum gauge", "core")
    for number in range(400):
        memory.store(f"k{number}", "water in the bed", "core")
    found = memory.recall("vacuum water snow")
    assert found.entries[0].key == "old" and found.some and found.more
    assert [entry.key for entry in memory.recall("water", 2).entries] == ["k399", "k398"]
