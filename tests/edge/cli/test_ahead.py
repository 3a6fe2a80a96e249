"""What waits at a terminal: an end of input is found and taken, a line is left alone."""

from __future__ import annotations

import os
import pty
from collections.abc import Iterator

import pytest

from edge.cli.ahead import ended
from tests.support.boards import eventually


@pytest.fixture
def line() -> Iterator[tuple[int, int]]:
    """The person's end of a terminal, and the program's."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def test_nothing_and_a_line_are_no_end(line: tuple[int, int]) -> None:
    person, program = line
    assert not ended(program)
    os.write(person, b"hello\n\x04")
    assert not ended(program)
    assert os.read(program, 100) == b"hello\n"
    eventually(lambda: ended(program))


def test_an_end_is_taken_once(line: tuple[int, int]) -> None:
    person, program = line
    os.write(person, b"\x04")
    eventually(lambda: ended(program))
    assert not ended(program)


def test_a_terminal_that_is_gone_is_no_end() -> None:
    person, program = pty.openpty()
    os.close(person)
    assert not ended(program)
    os.close(program)
