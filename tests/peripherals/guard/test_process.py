"""The real board process: whatever becomes of its agent, its outputs go safe and it says so."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edge.call import Output, Sensor
from edge.faults import HardwareFault, Refused
from edge.peripherals.guard import door, protocol, spawn
from edge.peripherals.guard.client import Board
from edge.peripherals.guard.owned import GpioLine, Owned
from tests.support.asking import late, moment
from tests.support.boards import BUSY, ROOT, Agent, alive, eventually, fan, record, rounds


@pytest.fixture
def board(tmp_path):
    board = Board.start(str(tmp_path), 60.0)
    yield board
    board.close()


@pytest.fixture
def bare(tmp_path):
    """A board without a client: the raw socket."""
    os.makedirs(tmp_path / "sim", mode=0o700)
    child, end = spawn.start(str(tmp_path), str(tmp_path / "sim"), 60.0)
    peer = socket.socket(fileno=end.detach())
    peer.settimeout(60.0)
    yield peer, child
    peer.close()
    assert child.wait(60.0)


def say(peer, *messages):
    peer.sendall(b"".join(m if isinstance(m, bytes) else json.dumps(m).encode() + b"\n" for m in messages))


def hear(peer, count):
    data = b""
    while data.count(b"\n") < count:
        part = peer.recv(65536)
        assert part, "the board ended"
        data += part
    return [json.loads(line) for line in data.splitlines()]


FLOOD = """
import socket, sys
while True:
    with socket.socket(socket.AF_UNIX) as peer:
        try:
            peer.connect(sys.argv[1])
            while True:
                peer.sendall(b"\\n" * 16384)
                peer.recv(1 << 20)
        except OSError:
            continue
