"""An update on a card: whatever is wrong, and wherever the power goes, one good slot starts."""

from __future__ import annotations

import io
import os
import random
from pathlib import Path
from typing import Any

import pytest

from edge.card import state as states
from edge.card import update
from edge.card.bundle import Bundle
from edge.card.slots import Card, Slot
from edge.card.state import State
from edge.card.update import Board
from edge.faults import CardFault, HardwareFault
from edge.record import replace
from tests.support import cards, signed
from tests.support.signed import KEY, OTHER, content, described

ROUNDS = 20 if os.environ.get("FIELDHAND_SOAK") == "1" else 2
OLD = content(24 * 4096, b"the slot that runs")
BEFORE = content(20 * 4096, b"the slot before it")
NEW = content(28 * 4096, b"the update")
UPDATE = signed.update(NEW)
HERE = Board("pi-test", "1.0", "armel", 1, 1, (KEY,))


def quiet(_what: str, _done: int, _total: int) -> None:
    """Nobody is told."""


def bundle() -> Bundle:
    return Bundle(io.BytesIO(UPDATE).read, [KEY])


def a_card(path: Path, state: State | None = cards.CONFIRMED) -> Path:
    return cards.small_card(path / "card", state, (OLD, BEFORE))


def test_an_update_lands_in_the_other_slot_and_is_tried_next(tmp_path: Path) -> None:
    card = a_card(tmp_path)
    told: list[str] = []
    with cards.opened(card) as opened:
        made = update.write(opened, "a", bundle(), lambda what, done, total: told.append(f"{what} {done}/{total}"))
        assert made == opened.state() == State("b", "a", False, states.TRIES, "made", "update")
        assert opened.copies() == (made, made)
    assert cards.held_in(card, "b", len(NEW)) == NEW
    assert cards.held_in(card, "a", len(OLD)) == OLD
    assert [told[0], told[-1]] == [f"write {len(NEW)}/{len(NEW)}", f"read {len(NEW)}/{len(NEW)}"]


def test_wherever_the_power_goes_the_reader_of_the_state_finds_a_whole_slot(tmp_path: Path) -> None:
    """Cut at every write and every sync of an update, with unsynced sectors lost or torn by chance; then it starts."""
    acts = cuts = new = 0
    for seed in range(ROUNDS):
        at = 0
        while True:
            card = a_card(tmp_path)
            device = cards.CutDevice(str(card), at, random.Random(f"{seed} {at}"))
            try:
                with Card(device) as opened:
                    update.write(opened, "a", bundle(), quiet)
            except cards.PowerGone:
                cuts += 1
            else:
                acts += device.acts
                break
            new += _one_good_slot(card)
            at += 1
        assert at == device.acts
    print(f"{cuts} cuts of {ROUNDS} updates with {acts} acts: {new} starts of the new slot")
    assert cuts == acts >= 14 * ROUNDS and new


def test_a_state_whose_writing_was_cut_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    before, after = cards.CONFIRMED, states.updated(cards.CONFIRMED)
    card = a_card(tmp_path)
    found = []
    for seed in range(ROUNDS * 20):
        with cards.opened(card) as opened:
            opened.keep(before)
        chance = random.Random(seed)
        with pytest.raises(cards.PowerGone), Card(cards.CutDevice(str(card), chance.randrange(4), chance)) as opened:
            opened.keep(after)
        with cards.opened(card) as opened:
            found.append(opened.state())
    assert set(found) == {before, after}
    print(f"{len(found)} cuts: {found.count(after)} times the new state")


def _one_good_slot(card: Path) -> bool:
    """Start it until it is confirmed or has fallen back, and run the update again; True when the new slot started."""
    with cards.opened(card) as opened:
        state = states.booting(opened.state())
        assert _holds(card, state.slot) in ((OLD,) if state.slot == "a" else (NEW,))
        # Whatever fails next: what it falls back to is whole as well.
        for after in (states.rotten(state), states.booting(replace(state, good=False, tries=0))):
            assert _holds(card, after.slot) in (OLD, BEFORE, NEW)
        if state.slot == "a":
            assert state.good
            update.write(opened, "a", bundle(), quiet)
            assert opened.state().slot == "b" and _holds(card, "b") == NEW
            return False
        opened.keep(state)
        assert update.confirm(opened, "b").good
        return True


