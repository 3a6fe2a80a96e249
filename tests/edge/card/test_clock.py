"""A server of the network tells the time; what is not an answer to our question is not believed."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from edge.card import clock

NOW = 1_800_000_000.25
WHOLE = (int(NOW) + 2208988800).to_bytes(4, "big") + (1 << 30).to_bytes(4, "big")


def packed(question: bytes, first: int = 0x24, stratum: int = 2, moment: bytes = WHOLE) -> bytes:
    """An answer as RFC 4330 has it: the question's transmit time comes back as the originate time."""
    return bytes([first, stratum]) + bytes(22) + question[40:48] + bytes(8) + moment


@contextmanager
def server(answer: Callable[[bytes], bytes]) -> Iterator[int]:
    """A server on loopback that answers each question by `answer`; its port."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            question, place = link.recvfrom(512)
            if not question:
                return
            link.sendto(answer(question), place)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield link.getsockname()[1]
    finally:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.sendto(b"", link.getsockname())
        thread.join()
        link.close()


def test_a_server_is_asked_as_a_client_and_believed() -> None:
    asked: list[bytes] = []

    def answer(question: bytes) -> bytes:
        asked.append(question)
        return packed(question)

    with server(answer) as port:
        found = clock.ask("127.0.0.1", port, 60)
    assert found is not None and NOW <= found < NOW + 60
    assert len(asked[0]) == 48 and asked[0][0] == 0x23


@pytest.mark.parametrize(
    "answer",
    [
        lambda question: packed(bytes(48)),
        lambda question: packed(question, first=0x23),
        lambda question: packed(question, first=0xE4),
        lambda question: packed(question, stratum=0),
        lambda question: packed(question, stratum=16),
        lambda question: packed(question)[:47],
    ],
    ids=["another's", "a client", "an alarm", "a kiss of death", "not set", "cut"],
)
def test_what_is_no_answer_is_not_believed(answer: Callable[[bytes], bytes]) -> None:
    with server(answer) as port:
        assert clock.ask("127.0.0.1", port, 60) is None


def test_times_after_2036_are_those_of_the_next_era() -> None:
    moment = (5).to_bytes(4, "big") + bytes(4)
    assert clock.told(packed(bytes(48), moment=moment), bytes(8)) == 2**32 + 5 - 2208988800


def test_nobody_there_is_no_answer() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("127.0.0.1", 0))
        port = link.getsockname()[1]
    assert clock.ask("127.0.0.1", port, 60) is None
    assert clock.ask("no name\x00", port, 60) is None


def test_bytes_by_chance_are_never_believed_nor_a_fault() -> None:
    drawn = random.Random(5905)
    for _ in range(2000):
        assert clock.told(drawn.randbytes(drawn.randint(0, 60)), bytes(range(8))) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('SERVERS="10.0.0.1 time.local"\n', ("10.0.0.1", "time.local")),
        ("SERVERS=10.0.0.1\n", ("10.0.0.1",)),
        ('SERVERS=""\n', clock.SERVERS),
        ("", clock.SERVERS),
    ],
)
def test_the_servers_are_those_of_the_settings_or_the_pool(text: str, wanted: tuple[str, ...]) -> None:
    assert clock.servers(text) == wanted


def test_the_clock_is_set_when_it_is_off_and_never_to_before_the_image(tmp_path: Path) -> None:
    settings = tmp_path / "time"
    settings.write_text('SERVERS="127.0.0.1"\n', "utf-8")
    made: list[float] = []
    with server(packed) as port:
        assert clock.main(str(settings), NOW - 10, port, made.append) == 0
        assert len(made) == 1 and NOW <= made[0] < NOW + 60
        assert clock.main(str(settings), NOW + 3600, port, made.append) == 1
        assert len(made) == 1


def test_a_clock_that_may_not_be_set_is_told(tmp_path: Path) -> None:
    def refused(now: float) -> None:
        raise PermissionError(1, "not permitted")

    settings = tmp_path / "time"
    settings.write_text("SERVERS=127.0.0.1\n", "utf-8")
    with server(packed) as port:
        assert clock.main(str(settings), NOW - 10, port, refused) == 1
