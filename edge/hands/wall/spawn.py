"""Starts a program behind the wall of a plan.

Rules:
1. The wall is built around a thread that lives only for this: no_new_privs, capabilities, Landlock and seccomp are
   of a thread, what it starts inherits them, and the agent stays free. No code of ours runs in the child.
2. The thread has a table of descriptors, a working folder and a mask for new files of its own: what is closed and set
   there is closed and set for the child alone. Where that is refused: shared.py.
3. The child gets exactly the plan's environment, three descriptors, a session of its own, default signals, and its
   limits and tag from its first instruction (limits.py).
4. Whatever part of the wall cannot be built, the program is not started: OSError says which.
5. The level `namespaces` is carried out by a module of its own; `off` leaves out Landlock and the filter, never the
   limits and the tag. A user of its own is the part of `identity`.
6. Behind the wall not even a module can be imported: all that can be made ready is made in the caller's thread.
"""

from __future__ import annotations

import _thread
import ctypes
import errno
import gc
import os
import signal

from edge.faults import ToolFault
from edge.gate.paths import inside
from edge.hands.wall import cgroup, kernel, landlock, limits, seccomp, shared, tree
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from edge.hands.wall.confine import Confinement
    from edge.hands.wall.namespaces import Kept

_OWN = 0x200 | 0x400  # CLONE_FS, CLONE_FILES
_PATIENCE = 60.0  # seconds for a start; an own user's mounts and a loaded board included
_CLOSE_RANGE = 436  # the same on all machines, from Linux 5.9
_SIGNALS = tuple(sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}))

_libc = ctypes.CDLL(None, use_errno=True)


class Child:
    """A started program and all that it starts. `pid` is its number as this process sees it."""

    def __init__(self, pid: int, tag: int) -> None:
        self.pid = pid
        self.tag = tag
        self._code: int | None = None
        self._handle = _handle(pid)

    def fileno(self) -> int:
        """A descriptor that becomes readable when the program ends; -1 where the kernel has none (before 5.3)."""
        return self._handle

    def poll(self) -> int | None:
        """The exit code, a signal as a negative number, None while it runs."""
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self.pid, 255 << 8  # another part of the process took its status
            if pid:
                self._code = -(status & 127) if status & 127 else status >> 8
        return self._code

    def kill_tree(self) -> int:
        """End every process of the call; how many were running."""
        tree.adopt()
        ended, _ = tree.end(self.tag, self.pid)
        self.poll()
        return ended

    def close(self) -> None:
        """Give tag and descriptor back. The tree must have been ended."""
        limits.free(self.tag)
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def start(
    plan: Confinement, argv: Sequence[str], stdin: int, stdout: int, stderr: int, umask: int = 0o022
) -> Child | Kept:
    """Start `argv` (an absolute path first) behind the wall of `plan`. OSError when any part cannot be had."""
    if plan.level == "namespaces":
        from edge.hands.wall import namespaces

        return namespaces.start(plan, argv, stdin, stdout, stderr, umask)
    if plan.level == "landlock" and not landlock.version():
        raise landlock.missing()
    tree.adopt()
    try:
        return _Start(plan, argv, (stdin, stdout, stderr), umask).run()
    except _Uncovered:
        # Without covers the ruleset alone has to close what is hidden: with its folder.
        return _Start(replace(plan, masked=()), argv, (stdin, stdout, stderr), umask).run()


class _Uncovered(OSError):
    """The covers that the plan counts on cannot be had."""


