"""The console of a board: what is waited for is found in pieces and between escapes, what does not come is told."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator

import pytest

from hil.console import Console, Silence
from hil.drivers.link import Link


@pytest.fixture
def ends() -> Iterator[tuple[Console, socket.socket]]:
    """A console and the board's end of the line."""
    here, there = socket.socketpair()
    console = Console(Link(here))
    yield console, there
    console.close()
    there.close()


def test_a_text_is_found_across_pieces_and_escapes(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    for piece in (b"\x1b[1;3", b"1mfield\r", b"hand lo\x1b", b"[0mgin", b": ", b"rest"):
        board.sendall(piece)
        console.pump(5)
    assert console.expect(r"(\w+) login: ", 5)[1] == "fieldhand"
    assert console.seen() == "rest"
    assert "\x1b[1;31m" in console.transcript


def test_a_text_is_used_up_once(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    board.sendall(b"login: a login: b")
    console.expect("login: ", 5)
    console.expect("login: ", 5)
    with pytest.raises(Silence) as caught:
        console.expect("login: ", 0.1)
    assert "the console ends with:\nb" in str(caught.value)


def test_a_letter_of_several_bytes_may_come_in_two_pieces(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    for piece in ("°C".encode()[:1], "°C".encode()[1:]):
        board.sendall(piece)
        console.pump(5)
    assert console.expect("°C", 5)


def test_a_line_that_is_closed_ends_the_wait_at_once(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    board.sendall(b"Kernel panic")
    board.close()
    with pytest.raises(Silence, match="Kernel panic"):
        console.expect("login: ", 3600)
    assert not console.open


def shell(board: socket.socket) -> None:
    """A board's shell that echoes what is typed, in lines broken as a terminal breaks them, and knows two commands."""
    typed = b""
    while not typed.endswith(b"\r"):
        piece = board.recv(1)
        if not piece:
            return
        typed += piece
        board.sendall(piece)
        if len(typed) % 40 == 0:
            board.sendall(b"\r\r\n")
    name = re.search(r"EGIN-(\S+);", typed.decode())
    assert name is not None
    board.sendall(f"\r\nBEGIN-{name[1]}\r\nhello\r\n\r\nEND-{name[1]} 3\r\n~ # ".encode())


def test_a_command_gives_its_code_and_its_output_alone(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    thread = threading.Thread(target=shell, args=(board,))
    thread.start()
    assert console.run("echo hello; echo; (exit 3)", 60) == (3, "hello\n\n")
    thread.join()


def test_a_login_goes_step_by_step(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    board.sendall(b"\r\nfieldhand login: Password: \r\n# ")
    console.login("rescue", "secret", "# ", 5)
    assert board.recv(64) == b"rescue\rsecret\r"