def _holds(card: Path, slot: str) -> bytes:
    """Which of the contents is in a slot, b"" for none."""
    return next((one for one in (OLD, BEFORE, NEW) if cards.held_in(card, slot, len(one)) == one), b"")


def test_a_slot_left_half_written_has_no_file_system(tmp_path: Path) -> None:
    card = a_card(tmp_path)
    device = cards.CutDevice(str(card), 7, random.Random(1))
    with pytest.raises(cards.PowerGone), Card(device) as opened:
        update.write(opened, "a", bundle(), quiet)
    assert cards.held_in(card, "b", update.HEAD) == bytes(update.HEAD)
    assert cards.held_in(card, "b", len(NEW))[update.HEAD :] != bytes(len(NEW) - update.HEAD)


class Forgetful(cards.CutDevice):
    """A worn card: one byte of the slot is not kept."""

    def write(self, at: int, data: bytes) -> None:
        first = cards.FIRST[3] * 512
        if at <= first + 9000 < at + len(data):
            place = first + 9000 - at
            data = data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]
        super().write(at, data)


def test_what_the_card_did_not_keep_is_found_and_never_tried(tmp_path: Path) -> None:
    card = a_card(tmp_path)
    with Card(Forgetful(str(card), -1, random.Random(1))) as opened:
        with pytest.raises(HardwareFault, match="read back and differs"):
            update.write(opened, "a", bundle(), quiet)
        assert opened.state() == State("a", "a", True, 0, "made", "confirmed")


def test_a_file_that_changed_between_check_and_write_is_never_tried(tmp_path: Path) -> None:
    card = a_card(tmp_path)
    changed = bytearray(UPDATE)
    changed[-2048] ^= 1
    with cards.opened(card) as opened:
        with pytest.raises(CardFault, match="changed or damaged"):
            update.write(opened, "a", Bundle(io.BytesIO(bytes(changed)).read, [KEY]), quiet)
        assert opened.state().slot == "a" and opened.state().good
    assert cards.held_in(card, "b", update.HEAD) == bytes(update.HEAD)


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (states.flashed(), "not confirmed yet"),
        (states.updated(cards.CONFIRMED), "waits for its first start"),
        (State("b", "a", True, 0, "made", "confirmed"), "waits for its first start"),
        (None, "neither copy"),
    ],
)
def test_an_update_waits_until_what_runs_is_confirmed(tmp_path: Path, state: State | None, sentence: str) -> None:
    card = a_card(tmp_path, state)
    was = card.read_bytes()
    with cards.opened(card) as opened, pytest.raises(CardFault, match=sentence):
        update.write(opened, "a", bundle(), quiet)
    assert card.read_bytes() == was


def test_the_first_look_reads_all_of_it_and_trusts_no_other_key(tmp_path: Path) -> None:
    stream = io.BytesIO(UPDATE)
    assert update.checked(stream.read, (OTHER, KEY), quiet) == (described(NEW), KEY)
    assert stream.read() == b""
    for keys, sentence in (((OTHER,), "not trusted"), ((), "trusts no key")):
        with pytest.raises(CardFault, match=sentence):
            update.checked(io.BytesIO(UPDATE).read, keys, quiet)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"product": "pi-other"}, "this board runs pi-test for armel"),
        ({"arch": "arm64"}, "for arm64, this board runs pi-test for armel"),
        ({"data_schema": 0}, "reads data up to schema 0, and those of this board have schema 1"),
    ],
)
def test_what_does_not_fit_this_board_is_refused_in_words(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CardFault, match=sentence):
        update.fits(described(NEW, **changes), HERE, 1 << 20)


def test_a_slot_has_to_fit() -> None:
    update.fits(described(NEW), HERE, len(NEW))
    with pytest.raises(CardFault, match="holds 114,687 bytes"):
        update.fits(described(NEW), HERE, len(NEW) - 1)
    with pytest.raises(CardFault):
        update.fits(described(NEW[:4096]), HERE, 1 << 20)


