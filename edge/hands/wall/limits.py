"""What one child tree may use up, as limits of its first process, which all later ones inherit.

Rules:
1. Limits are set from outside while the child is held before its program starts (spawn.py): no moment without them.
2. A limit is hard and never above what the agent itself has.
3. The tag of a call is the limit on message queues (bytes), which no ordinary program uses; the filter of system
   calls forbids to change it.
4. The number of processes is counted by user and does not bind uid 0.
5. When memory runs out, a child is the first to go.
"""

from __future__ import annotations

import _thread
import os
import random
import resource

from edge.hands.wall import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.wall.confine import Confinement

QUEUES = 12  # RLIMIT_MSGQUEUE, which the standard library has no name for on all Pythons
_MOST = 819_200  # the kernel's own default
_taken: set[int] = set()


def tag() -> int:
    """A value for the tag that no other call of this agent has now; `free` gives it back. OSError when none is left."""
    most = resource.getrlimit(QUEUES)[1]
    most = _MOST - 1 if most == resource.RLIM_INFINITY else min(most, _MOST) - 1
    for _ in range(1000):
        found = random.SystemRandom().randrange(1, most) if most > 1 else 0
        if found and found not in _taken:
            _taken.add(found)
            return found
    raise OSError(f"the limit of message queues ({most + 1} bytes) leaves no value to tell the processes of a call by")


def free(value: int) -> None:
    """No process with this tag is left."""
    _taken.discard(value)


def wanted(plan: Confinement) -> list[tuple[int, int]]:
    """(resource, hard limit) of a plan."""
    limits = plan.limits
    return [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_CPU, limits.cpu),
        (QUEUES, plan.tag),
    ]


def impose(pid: int, plan: Confinement) -> None:
    """Set the limits of a process that is held. ProcessLookupError when it is gone, OSError when they cannot be set."""
    try:
        _set(pid, plan)
    except PermissionError:
        # Limits of another user's process need CAP_SYS_RESOURCE, which a service or container may lack.
        _set_as_its_user(pid, plan)
    expendable(pid)


def _set(pid: int, plan: Confinement) -> None:
    for what, most in wanted(plan):
        own = resource.prlimit(pid, what)[1]
        if own != resource.RLIM_INFINITY:
            most = min(most, own)
        resource.prlimit(pid, what, (most, most))


def _set_as_its_user(pid: int, plan: Confinement) -> None:
    """The same from a thread that takes the process's user: nobody needs a right to lower limits of his own."""
    failed: list[OSError] = []
    done = _thread.allocate_lock()
    done.acquire()

    def act() -> None:
        try:
            kernel.become(*owner(pid))
            _set(pid, plan)
        except OSError as error:
            failed.append(error)
        finally:
            done.release()

    _thread.start_new_thread(act, ())
    done.acquire()
    if failed:
        raise failed[0]


def owner(pid: int) -> tuple[int, int]:
    """The real user and group of a process. ProcessLookupError when it is gone."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            fields = dict(line.split(b":", 1) for line in file.read().splitlines() if b":" in line)
        return int(fields[b"Uid"].split()[0]), int(fields[b"Gid"].split()[0])
    except (FileNotFoundError, KeyError) as error:
        raise ProcessLookupError(f"the process {pid} is gone") from error


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
