"""The boot state: its bytes, its two copies and what may follow what."""

from __future__ import annotations

import binascii
import itertools
import os
import random

import pytest

from edge.card import state as states
from edge.card.layout import STATE_BYTES
from edge.card.state import State
from edge.record import replace

ROUNDS = 20000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2000

ALL = [
    State(slot, prev, good, tries, data, why)
    for slot, prev, good, tries, data, why in itertools.product(
        "ab", "ab", (False, True), range(10), ("new", "made"), states.REASONS
    )
]


def environment(text: bytes) -> bytes:
    """Any text as a block whose checksum holds."""
    body = text.ljust(STATE_BYTES - 4, b"\0")
    return binascii.crc32(body).to_bytes(4, "little") + body


def test_every_state_reads_as_it_was_packed() -> None:
    assert len(ALL) == 1120
    for state in ALL:
        block = states.pack(state)
        assert len(block) == STATE_BYTES
        assert states.read(block) == state


def test_the_bytes_are_an_environment_of_u_boot() -> None:
    block = states.pack(states.flashed())
    body = b"data=new\0good=0\0prev=b\0slot=a\0tries=3\0why=flashed\0\0".ljust(508, b"\0")
    assert block[4:] == body
    assert block[:4] == binascii.crc32(body).to_bytes(4, "little")


def test_one_flipped_bit_anywhere_makes_a_copy_unreadable() -> None:
    block = states.pack(states.flashed())
    for bit in range(STATE_BYTES * 8):
        torn = bytearray(block)
        torn[bit // 8] ^= 1 << bit % 8
        assert states.read(bytes(torn)) is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"slot=a\0prev=b\0good=1\0\0",
        b"slot=c\0prev=b\0good=1\0tries=0\0\0",
        b"slot=a\0prev=b\0good=2\0tries=0\0\0",
        b"slot=a\0prev=b\0good=1\0tries=10\0\0",
        b"slot=a\0prev=b\0good=1\0tries=\xb2\0\0",
        b"slot=a\0prev=b\0good=1\0tries=-1\0\0",
        b"slot=a\0prev=b\0good=1\0tries=0\0data=old\0\0",
        b"slot=a\0prev=b\0good=1\0tries=0\0why=because\0\0",
        b"slot\0prev\0good\0tries\0\0",
        b"\xff" * 508,
    ],
)
def test_what_no_state_can_be_is_none_although_its_checksum_holds(text: bytes) -> None:
    assert states.read(environment(text)) is None


def test_the_order_of_names_and_names_of_others_do_not_matter() -> None:
    block = environment(b"tries=2\0arch=arm\0slot=b\0prev=a\0good=0\0why=update\0data=made\0\0good=1\0")
    assert states.read(block) == State("b", "a", False, 2, "made", "update")


def test_a_torn_first_copy_leaves_the_second_and_two_torn_ones_slot_a_with_its_data() -> None:
    one, two = states.pack(states.flashed()), states.pack(State("b", "a", True, 0, "made", "confirmed"))
    assert states.chosen(one, two) == states.flashed()
    assert states.chosen(one[:-1] + b"x", two).slot == "b"
    lost = states.chosen(b"\0" * 512, two[:100])
    assert (lost.slot, lost.good, lost.data, lost.why) == ("a", True, "made", "lost")


def test_random_blocks_are_never_a_state_and_never_an_exception() -> None:
    chance = random.Random(20)
    for _ in range(ROUNDS):
        block = chance.randbytes(STATE_BYTES)
        assert states.read(block) is None
        text = bytes(chance.choice(b"ab019=\0slotprevgoodtrieswhydata") for _ in range(60))
        found = states.read(environment(text))
        assert found is None or found in ALL
    print(f"{ROUNDS} random blocks")


def test_a_slot_that_is_never_confirmed_is_left_after_its_tries() -> None:
    state = states.updated(State("a", "b", True, 0, "made", "confirmed"))
    starts = []
    for _ in range(states.TRIES + 2):
        state = states.booting(state)
        starts.append(state.slot)
    assert starts == ["b"] * states.TRIES + ["a", "a"]
    assert (state.good, state.why) == (True, "fellback")
    assert state.prev == state.slot  # the slot that failed is nothing to fall back to


def test_a_confirmed_slot_stays_and_can_go_back() -> None:
    state = states.confirmed(states.booting(states.updated(State("a", "a"))))
    assert (state.slot, state.prev, state.good, state.tries, state.why) == ("b", "a", True, 0, "confirmed")
    assert states.booting(state) == state
    returned = states.back(state)
    assert (returned.slot, returned.prev, returned.good, returned.why) == ("a", "b", False, "back")


def test_a_rotten_slot_is_never_returned_to() -> None:
    for state in ALL:
        after = states.rotten(state)
        assert after.slot == after.prev == state.prev
        assert states.rotten(after).slot == after.slot


def test_no_transition_loses_what_is_known_of_the_data() -> None:
    moves = (states.writing, states.updated, states.back, states.booting, states.confirmed, states.rotten)
    for state, move in itertools.product(ALL, moves):
        assert move(state).data == state.data


def test_while_a_slot_is_written_nothing_falls_back_to_it() -> None:
    for state in ALL:
        held = states.writing(state)
        assert {states.booting(held).slot, states.rotten(held).slot} == {state.slot}


def test_a_state_that_cannot_be_is_not_made() -> None:
    for wrong in ({"slot": "c"}, {"prev": ""}, {"tries": 10}, {"tries": -1}, {"data": "x"}, {"why": "x"}):
        with pytest.raises(ValueError):
            replace(State(), **wrong)
