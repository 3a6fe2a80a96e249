"""Signs of life go to the supervisor while the main thread is well, and only then."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from edge.vitals import Vitals, vitals


def listening(folder: Path) -> Any:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(str(folder / "n"))
    made.settimeout(60)
    return made


def told(folder: Path, silence: Any, **more: str) -> Vitals:
    made = vitals({"NOTIFY_SOCKET": str(folder / "n"), **more}, os.getpid(), silence)
    assert made is not None
    return made


def test_ready_then_signs_then_stopping(tmp_path: Path) -> None:
    heard = listening(tmp_path)
    made = told(tmp_path, lambda: 0.0, WATCHDOG_USEC="40000")
    made.start()
    assert heard.recv(100) == b"READY=1\nSTATUS=at work"
    assert [heard.recv(100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
    made.stop()
    rest = heard.recv(100)
    while rest == b"WATCHDOG=1":
        rest = heard.recv(100)
    assert rest == b"STOPPING=1"
    heard.close()


def test_a_main_thread_that_hangs_gives_no_sign(tmp_path: Path) -> None:
    heard = listening(tmp_path)
    silent = [100.0]
    made = told(tmp_path, lambda: silent[0], WATCHDOG_USEC="40000")
    made.start()
    assert heard.recv(100).startswith(b"READY=1")
    heard.settimeout(0.3)
    try:
        assert heard.recv(100) == b""
    except socket.timeout:
        silent[0] = 0.0
    heard.settimeout(60)
    assert heard.recv(100) == b"WATCHDOG=1"
    made.stop()
    heard.close()


def test_without_a_supervisor_or_with_another_process_meant_there_is_none(tmp_path: Path) -> None:
    assert vitals({}, 7, lambda: 0.0) is None
    assert vitals({"NOTIFY_SOCKET": ""}, 7, lambda: 0.0) is None
    assert vitals({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_PID": "8"}, 7, lambda: 0.0) is None
    assert vitals({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_PID": "7"}, 7, lambda: 0.0) is not None


def test_nobody_who_reads_is_no_fault(tmp_path: Path) -> None:
    made = told(tmp_path, lambda: 0.0)
    made.start()
    made.stop()
