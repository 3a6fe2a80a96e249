"""What stands on an image or a card, checked from inside: table, boot state, both slots. No map is needed for it.

Rules:
1. Everything is read through a function (offset, length) -> bytes, and nothing is believed.
2. A check gives a row: what was looked at, whether it holds, and a sentence. What cannot be looked at does not hold;
   what there is nothing to compare with is told apart from what was compared.
3. The two slots are the same when they say that they are of the same build; where they differ, the place is named.
"""

from __future__ import annotations

import hashlib
import json
from binascii import crc32
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from edge.card import mbr, state
from edge.card.layout import CONFIG, DATA, PARTS, SECTOR, SLOTS, STATE_BYTES, STATE_PLACES
from edge.card.manifest import Manifest
from edge.faults import CardFault
from edge.record import Record
from images import card
from images.fatread import Read, Volume
from images.writing import first_difference

OK, BAD, LEFT = "ok", "BAD", "-"
_STEP = 1 << 20
_MOST_PLACES = 5
_UIMAGE = b"\x27\x05\x19\x56"
_HEADER = 64


class Row(Record):
    """One line of the result. `state`: ok, BAD, or - for what was not asked."""

    what: str
    state: str
    sentence: str


def volume(read: Read, number: int) -> Volume:
    """The file system of a partition by the layout; CardFault when it is none."""
    first, sectors, _ = PARTS[number]
    return Volume(read, first * SECTOR, sectors * SECTOR)


def rows(read: Read, told: Manifest | None, mapped: bool) -> Iterator[Row]:
    """All checks from inside, in the order of the card. `mapped`: its bytes were held against a block map before."""
    yield _table(read)
    yield _state(read)
    yield row("partition 1", lambda: _config(read, mapped))
    for letter, number in SLOTS.items():
        yield row(f"slot {letter.upper()}", partial(_slot, read, number))
        if told is not None:
            yield row(f"slot {letter.upper()}, manifest", partial(_signed, read, number, told))
    yield row("both slots", lambda: _alike(read))


class Left(str):
    """The sentence of a check that had nothing to compare with: no damage, and no proof of its absence."""


def row(what: str, check: Callable[[], str]) -> Row:
    """The row of a check that gives a sentence, or raises CardFault."""
    try:
        said = check()
        return Row(what, LEFT if isinstance(said, Left) else OK, str(said))
    except CardFault as fault:
        return Row(what, BAD, str(fault))


def _table(read: Read) -> Row:
    found, wanted = mbr.read(read(0, mbr.SIZE)), card.table()
    if found is None:
        return Row("partition table", BAD, "there is none, or it makes no sense: no card, or one that was not finished")
    if found.disk_id != wanted.disk_id:
        return Row("partition table", BAD, f"the disk id is {found.disk_id:08x}, {wanted.disk_id:08x} is wanted")
    for number in PARTS:
        one, two = found.part(number), wanted.part(number)
        # The board makes the data partition longer.
        grown = number == DATA and one is not None and two is not None and one.first == two.first
        if one != two and not grown:
            return Row("partition table", BAD, f"partition {number} is not where the layout has it")
    return Row("partition table", OK, f"four partitions, disk id {found.disk_id:08x}")


def _state(read: Read) -> Row:
    first, second = (read(place * SECTOR, STATE_BYTES) for place in STATE_PLACES)
    one, two = state.read(first), state.read(second)
    if one is None or two is None:
        which = "both copies are" if one is None and two is None else f"copy {1 if one is None else 2} is"
        return Row("boot state", BAD, f"{which} damaged")
    if one != two:
        return Row("boot state", BAD, "the two copies differ: a change was cut off between them")
    return Row("boot state", OK, f"slot {one.slot}, {'confirmed' if one.good else 'not confirmed yet'} ({one.why})")


def _config(read: Read, mapped: bool) -> str:
    files = [file for file in volume(read, CONFIG).files() if not file.folder]
    if not files:
        raise CardFault("it is empty: nothing can start from it")
    said = f"{len(files)} files"
    return said if mapped else Left(f"{said}; without a block map nothing says what is in them: not compared")


def _slot(read: Read, number: int) -> str:
    return slot(volume(read, number))[0]


def slot(inner: Volume) -> tuple[str, str]:
    """A sentence on the file system of a slot whose hashes hold, and the hash of its root; CardFault else."""
    wanted = _hash_of(inner)
    root = inner.find("root.sqfs")
    if root is None:
        raise CardFault("there is no root.sqfs")
    digest = hashlib.sha256()
    for piece in inner.pieces(root):
        digest.update(piece)
    if digest.hexdigest() != wanted:
        raise CardFault("root.sqfs is not what root.sha256 says: it is damaged")
    for name in ("kernel", "initrd"):
        _boots(inner, name)
    label = read_label(inner)
    said = f"{label.get('product', '?')} {label.get('version', '?')}, root.sqfs {root.size} bytes, as its hash says"
    return said, wanted


def _hash_of(inner: Volume) -> str:
    words = inner.content("root.sha256", 1024).decode("ascii", "replace").split()
    if len(words) != 2 or words[1].lstrip("*") != "root.sqfs" or len(words[0]) != 64:
        raise CardFault("root.sha256 is no line of sha256sum for root.sqfs")
    return words[0]


