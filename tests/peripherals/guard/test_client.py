"""The agent's side: deadlines, threads, and a board that does not behave."""

from __future__ import annotations

import _socket
import os
import signal
import socket
import sys
import threading
import time

import pytest

from edge.faults import HardwareFault
from edge.peripherals.guard import client, spawn
from edge.peripherals.guard.client import Board
from tests.support.boards import alive, eventually, record


class Fake:
    """A child that never ends by itself."""

    pid, started = 1, 0

    def wait(self, _seconds):
        return True

    def kill(self): ...

    def clean(self):
        return True

    def how(self):
        return "closed its connection"


@pytest.fixture
def scripted(monkeypatch):
    """A client whose other end is in the test's hand."""
    monkeypatch.setattr(client, "SECONDS", 0.3)
    monkeypatch.setattr(client, "BYE_SECONDS", 0.1)
    monkeypatch.setattr(Board._ask, "__defaults__", (0.3, ""))
    ours, theirs = socket.socketpair()
    board = Board(Fake(), _socket.socket(fileno=ours.detach()))
    yield board, theirs
    theirs.close()
    board.close()


@pytest.fixture
def board(tmp_path):
    board = Board.start(str(tmp_path))
    yield board
    board.close()


def test_a_board_that_was_stopped_does_not_switch_what_was_given_up_meanwhile(board, monkeypatch):
    monkeypatch.setattr(Board._ask, "__defaults__", (0.3, ""))
    os.kill(board.pid, signal.SIGSTOP)
    try:
        with pytest.raises(HardwareFault, match="whether pump was switched is unknown"):
            board.set("pump", True, 60.0, "c1")
    finally:
        os.kill(board.pid, signal.SIGCONT)
    monkeypatch.undo()
    assert board.states()["pump"]["state"] is False
    assert board.set("pump", True, 60.0, "c2")["state"] is True


def answering(peer, *lines):
    """A thread that answers one request with `lines`; N stands for its id."""

    def run():
        number = peer.recv(4096).split(b'"id":')[1].split(b",")[0]
        for line in lines:
            peer.sendall(line.replace(b"N", number) + b"\n")

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_board_that_does_not_answer_is_given_up_and_the_output_is_unknown(scripted):
    board, _ = scripted
    with pytest.raises(HardwareFault, match=r"did not answer within 0.3 s; whether fan was switched is unknown"):
        board.set("fan", True, None, "c1")


def test_a_late_reply_is_not_taken_for_the_next_one(scripted):
    board, peer = scripted
    with pytest.raises(HardwareFault):
        board.states()
    peer.recv(4096)
    peer.sendall(b'{"id":1,"ok":true,"states":{"old":{}}}\n')
    thread = answering(peer, b'{"id":N,"ok":true,"states":{"new":{}}}')
    assert board.states() == {"new": {}}
    thread.join()


def test_events_among_replies_are_kept_in_order(scripted):
    board, peer = scripted
    thread = answering(peer, b'{"event":"off","name":"a"}', b'{"id":N,"ok":true,"states":{}}')
    assert board.states() == {}
    thread.join()
    peer.sendall(b'{"event":"off","name":"b"}\n')
    assert [event["name"] for event in board.events()] == ["a", "b"]
    assert board.events() == []


def test_events_that_nobody_takes_are_bounded(scripted):
    board, peer = scripted
    for number in range(1000):
        peer.sendall(b'{"event":"off","name":"%d"}\n' % number)
        if number % 100 == 99:
            board._read_all()
    found = board.events()
    assert len(found) == client.EVENTS
    assert found[-1]["name"] == "999"


@pytest.mark.parametrize("line", [b"{", b"\xff", b"x" * 5000, b"[]"])
def test_what_cannot_be_understood_is_a_hardware_fault(scripted, line):
    board, peer = scripted
    thread = answering(peer, line)
    with pytest.raises(HardwareFault, match="cannot be understood"):
        board.states()
    thread.join()


def test_what_nobody_waited_for_and_cannot_be_understood_is_raised_by_the_next_request(scripted):
    board, peer = scripted
    peer.sendall(b"{{{\n")
    assert board.events() == []
    with pytest.raises(HardwareFault, match="cannot be understood"):
        board.states()
    thread = answering(peer, b'{"id":N,"ok":true,"states":{}}')
    assert board.states() == {}
    thread.join()


def test_a_reply_without_its_reading_is_a_hardware_fault(scripted):
    board, peer = scripted
    thread = answering(peer, b'{"id":N,"ok":true}')
    with pytest.raises(HardwareFault, match="reading of temperature cannot be understood"):
        board.sense("temperature")
    thread.join()


