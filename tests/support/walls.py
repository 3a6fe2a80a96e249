"""Starts a shell text behind a wall that a test describes, and says how it ended."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from edge.hands.wall import landlock, limits, spawn
from edge.hands.wall.confine import Confinement
from edge.record import replace

SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/etc", "/proc", "/sys")

# Shell text that waits until the limits of a plan are all there, which is a moment after the start: the tag comes last.
HELD = 'until set -- $(grep msgqueue /proc/self/limits) && [ "$4" = "$5" ]; do sleep 0.01; done; '

needs_landlock = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


class Ended(NamedTuple):
    """`killed`: how many processes were still running when the shell ended."""

    code: int
    text: str
    killed: int


def plan(folder: Path, **other: Any) -> Confinement:
    """A plan that reads the system and writes `folder`, under the same user."""
    values: dict[str, Any] = {
        "cwd": str(folder),
        "reads": SYSTEM,
        "lists": ("/dev",),
        "writes": (str(folder),),
        "environment": (("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),),
        "alone": False,
        **other,
    }
    return Confinement(**values)


def act(made: Confinement, text: str, seconds: float = 60.0) -> Ended:
    """Run a shell text behind the wall of a plan; its output is taken from a file that the wall does not see."""
    tag = limits.tag()
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    output = os.memfd_create("output") if hasattr(os, "memfd_create") else null
    child = spawn.start(replace(made, tag=tag), ("/bin/sh", "-c", text), null, output, output)
    try:
        until = time.monotonic() + seconds
        while child.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        code = child.poll()
        killed = child.kill_tree()
        assert code is not None, f"not ended within {seconds} s: {text}"
        return Ended(code, os.pread(output, 1 << 20, 0).decode("utf-8", "replace"), killed)
    finally:
        child.close()
        os.close(null)
        os.close(output)
