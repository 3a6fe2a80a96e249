"""All that a call started is found and ended, however it tried to get away; and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edge.hands.wall import limits, spawn, tree
from tests.support.walls import plan

ESCAPES = [
    "sleep 60 & exit 0",
    "setsid sleep 60 & exit 0",
    "(setsid sh -c 'sleep 60 & sleep 60' &) ; exit 0",
    "setsid setsid sh -c '(sleep 60 &) & sleep 60' & exit 0",
    "nohup sleep 60 & exit 0",
    "trap '' TERM HUP INT QUIT; (trap '' TERM HUP; sleep 60; sleep 60) & exit 0",
    'sh -c \'sh -c "sh -c \\"sleep 60 & wait\\" & wait" & wait\' & exit 0',
    "(sleep 60 & kill -STOP $!) ; exit 0",
]


def started(folder: Path, text: str) -> tuple[spawn.Child, int]:
    """A running shell and its tag."""
    null = os.open("/dev/null", os.O_RDWR)
    tag = limits.tag()
    child = spawn.start(plan(folder, level="seccomp", tag=tag), ("/bin/sh", "-c", text), null, null, null)
    os.close(null)
    assert isinstance(child, spawn.Child)
    return child, tag


def awaited(tag: int, number: int) -> set[int]:
    """The living processes of a call once there are at least `number`."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        alive = {pid for pid, letter in tree.members(tag).items() if letter != "Z"}
        if len(alive) >= number:
            return alive
        time.sleep(0.01)
    raise AssertionError(f"there are never {number} processes")


@pytest.mark.parametrize("text", ESCAPES)
def test_what_a_shell_leaves_running_is_ended(tmp_path: Path, text: str) -> None:
    child, tag = started(tmp_path, text)
    alive = awaited(tag, 1)
    until = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.1)
    alive = awaited(tag, 1)
    assert child.kill_tree() >= 1
    assert tree.members(tag) == {}, "not even one that waits to be reaped"
    for pid in alive:
        assert tree.tag_of(pid) != tag
    assert child.poll() == 0
    child.close()


def test_a_running_tree_is_ended_with_its_first_process(tmp_path: Path) -> None:
    child, tag = started(tmp_path, "sleep 99 & setsid sleep 99 & sleep 99")
    awaited(tag, 4)
    begin = time.monotonic()
    assert child.kill_tree() >= 4
    assert time.monotonic() - begin < 30
    assert child.poll() == -signal.SIGKILL
    assert tree.members(tag) == {}
    child.close()


def test_what_forks_without_end_is_ended(tmp_path: Path) -> None:
    child, tag = started(
        tmp_path, "f() { sleep 0.05; f & }; i=0; while [ $i -lt 20 ]; do f & i=$((i+1)); done; sleep 60"
    )
    awaited(tag, 10)
    child.kill_tree()
    time.sleep(0.3)
    assert tree.members(tag) == {}
    child.close()


def test_other_children_of_the_agent_and_other_calls_are_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        first, one = started(tmp_path, "sleep 60")
        second, two = started(tmp_path, "sleep 60")
        awaited(one, 2)
        awaited(two, 2)
        assert first.kill_tree() == 2
        assert tree.members(one) == {}
        assert len(awaited(two, 2)) == 2
        assert other.poll() is None
        assert second.kill_tree() == 2
        other.kill()
        assert other.wait(60) == -signal.SIGKILL, "its end was not taken by another part of the program"
    first.close()
    second.close()


def test_a_call_of_a_dead_agent_is_found_by_its_tag(tmp_path: Path) -> None:
    """The agent is another process; it is killed, and its child goes on under somebody else."""
    code = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from edge.hands.wall import limits, spawn, tree\n"
        "from tests.support.walls import plan\n"
        "tag = limits.tag(); null = os.open('/dev/null', os.O_RDWR)\n"
        "made = plan(Path(sys.argv[1]), level='seccomp', tag=tag)\n"
        "child = spawn.start(made, ('/bin/sh', '-c', 'setsid sleep 60 & sleep 60'), null, null, null)\n"
        "print(child.pid, tree.stat(child.pid)[2], tag, flush=True)\n"
        "time.sleep(60)\n"
    )
    agent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, cwd=os.getcwd())
    assert agent.stdout is not None
    first = tree.Leftover(*[int(word) for word in agent.stdout.readline().split()])
    until = time.monotonic() + 60
    while len(tree.strays([first])) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    agent.kill()
    agent.wait(60)
    agent.stdout.close()
    assert len(tree.strays([first])) == 3
    assert tree.strays([tree.Leftover(first.pid, first.start + 10_000_000, first.tag)]) == [], "what started before it"
    ended, left = tree.end_strays([first])
    assert (ended, left) == (3, 0)
    assert tree.strays([first]) == []


def test_a_tag_is_used_by_one_call_at_a_time() -> None:
    tags = [limits.tag() for _ in range(200)]
    assert len(set(tags)) == 200 and all(0 < one < 819_200 for one in tags)
    for one in tags:
        limits.free(one)


def test_the_tag_of_what_is_gone_is_none() -> None:
    assert tree.tag_of(2**22 + 1) == 0
    assert tree.stat(2**22 + 1) == ("", 0, 0)
    assert tree.stat(os.getpid())[0] == "R" and tree.stat(os.getpid())[1] == os.getppid()
