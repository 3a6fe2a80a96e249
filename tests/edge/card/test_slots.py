"""Cards as files: found by their id, read and written at the places their table says."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from edge.card import layout, slots
from edge.card import state as states
from edge.card.slots import Card, Device, Slot
from edge.faults import CardFault, HardwareFault
from edge.record import replace
from tests.support import cards


def test_state_is_written_twice_and_read_by_the_first_whole_copy(tmp_path: Path) -> None:
    path = cards.small_card(tmp_path / "card")
    after = states.updated(cards.CONFIRMED)
    with cards.opened(path) as card:
        card.keep(after)
        assert card.copies() == (after, after) and card.state() == after
        card.device.write(layout.STATE_PLACES[0] * 512 + 100, b"torn")
        assert card.copies() == (None, after) and card.state() == after
        card.device.write(layout.STATE_PLACES[1] * 512 + 100, b"torn")
        assert card.copies() == (None, None) and card.state().why == "lost"


class Heard(Device):
    """A card of which is known what it was told, in order: the sector that is written, or `sync`."""

    told: tuple[object, ...] = ()

    def write(self, at: int, data: bytes) -> None:
        """Noted, and done."""
        self.told += (at // layout.SECTOR,)
        super().write(at, data)

    def sync(self) -> None:
        """Noted, and done."""
        self.told += ("sync",)
        super().sync()


def test_the_copy_that_is_read_first_is_written_last_and_each_is_on_the_card_before_the_next(tmp_path: Path) -> None:
    with Card(Heard(str(cards.small_card(tmp_path / "card")), True)) as card:
        card.keep(states.updated(cards.CONFIRMED))
        assert isinstance(card.device, Heard)
        first, second = layout.STATE_PLACES
        assert card.device.told == (second, "sync", first, "sync")


class Stuck(Device):
    """A card that takes writes and keeps nothing, as worn ones do."""

    def write(self, at: int, data: bytes) -> None:
        """Nothing happens."""


def test_a_card_that_keeps_nothing_is_found_by_reading_back(tmp_path: Path) -> None:
    path = cards.small_card(tmp_path / "card")
    with (
        Card(Stuck(str(path), True)) as card,
        pytest.raises(HardwareFault, match="did not keep the boot state at sector"),
    ):
        card.keep(states.updated(cards.CONFIRMED))


def test_what_has_not_our_id_is_no_card_of_ours_and_says_what_it_is_for(tmp_path: Path) -> None:
    path = tmp_path / "disk"
    for content in (b"", bytes(4096), os.urandom(4096)):
        path.write_bytes(content)
        with pytest.raises(CardFault, match=r"no card of ours \(fieldhand update is for a card"):
            cards.opened(path)


def test_a_card_that_is_cut_short_has_no_whole_slot(tmp_path: Path) -> None:
    path = cards.small_card(tmp_path / "card")
    os.truncate(path, 3072 * 512 + 1)
    with cards.opened(path) as card:
        assert card.place("a") == (2560 * 512, 512 * 512)
        with pytest.raises(CardFault, match="no whole slot b"):
            card.place("b")


def test_what_cannot_be_opened_or_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(HardwareFault, match="could not be opened: no such file"):
        Device(str(tmp_path / "none"))
    path = cards.small_card(tmp_path / "card")
    with cards.opened(path, write=False) as card, pytest.raises(HardwareFault, match="could not be written at byte 5"):
        card.device.write(5, b"x")
    full = Device("/dev/full", True) if os.path.exists("/dev/full") else None
    if full is not None:
        with pytest.raises(HardwareFault, match=os.strerror(errno.ENOSPC).lower()):
            full.write(0, b"x")
        full.close()


def test_the_running_slot_and_a_card_under_update_are_not_held(tmp_path: Path) -> None:
    path = cards.small_card(tmp_path / "card")
    with cards.opened(path) as one, cards.opened(path) as two:
        with pytest.raises(CardFault, match="slot a is the one that runs"), one.held("a", "a"):
            pass
        with (
            one.held("b", "a"),
            pytest.raises(CardFault, match="another update of this card is under way"),
            two.held("b", "a"),
        ):
            pass


# --- slot.json of a FAT that was never mounted ---


SAID = json.dumps({"product": "pi-test", "version": "1.2", "data_schema": 3, "arch": "armel"}).encode()


def test_what_is_in_a_slot_is_read_without_a_mount(tmp_path: Path) -> None:
    path = cards.small_card(tmp_path / "card", slots=(bytes(cards.volume(SAID)), b""))
    with cards.opened(path, write=False) as card:
        assert card.slot("a") == Slot("pi-test", "1.2", 3)
        assert card.slot("b") == Slot()


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b'{"product":1}', b"\xff", b"{" * 999, b" " * 5000])
def test_a_slot_that_says_nothing_of_use_is_empty(tmp_path: Path, text: bytes) -> None:
    path = cards.small_card(tmp_path / "card", slots=(bytes(cards.volume(text)), b""))
    with cards.opened(path, write=False) as card:
        assert card.slot("a") == Slot()


# --- which card a board runs from ---


def system(folder: Path, cmdline: str, disks: dict[str, bool], found: str = "") -> str:
    """A root folder with a command line and disks, each of ours or not."""
    for name in ("proc", "sys/block", "dev", "run/fieldhand"):
        (folder / name).mkdir(parents=True)
    (folder / "proc/cmdline").write_text(cmdline)
    if found:
        (folder / "run/fieldhand/boot.txt").write_text(f"SLOT=a\nDISK={found}\nWHY=update\n")
    for name, ours in disks.items():
        (folder / "sys/block" / name).mkdir()
        if ours:
            cards.small_card(folder / "dev" / name)
        else:
            (folder / "dev" / name).write_bytes(bytes(4096))
    return str(folder)


def test_the_card_is_the_one_that_has_our_id(tmp_path: Path) -> None:
    root = system(tmp_path, "quiet fieldhand.slot=b panic=10\n", {"sda": False, "mmcblk0": True, "mmcblk0boot0": True})
    card, running = slots.here(root)
    with card:
        assert (card.device.path, running) == (f"{root}/dev/mmcblk0", "b")


def test_of_two_cards_the_one_that_the_start_took_is_meant(tmp_path: Path) -> None:
    root = system(tmp_path / "told", "fieldhand.slot=a", {"sda": True, "mmcblk0": True}, "/dev/sda")
    assert slots.disk(root) == f"{root}/dev/sda"
    root = system(tmp_path / "untold", "fieldhand.slot=a", {"sda": True, "mmcblk0": True}, "/dev/sdb")
    with pytest.raises(CardFault, match="several cards of ours"):
        slots.disk(root)


@pytest.mark.parametrize("cmdline", ["", "quiet", "fieldhand.slot=", "fieldhand.slot=c", "xfieldhand.slot=a"])
def test_a_board_that_was_not_started_from_a_slot_says_what_updates_are_for(tmp_path: Path, cmdline: str) -> None:
    root = system(tmp_path, cmdline, {"mmcblk0": True})
    with pytest.raises(CardFault, match="not started from a slot") as fault:
        slots.here(root)
    assert "installed by pip" in str(fault.value)


def test_a_board_without_a_card_of_ours_says_so(tmp_path: Path) -> None:
    root = system(tmp_path, "fieldhand.slot=a", {"mmcblk0": False})
    with pytest.raises(CardFault, match="runs from no card of ours"):
        slots.here(root)


def test_a_state_that_knows_of_data_keeps_that(tmp_path: Path) -> None:
    path = cards.small_card(tmp_path / "card", states.flashed())
    with cards.opened(path) as card:
        card.keep(replace(card.state(), data="made"))
        assert card.state() == replace(states.flashed(), data="made")
