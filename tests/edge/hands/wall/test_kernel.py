"""Numbers of system calls by machine, against the headers of this system and against the other table here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from edge.hands.wall import acts, kernel
from edge.hands.wall.numbers import MACHINES, NUMBERS

HEADERS = {
    "x86_64": ("x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"),
    "i386": ("x86_64-linux-gnu/asm/unistd_32.h", "asm/unistd_32.h"),
    "generic": ("asm-generic/unistd.h",),
}


@pytest.mark.parametrize(
    ("name", "wide", "row"),
    [
        ("x86_64", True, "x86_64"),
        ("x86_64", False, "i386"),
        ("i686", False, "i386"),
        ("aarch64", True, "generic"),
        ("aarch64", False, "arm"),  # 32-bit programs on the 64-bit kernel of a Pi
        ("armv7l", False, "arm"),
        ("armv6l", False, "arm"),
        ("armv8l", False, "arm"),
        ("riscv64", True, "generic"),
    ],
)
def test_the_machine_is_that_of_the_process(name: str, wide: bool, row: str) -> None:
    assert kernel.machine(name, wide) == row


@pytest.mark.parametrize("machine", MACHINES)
def test_both_tables_of_numbers_and_that_of_the_acts_agree(machine: str) -> None:
    column = MACHINES.index(machine)
    shared = {"clone", "pivot_root", "open_tree", "move_mount", "mount_setattr"}
    assert {name: kernel.number(name, machine) for name in shared} == {name: NUMBERS[name][column] for name in shared}
    assert {name: row[column] for name, row in acts.CALLS.items()} == {
        name: NUMBERS[name][column] for name in acts.CALLS
    }


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_are_those_of_this_systems_headers(machine: str) -> None:
    places = [Path("/usr/include", name) for name in HEADERS[machine]]
    header = next((place for place in places if place.is_file()), None)
    if header is None:
        pytest.skip("the headers of the kernel are not installed (linux-libc-dev)")
    text = re.sub(r"__NR3264_(\w+)", r"__NR_\1", header.read_text())
    found = {name: int(value) for name, value in re.findall(r"^#define __NR_(\w+)\s+(\d+)", text, re.M)}
    for name in ("clone", "pivot_root", "setgroups", "setresuid", "setresgid", "capset"):
        theirs = f"{name}32" if f"{name}32" in found else name
        assert kernel.number(name, machine) == found[theirs], name
    for name in ("open_tree", "move_mount", "mount_setattr"):
        assert kernel.number(name, machine) == found[name], name


def test_a_failing_call_is_an_oserror_with_the_place() -> None:
    with pytest.raises(OSError, match="/nowhere/at/all"):
        kernel.mount_setattr("/nowhere/at/all", kernel.ATTR_RDONLY, False)
    with pytest.raises(OSError, match="/nowhere/at/all"):
        kernel.open_tree("/nowhere/at/all", True)


def test_a_process_that_holds_nothing_can_do_nothing_and_gets_nothing_back() -> None:
    code = (
        "from edge.hands.wall import kernel; kernel.bound(); kernel.hold(); kernel.prctl(38, 1)\n"
        "print(open('/proc/self/status').read())\n"
        "try: kernel.unshare(kernel.NEWNS); print('unshared')\n"
        "except OSError as error: print('refused', error.errno)"
    )
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    sets = dict(re.findall(r"^Cap(\w+):\s+(\w+)$", done.stdout, re.M))
    assert {sets[name] for name in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16} and "refused 1" in done.stdout
    if os.geteuid() == 0:
        assert sets["Bnd"] == "0" * 16


def test_a_sleeper_stands_in_a_new_name_space_and_is_no_copy_of_the_agent() -> None:
    """Made while other threads run and allocate."""
    ends = threading.Event()
    busy = [threading.Thread(target=lambda: [bytearray(4096) for _ in iter(ends.is_set, True)]) for _ in range(3)]
    for thread in busy:
        thread.start()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        for _ in range(20):
            try:
                pid = kernel.sleeper(kernel.NEWUSER)
            except OSError as error:
                pytest.skip(f"no user name spaces here: {error.strerror}")
            try:
                with open(f"/proc/{pid}/uid_map", encoding="ascii") as file:
                    assert file.read() == "", "nobody is mapped in it yet"
                os.kill(pid, signal.SIGTERM)  # it hears nothing
                assert os.waitpid(pid, os.WNOHANG) == (0, 0)
            finally:
                os.kill(pid, signal.SIGKILL)
            assert os.waitpid(pid, 0)[1] == signal.SIGKILL
        pid = kernel.sleeper(0, 0)
        assert os.waitpid(pid, 0)[1] == 0, "it ends by itself"
    finally:
        ends.set()
        for thread in busy:
            thread.join(60)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
