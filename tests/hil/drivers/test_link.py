"""A line of bytes: who writes to a board that reads no more is told, who waits for a socket has an end."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.faults import HardwareFault
from hil.drivers.link import Link, connected


@pytest.fixture
def ends() -> Iterator[tuple[Link, socket.socket]]:
    """A link and the board's end of it."""
    here, there = socket.socketpair()
    link = Link(here)
    yield link, there
    link.close()
    there.close()


def test_bytes_go_both_ways(ends: tuple[Link, socket.socket]) -> None:
    link, board = ends
    assert link.take(0) == b""
    board.sendall(b"\xff\x00")
    assert link.take(60) == b"\xff\x00"
    link.give(b"abc")
    assert board.recv(3) == b"abc"


def test_a_far_end_that_is_gone_is_seen(ends: tuple[Link, socket.socket]) -> None:
    link, board = ends
    board.sendall(b"last words")
    board.close()
    assert link.take(60) == b"last words" and link.open
    assert link.take(60) == b"" and not link.open
    with pytest.raises(HardwareFault, match="took no more"):
        link.give(b"x")


def test_a_terminal_is_a_line_too() -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb", buffering=0) as held:
        link = Link(held)
        os.write(theirs, b"login: ")
        assert link.take(60) == b"login: "
        os.close(theirs)
        assert link.take(60) == b"" and not link.open


def test_a_board_that_reads_no_more_is_told(ends: tuple[Link, socket.socket]) -> None:
    link, _ = ends
    link.seconds = 0.05
    with pytest.raises(HardwareFault, match="took no more than a part of b'xxx"):
        for _ in range(1000):
            link.give(b"x" * 65536)


def test_an_emulator_that_ended_is_not_waited_for(tmp_path: Path) -> None:
    with pytest.raises(HardwareFault, match="QEMU ended"):
        connected(tmp_path / "console", 3600, lambda: False)


def test_a_socket_that_does_not_come_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(HardwareFault, match="QEMU opened no socket console within 0 s"):
        connected(tmp_path / "console", 0)
