"""A device at a board's second serial port, played by the host and asked at the agent's prompt."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hil.agent import Conversation
from hil.protocols import Bench
from tests.support.onboard import ASKED

pytestmark = [pytest.mark.emulated, pytest.mark.needs("port")]
EXPECT = ",serial_expect port=gauge seconds={seconds} pattern='T=([0-9.]+)'"


@pytest.fixture
def gauge(bench: Bench, talk: Conversation) -> Iterator[Conversation]:
    """A conversation that has opened the port, which the operator is asked for."""
    talk.console.line(",serial_open port=gauge")
    talk.expect(ASKED)
    said = talk.say("y")
    assert f"gauge is open: level of the tank, {bench.board.guest.port}, 115200 baud" in said, said
    yield talk
    assert "serial port gauge was closed" in talk.say(",serial_close port=gauge")


def test_a_device_is_asked_and_answers_behind_noise(bench: Bench, gauge: Conversation) -> None:
    bench.port.send(b"XX\xb2\x00\xff")  # what is on a line when something is plugged in
    assert "were sent to gauge" in gauge.say(",serial_send port=gauge text=READ")
    bench.port.expect(b"READ\r\n")
    bench.port.send(b"\xb2\r\nT=23.5\r\n")
    assert "T=23.5" in gauge.say(EXPECT.format(seconds=120))


def test_a_device_that_says_nothing_is_told_as_silent(bench: Bench, gauge: Conversation) -> None:
    said = gauge.say(EXPECT.format(seconds=3))
    assert "gauge said nothing within 3" in said, said
