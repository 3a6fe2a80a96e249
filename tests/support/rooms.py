"""Children in name spaces for tests: a plan, a start, what came of it."""

from __future__ import annotations

import os
import select
import time
from typing import Any, NamedTuple

from edge.hands.wall import limits, namespaces
from edge.hands.wall.confine import Confinement

SYSTEM = ("/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc", "/proc", "/sys")
PATH = "/usr/local/bin:/usr/bin:/bin"


class Came(NamedTuple):
    """How a child ended (negative: a signal), what it wrote on either stream, as which user it ran."""

    code: int | None
    text: str
    user: int


def plan(folder: str, **fields: Any) -> Confinement:
    """A plan in which `folder` may be written."""
    given: dict[str, Any] = {
        "cwd": folder,
        "reads": SYSTEM,
        "writes": (folder,),
        "environment": (("PATH", PATH),),
        "level": "namespaces",
        "tag": limits.tag(),
    }
    return Confinement(**{**given, **fields})


def start(made: Confinement, text: str, stdin: int = -1) -> tuple[namespaces.Kept, int]:
    """A started shell and the descriptor to read what it writes from."""
    told, tell = os.pipe()
    null = os.open("/dev/null", os.O_RDONLY)
    try:
        child = namespaces.start(made, ("/bin/sh", "-c", text), null if stdin < 0 else stdin, tell, tell)
    except OSError:
        os.close(told)
        raise
    finally:
        os.close(tell)
        os.close(null)
    return child, told


def heard(told: int, seconds: float = 60.0, until: bytes = b"") -> bytes:
    """What stands in a pipe, to its end or until some words came."""
    end, data = time.monotonic() + seconds, b""
    while not until or until not in data:
        assert select.select([told], [], [], max(0.0, end - time.monotonic()))[0], f"nothing came after {data!r}"
        part = os.read(told, 65536)
        if not part:
            break
        data += part
    return data


def ended(child: namespaces.Kept, seconds: float = 60.0) -> int | None:
    """Wait for the end of a child."""
    end = time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    return child.poll()


def run(made: Confinement, text: str, stdin: int = -1) -> Came:
    """Run a shell to its end."""
    child, told = start(made, text, stdin)
    try:
        data = heard(told)
        return Came(ended(child), data.decode("utf-8", "replace"), child.user)
    finally:
        os.close(told)
        child.kill_tree()
        child.close()


def alive(pid: int) -> bool:
    """Is a process there and not just waiting to be reaped?"""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def gone(pid: int, seconds: float = 60.0) -> bool:
    """Did a process end, in time?"""
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.005)
    return not alive(pid)