"""
HELLO = {"id": 1, "do": "hello", "protocol": protocol.VERSION}
FAN_ON = {"id": 2, "do": "set", "name": "fan", "state": True, "call": "c1"}


# The end of the agent


def test_a_killed_agent_leaves_the_fan_off(tmp_path):
    with Agent(tmp_path) as agent:
        assert fan(tmp_path, "on")
        agent.signal(signal.SIGKILL)
        assert eventually(lambda: fan(tmp_path))["why"] == "agent gone"
        eventually(lambda: not alive(agent.board))


@pytest.mark.soak
def test_kills_at_random_moments_leave_the_fan_off_every_time(tmp_path):
    for number in range(rounds(50)):
        state = tmp_path / str(number)
        state.mkdir()
        with Agent(state) as agent:
            time.sleep(number % 7 * 0.01)
            agent.signal(signal.SIGKILL)
            eventually(lambda state=state: fan(state))


def test_a_stopped_agent_leaves_the_fan_off_after_the_heartbeat_deadline(tmp_path):
    with Agent(tmp_path) as agent:
        stopped = moment()
        agent.signal(signal.SIGSTOP)
        assert eventually(lambda: fan(tmp_path))["why"] == "heartbeat late"
        assert 2.0 < time.monotonic() - stopped < 5.0 + late(stopped)
        assert alive(agent.board)


def test_a_busy_agent_that_does_not_beat_leaves_the_fan_off(tmp_path):
    with Agent(tmp_path, BUSY):
        assert eventually(lambda: fan(tmp_path))["why"] == "heartbeat late"


def test_an_agent_that_only_closes_its_end_leaves_the_fan_off(bare, tmp_path):
    peer, child = bare
    say(peer, HELLO, FAN_ON)
    hear(peer, 2)
    peer.close()
    assert child.wait(60.0)
    assert fan(tmp_path)["why"] == "agent gone"


def test_an_agent_that_half_closes_leaves_the_fan_off(bare, tmp_path):
    peer, child = bare
    say(peer, HELLO, FAN_ON)
    hear(peer, 2)
    peer.shutdown(socket.SHUT_WR)
    assert child.wait(60.0)
    assert fan(tmp_path)["why"] == "agent gone"


def test_the_last_request_of_an_agent_that_hung_up_switches_nothing(bare, tmp_path):
    peer, child = bare
    say(peer, HELLO)
    hear(peer, 1)
    os.kill(child.pid, signal.SIGSTOP)
    # A signal is on its way for a moment: a board that still runs would rightly take the request.
    eventually(lambda: Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    say(peer, FAN_ON)
    peer.close()
    os.kill(child.pid, signal.SIGCONT)
    assert child.wait(60.0)
    assert record(tmp_path) == []


# The end of the board


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_makes_safe_then_records_then_ends(board, tmp_path, number):
    board.set("fan", True, None, "c1")
    os.kill(board.pid, number)
    eventually(lambda: not alive(board.pid))
    assert fan(tmp_path)["why"] == "board stopping"
    assert board.events() == [{"event": "off", "name": "fan", "state": False, "why": "board stopping"}]
    with pytest.raises(HardwareFault, match=rf"board process .* ended by signal {int(number)}"):
        board.states()
    assert json.loads((tmp_path / "sim" / "state.json").read_text())["on"] == []


def test_a_killed_board_is_named_and_the_next_one_begins_safe(board, tmp_path):
    board.set("fan", True, None, "c1")
    os.kill(board.pid, signal.SIGKILL)
    with pytest.raises(HardwareFault, match=r"was killed by signal 9; whether pump was switched is unknown"):
        board.set("pump", True, None, "c2")
    assert not board.beat()
    with pytest.raises(HardwareFault, match="killed by signal 9; the state of its outputs is unknown until"):
        board.states()
    assert fan(tmp_path, "on")
    again = Board.start(str(tmp_path))
    assert again.states()["fan"]["state"] is False
    assert fan(tmp_path)["why"] == "board started anew"
    again.close()


def test_ctrl_c_at_the_terminal_does_not_reach_it(board):
    assert os.getpgid(board.pid) == board.pid != os.getpgid(0)


# What it holds


def test_it_holds_nothing_of_its_parent_but_the_socket(tmp_path):
    careless, other = os.pipe()
    os.set_inheritable(careless, True)
    os.set_inheritable(other, True)
    board = Board.start(str(tmp_path))
    try:
        folder = f"/proc/{board.pid}/fd"
        held = {name: os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}
        assert os.readlink(f"/proc/self/fd/{careless}") not in held.values()
        assert (held["0"], held["1"]) == ("/dev/null", "/dev/null")
        assert held["2"] == str(tmp_path / "sim" / "board.log")
        assert len(held) <= 12
    finally:
        board.close()
        os.close(careless)
        os.close(other)


def test_it_stays_small(board):
    """The modules it imports beyond a bare interpreter; json, re, enum, socket and typing are not among them."""
    code = (
        "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); "
        "import edge.peripherals.guard.process; print(*(set(sys.modules) - before))"
    )
    words = [sys.executable, "-I", "-S", "-c", code, spawn.library()]
    added = set(subprocess.run(words, check=True, capture_output=True, text=True).stdout.split())
    foreign = {name for name in added if name.split(".")[0] != "edge"}
    allowed = {"__future__", "os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc"}
    assert foreign <= allowed | {"abc", "_abc", "_socket", "select", "fcntl", "math", "time", "_signal"}


def test_without_a_state_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    board = Board.start("")
    assert board.set("fan", True, 10.0, "c1")["state"] is True
    assert board.notes == ()
    board.close()
    assert os.listdir(tmp_path) == []


# What it keeps


def test_a_later_start_goes_on_from_the_kept_state(tmp_path):
    first = Board.start(str(tmp_path), 600.0)
    first.set("pump", True, None, "c1")
    time.sleep(0.3)
    first.close()
    moist = json.loads((tmp_path / "sim" / "state.json").read_text())
    second = Board.start(str(tmp_path), 1.0)
    assert second.sense("soil_moisture").value == pytest.approx(moist["climate"]["soil"], abs=0.2)
    assert moist["climate"]["soil"] > 38.0
    second.close()
    later = json.loads((tmp_path / "sim" / "state.json").read_text())
    assert moist["now"] <= later["now"] < moist["now"] + 30.0


def test_a_state_is_kept_after_a_kill_up_to_the_last_transition(tmp_path):
    board = Board.start(str(tmp_path), 600.0)
    board.set("fan", True, None, "c1")
    eventually(lambda: (tmp_path / "sim" / "state.json").exists())
    kept = eventually(lambda: json.loads((tmp_path / "sim" / "state.json").read_text())["on"])
    os.kill(board.pid, signal.SIGKILL)
    board.close()
    assert kept == ["fan"]


def test_a_damaged_state_is_kept_aside_and_said(tmp_path):
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim" / "state.json").write_text('{"version":1,"now":')
    board = Board.start(str(tmp_path))
    assert "is damaged" in board.notes[0]
    assert board.sense("temperature").value == pytest.approx(33.0, abs=3)
    board.close()
    assert (tmp_path / "sim" / "state.json.damaged").exists()


def test_a_card_that_takes_nothing_does_not_stop_the_guard(tmp_path):
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim" / "board.jsonl").mkdir()
    (tmp_path / "sim" / "state.json.new").mkdir()
    board = Board.start(str(tmp_path), 600.0)
    board.set("fan", True, 60.0, "c1")
    eventually(lambda: board.events())
    assert board.states()["fan"]["why"] == "lease ended"
    board.close()


# Two boards


@pytest.mark.parametrize("name", ["state.json.new", "board.jsonl", "board.jsonl.1", "override", "stop"])
def test_a_pipe_that_nobody_reads_does_not_make_the_guard_wait(tmp_path, name):
    os.makedirs(tmp_path / "sim", mode=0o700)
    os.mkfifo(tmp_path / "sim" / name)
    board = Board.start(str(tmp_path), 60.0)
    for number in range(10):
        assert board.set("fan", number % 2 == 0, 30.0, f"c{number}")["state"] is (number % 2 == 0)
    for _ in range(3):  # the state is kept after each of them
        board.safe_all()
    board.close()
    assert board.events() == []


@pytest.mark.parametrize("name", ["lock", "board.log"])
def test_a_pipe_where_its_own_files_should_be_is_said(tmp_path, name):
    os.makedirs(tmp_path / "sim", mode=0o700)
    os.mkfifo(tmp_path / "sim" / name)
    with pytest.raises(HardwareFault, match=r"cannot (use its folder|be started with the log)"):
        Board.start(str(tmp_path), 60.0)


def test_a_second_agent_on_the_same_folder_joins_the_board_that_runs(board, tmp_path):
    second = Board.start(str(tmp_path), run="second")
    assert (second.pid, second.started, second.speed) == (board.pid, 0, board.speed)
    second.set("fan", True, 600.0, "c1")
    assert board.states()["fan"]["owner"] == "second"
    with pytest.raises(Refused, match="fan is held by second for another"):
        board.set("fan", True, 10.0, "c1")
    assert board.set("fan", False, None, "c2")["state"] is False
    assert eventually(second.events)[0]["event"] == "off"
    second.close()
    assert board.states()["fan"]["state"] is False
    assert alive(board.pid)


def test_a_board_stays_for_the_second_agent_when_the_first_leaves(tmp_path):
    first, second = Board.start(str(tmp_path)), Board.start(str(tmp_path))
    first.set("pump", True, None, "c1")
    second.set("fan", True, None, "c1")
    first.close()
    states = second.states()
    assert (states["pump"]["state"], states["pump"]["why"]) == (False, "agent left")
    assert states["fan"]["state"] is True
    assert second.beat()
    second.close()
    eventually(lambda: not alive(second.pid))
    assert fan(tmp_path)["why"] == "agent left"


def test_a_board_stays_for_the_second_agent_when_the_first_is_killed(tmp_path):
    with Agent(tmp_path) as first:
        second = Board.start(str(tmp_path))
        assert second.pid == first.board
        first.signal(signal.SIGKILL)
        assert eventually(lambda: fan(tmp_path))["why"] == "agent gone"
        assert second.set("pump", True, 10.0, "c1")["state"] is True
        second.close()


def test_a_board_that_was_told_to_own_something_else_is_not_joined(board, tmp_path):
    other = Owned(outputs=(Output("lamp", "a lamp", "x"),))
    with pytest.raises(HardwareFault, match=r"own something else \(outputs has lamp only here\).*--state DIR"):
        Board.start(str(tmp_path), owned=other)
    assert board.states()


def test_agents_that_start_at_the_same_moment_share_one_board(tmp_path):
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom edge.peripherals.guard.client import Board\n"
        f"board = Board.start({str(tmp_path)!r}); print(board.pid, flush=True); sys.stdin.read(); board.close()"
    )
    agents = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    pids = {int(agent.stdout.readline()) for agent in agents}
    for agent in agents:
        agent.communicate(timeout=60)
    assert len(pids) == 1
    assert [agent.returncode for agent in agents] == [0] * 4
    eventually(lambda: not alive(pids.pop() if pids else 0))


def test_a_heartbeat_is_judged_for_each_agent(tmp_path):
    with Agent(tmp_path) as beating:
        silent = Board.start(str(tmp_path), run="silent")
        silent.set("pump", True, None, "c1")
        eventually(lambda: [row for row in record(tmp_path) if row["why"] == "heartbeat late"])
        assert [row["name"] for row in record(tmp_path) if not row["state"]] == ["pump"]
        assert silent.states()["fan"]["state"] is True
        beating.signal(signal.SIGKILL)
        silent.close()


def test_a_second_board_waits_for_the_first_to_end(tmp_path):
    first = Board.start(str(tmp_path))
    os.kill(first.pid, signal.SIGSTOP)
    code = "import os, signal, time; time.sleep(0.5); os.kill(int(os.sys.argv[1]), signal.SIGCONT)"
    waker = subprocess.Popen([sys.executable, "-c", code, str(first.pid)])
    first._socket.shutdown(socket.SHUT_RDWR)
    second = Board.start(str(tmp_path))
    assert second.sense("temperature").value is not None
    second.close()
    waker.wait()
    first.close()


# Frames


def test_damaged_frames_are_answered_and_do_not_end_it(bare):
    peer, _ = bare
    say(peer, HELLO, FAN_ON)
    hear(peer, 2)
    long = b"x" * (protocol.LIMIT + 10) + b"\n"
    damaged = [b"\n", b"{\n", b"\xff\xfe\n", long, b"[1,2]\n", {"id": 5, "do": "explode"}, b"null\n"]
    say(peer, *damaged)
    replies = hear(peer, len(damaged))
    assert [reply["id"] for reply in replies] == [0, 0, 0, 0, 0, 5, 0]
    assert not any(reply["ok"] for reply in replies)
    say(peer, {"id": 9, "do": "states"})
    assert hear(peer, 1)[0]["states"]["fan"]["state"] is True


@pytest.mark.parametrize(
    "frame",
    [
        {"id": 3, "do": "set", "name": "pump", "state": True, "seconds": 10**400, "call": "c2"},
        {"id": 3, "do": "set", "name": "pump", "state": True, "level": 10**400, "call": "c2"},
        {"do": "beat", "seen": 10**400},
        {"do": "beat", "seen": -1e308},
        {"id": 3, "do": "hello", "protocol": 10**400},
        {**HELLO, "state": "/\ud800"},
        {**HELLO, "state": "/a\0b"},
        {"id": 3, "do": "set", "name": "\ud800", "state": True, "call": "\ud800"},
    ],
    ids=["seconds", "level", "seen", "long ago", "protocol", "no path", "zero in a path", "no character"],
)
def test_what_nobody_can_reckon_with_ends_neither_the_board_nor_a_lease(bare, frame):
    peer, child = bare
    say(peer, HELLO, FAN_ON, frame, {"do": "beat"}, {"id": 9, "do": "states"})
    replies = hear(peer, 3)
    while replies[-1]["id"] != 9:
        replies += hear(peer, 1)
    assert replies[-1]["states"]["fan"]["state"] is True
    assert not child.ended()


def test_whoever_floods_without_being_an_agent_holds_up_no_lease(tmp_path):
    board = Board.start(str(tmp_path), 1.0)
    flooding = [subprocess.Popen([sys.executable, "-S", "-c", FLOOD, f"{tmp_path}/sim/guard.sock"]) for _ in range(4)]
    try:
        for number in range(3):
            board.set("fan", True, 0.5, f"c{number}")
            eventually(lambda: not board.states()["fan"]["state"], pause=0.1)
            board.beat()
    finally:
        for process in flooding:
            process.kill()
            process.wait()
        board.close()
    rows = record(tmp_path)
    lates = [off["board"] - on["board"] - 0.5 for on, off in zip(rows[::2], rows[1::2])]
    print("late by", *[f"{1000 * late:.0f} ms" for late in lates])
    assert [row["why"] for row in rows[1::2]] == ["lease ended"] * 3
    assert sorted(lates)[1] < 0.2, lates


def test_an_agent_that_floods_and_never_reads_does_not_fill_the_board(bare, tmp_path):
    peer, child = bare
    say(peer, HELLO, FAN_ON)
    peer.setblocking(False)
    sent = 0
    until = time.monotonic() + 2.0
    while time.monotonic() < until:
        try:
            sent += peer.send(b'{"id":7,"do":"states"}\n' * 100)
        except BlockingIOError:
            time.sleep(0.01)
    with open(f"/proc/{child.pid}/statm") as file:
        assert int(file.read().split()[1]) * 4096 < 64 << 20
    eventually(lambda: fan(tmp_path))
    print(f"{sent} bytes of requests")


def test_agents_that_ask_without_end_for_long_answers_keep_nobody_else_waiting(tmp_path):
    names = [f"o{number}" for number in range(100)]
    outputs = tuple(Output(name, "", "", interlock=("not door",)) for name in names)
    owns = Owned(
        "lines", outputs, (Sensor("door", "", "", ""),), tuple(GpioLine(n, "no", "1") for n in (*names, "door"))
    )
    board = Board.start(str(tmp_path), owned=owns)
    path = f"{tmp_path}/guard/guard.sock"
    flooding = []
    try:
        for _ in range(4):
            flooding.append(door.connect(path, 60.0))
            flooding[-1].sendall(b'{"id":1,"do":"hello","protocol":2}\n')
            flooding[-1].recv(65536)
            flooding[-1].setblocking(False)
        for _ in range(5):
            for peer in flooding:
                with contextlib.suppress(BlockingIOError):
                    peer.recv(1 << 20)
                with contextlib.suppress(BlockingIOError):
                    peer.send(b'{"id":2,"do":"states"}\n' * 700)
            assert len(board.states()) == 100
        os.kill(board.pid, signal.SIGTERM)
        eventually(lambda: not alive(board.pid), seconds=20.0)
    finally:
        for peer in flooding:
            peer.close()
        board.close()


def test_a_stop_is_not_lifted_by_a_folder_that_goes_away(board, tmp_path):
    (tmp_path / "stop").write_text("")
    with pytest.raises(Refused) as caught:
        board.set("fan", True, 30.0, "c1")
    assert caught.value.rule == "stop.all"
    away = tmp_path.with_name(tmp_path.name + "-away")
    os.rename(tmp_path, away)
    with pytest.raises(Refused, match="is gone"):
        board.set("fan", True, 30.0, "c2")
    os.rename(away, tmp_path)
    (tmp_path / "stop").unlink()
    assert board.set("fan", True, 30.0, "c3")["state"] is True


def test_random_bytes_never_end_it_nor_switch_anything(bare, tmp_path):
    peer, child = bare
    say(peer, HELLO)
    hear(peer, 1)
    import random

    dice = random.Random(21)
    for number in range(rounds(300)):
        say(peer, bytes(dice.randrange(256) for _ in range(dice.randrange(300))).replace(b"\n", b"") + b"\n")
        say(peer, {"id": number + 10, "do": "states"})
        while hear(peer, 1)[-1]["id"] != number + 10:
            pass
    assert record(tmp_path) == []
    assert not child.ended()
