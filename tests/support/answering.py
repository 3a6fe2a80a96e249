"""Approvers of every kind for tests, and who answers them: a person at a pseudo-terminal, a client at the socket."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from edge.approvals.desk import Desk, Socket
from edge.approve import Nobody, Question, SaidYes, digest
from edge.call import Call
from edge.cli.ask import Terminal
from edge.cli.printer import Printer
from tests.support import agent
from tests.support.boards import eventually


def question(seconds=60.0, **changes) -> Question:
    """A question about the fan, or about what `changes` say."""
    call = Call("output_set", {"name": "fan", "state": "on", "for": "2m"}, "c1")
    fields = {
        "call": call,
        "words": "switch exhaust fan, relay 1 (fan, sim relay 1) on for 2 min",
        "sentence": "switches exhaust fan, relay 1 on for 2 min",
        "risk": "medium",
        "rule": "output.medium",
        "digest": digest(call, "/srv", "policy"),
        "seconds": seconds,
        "tape": "20260102-030405-abcd",
        **changes,
    }
    return Question(**fields)


class Person:
    """Someone at a pseudo-terminal: `type` a line, `until` text shows. `approver` asks there."""

    def __init__(self, width=80):
        import fcntl
        import struct
        import termios

        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        self.printer = Printer(self.slave, "utf-8")
        self.approver = Terminal(self.slave, self.printer)
        self.screen = ""

    def type(self, line):
        os.write(self.master, line.encode() + b"\n")

    def until(self, text, seconds=60.0):
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} did not show: {self.screen!r}"
            self.look()
        seen, _, self.screen = self.screen.partition(text)
        return seen + text

    def look(self):
        """Take in what shows by now, or within a moment."""
        if select.select([self.master], [], [], 0.05)[0]:
            self.screen += os.read(self.master, 65536).decode("utf-8", "replace").replace("\r\n", "\n")

    def close(self):
        self.printer.flush()
        os.close(self.master)
        os.close(self.slave)


class Rig:
    """One approver with a way to answer it: `say(yes, text)`. `waits`: it asks somebody who may take their time."""

    waits = True
    by = "operator"

    def __init__(self, folder):
        self.person = Person()
        self.approver = self.make(str(folder))

    def make(self, state):
        return self.person.approver

    def say(self, allow, text=""):
        self.person.until("Allow it")
        self.person.type("y" if allow else f"t {text}" if text else "n")

    def close(self):
        self.approver.close()
        self.person.close()


class AtTerminal(Rig):
    """The person at the terminal."""


class OverSocket(Rig):
    """The operator elsewhere; a thread, as the one who answers waits until the answer is taken."""

    by = f"operator by approvals, uid {os.getuid()}"

    def make(self, state):
        self.state = state
        return Socket(state)

    def say(self, allow, text=""):
        threading.Thread(target=answer_first, args=(self.state, allow, text), daemon=True).start()


class BothByTerminal(Rig):
    """Both are asked, the terminal answers."""

    def make(self, state):
        return Desk((self.person.approver, Socket(state)))


class BothBySocket(OverSocket):
    """Both are asked, the socket answers."""

    def make(self, state):
        self.state = state
        return Desk((self.person.approver, Socket(state)))


class NobodyThere(Rig):
    waits = False

    def make(self, state):
        return Nobody()


class SaidYesBefore(Rig):
    waits = False

    def make(self, state):
        return SaidYes()


KINDS = (NobodyThere, SaidYesBefore, AtTerminal, OverSocket, BothByTerminal, BothBySocket)


# Runs a command in a process that has left its starter: what descends from the asking process may not answer it.
ORPHAN = """
import os, subprocess, sys, time
starter = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == starter:
    time.sleep(0.005)
folder, *command = sys.argv[1:]
with open(folder + "/out", "wb") as out, open(folder + "/err", "wb") as err:
    code = subprocess.call(command, stdout=out, stderr=err)
with open(folder + "/code.new", "w") as file:
    file.write(str(code))
os.rename(folder + "/code.new", folder + "/code")
"""


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def elsewhere(*words):
    """`fieldhand approvals WORDS` as somebody types it in another login: the ended command."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "edge", "approvals", *words]
        subprocess.run(
            [sys.executable, "-c", ORPHAN, folder, *command],
            cwd=agent.ROOT,
            env=agent.environment(None),
            stdin=subprocess.DEVNULL,
            check=True,
            timeout=120,
        )
        code = Path(folder, "code")
        eventually(code.exists)
        return Ended(int(code.read_text()), Path(folder, "out").read_text(), Path(folder, "err").read_text())


def waiting(state):
    """The questions that wait, as `approvals list --json` tells them."""
    told = elsewhere("list", "--json", "--state", str(state))
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def answer_first(state, allow, text=""):
    """Answer the question that waits; the ended command."""
    rows = eventually(lambda: waiting(state))
    words = ["approve" if allow else "deny", rows[0]["id"], *([text] if text else [])]
    return elsewhere(*words, "--state", str(state))


def wait_for(approver, seconds=60.0):
    """Ask after the answer as the loop does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = approver.poll(0.1)
        if found is not None:
            return found
    raise AssertionError("there was no answer")
