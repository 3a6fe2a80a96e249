"""The monitor: answers are told from events, refusals and the end of QEMU are sentences."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from edge.faults import HardwareFault
from hil.drivers.qmp import Monitor

RESET = {"event": "RESET", "data": {"guest": True}}
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "qmp_capabilities": [{"return": {}}],
    "query-status": [RESET, {"event": "STOP"}, RESET, {"return": {"status": "running"}}],
    "wrong": [{"error": {"class": "CommandNotFound", "desc": "The command wrong has not been found"}}],
    "quit": [],
}


@pytest.fixture
def monitor() -> Iterator[Monitor]:
    """Connected to a far end that answers by ANSWERS and hangs up after `quit`."""
    here, there = socket.socketpair()

    def serve() -> None:
        with there, there.makefile("rb") as lines:
            there.sendall(b'{"QMP": {"version": {}}}\n')
            for line in lines:
                answers = ANSWERS[json.loads(line)["execute"]]
                if not answers:
                    return
                there.sendall(b"".join(json.dumps(answer).encode() + b"\n" for answer in answers))

    thread = threading.Thread(target=serve)
    thread.start()
    found = Monitor(here)
    yield found
    found.close()
    thread.join()


def test_resets_are_counted(monitor: Monitor) -> None:
    assert monitor.count("RESET") == 2
    assert monitor.ask("query-status") == {"status": "running"}
    assert monitor.count("RESET") == 6


def test_a_refusal_is_a_sentence(monitor: Monitor) -> None:
    with pytest.raises(HardwareFault, match="QEMU refused wrong: The command wrong has not been found"):
        monitor.ask("wrong")


def test_the_end_of_qemu_is_a_sentence(monitor: Monitor) -> None:
    with pytest.raises(HardwareFault, match="QEMU ended"):
        monitor.ask("quit")
