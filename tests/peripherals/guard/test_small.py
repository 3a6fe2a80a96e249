"""The guard is small: what it loads is a list, and its private memory is that of a bare interpreter and one MiB more.

Rules:
1. The lists are exact. A module that is not in them is a failure here: the importing file has to change or, by
   argument, the list. None of FORBIDDEN may ever come into one.
2. Memory is RssAnon of /proc/PID/status (proc(5)), of a guard that has served an agent, against `python3 -I` that
   waits. What the double of the chips takes in the guard's process is measured in a process of its own and not counted.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from edge import stop
from edge.peripherals.guard import serve
from edge.peripherals.guard.client import Board
from tests.support.services import ROOT, Place, modules

MIB = 1024
OF_PYTHON = {"__future__", "_signal", "_socket", "errno", "fcntl", "math", "posix", "select", "time"}
FORBIDDEN = ("json", "re", "enum", "os", "signal", "socket", "struct", "threading", "typing")
GUARD = "edge.peripherals.guard"
BOTH = {
    *("edge", "edge.call", "edge.faults", "edge.record", "edge.peripherals", GUARD),
    *(f"{GUARD}.{name}" for name in ("aside", "core", "door", "driver", "ending", "feedback", "folder")),
    *(f"{GUARD}.{name}" for name in ("journal", "leases", "limits", "line", "looks", "manual", "notify", "overrides")),
    *(f"{GUARD}.{name}" for name in ("owners", "process", "protocol", "serve", "sessions", "stands", "wire")),
}
SIM = {f"edge.peripherals.sim{name}" for name in ("", ".board", ".declare", ".default", ".greenhouse", ".keep")}
SIM |= {f"edge.peripherals.sim.{name}" for name in ("parts", "relays", "worlds")}
CHIP = "edge.peripherals.gpiochip"
LINES = {f"{GUARD}.{name}" for name in ("held", "lines")}
LINES |= {f"{CHIP}{name}" for name in ("", ".chip", ".find", ".request", ".seam", ".uapi")}
SERVES = "import edge.peripherals.guard.process, edge.peripherals.guard.serve"


@pytest.mark.parametrize(
    ("code", "ours"),
    [
        (f"{SERVES}, edge.peripherals.sim.keep", BOTH | SIM),
        (f"{SERVES}, {CHIP}.find, {CHIP}.request, {CHIP}.seam, {GUARD}.lines", BOTH | LINES),
    ],
    ids=["sim", "lines"],
)
def test_what_it_loads_is_a_list(code, ours):
    loaded = modules(code)
    assert {name for name in loaded if name.split(".")[0] == "edge"} == ours
    assert {name for name in loaded if name.split(".")[0] != "edge"} <= OF_PYTHON
    assert not loaded.intersection(FORBIDDEN)


def test_the_stop_file_is_looked_for_by_its_name():
    assert serve.STOP == stop.NAME


def private(pid: int) -> int:
    """KiB of memory that belong to a process alone."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


def bare(*flags: str, code: str = "") -> int:
    """The same of an interpreter that waits."""
    words = [sys.executable, *flags, "-c", f"import sys\n{code}\nprint(1, flush=True)\nsys.stdin.readline()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        found = private(process.pid)
        process.stdin.close()
    return found


@pytest.fixture
def compiled(monkeypatch):
    """As installed: what is imported was compiled before; compiling leaves memory behind."""
    if not os.access(ROOT / "peripherals" / "guard", os.W_OK):
        pytest.skip("this user cannot keep compiled files beside the sources, so each start compiles them")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)


def used(board: Board, output: str, sensor: str) -> int:
    board.set(output, True, 10.0, "c1")
    board.sense(sensor)
    board.states()
    return private(board.pid)


def test_a_simulated_board_takes_at_most_one_mib_more_than_a_bare_interpreter(compiled, tmp_path):
    for _ in range(2):  # what this way loads is compiled then, also what a second start reads of the first
        board = Board.start(str(tmp_path))
        used(board, "fan", "temperature")
        board.close()
    board = Board.start(str(tmp_path))
    took, anchor = used(board, "fan", "temperature"), bare("-I")
    board.close()
    print(f"{took - anchor} KiB more than {anchor} KiB")
    assert took <= anchor + MIB


def test_real_lines_take_at_most_one_mib_more_than_a_bare_interpreter(compiled, tmp_path):
    with Place(tmp_path) as place:
        for _ in range(2):
            first = place.up(PYTHONDONTWRITEBYTECODE="")
            used(place.join(), "pump", "door")
            first.terminate()
            first.wait()
        place.up(PYTHONDONTWRITEBYTECODE="")
        took, anchor = used(place.join(), "pump", "door"), bare("-I")
        head = f"sys.path.insert(0, {str(ROOT)!r})\nimport edge.faults, edge.peripherals.guard.line, _socket, errno"
        tail = "import edge.peripherals.gpiochip.remote as r\n"
        tail += f"made = r.Remote({place.chips.socket!r}); made.chips(); made.open(made.chips()[0])"
        double = bare("-I", "-S", code=f"{head}\n{tail}") - bare("-I", "-S", code=head)
    print(f"{took - anchor} KiB more than {anchor} KiB, {double} KiB of it for the double of the chips")
    assert took - double <= anchor + MIB
