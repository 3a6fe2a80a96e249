from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.faults import HardwareFault, UsageFault
from hil.vhost.gpio import Lines
from tests.support.frontends import Frontend, talking

GET_DIRECTION, SET_DIRECTION, GET_VALUE, SET_VALUE, IRQ_TYPE = 2, 3, 4, 5, 6
NONE, OUT, IN = 0, 1, 2
RISING, FALLING, BOTH, HIGH, LOW = 1, 2, 3, 4, 8


class Guest:
    """A driver of the chip."""

    def __init__(self, front: Frontend, lines: Lines) -> None:
        self.front, self.lines = front, lines

    def ask(self, kind: int, line: int, value: int = 0) -> bytes:
        return self.front.request(0, struct.pack("<HHI", kind, line, value), 2)

    def want(self, line: int, kind: int) -> int:
        """Ask for edges of a line and leave a buffer for one; where it is."""
        assert self.ask(IRQ_TYPE, line, kind) == b"\0\0"
        return self.front.offer(1, struct.pack("<H", line), 1)

    def came(self, place: int) -> bytes:
        """What is in the buffer when it is given back."""
        assert self.front.answered(1) == 1
        return bytes(self.front.memory[place : place + 1])

    def nothing(self) -> bool:
        """Whether no buffer came back until now: what was asked behind it is answered."""
        self.ask(GET_VALUE, 0)
        return self.front.answered(1, 0) == -1


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    lines = Lines(["GPIO0", "GPIO1", "door"])
    with talking(tmp_path, lines) as (front, server):
        yield Guest(front, lines)
        assert list(server.faults) == []


def test_a_driver_learns_how_many_lines_there_are_and_their_names(guest: Guest) -> None:
    assert guest.lines.config() == struct.pack("<HHI", 3, 0, 17)
    assert guest.front.request(0, struct.pack("<HHI", 1, 0, 0), 18) == b"\0GPIO0\0GPIO1\0door\0"


def test_a_level_of_the_host_is_read(guest: Guest) -> None:
    for level in (1, 0):
        guest.lines.set(1, level)
        assert guest.ask(GET_VALUE, 1) == bytes([0, level])
    assert guest.ask(GET_VALUE, 0) == b"\0\0"
    guest.lines.set(1, 1)
    guest.lines.release(1)
    assert guest.ask(GET_VALUE, 1) == b"\0\0"


def test_an_output_is_seen_and_cannot_be_set_from_outside(guest: Guest) -> None:
    assert guest.ask(GET_DIRECTION, 2) == bytes([0, IN])
    assert guest.ask(SET_VALUE, 2, 1) == b"\0\0"
    assert guest.lines.level(2) == 0 and not guest.lines.driven(2)  # not before it is an output
    assert guest.ask(SET_DIRECTION, 2, OUT) == b"\0\0"
    assert guest.lines.level(2) == 1 and guest.lines.driven(2)
    assert guest.lines.seen() == {**dict.fromkeys(range(len(guest.lines.names)), ("in", 0)), 2: ("out", 1)}
    assert guest.ask(GET_DIRECTION, 2) == bytes([0, OUT])
    with pytest.raises(HardwareFault, match="line 2 is an output of the board"):
        guest.lines.set(2, 0)
    assert guest.ask(SET_DIRECTION, 2, NONE) == b"\0\0"
    assert guest.lines.level(2) == 0


@pytest.mark.parametrize(("kind", "first", "then"), [(RISING, 0, 1), (FALLING, 1, 0), (BOTH, 0, 1), (BOTH, 1, 0)])
def test_an_edge_gives_the_buffer_back_once(guest: Guest, kind: int, first: int, then: int) -> None:
    guest.lines.set(0, first)
    place = guest.want(0, kind)
    assert guest.nothing()
    guest.lines.set(0, then)
    assert guest.came(place) == b"\1"
    guest.front.offer(1, struct.pack("<H", 0), 1)
    guest.lines.set(0, then)  # no edge
    assert guest.nothing()


def test_an_edge_the_other_way_is_not_told(guest: Guest) -> None:
    guest.lines.set(0, 1)
    guest.want(0, RISING)
    guest.lines.set(0, 0)
    assert guest.nothing()


def test_an_edge_while_nobody_looks_is_told_later(guest: Guest) -> None:
    assert guest.ask(IRQ_TYPE, 0, RISING) == b"\0\0"
    guest.lines.set(0, 1)
    guest.lines.set(0, 0)
    assert guest.came(guest.front.offer(1, struct.pack("<H", 0), 1)) == b"\1"


def test_what_was_latched_goes_with_the_interrupt(guest: Guest) -> None:
    assert guest.ask(IRQ_TYPE, 0, RISING) == b"\0\0"
    guest.lines.set(0, 1)
    assert guest.ask(IRQ_TYPE, 0, 0) == b"\0\0"
    guest.want(0, RISING)
    assert guest.nothing()


def test_a_buffer_comes_back_empty_when_the_interrupt_is_switched_off(guest: Guest) -> None:
    place = guest.want(1, RISING)
    assert guest.ask(IRQ_TYPE, 1, 0) == b"\0\0"
    assert guest.came(place) == b"\0"
    assert guest.came(guest.front.offer(1, struct.pack("<H", 1), 1)) == b"\0"


def test_a_level_is_told_as_long_as_it_lasts(guest: Guest) -> None:
    place = guest.want(0, HIGH)
    assert guest.nothing()
    guest.lines.set(0, 1)
    assert guest.came(place) == b"\1"
    assert guest.came(guest.front.offer(1, struct.pack("<H", 0), 1)) == b"\1"
    guest.lines.set(0, 0)
    assert guest.came(guest.want(1, LOW)) == b"\1"


@pytest.mark.parametrize(
    "asked", [(GET_VALUE, 3, 0), (99, 0, 0), (SET_VALUE, 0, 2), (SET_DIRECTION, 0, 3), (IRQ_TYPE, 0, 5), (0, 0xFFFF, 0)]
)
def test_what_cannot_be_is_refused(guest: Guest, asked: tuple[int, int, int]) -> None:
    assert guest.ask(*asked) == b"\1\0"


def test_a_board_that_goes_lets_its_outputs_go(guest: Guest) -> None:
    guest.lines.set(0, 1)
    guest.ask(SET_VALUE, 2, 1)
    guest.ask(SET_DIRECTION, 2, OUT)
    guest.lines.reset()
    assert [guest.lines.level(line) for line in (0, 1, 2)] == [1, 0, 0]


def test_a_request_that_is_cut_off_ends_the_talk(tmp_path: Path) -> None:
    with talking(tmp_path, Lines(["one"])) as (front, server):
        front.offer(0, b"\4\0", 2)
        assert front.gone()
        assert "request is cut off" in str(server.faults[0])


def test_a_chip_has_lines() -> None:
    lines = Lines(["one"])
    for line in (-1, 1):
        with pytest.raises(UsageFault, match=f"the chip has no line {line}"):
            lines.level(line)
    with pytest.raises(UsageFault, match="1 to 256 lines"):
        Lines([])