def _handle(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


class _Start:
    """One start, from two threads: the caller's, and the one that gets the wall around itself."""

    def __init__(self, plan: Confinement, argv: Sequence[str], streams: Sequence[int], umask: int) -> None:
        self.plan = plan
        self.argv = list(argv)
        self.streams = streams
        self.umask = umask
        self.environment = dict(plan.environment)
        self.own_user = _own_user(plan) if plan.alone and plan.level != "off" else None
        self.filter = _filter(plan)
        self.limits = limits.Lowered(plan)
        self.group = _group(plan)
        self.grouped = False
        self.ruleset = -1
        self.pid = 0
        self.error: OSError | ToolFault | None = None
        self.handed: shared.Handed | None = None
        self._done = _thread.allocate_lock()
        self._turn = _thread.allocate_lock()  # taken once: by the thread that starts now, or by who gave it up

    def run(self) -> Child:
        """Have the thread start the child."""
        if self.plan.level == "landlock":
            self.ruleset = landlock.ruleset(_uncovered(self.plan))
        collecting = gc.isenabled()
        # What a collection lets go in the thread would be closed in the thread's own table alone.
        gc.disable()
        try:
            with self.limits:
                self._in_thread()
        finally:
            if collecting:
                gc.enable()
            if self.ruleset >= 0:
                os.close(self.ruleset)
            if self.handed is not None:
                self.handed.close()
        if self.error is not None or not self.pid:
            raise self.error or OSError(errno.EIO, "the thread that starts programs failed")
        self.limits.harden(self.pid)
        if self.group is not None and not self.grouped:
            self.group.take(self.plan.tag)
        return Child(self.pid, self.plan.tag)

    def _in_thread(self) -> None:
        self._done.acquire()
        try:
            _thread.start_new_thread(self._confined, ())
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, "no thread can be started") from error
        if self._done.acquire(timeout=_PATIENCE):
            return
        if self._turn.acquire(blocking=False):  # nobody would watch, bound or end what started now
            raise OSError(errno.ETIMEDOUT, "the thread that starts programs does not come to its end")
        self._done.acquire()  # it is in the one call that starts the program

    def _confined(self) -> None:
        """In the thread: build the wall around it, start the program."""
        try:
            self._wall()
            if not self._turn.acquire(blocking=False):
                raise OSError(errno.ETIMEDOUT, "the start took too long")
            actions = () if self.handed is None else self.handed.actions
            self.pid = os.posix_spawn(
                self.argv[0],
                self.argv,
                self.environment,
                file_actions=actions,
                setsid=True,
                setsigmask=(),
                setsigdef=_SIGNALS,
            )
        except (OSError, ToolFault) as error:
            self.error = error
        except ValueError as error:  # a NUL in a word, or an = in a name of the environment
            self.error = OSError(errno.EINVAL, str(error))
        finally:
            self._done.release()

    def _wall(self) -> None:
        plan = self.plan
        apart = self._apart()
        if self.group is not None:
            self.grouped = self.group.enter()
        why = self.own_user(plan) if self.own_user is not None and apart else "no mount name space of its own"
        if plan.masked and why:
            raise _Uncovered(errno.ENOTSUP, why)
        if apart:
            os.chdir(plan.cwd)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        if plan.level != "off":
            # no_new_privs keeps an exec from giving any back, so that the bounding set need not be emptied.
            kernel.hold([kernel.CAPABILITIES[name] for name in plan.capabilities if os.geteuid() == 0])
        if self.ruleset >= 0:
            landlock.restrict(self.ruleset)
        if apart:
            _only(self.streams)
        if self.filter:
            seccomp.install(self.filter)

    def _apart(self) -> bool:
        """Get a table, a folder and a mask for the thread alone; where that is refused, see to the child's."""
        try:
            kernel.unshare(_OWN)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOSYS):
                raise
            self.handed = shared.Handed(self.streams)
            self.argv = shared.words(self.argv, self.plan.cwd, self.umask)
            return False
        os.umask(self.umask)
        return True


def _only(streams: Sequence[int]) -> None:
    """In a table of descriptors of its own: keep these three as 0, 1, 2, and nothing else."""
    high = [os.dup(fd) for fd in (*streams, *streams)][3:]  # above what is filled: at least three lie below them
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=True)
    if _libc.syscall(ctypes.c_long(_CLOSE_RANGE), ctypes.c_long(3), ctypes.c_long(0x7FFFFFFF), ctypes.c_long(0)):
        os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))


def _own_user(plan: Confinement) -> Callable[[Confinement], str] | None:
    """What gives a thread a user of its own, where this process may."""
    if os.geteuid() != 0:
        return None
    from edge.hands.wall import identity

    identity.ready(plan)
    return identity.enter


def _uncovered(plan: Confinement) -> Confinement:
    """The plan of what the ruleset has to close: what no cover lies over."""
    if not plan.masked:
        return plan
    return replace(plan, hidden=tuple([one for one in plan.hidden if not any(inside(one, top) for top in plan.masked)]))


def _group(plan: Confinement) -> cgroup.Group | None:
    """Where the processes of a child that may stay root are counted. What provably only reads needs no bound."""
    if os.geteuid() != 0 or plan.level == "off" or not any(os.path.isdir(path) for path in plan.writes):
        return None
    return cgroup.group(plan.limits.processes)


def _filter(plan: Confinement) -> bytes:
    if plan.level == "off":
        return b""
    behind = plan.level == "landlock"
    agent = 0 if behind and landlock.holds_signals() else os.getpid()
    truncates = not behind or landlock.truncates()
    return seccomp.program(plan.sockets, "syslog" in plan.capabilities, truncates, agent)
