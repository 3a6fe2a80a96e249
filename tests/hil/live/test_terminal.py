"""A terminal that is the board's: what leaves, what is undone. The whole of it is in tests/hil/verbs/test_run.py."""

from __future__ import annotations

import os
import pty
import socket
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.faults import UsageFault
from hil.drivers.link import Link
from hil.live.control import Session
from hil.live.counter import Counter
from hil.live.place import Place
from hil.live.terminal import LEFT, carry, raw
from tests.support.manned import Bench


@pytest.fixture
def person() -> Iterator[tuple[int, int]]:
    """A terminal: the person's end, the program's end."""
    leader, follower = pty.openpty()
    yield leader, follower
    for end in (leader, follower):
        os.close(end)


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter]:
    monkeypatch.setenv("FIELDHAND_HIL", str(tmp_path))
    with Place("raspi0").held() as place, place.listening() as door:
        yield Counter(door, Session(Bench()))


def test_a_terminal_is_given_back_as_it_was(person: tuple[int, int]) -> None:
    leader, follower = person
    before = termios.tcgetattr(follower)
    with pytest.raises(KeyboardInterrupt), raw(follower, follower):
        assert not termios.tcgetattr(follower)[3] & (termios.ECHO | termios.ICANON | termios.ISIG)
        raise KeyboardInterrupt
    assert termios.tcgetattr(follower) == before
    assert os.read(leader, 100).startswith(b"\x1b[0m\x1b[?25h")


def test_what_is_no_terminal_is_told() -> None:
    reads, writes = os.pipe()
    with pytest.raises(UsageFault, match="needs a terminal"), raw(reads, writes):
        raise AssertionError("it is none")
    os.close(reads)
    os.close(writes)


def test_keys_go_to_the_board_until_the_one_that_leaves(person: tuple[int, int], counter: Counter) -> None:
    leader, follower = person
    ours, boards = socket.socketpair()
    with raw(follower, follower), ours, boards:
        os.write(leader, b"ls\r\x03\x1dnever")
        why = carry(Link(ours), Session(Bench()), counter, follower, follower)
        assert why == LEFT
        assert boards.recv(100) == b"ls\r\x03"


def test_what_the_board_says_is_shown_and_counted_until_it_ends(person: tuple[int, int], counter: Counter) -> None:
    leader, follower = person
    ours, boards = socket.socketpair()
    session = Session(Bench())
    with raw(follower, follower), ours:
        boards.sendall(b"\x1b[31mlogin: ")
        boards.close()
        assert carry(Link(ours), session, counter, follower, follower) == "the board ended"
        assert os.read(leader, 100) == b"\x1b[31mlogin: "
    assert session.console()["bytes"] == 12 and session.console()["end"] == "\x1b[31mlogin: "
