"""Shells in the background of a conversation at a terminal, and that none outlives it, however it ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.edge.hands.test_run import alive
from tests.support import agent
from tests.support.console import Console, end_all


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    end_all()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home, and a folder to work in that is no checkout."""
    (tmp_path / "work").mkdir()
    return tmp_path


def wait(done: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def talk(home: Path) -> Console:
    console = Console(home, "--mode", "full", "--yes")
    console.until("fieldhand> ")
    return console


def notes(home: Path) -> list[dict[str, Any]]:
    (tape,) = agent.tapes(home)
    return [record for record in agent.records(tape) if record["kind"] == "note"]


def started(console: Console, mark: str) -> None:
    """Two processes in the background, one of them in a session of its own."""
    console.type(f',bash command="setsid sleep {mark} & exec sleep {mark}" background=true')
    console.until("goes on in the background as sh-1")
    console.until("fieldhand> ")
    wait(lambda: len(alive(f"sleep\0{mark}")) == 2)


def test_its_end_is_told_above_the_prompt_and_quit_ends_the_others(home: Path) -> None:
    mark = f"81.{os.getpid()}"
    console = talk(home)
    started(console, mark)
    console.type(',bash command="sleep 0.5; exit 3" background=true')
    console.until("as sh-2")
    console.until("sh-2 has ended with exit code 3")
    console.type(",bash_output shell_id=sh-2")
    console.until("sh-2 has ended with exit code 3; next_offset=0")
    console.type(",quit")
    assert console.end() == 0 and alive(f"sleep\0{mark}") == []
    assert [note["text"] for note in notes(home)] == [
        "sh-2 has ended with exit code 3",
        "sh-1 was ended with the conversation, by SIGTERM",
    ]
    assert agent.records(agent.tapes(home)[0])[-1]["kind"] == "close"
    assert os.listdir(agent.state(home) / "live") == []


@pytest.mark.parametrize("how", ["told to end", "hung up"])
def test_an_agent_that_is_ended_from_outside_ends_them(home: Path, how: str) -> None:
    mark = f"82.{os.getpid()}"
    console = talk(home)
    started(console, mark)
    if how == "told to end":

        def gone() -> bool:
            # readline sees a signal that comes in the moment before it begins to wait only with the next one.
            console.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            return console.process.poll() is not None

        wait(gone)
        assert console.process.returncode == 128 + signal.SIGTERM
        os.close(console.master)
    else:  # what the kernel does when the line is lost: a signal, and nothing more to read
        console.process.send_signal(signal.SIGHUP)
        os.close(console.master)
        console.process.wait(timeout=60)
    assert alive(f"sleep\0{mark}") == [] and notes(home)[-1]["why"] == "quit"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_the_conversation_is_not_interrupted(home: Path, number: int) -> None:
    mark = f"87.{os.getpid()}"
    console = talk(home)
    script = f"trap : TERM; while :; do sleep {mark}; done"  # it takes its whole time to end
    console.type(f',bash command="{script}" background=true')
    console.until("goes on in the background as sh-1")
    console.until("fieldhand> ")
    wait(lambda: len(alive(f"sleep\0{mark}")) == 1)
    first = alive(f"sleep\0{mark}")
    console.type(",quit")
    wait(lambda: alive(f"sleep\0{mark}") != first)  # it was asked to end, and is being waited for
    console.process.send_signal(number)
    assert console.end() == 0 and alive(f"sleep\0{mark}") == []
    assert notes(home)[-1]["text"] == "sh-1 was ended with the conversation, by SIGKILL"
    assert os.listdir(agent.state(home) / "live") == []


def test_ctrl_c_ends_what_is_waited_for_alone(home: Path) -> None:
    mark = f"83.{os.getpid()}"
    console = talk(home)
    started(console, mark)
    console.type(f',bash command="sleep 1{mark}" timeout_seconds=50')
    wait(lambda: alive(f"sleep\x001{mark}") != [])
    console.process.send_signal(signal.SIGINT)
    console.until("interrupted by the operator")
    wait(lambda: alive(f"sleep\x001{mark}") == [])
    assert len(alive(f"sleep\0{mark}")) == 2
    console.type(",bash_kill shell_id=sh-1")
    console.until("sh-1 was ended by bash_kill, by SIGTERM")
    assert alive(f"sleep\0{mark}") == []
    console.type(",quit")
    console.end()


def test_the_emergency_stop_of_another_process_ends_them(home: Path) -> None:
    mark = f"84.{os.getpid()}"
    console = talk(home)
    started(console, mark)
    assert agent.run("stop", home=home).returncode == 0
    wait(lambda: alive(f"sleep\0{mark}") == [])
    console.until("sh-1 was ended because it was stopped")
    console.type(",quit")
    console.end()


def test_a_stop_does_not_call_an_agent_safe_whose_shells_go_on(home: Path) -> None:
    mark = f"88.{os.getpid()}"
    console = talk(home)
    started(console, mark)
    console.process.send_signal(signal.SIGSTOP)
    done = agent.run("stop", home=home)
    assert done.returncode == 1 and "has not ended its shells (process " in done.stdout
    console.process.send_signal(signal.SIGCONT)
    wait(lambda: alive(f"sleep\0{mark}") == [])
    assert agent.run("stop", home=home).returncode == 0
    console.type(",quit")
    console.end()


def test_a_killed_agent_leaves_them_to_the_next_start(home: Path) -> None:
    mark = f"85.{os.getpid()}"
    console = talk(home)
    started(console, mark)
    console.process.kill()
    console.end()
    done = agent.run("tool", "sensor_list", home=home)
    assert done.returncode == 0 and alive(f"sleep\0{mark}") == []


def test_a_single_call_has_no_background(home: Path) -> None:
    mark = f"86.{os.getpid()}"
    done = agent.run(
        "tool", "bash", f"command=echo x; sleep {mark}", "timeout_seconds=0.8", "--mode", "full", home=home
    )
    assert "s was over: it and all it started were ended]" in done.stdout + done.stderr
    assert alive(f"sleep\0{mark}") == []
    done = agent.run("tool", "bash", f"command=sleep {mark}", "background=true", "--mode", "full", home=home)
    assert "nothing goes on in the background here" in done.stdout + done.stderr
    assert alive(f"sleep\0{mark}") == []