def _boots(inner: Volume, name: str) -> None:
    """A file that must be there; one in U-Boot's own form (include/image.h) is held against its checksums."""
    file = inner.find(name)
    if file is None or not file.size:
        raise CardFault(f"there is no {name}")
    pieces = inner.pieces(file)
    first = next(pieces)
    if first[:4] != _UIMAGE:
        return
    head = first[:_HEADER]
    if crc32(head[:4] + bytes(4) + head[8:]) != int.from_bytes(head[4:8], "big"):
        raise CardFault(f"the head of {name} is damaged")
    found = crc32(first[_HEADER:])
    for piece in pieces:
        found = crc32(piece, found)
    if found != int.from_bytes(head[24:28], "big"):
        raise CardFault(f"{name} is damaged: its checksum does not hold")


def read_label(inner: Volume) -> dict[str, Any]:
    """slot.json; CardFault when it cannot be read."""
    try:
        found = json.loads(inner.content("slot.json", 4096))
    except (ValueError, RecursionError) as error:
        raise CardFault("slot.json cannot be read") from error
    if not isinstance(found, dict):
        raise CardFault("slot.json is no table")
    return found


def _signed(read: Read, number: int, told: Manifest) -> str:
    """The content of a slot against the hash of the manifest: every byte up to its last cluster in use."""
    label = read_label(volume(read, number))
    if label.get("version") != told.version:
        return Left(f"holds version {label.get('version')}, the manifest is of {told.version}: not compared")
    if told.slot.size > PARTS[number][1] * SECTOR:
        raise CardFault("the manifest has a slot that is larger than the partition")
    digest = hashlib.sha256()
    start = PARTS[number][0] * SECTOR
    for at in range(start, start + told.slot.size, _STEP):
        digest.update(read(at, min(_STEP, start + told.slot.size - at)))
    if digest.hexdigest() != told.slot.sha256:
        raise CardFault("it is not what the manifest says")
    return f"{told.slot.size} bytes, as the manifest says"


def _alike(read: Read) -> str:
    one, two = (volume(read, number) for number in SLOTS.values())
    first, second = read_label(one), read_label(two)
    if first != second:
        return Left(f"A holds {first.get('version')}, B holds {second.get('version')}: not compared")
    places = [f"byte {at} ({place(read, at)})" for at in differences(read, one)]
    if places:
        raise CardFault(f"they are of one build and differ, beginning at {', '.join(places)}")
    return "are the same bytes"


def differences(read: Read, one: Volume) -> list[int]:
    """Where slot B differs from slot A: the first bytes, as places in A, of up to five different 4 KiB."""
    away = (PARTS[SLOTS["b"]][0] - PARTS[SLOTS["a"]][0]) * SECTOR
    found: list[int] = []
    for start, end in one.used():
        for at in range(start, end, 4096):
            count = min(4096, end - at)
            here, there = read(at, count), read(at + away, count)
            if here != there:
                found.append(at + first_difference(here, there))
            if len(found) >= _MOST_PLACES:
                return found
    return found


# --- places by name ---


def place(read: Read, offset: int) -> str:
    """What a byte of the card belongs to: `slot B: root.sqfs`, `the boot state, copy 1`, `the partition table`."""
    if offset < mbr.SIZE:
        return "the partition table"
    for copy, at in enumerate(STATE_PLACES, 1):
        if at * SECTOR <= offset < at * SECTOR + STATE_BYTES:
            return f"the boot state, copy {copy}"
    number = _part_at(offset)
    return f"{name(number)}: {_inside(read, number, offset)}" if number else "no partition"


def _part_at(offset: int) -> int:
    """The partition that a byte is in; 0 for none."""
    found = [n for n, (first, sectors, _) in PARTS.items() if first * SECTOR <= offset < (first + sectors) * SECTOR]
    return found[0] if found else 0


def name(number: int) -> str:
    """A partition as people call it."""
    slots = {part: f"slot {letter.upper()}" for letter, part in SLOTS.items()}
    return {CONFIG: "partition 1", DATA: "the data partition", **slots}[number]


def _inside(read: Read, number: int, offset: int) -> str:
    if number == DATA:
        return "its begin"
    try:
        return volume(read, number).owner(offset)
    except CardFault:
        return "its file system is damaged"


def places(read: Read, start: int, end: int) -> list[str]:
    """All that a range of bytes belongs to, each once, in order; a look at every sector of it."""
    found: dict[str, None] = {}
    volumes: dict[int, Volume | None] = {}
    for offset in range(start, end, SECTOR):
        number = _part_at(offset)
        if number in (0, DATA):
            found[place(read, offset)] = None
            continue
        if number not in volumes:
            volumes[number] = _quiet(read, number)
        inner = volumes[number]
        found[f"{name(number)}: {inner.owner(offset) if inner else 'its file system is damaged'}"] = None
    return list(found)


def _quiet(read: Read, number: int) -> Volume | None:
    try:
        found = volume(read, number)
        found.owners()
        return found
    except CardFault:
        return None
