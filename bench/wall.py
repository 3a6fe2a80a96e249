"""What the wall costs: from the call that starts /bin/true to its end, against the standard library's subprocess.

All rows start the same program with an empty environment, no input and no output, and wait for its end, many times in
one process; a figure is the median of a round. The plans of the wall are what a shell that only reads, and one that
writes into its workspace, get.
"""

from __future__ import annotations

import atexit
import os
import statistics
import subprocess
import tempfile
import time

from bench.harness import Absent, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness import Measure
    from edge.hands.wall.confine import Confinement

TITLE = "Starting /bin/true behind the wall"
UNIT = "us"
ROUNDS = 11
WARM = True
STARTS = 40

PLAIN, SAME, SECCOMP = "subprocess", "Landlock, filter, limits; same user", "filter and limits alone; same user"
OWN = "Landlock, filter, limits; a user of its own"
TARGETS = {SAME: (Target(ratio=1.6),)}
READS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/etc", "/proc", "/sys")


def plain() -> float:
    """The anchor."""
    took = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        with subprocess.Popen(
            ["/bin/true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        ) as child:
            child.wait()
        took.append(time.perf_counter() - begin)
    return statistics.median(took) * 1e6


def behind(level: str, alone: bool, folder: str) -> Callable[[], float]:
    """A measure of starts behind a wall; `alone`: under a user of its own, writing into `folder`."""

    def measure() -> float:
        from edge.hands.wall import landlock
        from edge.hands.wall.confine import Confinement

        if level == "landlock" and not landlock.version():
            raise Absent("this kernel has no Landlock")
        if alone and os.geteuid() != 0:
            raise Absent("only root can start a program under another user")
        writes = (folder,) if alone else ()
        plan = Confinement("/", READS, ("/dev",), writes, ("/etc/shadow",), level=level, alone=alone)
        return statistics.median(_once(plan) for _ in range(STARTS)) * 1e6

    return measure


def _once(plan: Confinement) -> float:
    from edge.hands.wall import limits, spawn
    from edge.record import replace

    tag = limits.tag()
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    begin = time.perf_counter()
    child = spawn.start(replace(plan, tag=tag), ("/bin/true",), null, null, null)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    took = time.perf_counter() - begin
    os.close(null)
    child.poll()
    child.close()
    return took


def rows() -> list[tuple[str, Measure]]:
    folder = tempfile.mkdtemp(prefix="fieldhand-bench-")
    atexit.register(os.rmdir, folder)
    return [
        (PLAIN, plain),
        (SAME, behind("landlock", False, folder)),
        (SECCOMP, behind("seccomp", False, folder)),
        (OWN, behind("landlock", True, folder)),
    ]
