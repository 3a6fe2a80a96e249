"""The listening socket of a guard: who may ask, what, and that nobody who comes is a hindrance."""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
import time

import pytest

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import door, sessions
from edge.peripherals.guard.client import Board
from tests.support.boards import eventually, rounds


@pytest.fixture
def state(tmp_path):
    return tmp_path / "s"


@pytest.fixture
def board(state):
    board = Board.start(str(state))
    yield board
    board.close()


def sim(state):
    return str(state / "sim")


def ask(state, message, **more):
    return door.ask_in(sim(state), message, **more)


def connect(state):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(10.0)
    peer.connect(sim(state) + "/guard.sock")
    return peer


def test_show_gives_sensors_outputs_and_time(board, state):
    board.set("fan", True, None, "c1")
    reply = ask(state, {"do": "show"})
    assert reply["pid"] == board.pid
    assert reply["speed"] == 60.0
    assert {row["name"]: row["unit"] for row in reply["sensors"]}["temperature"] == "C"
    assert reply["outputs"]["fan"]["state"] is True


def test_set_moves_what_the_agent_reads(board, state):
    assert ask(state, {"do": "set", "name": "temperature", "value": "40"})["said"] == "temperature is 40 C"
    assert board.sense("temperature").value == pytest.approx(40.0, abs=3)


def test_a_refusal_is_raised_as_itself(board, state):
    with pytest.raises(UsageFault, match="temperature cannot be 400 C"):
        ask(state, {"do": "set", "name": "temperature", "value": "400"})


def test_no_output_can_be_switched_by_it(board, state):
    with pytest.raises(UsageFault, match="fan is an output"):
        ask(state, {"do": "set", "name": "fan", "value": "1"})
    assert not board.states()["fan"]["state"]


def test_it_is_for_its_owner_alone_and_goes_with_the_board(board, state):
    assert stat.S_IMODE(os.stat(sim(state) + "/guard.sock").st_mode) == 0o600
    board.close()
    assert not os.path.exists(sim(state) + "/guard.sock")
    assert ask(state, {"do": "show"}) is None


def test_nobody_there_is_none(tmp_path):
    assert door.ask_in(str(tmp_path / "absent"), {"do": "show"}) is None
    assert door.ask_in(str(tmp_path), {"do": "show"}) is None
    assert door.ask(str(tmp_path / "absent" / "guard.sock"), {"do": "show"}) is None


def test_what_a_dead_board_left_is_nobody_and_no_hindrance(state):
    first = Board.start(str(state))
    os.kill(first.pid, 9)
    first.close()
    assert os.path.exists(sim(state) + "/guard.sock")
    assert ask(state, {"do": "show"}) is None
    second = Board.start(str(state))
    assert ask(state, {"do": "show"})["pid"] == second.pid
    second.close()


def test_a_path_too_long_for_a_socket_address_works(tmp_path):
    state = tmp_path / ("d" * 120) / ("e" * 120)
    board = Board.start(str(state))
    assert len(sim(state)) > door.LONGEST
    assert ask(state, {"do": "show"})["pid"] == board.pid
    assert not board.notes
    board.close()


def test_a_door_lets_in_only_those_it_was_told(tmp_path):
    here = door.Door(str(tmp_path / "here"))
    peer = door.connect(here.path, 5.0)
    assert here.accept()[1] == os.geteuid()
    here._users = (4242,)
    other = door.connect(here.path, 5.0)
    assert here.accept() is None
    assert other.recv(1) == b""
    with pytest.raises(HardwareFault, match="another guard listens at"):
        door.Door(here.path)
    for one in (peer, other, here):
        one.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_other_users_are_refused(board, state):
    os.chmod(sim(state), 0o755)
    os.chmod(sim(state) + "/guard.sock", 0o666)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.chdir(sim(state))
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect("guard.sock")
                peer.sendall(b'{"do":"show"}\n')
                code = 0 if peer.recv(100) == b"" else 2
        except ConnectionError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_peers_that_say_nothing_hold_nobody_up_and_are_let_go(board, state):
    silent = [connect(state) for _ in range(sessions.ASKERS + 4)]
    board.set("fan", True, 60.0, "c1")
    assert board.states()["fan"]["state"] is True
    eventually(lambda: board.events())
    began = time.monotonic()
    assert all(peer.recv(10) == b"" for peer in silent)
    assert time.monotonic() - began < 40.0
    for peer in silent:
        peer.close()
    assert ask(state, {"do": "show"})["pid"] == board.pid


def test_damaged_requests_are_answered_and_harmless(board, state):
    import random

    dice = random.Random(31)
    valid = b'{"do":"set","name":"temperature","value":"30"}'
    for _ in range(rounds(300)):
        text = bytearray(valid)
        for _ in range(3):
            text[dice.randrange(len(text))] = dice.randrange(32, 256)
        with connect(state) as peer:
            peer.sendall(bytes(text) + b"\n")
            assert isinstance(json.loads(peer.recv(4096)), dict)
    with connect(state) as peer:
        peer.sendall(b"x" * 20_000 + b"\n")
        assert json.loads(peer.recv(4096))["ok"] is False
    assert board.sense("temperature").quality == "ok"


def test_a_board_that_hangs_is_said(board, state):
    os.kill(board.pid, 19)
    try:
        with pytest.raises(HardwareFault, match="did not answer"):
            ask(state, {"do": "show"}, seconds=0.3)
    finally:
        os.kill(board.pid, 18)


def test_a_description_of_any_length_is_told_in_pieces():
    said = "".join(map(str, range(20_000)))
    told = ""
    while len(told) < len(said):
        piece = door.piece(said, len(told))
        assert 0 < len(piece["text"]) <= door.PIECE and piece["size"] == len(said)
        told += piece["text"]
    assert told == said
    for wrong in (-1, len(said) + 1, True, None, "7"):
        assert door.piece(said, wrong)["text"] == said[: door.PIECE]


def test_where_many_wait_at_the_door_one_more_waits_for_its_turn(tmp_path):
    path = str(tmp_path / "guard.sock")
    made = door.Door(path)
    waiting = []
    try:
        with pytest.raises(BlockingIOError):
            while True:
                waiting.append(socket.socket(socket.AF_UNIX))
                waiting[-1].setblocking(False)
                waiting[-1].connect(path)
        began = time.monotonic()
        with pytest.raises(OSError):
            door.connect(path, 0.3)
        assert time.monotonic() - began >= 0.25
        letting = threading.Timer(0.2, made.accept)
        letting.start()
        waiting.append(door.connect(path, 60.0))
        letting.join()
        assert waiting[-1].gettimeout() == 60.0
    finally:
        for peer in waiting:
            peer.close()
        made.close()
