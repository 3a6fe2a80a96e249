"""What one child tree may use up, as limits that are there from its first instruction.

Rules:
1. A process inherits the limits of the one that starts it. For the moment of a start the agent lowers its own soft
   limits, one start at a time; the filter of system calls forbids every process behind the wall to set any of these.
   After the start the hard limits follow. There is no moment without them.
2. A limit is never above what the agent itself has.
3. The tag of a call is the limit on message queues (bytes), which no ordinary program uses.
4. The number of processes is counted by user and does not bind uid 0 (cgroup.py does). For the agent's own user it is
   counted on top of what runs already.
5. The C library of a 32-bit system takes 4 GiB for no limit at all (its rlim_t has 32 bits): there NARROW is the most.
6. Processor time is limited after the start: the agent's own may be above it. When memory runs out, a child goes first.
"""

from __future__ import annotations

import _thread
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from edge.hands.wall.confine import Confinement

QUEUES = 12  # RLIMIT_MSGQUEUE, which the standard library has no name for on all Pythons
NARROW = (1 << 32) - 4096
_MOST = 819_200  # the kernel's own default
# What the agent itself needs while its limits are low; a child's that is lower comes a moment after its start. Of
# addresses and descriptors it is that much more than it has: every thread of the agent reserves a stack and up to
# 128 MB to allocate from, and one that cannot have it ends before its first line.
_FLOOR = {resource.RLIMIT_AS: 2 << 30, resource.RLIMIT_FSIZE: 2 << 30, resource.RLIMIT_NOFILE: 256}
_taken: set[int] = set()
_starting = _thread.allocate_lock()


def tag() -> int:
    """A value for the tag that no other call of this agent has now; `free` gives it back. OSError when none is left."""
    most = resource.getrlimit(QUEUES)[1]
    most = _MOST - 1 if most == resource.RLIM_INFINITY else min(most, _MOST) - 1
    for _ in range(1000):
        found = 1 + int.from_bytes(os.urandom(4), "little") % (most - 1) if most > 1 else 0
        if found and found not in _taken:
            _taken.add(found)
            return found
    raise OSError(f"the limit of message queues ({most + 1} bytes) leaves no value to tell the processes of a call by")


def free(value: int) -> None:
    """No process with this tag is left."""
    _taken.discard(value)


def taken(value: int) -> bool:
    """Does a call of this agent have this tag now?"""
    return value in _taken


def wanted(plan: Confinement) -> list[tuple[int, int]]:
    """(resource, limit) of a plan."""
    limits = plan.limits
    running = 0 if os.geteuid() == 0 else _running()
    most = sys.maxsize if sys.maxsize > 1 << 32 else NARROW
    return [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, min(limits.memory, most)),
        (resource.RLIMIT_FSIZE, min(limits.file_size, most)),
        (resource.RLIMIT_NPROC, limits.processes + running),
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_CPU, limits.cpu),
        (QUEUES, plan.tag),
    ]


def _running() -> int:
    """How many threads there are in all, which is never less than this user's; 0 when that is not told."""
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read().split()[3].partition(b"/")[2])
    except (OSError, IndexError, ValueError):
        return 0


class Lowered:
    """`with`: this process's own soft limits are those of a plan; what is started meanwhile inherits them."""

    def __init__(self, plan: Confinement) -> None:
        self._wanted = [(what, _at_most(most, resource.getrlimit(what)[1])) for what, most in wanted(plan)]
        self._before: list[tuple[int, tuple[int, int]]] = []

    def __enter__(self) -> None:
        _starting.acquire()
        try:
            least = _least()
            for what, most in self._wanted:
                if what != resource.RLIMIT_CPU:
                    soft, hard = resource.getrlimit(what)
                    resource.setrlimit(what, (_at_most(max(most, least.get(what, 0)), hard), hard))
                    self._before.append((what, (soft, hard)))
        except (OSError, ValueError):
            self._restore()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._restore()

    def harden(self, pid: int) -> None:
        """Make the limits of a process that was started hard ones, and let it be the first to go without memory.

        Nothing where this process may not: another user's, without CAP_SYS_RESOURCE. The filter then holds them alone.
        """
        try:
            for what, most in self._wanted:
                resource.prlimit(pid, what, (most, most))
        except OSError:
            pass
        expendable(pid)

    def _restore(self) -> None:
        for what, limits in self._before:
            resource.setrlimit(what, limits)
        self._before = []
        _starting.release()


def _least() -> dict[int, int]:
    """What this process itself needs of its resources for the moment of a start.

    One look tells both: the addresses that it has (proc(5), statm), and the lowest number that no descriptor has.
    """
    fd = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    try:
        mapped = int(os.read(fd, 64).split()[0]) * resource.getpagesize()
    finally:
        os.close(fd)
    has = {resource.RLIMIT_AS: mapped, resource.RLIMIT_NOFILE: fd}
    return {what: least + has.get(what, 0) for what, least in _FLOOR.items()}


def _at_most(most: int, hard: int) -> int:
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def expendable(pid: int) -> None:
    """When memory runs out, end this process first; nothing where that cannot be said."""
    try:
        fd = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(fd, b"1000")
    except OSError:
        return
    finally:
        os.close(fd)
