from __future__ import annotations

import hashlib
import os
import random
import shutil
from binascii import crc32
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edge.card import state
from edge.card.layout import CONFIG, PARTS, SECTOR, SLOT_A, SLOT_B, STATE_PLACES
from edge.card.manifest import Manifest, Slot
from edge.faults import CardFault, UsageFault
from images import bmap, contents, fat, host, verify
from images.contents import BAD, LEFT, OK, Row
from images.fatread import Read, Volume
from images.progress import Progress
from tests.support import small_cards

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
Damage = Callable[[dict[int, int]], Read]


@pytest.fixture(scope="module")
def of(small_card: Path) -> bmap.Map:
    return bmap.of(small_card)


@pytest.fixture
def damaged(small_card: Path) -> Iterator[Damage]:
    """A reader of the card on which some bytes, by place, are others."""
    with small_card.open("rb") as file:

        def made(bytes_at: dict[int, int]) -> Read:
            def read(offset: int, length: int) -> bytes:
                file.seek(offset)
                data = bytearray(file.read(length))
                for at, mask in bytes_at.items():
                    if offset <= at < offset + len(data):
                        data[at - offset] ^= mask
                return bytes(data)

            return read

        yield made


def place_of(read: Read, number: int, path: str, inner: int = 0) -> int:
    """The byte of the card at which byte `inner` of a file stands."""
    volume = contents.volume(read, number)
    file = volume.find(path)
    assert file is not None
    for at, length in volume.runs(file.cluster):
        if inner < length:
            return at + inner
        inner -= length
    raise AssertionError(f"{path} ends before")


def wrong(rows: Iterator[Row] | list[Row]) -> dict[str, str]:
    return {row.what: row.sentence for row in rows if row.state == BAD}


def mapped(read: Read, of: bmap.Map) -> Row:
    return verify._mapped(read, of.size, of, Progress(None))


@small_cards.needs_fat
def test_a_whole_card_is_found_whole(damaged: Damage, of: bmap.Map) -> None:
    read = damaged({})
    rows = list(contents.rows(read, None, True))
    assert wrong(rows) == {} and mapped(read, of).state == OK
    assert {row.what for row in rows} == {
        "partition table",
        "boot state",
        "partition 1",
        "slot A",
        "slot B",
        "both slots",
    }


