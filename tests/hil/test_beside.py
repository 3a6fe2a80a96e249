"""A second shell at the second port: console and port are terminals of this machine, with a shell at the first."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hil.agent import Agent
from hil.beside import beside
from hil.console import Console
from hil.drivers.link import Link
from hil.drivers.port import Port
from hil.resources import Login


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (ours, theirs), (near, far) = os.openpty(), os.openpty()
    shell = subprocess.Popen(
        ["setsid", "-c", "sh", "-i"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": os.environ["PATH"], "PS1": "# ", "HOME": str(tmp_path)},
        cwd=tmp_path,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as held, os.fdopen(near, "rb", buffering=0) as port:
        guest = SimpleNamespace(port=os.ttyname(far))
        board = SimpleNamespace(login=Login(), guest=guest)
        bench = SimpleNamespace(console=Console(Link(held)), board=board, port=Port(Link(port)))
        bench.console.expect("# ", 60)
        yield Agent(bench)  # type: ignore[arg-type]
        shell.kill()
        shell.wait()
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
