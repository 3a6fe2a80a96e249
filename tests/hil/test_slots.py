"""A slot that is damaged is left for the other one, by U-Boot or by the initramfs; where both are, the board says so.

Every flipped byte lies where a bad block would: nothing else of the card changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.card import layout, state
from hil import card
from tests.support.emulated import inserted

pytestmark = pytest.mark.emulated
UP = r"Fieldhand: slot (.) on /dev/\S+ \(good (.), (\w+)\)"
STOPPED = "There is no other slot to start"


def test_a_spoilt_root_is_left_for_the_other_slot(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.spoil(board.card, layout.SLOT_A, "root.sqfs")
        board.boot("root.sqfs is not what root.sha256 says. Slot b is taken instead")
        assert board.console.expect(UP, 900).groups() == ("b", "1", "rotten")
        assert board.resets == 1
        board.console.expect("login: ", 900)
        board.cut()
        found = card.boot_state(board.card)
        assert (found.slot, found.prev, found.good, found.why) == ("b", "b", True, "rotten")


@pytest.mark.long
def test_a_spoilt_kernel_is_left_for_the_other_slot_without_a_reset(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.spoil(board.card, layout.SLOT_A, "kernel")
        board.boot("slot a cannot be loaded, slot b is taken")
        assert board.console.expect(UP, 900).groups() == ("b", "1", "rotten")
        assert board.resets == 0
        board.cut()
        found = card.boot_state(board.card)
        assert (found.slot, found.prev, found.good, found.why) == ("b", "b", True, "rotten")


@pytest.mark.long
def test_two_spoilt_roots_stop_with_a_message(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        for part in (layout.SLOT_A, layout.SLOT_B):
            card.spoil(board.card, part, "root.sqfs")
        board.boot("Slot b is taken instead")
        board.console.expect(STOPPED, 900)
        board.console.expect("# ")
        assert board.console.run("echo 'a shell'")[1] == "a shell\n"
        assert board.resets == 1


@pytest.mark.long
def test_two_spoilt_kernels_stop_in_the_boot_loader(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        for part in (layout.SLOT_A, layout.SLOT_B):
            card.spoil(board.card, part, "kernel")
        board.boot("no slot of this card can be started")
        assert board.resets == 0


ROWS = [
    state.State("b", "a", good=True, why="confirmed"),
    state.State("b", "a", good=False, tries=2, why="update"),
    state.State("b", "a", good=False, tries=0, why="update"),
]


@pytest.mark.long
@pytest.mark.parametrize("before", ROWS, ids=lambda row: f"{row.slot}-{int(row.good)}-{row.tries}")
def test_the_boot_loader_follows_the_table_of_the_boot_state(before: state.State, tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.set_state(board.card, before)
        after = state.booting(before)
        board.boot("Starting kernel")
        board.cut()
        assert card.boot_state(board.card) == after


def test_a_torn_first_copy_of_the_boot_state_is_made_up_for_by_the_second(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.set_state(board.card, state.State("b", "a", good=True, why="confirmed"))
        card.tear(board.card, 1)
        board.boot("the first copy of the boot state is torn")
        board.console.expect(r"slot b \(good 1")
        board.console.expect("Starting kernel", 900)


@pytest.mark.long
def test_without_a_boot_state_slot_a_starts(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.tear(board.card, 1)
        card.tear(board.card, 2)
        board.boot("no copy of the boot state is whole, slot a is taken")
        board.console.expect(r"slot a \(good 1, tries 0, lost\)")
        board.console.expect("Starting kernel", 900)