@small_cards.needs_fat
def test_one_flipped_bit_anywhere_in_what_is_mapped_is_found_with_its_place(damaged: Damage, of: bmap.Map) -> None:
    chance = random.Random(40)
    rounds = 200 if SOAK else 12
    for _ in range(rounds):
        start, end = of.place(chance.choice(of.ranges))
        at = chance.randrange(start, end)
        read = damaged({at: 1 << chance.randrange(8)})
        row = mapped(read, of)
        assert row.state == BAD and row.sentence.startswith(f"1 of {len(of.ranges)} ranges differ: ")
        number = next((n for n, (first, count, _) in PARTS.items() if first <= at // SECTOR < first + count), 0)
        if number in (SLOT_A, SLOT_B):
            assert f"byte {at} ({contents.name(number)}: " in row.sentence
        elif number:
            assert contents.name(number) in row.sentence
    print(f"{rounds} flipped bits found")


@small_cards.needs_fat
@pytest.mark.parametrize("number", [SLOT_A, SLOT_B])
@pytest.mark.parametrize(
    ("path", "inner"), [("root.sqfs", 620_000), ("kernel", 5), ("dtb/bcm2835-rpi-zero.dtb", 8_000)]
)
def test_the_file_that_is_damaged_is_named_with_the_exact_byte(
    damaged: Damage, of: bmap.Map, number: int, path: str, inner: int
) -> None:
    at = place_of(damaged({}), number, path, inner)
    assert f"byte {at} ({contents.name(number)}: {path})" in mapped(damaged({at: 16}), of).sentence


@small_cards.needs_fat
def test_a_damaged_root_is_found_without_a_map_and_the_other_slot_shows_where(damaged: Damage) -> None:
    at = place_of(damaged({}), SLOT_B, "root.sqfs", 100_000)
    found = wrong(contents.rows(damaged({at: 1}), None, True))
    assert found["slot B"] == "root.sqfs is not what root.sha256 says: it is damaged"
    away = (PARTS[SLOT_B][0] - PARTS[SLOT_A][0]) * SECTOR
    assert f"beginning at byte {at - away} (slot A: root.sqfs)" in found["both slots"]
    assert "slot A" not in found


@small_cards.needs_fat
def test_damage_to_table_and_state_is_named(damaged: Damage, of: bmap.Map) -> None:
    assert "there is none" in wrong(contents.rows(damaged({510: 1}), None, True))["partition table"]
    assert "the disk id is" in wrong(contents.rows(damaged({440: 1}), None, True))["partition table"]
    moved = wrong(contents.rows(damaged({446 + 16 + 14: 3}), None, True))
    assert "partition 2 is not where" in moved["partition table"]
    first, second = (place * SECTOR + 20 for place in STATE_PLACES)
    assert wrong(contents.rows(damaged({first: 1}), None, True)) == {"boot state": "copy 1 is damaged"}
    assert wrong(contents.rows(damaged({second: 1}), None, True)) == {"boot state": "copy 2 is damaged"}
    assert wrong(contents.rows(damaged({first: 1, second: 1}), None, True)) == {"boot state": "both copies are damaged"}
    assert "the boot state, copy 2" in mapped(damaged({second: 1}), of).sentence
    assert "the partition table" in mapped(damaged({3: 1}), of).sentence


@small_cards.needs_fat
def test_copies_that_differ_are_told(damaged: Damage) -> None:
    other = state.pack(state.confirmed(state.flashed()))
    now = state.pack(state.flashed())
    at = STATE_PLACES[1] * SECTOR
    changed = {at + i: one ^ two for i, (one, two) in enumerate(zip(other, now)) if one != two}
    assert "differ: a change was cut off" in wrong(contents.rows(damaged(changed), None, True))["boot state"]


@small_cards.needs_fat
def test_a_damaged_file_system_is_a_sentence_and_other_checks_go_on(damaged: Damage) -> None:
    start = PARTS[SLOT_A][0] * SECTOR
    found = wrong(contents.rows(damaged({start + 510: 0xFF}), None, True))
    assert "no FAT32 file system" in found["slot A"] and "no FAT32 file system" in found["both slots"]
    assert "slot B" not in found
    assert contents.places(damaged({start + 510: 0xFF}), start, start + 1024) == ["slot A: its file system is damaged"]


@small_cards.needs_fat
def test_all_files_of_a_range_are_named(damaged: Damage) -> None:
    read = damaged({})
    first = place_of(read, CONFIG, "README.txt")
    assert contents.places(read, first, first + 2 * SECTOR) == ["partition 1: README.txt", "partition 1: status.txt"]
    assert contents.places(read, 0, SECTOR) == ["the partition table"]
    assert contents.place(read, 4096) == "no partition"


@small_cards.needs_fat
def test_the_command_lists_and_its_code_says_whether_all_is_well(
    small_card: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(small_card), "--unsigned", "--no-gates"]
    assert verify.main(words) == 0
    out = capsys.readouterr().out
    assert "ok   slot A" in out and "-    block map" in out and "-    gates" in out
    assert out.endswith(
        "nothing is wrong in what was compared (partition table, boot state, slot A, slot B, both slots); "
        "not compared: origin, block map, partition 1, gates\n"
    )
    assert verify.main([str(small_card), "--no-gates"]) == CardFault.code
    assert "BAD  origin" in capsys.readouterr().out


@small_cards.needs_fat
def test_a_packed_image_is_checked_as_it_will_be_on_the_card(
    small_card: Path, of: bmap.Map, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "x.img.zst"
    if shutil.which("zstd") is None:
        pytest.skip("no zstd here")
    host.run("zstd", "-1", "-q", small_card, "-o", packed)
    (tmp_path / "x.img.bmap").write_text(bmap.text(of))
    assert verify.main([str(packed), "--unsigned", "--no-gates"]) == 0
    assert "ok   block map" in capsys.readouterr().out
    data = packed.read_bytes()
    packed.write_bytes(data[: len(data) // 2] + bytes((data[len(data) // 2] ^ 255,)) + data[len(data) // 2 + 1 :])
    assert verify.main([str(packed), "--unsigned", "--no-gates"]) == 1
    assert "BAD  " in capsys.readouterr().out


@small_cards.needs_fat
@pytest.mark.skipif(bool(host.missing(["unsquashfs"])), reason="no squashfs-tools here")
def test_a_root_that_cannot_be_unpacked_fails_the_gates(small_card: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its hash holds, and it is no squashfs all the same."""
    assert verify.main([str(small_card), "--unsigned"]) == 1
    out = capsys.readouterr().out
    assert "BAD  gates" in out and "its root cannot be unpacked" in out and "1 of " in out


@small_cards.needs_fat
def test_the_slots_are_held_against_a_signed_manifest(damaged: Damage) -> None:
    read = damaged({})
    start = PARTS[SLOT_A][0] * SECTOR
    size = -(-(max(end for _, end in contents.volume(read, SLOT_A).used()) - start) // 4096) * 4096
    digest = hashlib.sha256(read(start, size)).hexdigest()
    told = Manifest("pi-armv6", "1.0", "armel", "bookworm", ("x",), 0, 1, Slot(size, digest, digest), {})
    assert wrong(contents.rows(read, told, True)) == {}
    # The last kernel byte of slot B alone: no other check of it needs the manifest.
    at = place_of(read, SLOT_B, "kernel", 100)
    found = wrong(contents.rows(damaged({at: 2}), told, True))
    assert found.keys() == {"slot B, manifest", "both slots"}
    newer = Manifest("pi-armv6", "2.0", "armel", "bookworm", ("x",), 0, 1, Slot(size, digest, digest), {})
    (row,) = (row for row in contents.rows(read, newer, True) if row.what == "slot A, manifest")
    assert row.state == LEFT and "not compared" in row.sentence


@small_cards.needs_fat
@pytest.mark.parametrize("where", ["head", "body", None])
def test_a_kernel_in_the_form_of_uboot_is_held_against_its_checksums(tmp_path: Path, where: str | None) -> None:
    body = b"kernel" * 1000
    head = bytearray(b"\x27\x05\x19\x56" + bytes(20) + crc32(body).to_bytes(4, "big") + bytes(36))
    head[4:8] = crc32(bytes(head)).to_bytes(4, "big")
    data = bytearray(bytes(head) + body)
    if where:
        data[40 if where == "head" else 3000] ^= 1
    (tmp_path / "files").mkdir()
    (tmp_path / "files/kernel").write_bytes(data)
    fat.make(tmp_path / "x.fat", "X", 1, 70_000, tmp_path / "files", small_cards.EPOCH)
    part = (tmp_path / "x.fat").read_bytes()
    volume = Volume(lambda offset, length: part[offset : offset + length])
    if where is None:
        contents._boots(volume, "kernel")
        with pytest.raises(CardFault, match="there is no initrd"):
            contents._boots(volume, "initrd")
    else:
        with pytest.raises(CardFault, match="the head of kernel is damaged" if where == "head" else "does not hold"):
            contents._boots(volume, "kernel")


def test_what_is_neither_image_nor_card_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path, Path("/dev/null")):
        with pytest.raises(UsageFault, match="neither an image nor a card"):
            verify.main([str(path), "--unsigned"])


def test_the_last_line_tells_what_was_compared_and_what_was_not() -> None:
    good, bad, left = Row("slot A", OK, ""), Row("slot B", BAD, ""), Row("origin", LEFT, "")
    assert verify._end([good]) == "all is as it should be"
    assert verify._end([left, good]) == "nothing is wrong in what was compared (slot A); not compared: origin"
    assert verify._end([left, good, bad]) == "1 of 3 checks failed; not compared: origin"


def test_ranges_without_a_hash_are_said_to_be_not_compared(damaged: Damage, of: bmap.Map) -> None:
    read, size = damaged({}), of.size
    bare = bmap.Map(of.size, of.block, (*of.ranges[:-1], bmap.Range(of.ranges[-1].first, of.ranges[-1].last)))
    row = verify._mapped(read, size, bare, Progress(None))
    assert row.state == LEFT and "1 of" in row.sentence and "were not compared" in row.sentence
    whole = verify._mapped(read, size, of, Progress(None))
    assert whole.state == OK and "outside them are in no use and were not compared" in whole.sentence
