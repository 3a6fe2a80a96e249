"""All processes of a call, told by its tag, ended and reaped.

Rules:
1. A process belongs to a call when its limit on message queues is the call's tag, it can gain no privileges, and its
   parents lead to this agent. Neither a new session, nor a new group, nor a parent that ended changes that: orphans
   come to the agent, which is made their subreaper (prctl(2)).
2. Ending is in two steps: all are stopped until a look finds no new one, then all are killed. What forks without
   end fills its own limit of processes, and then stands still.
3. Only processes of the call are reaped, by their number; the first one is left to who started it.
4. Everything is bounded in time: what cannot be ended is counted and said, not waited for.
5. The leftovers of a dead agent are told by tag and start together; nothing else is touched.
"""

from __future__ import annotations

import os
import resource
import signal
import time

from edge.hands.wall.limits import QUEUES, taken
from edge.record import Record

PATIENCE = 2.0  # seconds for a whole tree to be gone
_LOOK = 0.002
_adopting = 0  # the process that was made a subreaper; a fork does not inherit that


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Leftover(Record):
    """A process that a tape should name: `start` in clock ticks since boot (proc(5)), `tag` of its call."""

    pid: int
    start: int
    tag: int


def adopt() -> None:
    """Have orphans of all calls come to this process. Done once."""
    global _adopting
    if _adopting != os.getpid():
        from edge.hands.wall import kernel

        kernel.prctl(36, 1)  # PR_SET_CHILD_SUBREAPER, from Linux 3.4
        _adopting = os.getpid()


def tag_of(pid: int) -> int:
    """The tag of a process, also of one that ended and was not reaped; 0 when it is gone or may not be asked."""
    try:
        return resource.prlimit(pid, QUEUES)[0]
    except ProcessLookupError:
        return 0
    except PermissionError:
        # Another user's. Root without the capability can still read it; nobody else has such a child.
        return _tag_in_file(pid) if os.geteuid() == 0 else 0


def _tag_in_file(pid: int) -> int:
    for line in _read(f"/proc/{pid}/limits").splitlines():
        if line.startswith(b"Max msgqueue size"):
            soft = line.split()[3]
            return int(soft) if soft.isdigit() else 0
    return 0


def _is_walled(pid: int) -> bool:
    """Was the process started with no_new_privs? The agent and what else it starts in the same moment were not.

    Kernels before 4.10 do not tell; there it counts as one.
    """
    text = _read(f"/proc/{pid}/status")
    return b"\nNoNewPrivs:\t0" not in text


def stat(pid: int) -> tuple[str, int, int]:
    """State letter, parent and start ticks of a process; ("", 0, 0) when it is gone."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 20:
        return "", 0, 0
    return fields[0].decode(), int(fields[1]), int(fields[19])


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 8192)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _numbers() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _is_ours(pid: int, parents: dict[int, int]) -> bool:
    """Do the parents of a process lead to this agent?"""
    own = os.getpid()
    for _ in range(10_000):
        parent = parents.get(pid)
        if parent is None:
            parent = parents[pid] = stat(pid)[1]
        if parent in (0, 1, own):
            return parent == own
        pid = parent
    return False


def members(tag: int) -> dict[int, str]:
    """The processes of a call and their state letters; `Z` has ended and waits to be reaped."""
    found = {}
    parents: dict[int, int] = {}
    for pid in _numbers():
        if tag_of(pid) == tag and _is_walled(pid):
            letter, parents[pid], _ = stat(pid)
            if letter and _is_ours(pid, parents):
                found[pid] = letter
    return found


def strays(firsts: Sequence[Leftover]) -> list[Leftover]:
    """The living processes of calls of agents that are dead, from what their tapes say of the first ones.

    For the same boot only. All that carry a tag and did not start before the first of it; none while a call of this
    agent has the same tag.
    """
    starts: dict[int, int] = {}
    for first in firsts:
        if not taken(first.tag):
            starts[first.tag] = min(first.start, starts.get(first.tag, first.start))
    found = []
    for pid in _numbers() if starts else []:
        tag = tag_of(pid)
        if tag in starts and _is_walled(pid):
            letter, _, start = stat(pid)
            if letter not in ("", "Z", "X") and start >= starts[tag]:
                found.append(Leftover(pid, start, tag))
    return found


def end_strays(firsts: Sequence[Leftover], patience: float = PATIENCE) -> tuple[int, int]:
    """End them: how many there were, and how many still are."""
    until = time.monotonic() + patience
    ended: set[int] = set()
    while True:
        alive = strays(firsts)
        for one in alive:
            _signal(one.pid, signal.SIGKILL)
        ended.update(one.pid for one in alive)
        if not alive or time.monotonic() > until:
            return len(ended), len(alive)
        time.sleep(_LOOK)


def end(tag: int, first: int = 0, patience: float = PATIENCE) -> tuple[int, int]:
    """End all processes of a call: how many were running, and how many still are.

    `first` is killed like all but left to its starter to be reaped.
    """
    until = time.monotonic() + patience
    stopped: set[int] = set()
    while time.monotonic() < until:
        new = _alive(tag, first)[0] - stopped
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped |= new
        if not new:
            break
    ended: set[int] = set()
    while stopped:
        alive, waiting = _alive(tag, first)
        for pid in alive:
            _signal(pid, signal.SIGKILL)
        ended |= alive
        if not (alive or waiting) or time.monotonic() > until:
            return len(ended), len(alive)
        time.sleep(_LOOK)
    return 0, 0


def running(tag: int, first: int = 0) -> set[int]:
    """The processes of a call that have not ended. Its orphans that have are reaped, `first` is left to its starter.

    A call that lasts must be looked at from time to time: what waits to be reaped counts against its limit.
    """
    return _alive(tag, first)[0]


def ask(tag: int, first: int = 0) -> int:
    """Ask all that runs now to end (SIGTERM), also what stands still: how many."""
    alive = running(tag, first)
    for number in (signal.SIGTERM, signal.SIGCONT):
        for pid in alive:
            _signal(pid, number)
    return len(alive)


def _alive(tag: int, first: int) -> tuple[set[int], bool]:
    """The processes of a call that have not ended. Those that have are reaped on the way, but for the first.

    And whether one could not be reaped yet: its parent is another process of the call, whose end gives it to us.
    """
    alive, waiting = set(), False
    for pid, letter in members(tag).items():
        if letter not in ("Z", "X"):
            alive.add(pid)
        elif pid != first:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                waiting = True
    return alive, waiting


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return  # gone in between, or not to be ended by us: `end` counts what stays
