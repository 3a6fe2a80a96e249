"""A second shell at the second port: console and port are terminals of this machine, with a shell at the first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hil.agent import Agent
from hil.beside import beside
from hil.drivers.link import Link
from hil.drivers.port import Port
from hil.resources import Login
from tests.support.shelled import console


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    near, far = os.openpty()
    with console(tmp_path) as found, os.fdopen(near, "rb", buffering=0) as port:
        board = SimpleNamespace(login=Login(), guest=SimpleNamespace(port=os.ttyname(far)))
        os.write(far, b"\r\nU-Boot 2025.01 (Jun 24 2026 - 09:07:15 +0000)\r\n")  # from the start that led here
        yield Agent(SimpleNamespace(console=found, board=board, port=Port(Link(port))))  # type: ignore[arg-type]
    os.close(far)


def test_what_holds_the_console_is_looked_at_and_ended_from_beside(agent: Agent) -> None:
    with beside(agent) as second:
        agent.console.line("sh -c 'echo $$ >held; exec cat'; echo E''NDED")
        second.must("i=0; until [ -s held ] || [ $i -gt 600 ]; do i=$((i+1)); sleep 0.1; done")
        pid = second.must("cat held").strip()
        assert second.run(f"kill -0 {pid}") == (0, "") and second.must("echo out; echo err >&2") == "out\nerr\n"
        with pytest.raises(AssertionError, match="false ended with 1"):
            second.must("false")
        second.must(f"kill -9 {pid}")
        agent.console.expect(r"ENDED\n", 60)
    assert agent.must("echo back") == "back\n"
