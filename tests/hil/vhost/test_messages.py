from __future__ import annotations

import os
import random
import socket
import struct
from collections.abc import Iterator

import pytest

from edge.faults import HardwareFault
from hil.vhost import messages
from tests.support.frontends import told

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours, theirs:
        yield ours, theirs


def test_a_message_is_taken_with_its_files(pair: Pair) -> None:
    read, write = os.pipe()
    socket.send_fds(pair[1], [told(messages.SET_VRING_KICK, struct.pack("<Q", 3), 9)], [write])
    os.close(write)
    found = messages.receive(pair[0])
    assert found is not None and (found.kind, found.wants, found.fields("Q")) == (messages.SET_VRING_KICK, True, (3,))
    os.write(found.files[0], b"here")
    assert os.read(read, 4) == b"here"
    messages.close((read, *found.files))


def test_a_message_may_come_in_pieces(pair: Pair) -> None:
    data = told(messages.SET_FEATURES, struct.pack("<Q", 1 << 32))
    for at in range(0, len(data), 3):
        pair[1].sendall(data[at : at + 3])
    found = messages.receive(pair[0])
    assert found is not None and found.fields("Q") == (1 << 32,)


def test_the_end_between_messages_is_no_fault(pair: Pair) -> None:
    pair[1].close()
    assert messages.receive(pair[0]) is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (told(1)[:7], "closed in the middle"),
        (told(2, bytes(8))[:-1], "closed in the middle"),
        (told(1, flags=2), "has flags 0x2"),
        (told(1, flags=0), "has flags 0x0"),
        (struct.pack("<III", 1, 1, messages.LARGEST + 1), "4097 bytes"),
        (struct.pack("<III", 1, 1, 0xFFFFFFFF), "4294967295 bytes"),
    ],
)
def test_what_is_no_message_is_refused(pair: Pair, data: bytes, why: str) -> None:
    pair[1].sendall(data)
    pair[1].shutdown(socket.SHUT_WR)
    with pytest.raises(HardwareFault, match=why):
        messages.receive(pair[0])


def test_a_message_that_stops_is_not_waited_for_for_ever(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "REST_SECONDS", 0.05)
    pair[1].sendall(told(2, bytes(8))[:-1])
    with pytest.raises(HardwareFault, match="stopped after 7 of 8 bytes"):
        messages.receive(pair[0])


def test_files_of_a_message_that_is_refused_are_closed(pair: Pair) -> None:
    read, write = os.pipe()
    socket.send_fds(pair[1], [told(1, flags=3)], [write] * 5)
    os.close(write)
    with pytest.raises(HardwareFault):
        messages.receive(pair[0])
    assert os.read(read, 1) == b""
    os.close(read)


def test_a_payload_that_is_too_short_is_told() -> None:
    with pytest.raises(HardwareFault, match="of kind 9 has only 4 bytes"):
        messages.Message(9, False, bytes(4)).fields("IIQQQQ")


@pytest.mark.parametrize("seed", range(40))
def test_noise_is_a_message_or_a_fault(pair: Pair, seed: int) -> None:
    chance = random.Random(seed)
    noise = b"".join(
        told(chance.randrange(45), chance.randbytes(chance.randrange(64)), chance.choice([1, 1, 9, 5, 2]))
        if chance.random() < 0.7
        else chance.randbytes(chance.randrange(40))
        for _ in range(30)
    )
    pair[1].sendall(noise)
    pair[1].shutdown(socket.SHUT_WR)
    taken = 0
    try:
        while found := messages.receive(pair[0]):
            taken += 12 + len(found.payload)
    except HardwareFault:
        pass
    assert taken <= len(noise)