def test_same_and_older_versions_are_doubted_and_a_newer_schema_is_told() -> None:
    assert update.doubts(described(NEW), HERE) == ""
    assert "is the one that runs" in update.doubts(described(NEW, version="1.0"), HERE)
    assert "0.9 is older than 1.0" in update.doubts(described(NEW, version="0.9"), HERE)
    assert update.notice(described(NEW), HERE) == ""
    told = update.notice(described(NEW, data_schema=2), HERE)
    assert "the way back is a card flashed anew and a backup from before" in told


def test_confirming_writes_once_and_never_for_a_slot_that_does_not_run(tmp_path: Path) -> None:
    card = a_card(tmp_path, states.booting(states.updated(cards.CONFIRMED)))
    with cards.opened(card) as opened:
        with pytest.raises(CardFault, match="slot a runs"):
            update.confirm(opened, "a")
        made = update.confirm(opened, "b")
        assert made == opened.state() == State("b", "a", True, 0, "made", "confirmed")
    was = card.read_bytes()
    with cards.opened(card, write=False) as opened:
        assert update.confirm(opened, "b") == made
    assert card.read_bytes() == was


def test_confirming_writes_a_lost_state_anew(tmp_path: Path) -> None:
    with cards.opened(a_card(tmp_path, None)) as opened:
        assert update.confirm(opened, "b") == opened.state() == State("b", "b", True, 0, "made", "confirmed")


class Told(Card):
    """A card whose slots say this."""

    said = Slot("pi-test", "0.9", 1)

    def slot(self, slot: str) -> Slot:
        return self.said if slot == "b" else Slot()


def test_back_tries_the_slot_before_this_one(tmp_path: Path) -> None:
    with Told(cards.opened(a_card(tmp_path)).device) as opened:
        made = update.back(opened, "a", 1)
        assert made == opened.state() == State("b", "a", False, states.TRIES, "made", "back")


def test_back_is_refused_where_the_older_version_does_not_read_the_data(tmp_path: Path) -> None:
    with Told(cards.opened(a_card(tmp_path)).device) as opened:
        with pytest.raises(CardFault, match="slot b reads data up to schema 1, and those of this board have schema 2"):
            update.back(opened, "a", 2)
        assert opened.state() == cards.CONFIRMED


def test_back_takes_an_update_back_that_was_not_started(tmp_path: Path) -> None:
    with cards.opened(a_card(tmp_path)) as opened:
        update.write(opened, "a", bundle(), quiet)
        assert update.back(opened, "a", 1) == State("a", "a", True, 0, "made", "back")
        with pytest.raises(CardFault, match="no slot to go back to"):
            update.back(opened, "a", 1)
        update.write(opened, "a", bundle(), quiet)  # and it can be taken again
        assert opened.state().slot == "b"


def test_a_slot_that_cannot_be_read_is_not_gone_back_to(tmp_path: Path) -> None:
    with cards.opened(a_card(tmp_path)) as opened, pytest.raises(CardFault, match="slot b cannot be read"):
        update.back(opened, "a", 1)


def test_what_a_board_is_stands_in_its_release_file() -> None:
    text = 'PRODUCT=pi-test\nVERSION="1.0"\n# more\nSUITE=bookworm\nARCH=armel\nDATA_SCHEMA=1\n'
    key = ("tests.pub", f"{KEY.public.hex()} tests\n")
    assert update.board(text, "", [key]) == HERE
    assert update.board(text, "2\n", [key]).data == 2
    assert update.board(text, "garbage", [key]).data == 1
    with pytest.raises(CardFault, match="does not say PRODUCT, VERSION, ARCH, DATA_SCHEMA"):
        update.board("", "", [])
    with pytest.raises(CardFault, match="as a number"):
        update.board(text.replace("=1", "=x"), "", [])
    hurt = update.board(text, "", [("bad.pub", f"hello\n\n{KEY.public.hex()} tests\nworld\n")])
    assert hurt.keys == HERE.keys
    assert [one.partition(" (")[0] for one in hurt.wrong] == [
        "line 1 is left out: bad.pub is no public key",
        "line 4 is left out: bad.pub is no public key",
    ]
