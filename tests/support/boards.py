"""Real board processes in tests: waiting for what they do, reading what they wrote, ending what was started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A child that starts a board, switches the fan on and tells the board's pid; what it does then is appended.
AGENT = """
import sys, time
sys.path.insert(0, {root!r})
from edge.peripherals.guard.client import Board
board = Board.start({state!r}, {speed!r})
board.set("fan", True, None, "c1")
print(board.pid, flush=True)
"""
BEATING = "while True:\n    board.beat()\n    time.sleep(0.2)\n"
BUSY = "while True:\n    pass\n"


def rounds(whole: int) -> int:
    """How many rounds of a sweep to run: a tenth unless FIELDHAND_SOAK is 1. Printed, so that a log shows it."""
    count = whole if os.environ.get("FIELDHAND_SOAK") == "1" else whole // 10
    print(f"{count} rounds")
    return count


def eventually(check, seconds=60.0, pause=0.01):
    """The first true value of `check()`; an assertion when there is none within `seconds`."""
    until = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        assert time.monotonic() < until, f"nothing came of it within {seconds} s"
        time.sleep(pause)


def record(state) -> list[dict]:
    """The transitions that a board wrote down, oldest first."""
    path = Path(state) / "sim" / "board.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def fan(state, word="off") -> dict | None:
    """The last transition of the fan when it is to `word` (on, off)."""
    found = [fields for fields in record(state) if fields["name"] == "fan"]
    return found[-1] if found and found[-1]["state"] is (word == "on") else None


def alive(pid: int) -> bool:
    """True while a process runs (a zombie does not)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


class Agent:
    """An agent in a process of its own, with the fan on. Ended at the end of the test, and its board with it."""

    def __init__(self, state, then=BEATING, speed=1.0):
        code = AGENT.format(root=str(ROOT), state=str(state), speed=speed) + then
        self.process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.board = int(self.process.stdout.readline())

    def signal(self, number):
        self.process.send_signal(number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        eventually(lambda: not alive(self.board))


class Clock:
    """Time in hand: call it for seconds, move it with `pass_`."""

    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds):
        self.now += seconds
