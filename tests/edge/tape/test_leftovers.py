"""What a killed agent left running is ended at the next start, and nothing else ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from edge.peripherals.guard import spawn
from edge.tape import leftovers
from edge.tape.journal import Tape
from edge.tape.leftovers import mark, started, sweep, unmark
from edge.tape.names import tapes
from tests.support.tape_disks import QuickDisk

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# What stands for a board process: its command line, with a library whose `main` only waits.
LIBRARY = """
import sys, time
def main():
    time.sleep(float(sys.argv[3]))
"""
# An agent: a tape, a marker, a child in a session of its own; says the child's pid and waits to be killed.
AGENT = """
import os, subprocess, sys, time
from edge.tape.journal import Tape
from edge.tape.leftovers import mark, started
from edge.tape.names import tapes
state, seconds, name, *sleep = sys.argv[1:]
tape = Tape.create(tapes(state), name)
mark(state, tape.name)
child = subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL)
tape.append("child", {"pid": child.pid, "start": started(child.pid), "what": "the board"})
print(child.pid, started(child.pid), flush=True)
time.sleep(60)
"""


def board(state: str, seconds: float) -> tuple[str, ...]:
    """The command of a process that looks like the board process of `state` and only waits."""
    folder = os.path.join(state, "library")
    package = os.path.join(folder, "edge", "peripherals", "guard")
    os.makedirs(package, exist_ok=True)
    with open(os.path.join(package, "process.py"), "w") as file:
        file.write(LIBRARY)
    return (sys.executable, "-I", "-S", "-c", leftovers.CODE.decode(), folder, state, str(seconds))


class Agent:
    """The agent above, its child, and how both end."""

    def __init__(self, state: str, seconds: float = 60, child: tuple[str, ...] = (), name: str = "killed") -> None:
        child = child or board(state, seconds)
        command = [sys.executable, "-c", AGENT, state, str(seconds), name, *child]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdout is not None
        self.child, self.start = (int(word) for word in self.process.stdout.readline().split())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    @property
    def child_runs(self) -> bool:
        return started(self.child) == self.start

    def clean_up(self) -> None:
        self.kill()
        if self.child_runs:
            os.kill(self.child, signal.SIGKILL)


@pytest.fixture
def state(tmp_path) -> str:
    return str(tmp_path)


@pytest.fixture
def agents(state: str):
    made: list[Agent] = []

    def make(seconds: float = 60, child: tuple[str, ...] = (), name: str = "killed") -> Agent:
        made.append(Agent(state, seconds, child, name))
        return made[-1]

    yield make
    for agent in made:
        agent.clean_up()


def markers(state: str) -> list[str]:
    return os.listdir(os.path.join(state, "live"))


def record(state: str, *children: dict) -> None:
    """A closed tape that names `children`, with its marker still there."""
    tape = Tape.create(tapes(state), "old", QuickDisk())
    for child in children:
        tape.append("child", child)
    tape.close()
    mark(state, "old")


def test_without_markers_there_is_nothing_to_do(state: str) -> None:
    assert sweep(state) == []
    mark(state, "clean")
    mark(state, "clean")
    unmark(state, "clean")
    unmark(state, "clean")
    assert sweep(state) == [] and markers(state) == []


def test_a_child_that_stays_is_ended_after_its_time(state: str, agents) -> None:
    agent = agents()
    agent.kill()
    assert agent.child_runs
    begin = time.monotonic()
    said = sweep(state, patience=0.3)
    assert not agent.child_runs
    assert 0.3 <= time.monotonic() - begin < 40
    assert said == [f"the board, process {agent.child}, was still running and was ended (left by the tape killed)"]
    assert markers(state) == [] and sweep(state) == []


def test_a_child_that_ends_by_itself_is_given_the_time(state: str, agents) -> None:
    agent = agents(0.6)
    agent.kill()
    said = sweep(state, patience=30)
    assert said == [f"the board, process {agent.child}, ended by itself (left by the tape killed)"]
    assert markers(state) == []


def test_a_living_agent_and_its_children_are_left_alone(state: str, agents) -> None:
    agent = agents()
    assert sweep(state, patience=0.0) == []
    assert agent.child_runs and agent.process.poll() is None
    assert markers(state) == ["killed"]


def test_a_board_that_a_living_agent_may_have_joined_is_left_alone(state: str, agents) -> None:
    dead, living = agents(), agents(name="living")
    dead.kill()
    assert sweep(state, 0.1) == []
    assert dead.child_runs and living.child_runs
    living.kill()
    said = sweep(state, 0.1)
    assert len(said) == 2 and all("was still running and was ended" in sentence for sentence in said)
    assert not dead.child_runs and not living.child_runs


def test_a_tape_that_this_process_opened_again_is_swept_too(state: str, agents) -> None:
    agent = agents()
    agent.kill()
    tape = Tape.open(tapes(state), "killed", QuickDisk())
    said = sweep(state, patience=0.0)
    assert len(said) == 1 and not agent.child_runs
    tape.close()


def test_own_children_are_left_alone(state: str) -> None:
    own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        record(state, {"pid": own.pid, "start": started(own.pid), "what": "mine"})
        assert sweep(state, patience=0.0) == []
        assert own.poll() is None
    finally:
        own.kill()
        own.wait()


def test_a_process_that_only_has_the_number_is_left_alone(state: str, agents) -> None:
    agent = agents()
    record(
        state,
        {"pid": agent.child, "start": agent.start + 1, "what": "another"},
        {"pid": agent.child, "what": "no start"},
        {"pid": 1, "start": started(1), "what": "init"},
        {"pid": -1, "start": 5},
        {"pid": "7", "start": 5},
    )
    assert sweep(state, patience=0.0) == []
    assert agent.child_runs and "old" not in markers(state)


def test_the_command_line_that_is_looked_for_is_that_of_the_board_process() -> None:
    words = [word.encode() for word in spawn.command("/the/state", 60.0, "{}")]
    at = words.index(leftovers.CODE)
    assert words[at - 1] == b"-c" and words[at + 2] == b"/the/state"


SLEEP = "import time; time.sleep(60)"


@pytest.mark.parametrize(
    "arguments",
    [
        ("-c", SLEEP),
        ("-c", SLEEP, leftovers.CODE.decode(), "/", "STATE"),
        ("-c", SLEEP, "-c", leftovers.CODE.decode(), "/", "STATE-OF-ANOTHER"),
        ("-c", SLEEP, leftovers.CODE.decode()),
    ],
)
def test_a_process_that_is_no_board_of_this_state_is_left_alone(state: str, agents, arguments: tuple[str, ...]) -> None:
    agent = agents(child=(sys.executable, *(word.replace("STATE", state) for word in arguments)))
    agent.kill()
    assert sweep(state, patience=0.0) == []
    assert agent.child_runs


def test_a_process_of_another_user_is_left_alone(state: str, agents, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agents()
    agent.kill()
    real = os.geteuid()
    with monkeypatch.context() as as_another:
        as_another.setattr(os, "geteuid", lambda: real + 1)
        assert not leftovers._is_board(agent.child, state)
    assert leftovers._is_board(agent.child, state)


@pytest.mark.parametrize("what", ["", "live", "tapes", "tapes/killed.jsonl"])
def test_tapes_that_others_can_write_name_no_victim(state: str, agents, what: str) -> None:
    agent = agents()
    agent.kill()
    os.chmod(os.path.join(state, what), 0o777)
    said = sweep(state, patience=0.0)
    assert len(said) == 1 and "others can write" in said[0]
    assert agent.child_runs and markers(state) == ["killed"]
    os.chmod(os.path.join(state, what), 0o700)
    assert "was ended" in sweep(state, patience=0.0)[0]


def test_what_another_boot_wrote_is_left_alone(state: str, agents, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agents()
    record(state, {"pid": agent.child, "start": agent.start, "what": "same numbers"})
    monkeypatch.setattr(leftovers, "boot_id", lambda: "00000001")
    assert sweep(state, patience=0.0) == []
    assert agent.child_runs


def test_without_process_handles_the_child_is_ended_as_well(
    state: str, agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "pidfd_open", lambda pid: (_ for _ in ()).throw(OSError(38, "Function not implemented")))
    agent = agents()
    agent.kill()
    assert "was ended" in sweep(state, patience=0.0)[0]
    assert not agent.child_runs


def test_markers_of_nothing_go_and_what_cannot_be_read_is_said(state: str) -> None:
    mark(state, "gone")
    os.makedirs(os.path.join(tapes(state), "folder.jsonl"))
    mark(state, "folder")
    mark(state, "no name!")
    said = sweep(state)
    assert len(said) == 2 and all("cannot be looked at" in sentence for sentence in said)
    assert sorted(markers(state)) == ["folder", "no name!"]


def test_when_a_process_started_is_known_and_a_zombie_has_ended() -> None:
    assert started(os.getpid()) > 0
    assert started(2**22 + 1) == 0
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.read() == b""
    end = time.monotonic() + 60
    while started(child.pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert started(child.pid) == 0
    child.communicate()
