"""One connection to one address: who is at the other end, and when waiting ends."""

from __future__ import annotations

import socket
import time

import pytest

from edge.hands.net_line import dial


def never() -> bool:
    return False


@pytest.mark.parametrize(("listens", "asked"), [("127.0.0.1", "0.0.0.0"), ("::1", "::")])
def test_a_connection_that_ends_elsewhere_than_at_the_address_is_given_up(listens: str, asked: str) -> None:
    """The kernel takes the unspecified address for this machine: the peer is another address than the one asked for."""
    family = socket.AF_INET6 if ":" in listens else socket.AF_INET
    with socket.create_server((listens, 0), family=family) as server:
        port = server.getsockname()[1]
        dial(listens, port, time.monotonic() + 60, never).close()
        with pytest.raises(OSError, match=r"the peer is .* instead of"):
            dial(asked, port, time.monotonic() + 60, never)


def test_an_address_inside_an_address_reaches_the_one_it_names() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        dial("::ffff:127.0.0.1", server.getsockname()[1], time.monotonic() + 60, never).close()


def test_connecting_ends_at_the_deadline_and_when_told_to() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = []
        try:
            for _ in range(4):  # until the queue is full, connections come into being; then nobody answers
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
                waiting.append(one)
            begun = time.monotonic()
            with pytest.raises(TimeoutError):
                dial("127.0.0.1", port, begun + 0.4, never)
            assert 0.35 < time.monotonic() - begun < 25
            begun = time.monotonic()
            with pytest.raises(ConnectionAbortedError):
                dial("127.0.0.1", port, begun + 30, lambda: time.monotonic() > begun + 0.3)
            assert time.monotonic() - begun < 25
        finally:
            for one in waiting:
                one.close()
