"""Runs a program behind the wall, in a folder that it may write, and ends all it started."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from edge.gate.paths import READABLE
from edge.hands.wall import landlock, limits, spawn
from edge.hands.wall.confine import Confinement, Limits
from edge.hands.wall.plan import PROGRAMS

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run(argv: Sequence[str], folder: Path, seconds: float) -> int | None:
    """The exit code, a signal as a negative number; None when its time was over."""
    plan = Confinement(
        cwd=str(folder),
        reads=(*PROGRAMS, *READABLE, str(folder)),
        lists=("/dev",),
        writes=(str(folder),),
        environment=(("PATH", PATH), ("HOME", str(folder)), ("LANG", "C.UTF-8")),
        limits=Limits(processes=4096),
        level="landlock" if landlock.version() else "seccomp",
        alone=False,
        tag=limits.tag(),
    )
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    try:
        child = spawn.start(plan, argv, null, null, null)
    finally:
        os.close(null)
    end = time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    code = child.poll()
    child.kill_tree()
    child.close()
    return code
