"""`hil watch`: changes in a pipe, a picture on a terminal, once; the end of the board is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.manned import Bench, Served, hil, served, terminal
from tests.support.sources import ROOT


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("FIELDHAND_HIL", str(tmp_path))
    return Bench()


@pytest.fixture
def running(fake: Bench) -> Iterator[Served]:
    with served("raspi0", fake) as found:
        yield found


def test_in_a_pipe_each_change_is_a_line_until_the_board_ends(fake: Bench, running: Served) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "hil", "watch", "raspi0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        lines = iter(child.stdout.readline, "")
        assert any(line.endswith(" resets 0\n") for line in lines)
        fake.lines.all[27] = ("out", 1)
        assert next(lines).endswith(" GPIO27 out  high\n")
        fake.parts.set("t0", 31.5)
        assert next(lines).endswith(" t0 temperature 31.5\n")
        running.close()
        assert next(lines) == "raspi0 has ended\n"
        assert child.wait(60) == 0
    finally:
        child.kill()
        child.communicate()


def test_a_pipe_that_nobody_reads_any_more_ends_it(running: Served) -> None:
    child = subprocess.Popen([sys.executable, "-m", "hil", "watch", "raspi0"], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None and child.stdout.readline()
        child.stdout.close()
        assert child.wait(60) == 1
    finally:
        child.kill()
        child.wait()


def test_on_a_terminal_it_is_a_picture_that_changes_and_q_ends_it(fake: Bench, running: Served) -> None:
    with terminal("watch", "raspi0") as person:
        person.shows("GPIO27   out  low")
        fake.lines.all[27] = ("out", 1)
        person.shows("GPIO27   out  high")
        assert not person.restored()
        person.type("q")
        assert person.ended() == 0 and person.restored()


def test_a_board_that_ends_gives_the_terminal_back(fake: Bench, running: Served) -> None:
    with terminal("watch", "raspi0") as person:
        person.shows("GPIO27   out  low")
        running.close()
        assert person.ended() == 0 and person.restored() and "raspi0 has ended" in person.written


def test_once_is_one_picture(running: Served) -> None:
    done = hil("watch", "raspi0", "--once")
    assert done.returncode == 0 and "  GPIO27   out  low" in done.stdout and "t0       temperature 20" in done.stdout
