"""One journal file: both layouts, every packing, live, torn and hostile ones."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.hands.journal_file import Journal
from tests.support.journals import BOOT, Writer, journal, start

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
LAYOUTS = [{"compact": False}, {"compact": True}]


def read(folder: Path, data: bytes) -> Journal:
    """The journal; its descriptor lives as long as the process of the test."""
    file = folder / "system.journal"
    file.write_bytes(data)
    return Journal(os.open(file, os.O_RDONLY), "system.journal")


def messages(found: Journal) -> list[str]:
    told = [dict(map(found.field, entry.fields)) for entry in found.entries()]
    return [one.get("MESSAGE", "-") for one in told]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [0, 1, 4, 5, 12, 13, 300])
def test_all_entries_come_from_the_last_to_the_first(layout: dict[str, bool], count: int, tmp_path: Path) -> None:
    found = read(tmp_path, journal(count, **layout).bytes())
    entries = list(found.entries())
    assert [entry.sequence for entry in entries] == list(range(count, 0, -1)) and found.torn == 0
    assert all(entry.boot == BOOT and entry.at == start(entry.sequence - 1) for entry in entries)
    assert [text.split()[1] for text in messages(found)] == [str(n) for n in range(count - 1, -1, -1)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_of_a_field_and_the_entries_that_have_one(layout: dict[str, bool], tmp_path: Path) -> None:
    found = read(tmp_path, journal(100, **layout).bytes())
    values = {value: place for place, value in found.values("_SYSTEMD_UNIT")}
    assert set(values) == {"pump.service", "ssh.service", "cron.service"}
    places = [values["pump.service"], values["cron.service"]]
    wanted = [n + 1 for n in range(99, -1, -1) if n % 3 != 1]
    assert [entry.sequence for entry in found.entries(places)] == wanted
    assert list(found.values("NOTHING")) == [] and list(found.entries([])) == []


def test_an_entry_with_two_of_the_values_comes_once(tmp_path: Path) -> None:
    made = Writer()
    for count in range(9):
        made.add(start(count), {"A": "x", "B": "x", "MESSAGE": str(count)})
    found = read(tmp_path, made.bytes())
    places = [place for name in ("A", "B") for place, _ in found.values(name)]
    assert len(places) == 2 and [entry.sequence for entry in found.entries(places)] == list(range(9, 0, -1))


@pytest.mark.parametrize("pack", ["xz", "lz4"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_packed_fields_are_unpacked(pack: str, layout: dict[str, bool], tmp_path: Path) -> None:
    made = Writer(pack=pack, **layout)
    made.add(start(0), {"MESSAGE": "long " * 200, "PRIORITY": "6"})
    assert messages(read(tmp_path, made.bytes())) == ["long " * 200]


def test_a_field_that_is_packed_in_another_way_is_told_as_such(tmp_path: Path) -> None:
    made = Writer(pack="zstd")
    made.add(start(0), {"MESSAGE": "long " * 200, "PRIORITY": "6"})
    found = read(tmp_path, made.bytes())
    (entry,) = found.entries()
    assert [found.field(place)[0] for place in entry.fields] == ["?zstd", "PRIORITY"]


def test_a_file_that_is_being_written_gives_what_is_there(tmp_path: Path) -> None:
    found = read(tmp_path, journal(50).bytes(live=True))
    assert len(list(found.entries())) == 50  # three of them the head does not count yet


def test_long_and_binary_fields_are_bounded(tmp_path: Path) -> None:
    made = Writer()
    made.add(start(0), {"MESSAGE": b"\xff\x00" * 50_000})
    (text,) = messages(read(tmp_path, made.bytes()))
    assert 4000 < len(text) <= 8192


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "no journal"),
        (b"LPKSHHRH", "no journal"),
        (b"x" * 4096, "no journal"),
        (b"LPKSHHRH" + b"\xff" * 400, "later"),
    ],
)
def test_what_is_no_journal_is_a_sentence(data: bytes, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match=sentence):
        read(tmp_path, data)


def test_a_file_cut_off_anywhere_gives_less_and_ends(tmp_path: Path) -> None:
    data = journal(40).bytes()
    for size in range(208, len(data), 397):
        found = read(tmp_path, data[:size])
        assert len(list(found.entries())) <= 40
        os.close(found._descriptor)


def test_a_chain_that_leads_back_ends(tmp_path: Path) -> None:
    made = journal(40)
    data = bytearray(made.bytes())
    first = int.from_bytes(data[176:184], "little")
    data[first + 16 : first + 24] = first.to_bytes(8, "little")
    assert len(list(read(tmp_path, bytes(data)).entries())) <= 8
    for place in made.known.values():  # each value of a field leads to itself
        data[place + 32 : place + 40] = place.to_bytes(8, "little")
    assert len(list(read(tmp_path, bytes(data)).values("MESSAGE"))) == 1


@pytest.mark.soak
def test_broken_bytes_never_raise_loop_or_grow(tmp_path: Path) -> None:
    chance = random.Random(7)
    rounds = 2000 if SOAK else 200
    whole = [journal(60, **layout).bytes() for layout in LAYOUTS]
    begun = time.monotonic()
    read_in_all = 0
    for _ in range(rounds):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.randrange(1, 20)):
            place = chance.randrange(8, len(data) - 8)
            if chance.random() < 0.5:
                data[place] = chance.randrange(256)
            else:
                place -= place % 8
                data[place : place + 8] = chance.choice((0, 1, place, 1 << 40, len(data) - 8)).to_bytes(8, "little")
        try:
            found = read(tmp_path, bytes(data))
        except ToolFault:
            continue
        entries = list(found.entries())
        for entry in entries[:5]:
            read_in_all += len([found.field(place) for place in entry.fields])
        units = [place for place, _ in found.values("_SYSTEMD_UNIT")]
        assert len(entries) < 2000 and len(list(found.entries(units))) < 2000
        os.close(found._descriptor)
    print(f"{rounds} broken journals, {read_in_all} fields read, {time.monotonic() - begun:.1f} s")
