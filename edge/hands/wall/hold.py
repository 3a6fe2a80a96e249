"""A gate that a new process has to pass before its program starts, so that its limits are there from the first moment.

Rules:
1. A process started by posix_spawn(3) opens two FIFOs before its program: the first tells that it exists, the second
   keeps it until it is let go. Nothing is executed in between, so that no other program's start is paid for.
2. The FIFOs are made once and have no name any more; they are reached by descriptors that every exec closes.
3. One process at a time goes through.
4. Where no FIFO can be made there is no gate, and limits come a moment after the start (`held` is False).
"""

from __future__ import annotations

import _thread
import errno
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PLACES = ("/dev/shm", "/run", "/tmp", "/var/tmp")
lock = _thread.allocate_lock()
_gates: dict[int, Gate | None] = {}


class Gate:
    """Two FIFOs. Used under `lock`."""

    def __init__(self, coming: int, going: int) -> None:
        self.coming = coming
        self.going = going

    @property
    def descriptors(self) -> tuple[int, int]:
        """The FIFOs, which a wall has to let the process open."""
        return self.coming, self.going

    @property
    def paths(self) -> tuple[bytes, bytes]:
        """What the process opens: the first for writing, the second for reading."""
        return f"/proc/self/fd/{self.coming}".encode(), f"/proc/self/fd/{self.going}".encode()

    def await_it(self) -> int:
        """Wait until the process is at the gate; a descriptor to close after `let_go`."""
        return os.open(f"/proc/self/fd/{self.coming}", os.O_RDONLY | os.O_CLOEXEC)

    def pass_by(self) -> int:
        """Instead of `await_it`, without waiting: who comes finds the first FIFO open."""
        return os.open(f"/proc/self/fd/{self.coming}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def nobody_comes(self) -> None:
        """End `await_it`: the process could not be made."""
        os.close(os.open(f"/proc/self/fd/{self.coming}", os.O_WRONLY | os.O_CLOEXEC))

    def let_go(self, over: Callable[[], bool]) -> None:
        """Let the process run; returns as well when `over` says that it ended at the gate."""
        while True:
            try:
                os.close(os.open(f"/proc/self/fd/{self.going}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
                return
            except OSError as error:
                if error.errno != errno.ENXIO or over():
                    return
                time.sleep(0.0002)


def gate() -> Gate | None:
    """The gate of this process; None where there can be none (rule 4). Called under `lock`."""
    own = os.getpid()  # a forked process must not wait at its parent's
    if own not in _gates:
        made = (_made(place) for place in _PLACES)
        _gates[own] = next((one for one in made if one is not None), None)
    return _gates[own]


def _made(place: str) -> Gate | None:
    """A gate whose FIFOs were made in a folder and lost their names at once."""
    found = []
    for number in (0, 1):
        path = f"{place}/.fieldhand-{os.getpid()}-{number}-{os.urandom(8).hex()}"
        try:
            os.mkfifo(path, 0o600)
            try:
                found.append(os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC))
                os.chmod(path, 0o666)  # a child under a user of its own opens it too, by descriptor
            finally:
                os.unlink(path)
        except OSError:
            for fd in found:
                os.close(fd)
            return None
    if not os.path.exists(f"/proc/self/fd/{found[0]}"):
        return None
    return Gate(found[0], found[1])


def newcomer(thread: int, before: frozenset[int]) -> int:
    """The process at the gate: the child of a thread. ProcessLookupError when it cannot be told.

    `before`: the children that were there already, where the kernel does not list children by thread.
    """
    try:
        fd = os.open(f"/proc/self/task/{thread}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return _unlisted(before)
    try:
        found = os.read(fd, 4096).split()
    finally:
        os.close(fd)
    if len(found) != 1:
        raise ProcessLookupError(errno.ESRCH, "the new process cannot be told from others")
    return int(found[0])


def lists_children() -> bool:
    """Does this kernel list the children of a thread (CONFIG_PROC_CHILDREN)?"""
    return os.access(f"/proc/self/task/{_thread.get_native_id()}/children", os.R_OK)


def _unlisted(before: frozenset[int]) -> int:
    """A new child that still has this program's command line: it has not executed its own."""
    from edge.hands.wall.tree import _read

    own = _read("/proc/self/cmdline")
    new = [pid for pid in children() - before if _read(f"/proc/{pid}/cmdline") == own]
    if len(new) != 1:
        raise ProcessLookupError(errno.ESRCH, "the new process cannot be told from others")
    return new[0]


def children() -> frozenset[int]:
    """The children of this process, by a look at all processes."""
    from edge.hands.wall.tree import _numbers, stat

    own = os.getpid()
    return frozenset(pid for pid in _numbers() if stat(pid)[1] == own)
