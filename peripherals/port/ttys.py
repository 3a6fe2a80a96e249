"""What is known of a terminal device before it is opened: whether it is a console, and who holds it.

Rules:
1. Nothing is opened here but texts of /proc and /sys, and the lock files of other programs.
2. Devices are compared by their numbers: a port has many names (by-id, serial0), a console too.
3. Where the kernel does not let this user look, nobody is named. Exclusive opening decides, this only says who.
"""

from __future__ import annotations

import os

from edge.record import Record

LOCKS = "/run/lock"  # LCK..ttyUSB0, as minicom, picocom, gpsd and others write them
SHOWN = 3
_CHARACTER = 0o020000  # S_IFCHR
_NAMES = ("tty", "rfcomm")


class System(Record):
    """Where the kernel tells these things; another place in tests."""

    proc: str = "/proc"
    sys: str = "/sys"
    dev: str = "/dev"
    locks: str = LOCKS


def is_tty(path: str) -> bool:
    """True for a character device that is called like a terminal, by its real name."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    real = os.path.realpath(path)
    named = os.path.basename(real).startswith(_NAMES) or os.path.dirname(real) == "/dev/pts"
    return status.st_mode & 0o170000 == _CHARACTER and named


def same_device(path: str, other: str) -> bool:
    """True when both paths lead to one device; where that is not there now, to one name."""
    number = _number(path)
    return number == _number(other) if number else os.path.realpath(path) == os.path.realpath(other)


def console(path: str, system: System) -> str:
    """What makes this device a console, in words; "" when nothing does."""
    number = _number(path)
    names = dict.fromkeys(("console", "tty", "tty0"), "it is a console")
    active = _text(f"{system.sys}/class/tty/console/active").split()
    names.update(dict.fromkeys(active, "the kernel's console is there"))
    for word in _text(f"{system.proc}/cmdline").split():
        if word.startswith("console="):
            names[word[len("console=") :].partition(",")[0]] = f"the kernel was started with {word}"
    for name, why in names.items():
        if number and number == _number(f"{system.dev}/{name}"):
            return why
    return "the agent itself is worked at there" if number and number == _controlling(system) else ""


def holders(path: str, system: System) -> list[str]:
    """Who has it open, as `minicom (process 123)`, this process left out; then who says so by a lock file."""
    number, found = _number(path), []
    for pid in sorted((name for name in _listed(system.proc) if name.isdecimal()), key=int):
        folder = f"{system.proc}/{pid}/fd"
        if int(pid) != os.getpid() and any(_is(f"{folder}/{name}", number) for name in _listed(folder)):
            found.append(_called(pid, system))
    return found[:SHOWN] or _locked(path, system)


def _is(link: str, number: int) -> bool:
    """True for a descriptor of this device; others are not followed, they may lie on a network that is down."""
    try:
        return os.readlink(link).startswith("/dev/") and number == _number(link)
    except OSError:
        return False


def _locked(path: str, system: System) -> list[str]:
    """The process of a lock file, while it runs: ten digits in text, as the Filesystem Hierarchy Standard has it."""
    pid = _text(f"{system.locks}/LCK..{os.path.basename(os.path.realpath(path))}").split()[:1]
    alive = bool(pid) and pid[0].isdecimal() and os.path.exists(f"{system.proc}/{pid[0]}")
    return [_called(pid[0], system)] if alive and int(pid[0]) != os.getpid() else []


def _called(pid: str, system: System) -> str:
    name = _text(f"{system.proc}/{pid}/comm").strip() or "a program"
    return f"{name} (process {pid})"


def _controlling(system: System) -> int:
    """The number of the terminal that this process is worked at, 0 without one: field 7 of proc_pid_stat(5)."""
    fields = _text(f"{system.proc}/self/stat").rpartition(")")[2].split()
    told = int(fields[4]) if len(fields) > 4 and fields[4].isdecimal() else 0
    return os.makedev(told >> 8 & 0xFFF, (told & 0xFF) | (told >> 12 & 0xFFF00)) if told else 0


def _number(path: str) -> int:
    """The device number of a character device, 0 for all else."""
    try:
        status = os.stat(path)
    except OSError:
        return 0
    return status.st_rdev if status.st_mode & 0o170000 == _CHARACTER else 0


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return ""
    try:
        return os.read(handle, 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(handle)