def test_a_beat_never_waits(scripted):
    board, _ = scripted
    began = time.monotonic()
    sent = 0
    while board.beat():
        sent += 1
    assert not board.beat()
    print(f"{sent} beats fit")
    assert time.monotonic() - began < 30.0


def test_a_request_to_a_board_that_does_not_read_has_its_deadline(scripted):
    board, _ = scripted
    while board.beat():
        pass
    with pytest.raises(HardwareFault, match="did not answer"):
        board.states()


def test_beats_go_while_a_request_waits(scripted):
    board, peer = scripted

    def ask():
        with pytest.raises(HardwareFault):
            board.states()

    waiting = threading.Thread(target=ask)
    waiting.start()
    eventually(lambda: peer.recv(4096))
    assert board.beat()
    assert board.events() == []
    assert waiting.is_alive()
    waiting.join()


def test_many_threads_at_once_each_get_their_own_answer(board):
    wrong = []

    def ask(name):
        for _ in range(50):
            if board.sense(name).name != name:
                wrong.append(name)

    names = ("temperature", "soil_moisture", "humidity", "light")
    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        board.beat()
        board.events()
        time.sleep(0.001)
    assert not wrong


def test_a_hung_board_is_killed_at_the_end(tmp_path, monkeypatch):
    board = Board.start(str(tmp_path))
    os.kill(board.pid, signal.SIGSTOP)
    began = time.monotonic()
    board.close()
    assert not alive(board.pid)
    assert time.monotonic() - began < 30.0


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGKILL, "was killed by signal 9"), (signal.SIGSTOP, "did not answer")]
)
def test_a_board_that_is_dead_or_hung_at_the_end_is_told(tmp_path, number, said):
    board = Board.start(str(tmp_path))
    board.set("fan", True, None, "c1")
    os.kill(board.pid, number)
    board.close()
    (event,) = board.events()
    assert event["event"] == "lost"
    assert said in event["why"]
    assert "the state of its outputs is unknown until they are read back" in event["why"]
    assert "the next start makes every output safe" in event["why"]
    assert board.events() == []


def test_a_board_that_ends_well_is_not_told_as_lost(board):
    board.close()
    assert board.events() == []


def test_the_name_of_the_run_stands_in_the_boards_record(tmp_path):
    for run in ("20240101-101010-aaaa", "20240102-101010-bbbb"):
        board = Board.start(str(tmp_path), 60.0, run)
        board.set("fan", True, None, "c2")
        board.close()
    rows = [(row["call"], row["state"], row["run"][:8]) for row in record(tmp_path)]
    assert rows == [(call, on, day) for day in ("20240101", "20240102") for call, on in (("c2", True), ("c2", False))]


def test_a_closed_board_leaves_no_process_and_no_zombie(tmp_path):
    board = Board.start(str(tmp_path))
    pid = board.pid
    board.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def test_start_is_named_by_pid_and_ticks(board):
    with open(f"/proc/{board.pid}/stat") as file:
        assert board.started == int(file.read().rpartition(")")[2].split()[19]) > 0


# Starting


def test_an_interpreter_that_does_not_know_its_path_is_said(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(HardwareFault, match="does not know its own path"):
        Board.start("")


def test_an_interpreter_that_is_not_there_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(HardwareFault, match=r"cannot be started with .*No such file"):
        Board.start("")


def test_a_board_that_ends_at_once_is_said_with_its_last_words(monkeypatch, tmp_path):
    monkeypatch.setattr(spawn, "CODE", "raise SystemExit('out of luck')")
    with pytest.raises(HardwareFault, match=r"ended with exit code 1 \(out of luck\)"):
        Board.start(str(tmp_path))


def test_a_board_that_says_nothing_is_killed(monkeypatch, tmp_path):
    monkeypatch.setattr(client, "HELLO_SECONDS", 0.5)
    monkeypatch.setattr(spawn, "CODE", "import time; time.sleep(60)")
    children = []
    start = spawn.start

    def noted(*words):
        children.append(start(*words))
        return children[-1]

    monkeypatch.setattr(client, "start", noted)
    with pytest.raises(HardwareFault, match=r"did not answer within 0.5 s"):
        Board.start(str(tmp_path))
    assert not alive(children[0][0].pid)


def test_a_state_folder_that_cannot_be_used_is_said(tmp_path):
    (tmp_path / "sim").write_text("a file")
    with pytest.raises(HardwareFault, match=r"cannot use its folder"):
        Board.start(str(tmp_path))


def test_a_lock_that_cannot_be_opened_is_said_by_the_board(tmp_path):
    (tmp_path / "sim" / "lock").mkdir(parents=True)
    with pytest.raises(HardwareFault, match=r"cannot use its folder .*Is a directory"):
        Board.start(str(tmp_path))
