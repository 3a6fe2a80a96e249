"""The supervisor as a process: real agents, a real guard, a pipe in place of the watchdog."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from edge.cli.supervise import USUAL, command
from edge.supervise import liveness, process
from tests.support.agent import ROOT

AGENT = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from edge.vitals import vitals
made = vitals(os.environ, os.getpid(), lambda: 0.0)
made.start()
print("up", flush=True)
sys.stdin.read()
made.stop()
"""


class Bench:
    """One supervisor; `fed()` says whether its watchdog is fed now."""

    def __init__(self, folder: Path, **more: str) -> None:
        self.folder = folder
        self.notify = str(folder / "n")
        self.pipe = folder / "watchdog"
        os.mkfifo(self.pipe)
        self.reader = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.log.bind(str(folder / "log"))
        told = {
            **USUAL,
            **{
                "notify": self.notify,
                "guard": str(folder / "g"),
                "device": str(self.pipe),
                "hang": "0.6",
                "tick": "0.1",
            },
            **{"feeder": str(folder / "feeder"), "log": str(folder / "log"), "status": str(folder / "status")},
            **{"reboot": "/bin/false", **more},
        }
        self.words = command(told)
        self.start()
        self.agents: list[Any] = []

    def start(self) -> None:
        with open(self.folder / "errors", "ab") as errors:
            self.process = subprocess.Popen(self.words, stderr=errors, stdout=errors)

    def agent(self) -> Any:
        made = subprocess.Popen(
            [sys.executable, "-I", "-c", AGENT, str(ROOT)],
            env={"NOTIFY_SOCKET": self.notify, "WATCHDOG_USEC": "100000"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.agents.append(made)
        assert made.stdout.readline() == b"up\n"
        until(lambda: str(made.pid) in self.status().get("AGENTS", "").split())
        return made

    def status(self) -> dict[str, str]:
        try:
            lines = (self.folder / "status").read_text().splitlines()
        except FileNotFoundError:
            return {}
        return dict(line.partition("=")[::2] for line in lines)

    def bytes_within(self, seconds: float) -> bytes:
        """What the watchdog got in that time."""
        until, found = time.monotonic() + seconds, b""
        while (left := until - time.monotonic()) > 0:
            if select.select([self.reader], [], [], left)[0]:
                got = os.read(self.reader, 4096)
                if not got:
                    break
                found += got
        return found

    def said(self) -> str:
        return (self.folder / "errors").read_text()

    def close(self) -> None:
        for child in (*self.agents, self.process):
            if child.poll() is None:
                child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe:
                    pipe.close()
        self.log.close()
        os.close(self.reader)


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    made: list[Bench] = []

    def start(**more: str) -> Bench:
        made.append(Bench(tmp_path, **more))
        until(lambda: made[0].status() != {})
        return made[0]

    yield start
    for one in made:
        one.close()


def until(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def test_an_agent_that_is_stopped_starves_the_watchdog_and_one_that_goes_on_feeds_it(bench: Any) -> None:
    one = bench()
    agent = one.agent()
    assert set(one.bytes_within(0.4)) == {0}
    agent.send_signal(signal.SIGSTOP)
    until(lambda: one.status()["FED"] == "0")
    one.bytes_within(0.01)
    assert one.bytes_within(0.4) == b""
    assert f"process {agent.pid} shows no sign of life" in one.status()["WHY"]
    told = one.log.recv(1000)
    assert told.startswith(b"<27>fieldhand supervise: the agent of process") and b"the board resets" in told
    agent.send_signal(signal.SIGCONT)
    until(lambda: one.status()["FED"] == "1")
    assert one.bytes_within(0.4)
    assert "all is well again" in one.said()


def test_an_agent_that_ends_counts_no_more_however_it_ends(bench: Any) -> None:
    one = bench()
    killed, closed = one.agent(), one.agent()
    killed.kill()
    closed.stdin.close()
    until(lambda: one.status()["AGENTS"] == "")
    assert one.bytes_within(0.8)
    until(lambda: one.status()["FED"] == "1")


def test_an_orderly_stop_lets_the_watchdog_go_and_a_crash_does_not(bench: Any, tmp_path: Path) -> None:
    one = bench()
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(60) == 128 + signal.SIGTERM
    assert one.bytes_within(60).endswith(b"V")
    assert not os.path.exists(one.notify)
    os.mkdir(tmp_path / "again")
    other = Bench(tmp_path / "again")
    until(lambda: other.status() != {})
    other.process.kill()
    got = other.bytes_within(60)
    other.close()
    assert got and b"V" not in got


def test_what_fed_since_the_boot_is_ended_first(bench: Any, tmp_path: Path) -> None:
    feeder = subprocess.Popen(["sh", "-c", "while sleep 0.5; do :; done", "feeder", "180"])
    (tmp_path / "feeder").write_text(f"{feeder.pid}\n")
    one = bench()
    assert feeder.wait(60) == -signal.SIGKILL
    assert not (tmp_path / "feeder").exists()
    assert one.status()["WATCHDOG"] == "armed"


def test_another_process_that_has_the_number_of_what_fed_is_left_alone(bench: Any, tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "1000"])
    (tmp_path / "feeder").write_text(f"{other.pid}\n")
    assert bench().status()["WATCHDOG"] == "armed"
    assert other.poll() is None and not (tmp_path / "feeder").exists()
    other.kill()
    other.wait()


def test_without_a_watchdog_the_log_has_all_and_the_console_nothing(bench: Any) -> None:
    """Nothing starts the board over, so nothing may stand in what somebody types there."""
    one = bench(device="", why="there is no /dev/watchdog")
    one.log.settimeout(60)
    assert b"no watchdog guards this board: there is no /dev/watchdog" in one.log.recv(1000)
    agent = one.agent()
    agent.send_signal(signal.SIGSTOP)
    assert b"no watchdog resets it" in one.log.recv(1000)
    agent.send_signal(signal.SIGCONT)
    assert b"all is well again" in one.log.recv(1000)
    assert one.said() == "" and one.status()["WATCHDOG"] == "there is no /dev/watchdog"


def test_without_a_log_and_a_watchdog_it_says_so_once_and_judges_all_the_same(bench: Any, tmp_path: Path) -> None:
    one = bench(device="", why="there is no /dev/watchdog", log=str(tmp_path / "none"))
    agent = one.agent()
    agent.send_signal(signal.SIGSTOP)
    until(lambda: one.status()["FED"] == "0")
    assert one.said().count("no watchdog guards this board: there is no /dev/watchdog") == 1
    assert "no watchdog resets it" in one.said()


def test_an_agent_that_hangs_is_not_forgotten_when_the_supervisor_crashes(bench: Any) -> None:
    one = bench()
    agent = one.agent()
    agent.send_signal(signal.SIGSTOP)
    one.process.kill()
    one.process.wait()
    one.start()
    until(lambda: one.status()["PID"] == str(one.process.pid) and one.status()["FED"] == "0")
    assert f"process {agent.pid}" in one.status()["WHY"]


def test_a_guard_that_takes_questions_and_never_answers_starves_it(bench: Any, tmp_path: Path) -> None:
    mute = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mute.bind(str(tmp_path / "g"))
    mute.listen(16)
    one = bench()
    until(lambda: one.status()["FED"] == "0")
    assert one.status()["GUARD"] == "mute" and "the guard does not answer" in one.status()["WHY"]
    mute.close()


def test_a_slot_that_fails_its_check_is_started_again(bench: Any, tmp_path: Path) -> None:
    for name, code in (("bad", "exit 3"), ("reboot", f'touch "{tmp_path}/rebooted"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{code}\n")
        (tmp_path / name).chmod(0o755)
    one = bench(health=str(tmp_path / "bad"), reboot=str(tmp_path / "reboot"))
    until((tmp_path / "rebooted").exists)
    assert "this slot is not confirmed, its health check failed: the board starts again" in one.said()


def test_what_a_check_found_goes_to_the_log_and_not_over_somebodys_prompt(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "good").write_text("#!/bin/sh\necho health: well\necho broken >&2\n")
    (tmp_path / "good").chmod(0o755)
    one = bench(health=str(tmp_path / "good"), device="")
    one.log.settimeout(60)
    messages = []
    while b"health: well\n" not in messages:
        messages.append(one.log.recv(4096))
    until(lambda: "broken" in one.said())
    assert "health: well" not in one.said()


def test_a_log_that_nobody_reads_keeps_no_check_from_its_end(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "good").write_text(f'#!/bin/sh\nwhile echo line 2>/dev/null; do :; done\ntouch "{tmp_path}/ended"\n')
    (tmp_path / "good").chmod(0o755)
    one = bench(health=str(tmp_path / "good"), device="")
    until((tmp_path / "ended").exists)
    assert b"line\n" in [one.log.recv(4096) for _ in range(3)]  # behind what the supervisor itself says


def test_who_is_no_agent_is_not_heard(bench: Any) -> None:
    one = bench()
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for words in (b"", b"STATUS=READY=1", b"x" * 5000, b"READY=1", b"WATCHDOG=trigger", b"\xff\0"):
        stranger.sendto(words, one.notify)
    agent = one.agent()
    assert one.status()["AGENTS"] == str(agent.pid)  # ready is no sign: who was not told to beat is not missed
    stranger.close()


@pytest.fixture
def here(tmp_path: Path) -> Any:
    """A supervisor in this very process: `here(NAME=VALUE)`; its rounds are the test's."""
    made: list[process.Supervisor] = []

    def start(**more: str) -> process.Supervisor:
        told = process.Told(notify=str(tmp_path / "n"), guard=str(tmp_path / "g"), log="", tick=0.01, **more)
        made.append(process.Supervisor(told, time.monotonic()))
        return made[0]

    yield start
    for one in made:
        one.close(False)


def test_a_check_that_cannot_be_started_holds_when_no_new_start_comes(
    here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.0)
    one = here(health=str(tmp_path / "none"), reboot="/bin/true")
    end, other = os.pipe()
    one.round(end)
    assert not one.verdict.feed and "the board did not start again" in one.verdict.why
    os.close(end)
    os.close(other)


def test_one_agent_more_than_there_is_room_for_is_told_once(
    here: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for module in (liveness, process):
        monkeypatch.setattr(module, "AGENTS", 0)
    one = here()
    end, other = os.pipe()
    sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for _ in range(2):
        sender.sendto(b"WATCHDOG=1", one.notices.path)
        one.round(end)
    assert not one.live.agents and not one._fds
    assert capfd.readouterr().err.count("all further ones are not") == 1
    sender.close()
    os.close(end)
    os.close(other)
