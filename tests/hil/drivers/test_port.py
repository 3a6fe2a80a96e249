"""The second serial port's far end: bytes as they are, noise before what is looked for."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from edge.faults import HardwareFault
from hil.drivers.link import Link
from hil.drivers.port import Port


@pytest.fixture
def ends() -> Iterator[tuple[Port, socket.socket]]:
    here, there = socket.socketpair()
    port = Port(Link(here))
    yield port, there
    port.close()
    there.close()


def test_noise_before_what_is_looked_for_is_given_back_and_the_rest_is_kept(
    ends: tuple[Port, socket.socket],
) -> None:
    port, board = ends
    board.sendall(b"XX\xb2HEL")
    board.sendall(b"LO\nmore")
    assert port.expect(b"HELLO\n") == b"XX\xb2"
    assert port.receive(60) == b"more"
    port.send(b"\x00\xff")
    assert board.recv(2) == b"\x00\xff"


def test_what_does_not_come_is_told_with_what_came(ends: tuple[Port, socket.socket]) -> None:
    port, board = ends
    board.sendall(b"HELP")
    board.close()
    with pytest.raises(HardwareFault, match=r"b'HELLO' did not come over the second port: b'HELP'"):
        port.expect(b"HELLO", 3600)


def test_nothing_is_nothing(ends: tuple[Port, socket.socket]) -> None:
    assert ends[0].receive(0.01) == b""
