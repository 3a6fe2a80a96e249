"""The console of a board: what is waited for is found in pieces and between escapes, what does not come is told."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator

import pytest

from hil.console import Console, Restarted, Silence
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


@pytest.mark.parametrize(
    "start, seen",
    [
        ("\r\n\r\nU-Boot 2025.01+dfsg-2 (May 03 2025 - 12:00:00 +0000)\r\n", "U-Boot 2025.01+dfsg-2 ("),
        ("hel\ufffdFieldhand: slot b (good 1, tries 0, confirmed)\r\n", "slot b (good 1,"),
        ("\r\nFieldhand: slot a on /dev/vda3 (good 0, flashed)\r\n", "slot a on /dev/vda3 (good 0,"),
    ],
)
def test_a_board_that_starts_again_is_told_at_once(ends: tuple[Console, socket.socket], start: str, seen: str) -> None:
    """In two pieces, after the command began; one that began to answer before its line came, the same."""
    console, board = ends
    board.sendall(b"Fieldhand: slot a on /dev/vda2 (good 0, flashed)\r\nfieldhand login: ")
    console.pump(5)
    for before in ("", "BEGIN-{}\r\nhello\r\n"):
        thread = threading.Thread(target=starting_again, args=(board, before, start))
        thread.start()
        with pytest.raises(Restarted, match=r"started again while 'sleep 100' was waited for") as caught:
            console.run("sleep 100", 3600)
        thread.join()
        assert seen in caught.value.seen


def starting_again(board: socket.socket, before: str, start: str) -> None:
    """A board that takes a line, says a part of the answer, and its first words of a start."""
    typed = b""
    while not typed.endswith(b"\r"):
        typed += board.recv(1) or b"\r"
    name = re.search(r"EGIN-(\S+);", typed.decode())
    assert name is not None
    data = (before.format(name[1]) + start).encode()
    for piece in (data[:-20], data[-20:]):
        board.sendall(piece)


def test_words_about_a_start_are_none(ends: tuple[Console, socket.socket]) -> None:
    """What a command shows of a start that was: of the log, of the kernel, of a script."""
    console, board = ends
    shown = "U-Boot 2025.01 is there\n[    0.000000] Linux version 6.12\nFieldhand: slot ${slot} (good ${good})\n"
    board.sendall(shown.encode() + b"ready\n")
    assert console.expect(r"(?s)(.*)ready", 60, "cat told")[1] == shown


def test_who_waits_for_a_start_is_not_disturbed(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    board.sendall(b"Fieldhand: slot a on /dev/vda2 (good 0, flashed)\r\nfieldhand login: ")
    assert console.expect("login: ", 60)


def test_a_login_goes_step_by_step(ends: tuple[Console, socket.socket]) -> None:
    console, board = ends
    board.sendall(b"\r\nfieldhand login: Password: \r\n# ")
    console.login("rescue", "secret", "# ", 5)
    assert board.recv(64) == b"rescue\rsecret\r"
