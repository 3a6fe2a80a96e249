"""A person without hardware: a board in one terminal, its sensor set and its lines watched from a second one."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.live.card import FAN
from tests.support.manned import Terminal, hil, terminal
from tests.support.sources import ROOT

pytestmark = [pytest.mark.emulated, pytest.mark.long]
SECONDS = 900.0
PROMPT = "fieldhand> "


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FIELDHAND_HIL", str(tmp_path))
    return tmp_path


def emulators(folder: Path) -> list[str]:
    """Command lines of processes with a card from that folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if words.startswith("qemu-system") and str(folder) in words:
            found.append(words)
    return found


@contextmanager
def watched(name: str) -> Iterator[Iterator[str]]:
    """`hil watch` into a pipe: the lines that it writes."""
    child = subprocess.Popen([sys.executable, "-m", "hil", "watch", name], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        yield iter(child.stdout.readline, "")
    finally:
        child.kill()
        child.communicate()


def said(person: Terminal, line: str, text: str) -> None:
    """Type a line and wait for what is to come behind it, and for the prompt."""
    person.type(line + "\r")
    at = person.shows(line, SECONDS, len(person.written))
    person.shows(PROMPT, SECONDS, person.shows(text, SECONDS, at))


@pytest.mark.parametrize("name", ["raspi3b"])
def test_a_person_tries_a_board(name: str, home: Path) -> None:
    with terminal("run", name) as person:
        person.shows("login: ", SECONDS)
        person.type("operator\r")
        person.shows("Password: ", SECONDS)
        person.type("fieldhand\r")
        person.shows(PROMPT, SECONDS)
        said(person, "How warm is it?", "It is 21.0 C")
        assert hil("set", name, "t0", "31.5").stdout == "t0 measures 31.5\n"
        with watched(name) as seen:
            at = len(person.written)
            person.type("How warm is it? If it is above 30 C, run the fan for 2 minutes.\r")
            person.shows("[y/N/t]", SECONDS, at)
            person.type("y\r")
            person.shows("31.5 C is above 30 C", SECONDS, at)
            assert any(f"GPIO{FAN} out  high" in line for line in seen)
        refused = hil("set", name, str(FAN), "low")
        assert refused.returncode == 7 and "is an output of the board" in refused.stderr
        assert hil("set", name, "17", "high").stdout == "GPIO17 is held high\n"
        said(person, "read the door", "door open")
        assert emulators(home)
        person.type("\x1d")
        assert person.ended() == 0 and person.restored() and emulators(home) == []
    _again(name, home)


def _again(name: str, home: Path) -> None:
    """The card goes on; a signal ends board and console."""
    with terminal("run", name) as person:
        person.shows("going on from the card", SECONDS)
        person.shows("Fieldhand: slot a", SECONDS)
        person.process.send_signal(signal.SIGTERM)
        assert person.ended() == 130 and person.restored() and emulators(home) == []


def test_a_run_that_is_killed_takes_its_board_along_and_the_next_goes_on(home: Path) -> None:
    """Nothing of the killed one is in the way: a board that ran on would write to the card of the next."""
    with terminal("run", "raspi3b") as person:
        person.shows("Fieldhand: slot a", SECONDS)
        assert len(emulators(home)) == 1
        person.process.kill()
        person.process.wait(60)
        end = time.monotonic() + 60
        while emulators(home):
            assert time.monotonic() < end, emulators(home)
            time.sleep(0.05)
    _again("raspi3b", home)
