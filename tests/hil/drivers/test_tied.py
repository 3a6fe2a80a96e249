"""What is tied to a process ends with it, however it ends; killed for real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hil.drivers import tied

ROOT = Path(__file__).resolve().parents[3]
OWNER = """
import subprocess, sys, time
from hil.drivers.tied import tied
child = subprocess.Popen(tied(["sleep", "1000"]))
print(child.pid, flush=True)
time.sleep(1000)
"""
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a child of its parent")


def runs(pid: int) -> bool:
    """Whether that process is there and is no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def until_ended(pid: int) -> None:
    end = time.monotonic() + 60
    while runs(pid):
        assert time.monotonic() < end, f"process {pid} goes on"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_when_its_owner_is_killed(number: signal.Signals) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], cwd=ROOT, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    child = int(owner.stdout.readline())
    end = time.monotonic() + 60
    while Path(f"/proc/{child}/comm").read_text() != "sleep\n":
        assert time.monotonic() < end, "it did not become the program"
        time.sleep(0.02)
    owner.send_signal(number)
    owner.wait(60)
    until_ended(child)
    owner.stdout.close()


def test_an_owner_that_is_gone_already_starts_nothing(tmp_path: Path) -> None:
    words = tied.tied(["touch", str(tmp_path / "made")])
    words[4] = str(os.getpid() + 1)
    assert subprocess.run(words, check=False, timeout=60).returncode == 1
    assert not (tmp_path / "made").exists()


def test_its_words_code_and_output_are_those_of_the_program() -> None:
    done = subprocess.run(tied.tied(["sh", "-c", 'echo "$1"; exit 3', "sh", "a b"]), capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"a b\n", b"")


def test_a_program_that_is_not_there_is_told() -> None:
    done = subprocess.run(tied.tied(["/none/such"]), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (127, "/none/such cannot be started: No such file or directory\n")
