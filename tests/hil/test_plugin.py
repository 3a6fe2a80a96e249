"""The plug-in, in a pytest of its own: which boards a test runs on, what is skipped and why, what a failure shows.

The board is a terminal with nothing behind it but a shell that echoes: its file gives it no power switch.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hil import plugin
from hil.resources import named, read
from tests.support.desks import DESK
from tests.support.sources import ROOT

pytest.importorskip("serial", reason="pyserial is not on this machine")
TESTS = """
import pytest

def test_in_a_shell(agent, board):
    assert board.name == "mine"
    assert agent.run("echo hello") == (0, "hello\\n")

def test_after_a_failure_the_board_is_looked_for_anew(agent, strategy):
    strategy.lost()
    agent.must("false")

def test_it_is_found(agent):
    assert agent.must("echo again") == "again\\n"

@pytest.mark.emulated
def test_with_a_board_of_its_own():
    raise AssertionError("it was not chosen")

@pytest.mark.needs("lines")
def test_lines(bench):
    raise AssertionError("it has none")

@pytest.mark.needs("port", "edges")
def test_edges(bench):
    raise AssertionError("it has none")
"""

# Two terminals end to end: a serial port of this machine is an end of the first, the shell has the end of the second.
RELAY = """
import os, select, sys
left, right = map(int, sys.argv[1:])
while True:
    for end in select.select([left, right], [], [])[0]:
        os.write(right if end == left else left, os.read(end, 4096))
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[str]:
    """The name of a serial port whose far end is a shell."""
    (ours, near), (shell_end, far) = os.openpty(), os.openpty()
    shell = subprocess.Popen([sys.executable, "-c", RELAY, str(ours), str(shell_end)], pass_fds=(ours, shell_end))
    inner = subprocess.Popen(
        ["setsid", "-c", "sh", "-i"],
        stdin=far,
        stdout=far,
        stderr=far,
        env={"PATH": os.environ["PATH"], "PS1": "# ", "HOME": str(tmp_path)},
    )
    os.close(far)
    yield os.ttyname(near)
    for one in (inner, shell):
        one.kill()
        one.wait()
    for end in (ours, near, shell_end):
        os.close(end)


def test_a_board_of_ones_own_is_chosen_and_what_it_lacks_is_skipped_with_its_reason(
    terminal: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text(
        'title = "mine"\nproduct = "pi-arm64"\nhas = []\n[lacks]\nlines = "no wires are plugged in"\n'
        f'[console]\ndevice = "{terminal}"\n'
    )
    (tmp_path / "test_it.py").write_text(TESTS)
    words = [
        "-m",
        "pytest",
        "-p",
        "hil.plugin",
        "-p",
        "no:cacheprovider",
        "-rs",
        "--board",
        str(tmp_path / "mine.toml"),
    ]
    ran = subprocess.run(
        [sys.executable, *words, str(tmp_path / "test_it.py")],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = ran.stdout
    assert "2 passed, 2 skipped" in said and "1 failed" in said and "1 deselected" in said, said + ran.stderr
    assert "mine has no lines: no wires are plugged in" in said
    assert "mine has no port: its file does not name it" in said
    assert "console of mine" in said and "false ended with 1" in said


@pytest.mark.parametrize(
    ("board", "asked", "switched"),
    [
        (named("raspi0"), ("tmp_path",), ["off"]),
        (named("raspi0"), ("agent", "bench"), []),
        (read(DESK, Path("mine.toml")), ("tmp_path",), []),
    ],
    ids=["no board next", "a board next", "a board on a desk"],
)
def test_an_emulated_board_is_off_while_nobody_asks_for_it(
    board: Any, asked: tuple[str, ...], switched: list[str]
) -> None:
    went: list[str] = []
    item: Any = SimpleNamespace(funcargs={"board": board, "strategy": SimpleNamespace(to=went.append)})
    after: Any = SimpleNamespace(fixturenames=asked)
    steps = plugin.pytest_runtest_teardown(item, after)
    next(steps)
    assert went == []  # what the test asked for may need the board to be put away
    with pytest.raises(StopIteration):
        next(steps)
    assert went == switched
