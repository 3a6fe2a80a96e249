"""What is plugged into the boards of tests/hil that have USB: a cable to servers of this machine, a serial adapter.

One server is asked over plain HTTP, one over TLS; both do what their scripts say. The boards start with the planner
that needs no server; who wants to be answered by one tells the board so, as a card is told (`told`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hil import cable
from hil.agent import Agent
from hil.console import Console
from hil.drivers.link import Link, connected
from hil.resources import Board
from tests.support.certs import Authority
from tests.support.chatserver import ChatServer
from tests.support.onboard import LATE, until

KEY = "sk-0123456789abcdef"
SERVER = f"""[model]
name = "chat:scripted"
base_url = "http://{cable.SERVER}/v1"
key = "{KEY}"
"""
PLANNER = """[model]
name = "offline"
"""
DAY = 86400
LASTS = 10  # days that the certificate of the server behind TLS is good for


class Cabled:
    """The server that a board asks, one with TLS, and what of the requests to the first was looked at."""

    def __init__(self, server: ChatServer, secure: ChatServer, line: Path) -> None:
        self.server, self.secure, self._line = server, secure, line
        self._seen = 0

    @property
    def plugs(self) -> tuple[str, ...]:
        """As QEMU's arguments."""
        return (*cable.cable({80: self.server.port, 443: self.secure.port}), *cable.adapter(self._line))

    def adapter(self) -> Console:
        """This machine's end of the serial port at USB."""
        return Console(Link(connected(self._line, 60.0)))

    def says(self, *replies: Any) -> None:
        """What the server says to the next requests: replies, or whole acts."""
        acts = [one if isinstance(one, dict) and "reply" in one else {"reply": one} for one in replies]
        self.server.acts += acts

    def until_asked(self, count: int) -> None:
        """Wait until so many requests came since the last look."""
        until(lambda: len(self.server.requests) - self._seen >= count, f"the server was not asked {count} times")

    def asked(self) -> list[dict[str, Any]]:
        """The requests since the last look; each came with the key, to the chat."""
        new, self._seen = self.server.requests[self._seen :], len(self.server.requests)
        for one in new:
            assert (one["method"], one["path"]) == ("POST", "/v1/chat/completions")
            assert one["headers"]["authorization"] == f"Bearer {KEY}"
        return [json.loads(one["body"]) for one in new]


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """One that was made now: later than any image."""
    return Authority(tmp_path_factory.mktemp("authority") / "made")


@pytest.fixture(scope="session")
def cabled(board: Board, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cabled]:
    """The servers at the other end of a board's cable."""
    ends = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + LASTS * DAY))
    cert = authority.issue(board.name, f"IP:{cable.SERVER}", ends=ends)
    with ChatServer([]) as server, ChatServer([], cert=cert) as secure:
        yield Cabled(server, secure, tmp_path_factory.mktemp("adapter") / "line")


@pytest.fixture(scope="session")
def plugged(board: Board, request: pytest.FixtureRequest) -> tuple[str, ...]:
    """What a board has at its USB; nothing where it has none."""
    if board.misses("usb"):
        return ()
    found: Cabled = request.getfixturevalue("cabled")
    return found.plugs


def told(agent: Agent, wishes: str) -> None:
    """Have a board take a provision.toml while it runs."""
    agent.must("mkdir -p /tmp/told")
    agent.put("/tmp/told/provision.toml", wishes.encode())
    agent.must("fieldhand provision apply /tmp/told /data")


def wired(agent: Agent) -> None:
    """The wired port has its address, and what is beyond the server cannot be reached."""
    address = r"ip -o addr show eth0 2>/dev/null | grep ' inet '"
    until(lambda: cable.ADDRESS in agent.run(address)[1], "the wired port had no address")
    assert agent.run(f"nc -w 60 {cable.SERVER} 80 </dev/null")[0] == 0
    assert agent.run("ping -c 1 -w 60 10.0.2.2 >/dev/null")[0] == 0
    assert agent.run(f"nc -w 5 {cable.SERVER} 22 </dev/null")[0] != 0
    assert agent.run("ping -c 1 -w 5 1.1.1.1")[0] != 0


def shows(agent: Agent, command: str, wanted: str) -> None:
    """Run a command until what it says has the wanted form."""
    end = time.monotonic() + LATE
    while not re.search(wanted, text := agent.run(command)[1]):
        assert time.monotonic() < end, f"{command} did not come to say {wanted}: {text}"


def results(body: dict[str, Any]) -> list[str]:
    """What the tools brought, by a request."""
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]
