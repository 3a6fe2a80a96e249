"""What a supervisor hears of the guard, at both kinds of socket; and that one who does not listen is no hindrance."""

from __future__ import annotations

import os
import signal
import socket
import time

import pytest

from edge.peripherals.guard.notify import FOREVER, Notifier
from tests.support.boards import eventually
from tests.support.services import Place


def listening(address):
    supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    supervisor.bind(address)
    supervisor.settimeout(30.0)
    return supervisor


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_it_says_ready_alive_and_stopping(tmp_path, kind):
    path = str(tmp_path / "notify") if kind == "path" else f"@fieldhand-test-{os.getpid()}"
    with listening(path if kind == "path" else "\0" + path[1:]) as supervisor:
        notifier = Notifier({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "7"}, 7)
        notifier.ready("outputs safe")
        notifier.beat(100.0)
        notifier.beat(101.9)
        assert notifier.due == 102.0
        notifier.beat(102.0)
        notifier.stopping()
        said = [supervisor.recv(1000).decode() for _ in range(4)]
    assert said == ["READY=1\nSTATUS=outputs safe", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"NOTIFY_SOCKET": "relative", "WATCHDOG_USEC": "1000000"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "soon"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "8"},
        {"WATCHDOG_USEC": "1000000"},
    ],
)
def test_without_somebody_who_waits_for_it_no_sign_of_life_is_due(environ):
    notifier = Notifier(environ, 7)
    assert notifier.due == FOREVER
    notifier.beat(1e9)


def test_a_supervisor_that_is_gone_or_never_reads_is_left_alone(tmp_path):
    gone = Notifier({"NOTIFY_SOCKET": str(tmp_path / "nobody")}, 7)
    gone.ready("x")
    with listening(str(tmp_path / "full")):
        deaf = Notifier({"NOTIFY_SOCKET": str(tmp_path / "full")}, 7)
        for _ in range(2000):
            deaf.ready("x" * 100)


def test_a_guard_tells_its_supervisor_and_a_hanging_one_is_silent(tmp_path):
    with listening(str(tmp_path / "notify")) as supervisor, Place(tmp_path) as place:
        process = place.up(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="200000")
        assert supervisor.recv(1000) == b"READY=1\nSTATUS=outputs safe: pump, fan"
        assert supervisor.recv(1000) == b"WATCHDOG=1"
        assert supervisor.recv(1000) == b"WATCHDOG=1"
        process.send_signal(signal.SIGSTOP)
        eventually(lambda: _state(process.pid) == "T")
        supervisor.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                supervisor.recv(1000)
        time.sleep(0.5)
        with pytest.raises(BlockingIOError):
            supervisor.recv(1000)
        supervisor.settimeout(30.0)
        process.send_signal(signal.SIGCONT)
        assert supervisor.recv(1000) == b"WATCHDOG=1"
        process.terminate()
        heard = b""
        while heard != b"STOPPING=1":
            heard = supervisor.recv(1000)


def _state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]
