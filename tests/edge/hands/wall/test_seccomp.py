"""The filter of system calls, tried for each machine by a machine of our own, and on this one by the kernel."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys

import pytest

from edge.hands.wall import seccomp
from edge.hands.wall.numbers import ARCHES, ARM_PRIVATE, LAST, MACHINES, NUMBERS, X32, number
from tests.support.bpf import run, verdict

AGENT = 4321
WISHES = [(), ("inet",), ("unix",), ("netlink",), ("inet", "netlink", "unix")]
EPERM, ENOSYS = "1", "38"


def filters(machine: str, sockets: tuple[str, ...] = (), log: bool = False, truncates: bool = True) -> bytes:
    table = seccomp.rules(sockets, log, truncates, os.getpid(), machine)
    return seccomp.assembled(table, machine)


def answer(machine: str, name: str, args: tuple[int, ...] = (), **wishes: object) -> str:
    code = number(name, machine)
    arch = ARCHES[MACHINES.index(machine)]
    return verdict(run(filters(machine, **wishes), code, arch, args)[0])  # type: ignore[arg-type]


def has(machine: str, name: str) -> bool:
    return number(name, machine) >= 0


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_gets_what_the_table_says(machine: str) -> None:
    program = filters(machine)
    arch = ARCHES[MACHINES.index(machine)]
    special = {number(name, machine): name for name in NUMBERS}
    never = {number(name, machine) for name in (*seccomp.NEVER, "syslog")}
    for code in range(LAST + 200):
        said = verdict(run(program, code, arch)[0])
        if code in never:
            assert said == EPERM, (code, special[code])
        elif code > LAST or code == number("clone3", machine):
            assert said == ENOSYS, code
        elif code not in special:
            assert said == "allow", code


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_of_another_machine_ends_the_process(machine: str) -> None:
    program = filters(machine)
    for other in {*ARCHES, 0, 0xC0000015} - {ARCHES[MACHINES.index(machine)]}:
        assert {verdict(run(program, code, other)[0]) for code in (0, 1, 39, 60, LAST)} == {"kill"}


def test_the_second_table_of_x86_64_is_closed() -> None:
    for code in (0, 1, 59, 520, 0x3FFFFFFF):
        assert verdict(run(filters("x86_64"), X32 + code, ARCHES[0])[0]) == EPERM


def test_the_private_calls_of_arm_go_through() -> None:
    program = filters("arm")
    said = [verdict(run(program, code, ARCHES[2])[0]) for code in range(ARM_PRIVATE[0] - 1, ARM_PRIVATE[1] + 1)]
    assert said == [ENOSYS, *["allow"] * 5, ENOSYS]
    assert verdict(run(program, 0x900001, ARCHES[2])[0]) == ENOSYS, "a call by the old ABI"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("wish", WISHES)
def test_sockets_are_those_that_were_named(machine: str, wish: tuple[str, ...]) -> None:
    families = {1: "unix", 2: "inet", 10: "inet", 16: "netlink"}
    for family in range(46):
        said = answer(machine, "socket", (family, 1, 0), sockets=wish)
        assert said == ("allow" if families.get(family) in wish else EPERM), family
    # The upper half of a register is not looked at by the kernel either.
    assert answer(machine, "socket", (38 | 5 << 32, 5, 0), sockets=wish) == EPERM
    for kind in (3, 5, 10):
        assert answer(machine, "socket", (2, kind, 0), sockets=wish) == EPERM
    closed = "allow" if "inet" in wish else EPERM
    assert answer(machine, "socket", (2, 1 | 0o2000000 | 0o4000, 0), sockets=wish) == closed
    assert answer(machine, "socket", (16, 3, 9), sockets=wish) == EPERM, "the netlink of auditing"
    assert answer(machine, "socketpair", (1, 1, 0)) == "allow"
    assert answer(machine, "socketpair", (2, 1, 0)) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_and_forks_are_allowed_and_name_spaces_are_not(machine: str) -> None:
    thread, fork, vfork = 0x3D0F00, 0x1200011, 0x4111
    assert {answer(machine, "clone", (flags, 0)) for flags in (thread, fork, vfork, 17)} == {"allow"}
    for space in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert answer(machine, "clone", (space | 17, 0)) == EPERM
        assert answer(machine, "unshare", (space,)) == EPERM
    assert answer(machine, "unshare", (0x80,)) == EPERM
    assert answer(machine, "unshare", (0x200,)) == "allow", "its own working folder"


@pytest.mark.parametrize("machine", MACHINES)
def test_device_nodes_typing_into_terminals_and_limits_are_closed(machine: str) -> None:
    kinds = {0x1000: "allow", 0x8000: "allow", 0xC000: "allow", 0: "allow", 0x2000: EPERM, 0x6000: EPERM}
    for mode, wanted in kinds.items():
        if has(machine, "mknod"):
            assert answer(machine, "mknod", (0, mode | 0o644)) == wanted
        assert answer(machine, "mknodat", (0, 0, mode | 0o644)) == wanted
    for command in (0x5412, 0x541C, 0x541D, 0x5423):
        assert answer(machine, "ioctl", (0, command)) == EPERM
        assert answer(machine, "ioctl", (0, command | 1 << 32)) == EPERM
    assert answer(machine, "ioctl", (0, 0x5413)) == "allow"
    for resource in range(16):
        wanted = EPERM if resource in (0, 1, 4, 6, 7, 9, 12) else "allow"
        assert answer(machine, "setrlimit", (resource,)) == wanted
    some = 0x7F0000000000 if machine in ("x86_64", "generic") else 0x7F000000
    assert answer(machine, "prlimit64", (0, 12, some, 0)) == EPERM
    assert answer(machine, "prlimit64", (0, 12, 0, some)) == "allow"
    assert answer(machine, "prlimit64", (0, 3, some, 0)) == "allow"
    assert answer(machine, "prlimit64", (77, 7, some, 0)) == EPERM
    assert answer(machine, "prlimit64", (77, 7, 0, some)) == "allow"


@pytest.mark.parametrize("machine", MACHINES)
def test_the_agent_its_group_and_everybody_get_no_signal(machine: str) -> None:
    own, group = os.getpid(), os.getpgid(0)
    for whom in (own, -own, -group, -1):
        assert answer(machine, "kill", (whom & 0xFFFFFFFF, 9)) == EPERM
    assert answer(machine, "kill", (0, 9)) == "allow"
    assert answer(machine, "kill", (own + 100_000, 9)) == "allow"
    for name in ("tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"):
        assert answer(machine, name, (own, 9)) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_landlock_that_does_not_know_truncation_is_helped(machine: str) -> None:
    assert answer(machine, "truncate", truncates=True) == "allow"
    assert answer(machine, "truncate", truncates=False) == EPERM
    assert answer(machine, "openat2", truncates=False) == ENOSYS
    for flags, wanted in ((0, "allow"), (0x200, EPERM), (0x201, "allow"), (0x242, "allow"), (0x80200, EPERM)):
        assert answer(machine, "openat", (0, 0, flags), truncates=False) == wanted
        assert answer(machine, "openat", (0, 0, flags), truncates=True) == "allow"


@pytest.mark.parametrize("machine", MACHINES)
def test_the_log_of_the_kernel_is_open_only_when_named(machine: str) -> None:
    assert answer(machine, "syslog", (3,)) == EPERM
    assert answer(machine, "syslog", (3,), log=True) == "allow"


def test_no_way_through_a_filter_is_long() -> None:
    chance = random.Random(7)
    for machine in MACHINES:
        program = filters(machine, ("inet", "netlink", "unix"))
        arch = ARCHES[MACHINES.index(machine)]
        longest = 0
        for code in range(LAST + 1):
            args = tuple(chance.randrange(1 << 32) for _ in range(6))
            longest = max(longest, run(program, code, arch, args)[1])
        assert longest <= 32, (machine, longest, len(program) // 8)


def test_each_answer_stands_once_in_a_filter() -> None:
    for machine in MACHINES:
        program = filters(machine)
        returns = [one[3] for one in struct.iter_unpack("=HBBI", program) if one[0] == 0x06]
        assert len(returns) == len(set(returns)) <= 4 and len(program) // 8 <= 250


def test_a_number_stands_once_for_each_machine() -> None:
    for column, machine in enumerate(MACHINES):
        numbers = [row[column] for row in NUMBERS.values() if row[column] >= 0]
        assert len(numbers) == len(set(numbers)), machine
        assert max(numbers) <= LAST


def test_the_kernel_takes_the_filter_and_answers_as_it_says() -> None:
    """In a process of its own, as it holds for good."""
    code = (
        "import ctypes, os\n"
        "from edge.hands.wall import kernel, seccomp\n"
        "from edge.hands.wall.numbers import number\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "program = seccomp.program((), False, True, os.getppid())\n"
        "libc.prctl(38, 1, 0, 0, 0)\n"
        "seccomp.install(program)\n"
        "said = [(libc.syscall(number('keyctl', kernel.machine()), 0, -3, 1, 0, 0), ctypes.get_errno())]\n"
        "said += [(libc.socket(2, 1, 0), ctypes.get_errno()), (libc.kill(os.getppid(), 0), ctypes.get_errno())]\n"
        "said += [(libc.syscall(435, 0, 0), ctypes.get_errno())]\n"
        "print(said, os.getppid() > 0, libc.kill(0, 0))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert ran.stdout.decode().strip() == "[(-1, 1), (-1, 1), (-1, 1), (-1, 38)] True 0"
