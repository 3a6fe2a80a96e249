"""A board that stands still is told from one that idles, by two looks at its timer."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from edge.faults import HardwareFault
from hil.console import Console, Silence
from hil.drivers import stall
from hil.drivers.link import Link

# What was seen on a board that hung: the counter at 490 s, the compare register at 21.5 s, nothing pending.
HUNG = [0, 0x1D3DBCF5, 0, 0, 0, 0, 0x0147725F]


def later(words: list[int], microseconds: int, **changes: int) -> list[int]:
    found = list(words)
    found[1] = (found[1] + microseconds) % (1 << 32)
    for name, value in changes.items():
        found[{"control": 0, "compare": 6}[name]] = value
    return found


def test_a_one_shot_in_the_past_is_named_with_its_figures() -> None:
    said = stall.why(HUNG, later(HUNG, 2_000_000))
    assert "set to 0x0147725f when that had passed" in said and "471.1 s later" in said and "71 minutes" in said


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (HUNG, later(HUNG, 2_000_000, compare=0x1D5D0000)),  # it was set anew: the kernel lives
        (HUNG, later(HUNG, 2_000_000, control=8)),  # a match is pending: it will be served
        (HUNG, HUNG),  # the guest's time does not go on: the host is busy
        (later(HUNG, 0, compare=0x1E000000), later(HUNG, 2_000_000, compare=0x1E000000)),  # it is to come
        (later(HUNG, 0, compare=0), later(HUNG, 2_000_000, compare=0)),  # nobody has set it yet
    ],
)
def test_a_board_that_idles_or_loads_does_not_stand(first: list[int], second: list[int]) -> None:
    assert stall.why(first, second) == ""


def test_a_counter_that_went_round_is_no_stall() -> None:
    first = [0, 0xFFFFFF00, 0, 0, 0, 0, 0x00001000]
    assert stall.why(first, later(first, 0x80)) == ""
    assert stall.why(later(first, 0x2000), later(first, 0x3000)) != ""


class Said:
    def __init__(self, text: str) -> None:
        self.text, self.asked = text, ""

    def ask(self, command: str, **arguments: str) -> str:
        self.asked = f"{command} {arguments['command-line']}"
        return self.text


def test_the_registers_are_read_from_what_the_monitor_prints() -> None:
    said = Said(
        "0000000020003000: 0x00000000 0x1d3dbcf5 0x00000000 0x00000000\r\n"
        "0000000020003010: 0x00000000 0x00000000 0x0147725f\r\n"
    )
    assert stall.timer(said, 0x20003000) == HUNG  # type: ignore[arg-type]
    assert said.asked == "human-monitor-command xp /7wx 0x20003000"


def test_a_monitor_that_shows_something_else_is_told() -> None:
    with pytest.raises(HardwareFault, match="no timer at 0x20003000"):
        stall.timer(Said("Cannot access memory"), 0x20003000)  # type: ignore[arg-type]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Console, socket.socket]]:
    """A console that is looked after as soon as nothing comes, and the board's end of it."""
    monkeypatch.setattr(stall, "QUIET", 0.05)
    here, there = socket.socketpair()
    console = Console(Link(here))
    yield console, there
    console.close()
    there.close()


def test_a_board_that_says_nothing_and_stands_is_not_waited_for(ends: tuple[Console, socket.socket]) -> None:
    with pytest.raises(stall.Stalled, match="the emulation stands still: the timer"):
        stall.wait(ends[0], "login: ", 3600, lambda: "the timer")


def test_a_board_that_is_only_slow_is_waited_for(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends

    def late() -> str:
        board.sendall(b"login: ")
        return ""

    stall.wait(console, "login: ", 3600, late)
    board.close()
    with pytest.raises(Silence, match="did not come within 3600 s"):
        stall.wait(console, "login: ", 3600, lambda: "")
