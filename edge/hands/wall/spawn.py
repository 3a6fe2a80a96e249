"""Starts a program behind the wall of a plan.

Rules:
1. The wall is built around a thread that lives only for this: no_new_privs, capabilities, Landlock and seccomp are
   of a thread, what it starts inherits them, and the agent stays free. No code of ours runs in the child.
2. A child is held before its program starts until its limits and its tag are set (hold.py).
3. The child gets exactly the plan's environment, three descriptors, a session of its own, default signals.
4. Whatever part of the wall cannot be built, the program is not started: OSError says which.
5. The level `namespaces` is carried out by a module of its own; `off` leaves out Landlock and the filter, never the
   limits and the tag. A user of its own is the part of `identity`.
"""

from __future__ import annotations

import _thread
import ctypes
import errno
import fcntl
import os

from edge.faults import ToolFault
from edge.hands.wall import hold, kernel, landlock, limits, seccomp, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from edge.hands.wall.confine import Confinement
    from edge.hands.wall.namespaces import Kept

_SETSIGDEF, _SETSIGMASK, _SETSID = 4, 8, 128  # POSIX_SPAWN_*, the same in glibc and musl
_ROOM = 1024  # bytes for posix_spawnattr_t, posix_spawn_file_actions_t and sigset_t, more than any C library has
_NEW_FS = 0x200  # CLONE_FS

_libc = ctypes.CDLL(None, use_errno=True)


class Child:
    """A started program and all that it starts. `pid` is its number as this process sees it."""

    def __init__(self, pid: int, tag: int, held: bool = True) -> None:
        self.pid = pid
        self.tag = tag
        self.held = held
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

        return namespaces.start(plan, argv, stdin, stdout, stderr)
    if plan.level == "landlock" and not landlock.version():
        raise landlock.missing()
    tree.adopt()
    with hold.lock:
        return _Start(plan, argv, (stdin, stdout, stderr), umask).run()


def _handle(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


class _Start:
    """One start, from two threads: the caller's, and the one that gets the wall around itself.

    All that can be made ready is made in the caller's thread: behind the wall not even a module can be imported.
    """

    def __init__(self, plan: Confinement, argv: Sequence[str], streams: Sequence[int], umask: int) -> None:
        self.plan = plan
        self.umask = umask
        self.gate = hold.gate()
        self.before = frozenset() if hold.lists_children() else hold.children()
        self.own_user = _own_user() if plan.alone and plan.level != "off" else None
        self.filter = _filter(plan)
        self.error: OSError | ToolFault | None = None
        self.thread = self.pid = 0
        self.met = False
        self._done = _thread.allocate_lock()
        self._done.acquire()
        self.spawn = _Spawn(plan, argv, streams, self.gate)
        self.ruleset = -1

    def run(self) -> Child:
        """Have the thread start the child, and set its limits while it is held."""
        arrived = False
        try:
            if self.plan.level == "landlock":
                self.ruleset = landlock.ruleset(self.plan, self.gate.descriptors if self.gate else ())
            self._in_thread()
            if self.error is not None or not self.pid:
                raise self.error or OSError(errno.EIO, "the thread that starts programs failed")
            if self.gate is None:
                limits.impose(self.pid, self.plan)
            arrived = True
            return Child(self.pid, self.plan.tag, self.gate is not None)
        finally:
            self.spawn.close()
            if self.ruleset >= 0:
                os.close(self.ruleset)
            if self.pid and not arrived:
                os.kill(self.pid, 9)
                os.waitpid(self.pid, 0)

    def _in_thread(self) -> None:
        try:
            _thread.start_new_thread(self._confined, ())
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, "no thread can be started") from error
        try:
            self._at_gate()
        finally:
            self._done.acquire()

    def _at_gate(self) -> None:
        if self.gate is None:
            return
        fd = -1
        try:
            fd = self.gate.await_it()
            self.met = True
            if self.error is None:
                limits.impose(hold.newcomer(self.thread, self.before), self.plan)
        except OSError as error:
            self.error = error
        finally:
            # Also after a failure or an interrupt: the thread waits for the child, which is then ended.
            fd = fd if fd >= 0 else self.gate.pass_by()
            self.met = True
            self.gate.let_go(self._over)
            os.close(fd)

    def _over(self) -> bool:
        """Is the thread done?"""
        if self._done.acquire(False):
            self._done.release()
            return True
        return False

    def _confined(self) -> None:
        """In the thread: build the wall around it, start the program."""
        try:
            self.thread = _thread.get_native_id()
            self._wall()
            self.pid = self.spawn.run()
        except (OSError, ToolFault) as error:
            self.error = error
        finally:
            if self.gate is not None and not self.met:
                self.gate.nobody_comes()
            self._done.release()

    def _wall(self) -> None:
        kernel.unshare(_NEW_FS)
        os.umask(self.umask)
        if self.own_user is not None:
            self.own_user(self.plan)
        os.chdir(self.plan.cwd)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        if self.plan.level != "off":
            root = os.geteuid() == 0
            kept = [kernel.CAPABILITIES[name] for name in self.plan.capabilities if root]
            kernel.bound(kept)
            kernel.hold(kept)
        if self.ruleset >= 0:
            landlock.restrict(self.ruleset)
        if self.filter:
            seccomp.install(self.filter)


def _own_user() -> Callable[[Confinement], object] | None:
    """What gives a thread a user of its own, where this process may."""
    if os.geteuid() != 0:
        return None
    try:
        from edge.hands.wall import identity
    except ImportError:
        return None
    return identity.enter


def _filter(plan: Confinement) -> bytes:
    if plan.level == "off":
        return b""
    truncates = plan.level != "landlock" or landlock.truncates()
    return seccomp.program(plan.sockets, "syslog" in plan.capabilities, truncates, os.getpid())


class _Spawn:
    """posix_spawn(3) without the interpreter's lock, which the standard library's would hold while the child waits.

    Made ready at once, run later; `close` lets its copies of the streams go.
    """

    def __init__(self, plan: Confinement, argv: Sequence[str], streams: Sequence[int], gate: hold.Gate | None) -> None:
        self.path = os.fsencode(argv[0])
        self.argv = _strings(argv)
        self.environment = _strings([f"{name}={value}" for name, value in plan.environment])
        self.attributes = ctypes.create_string_buffer(_ROOM)
        self.actions = ctypes.create_string_buffer(_ROOM)
        _checked(_libc.posix_spawnattr_init(self.attributes))
        _checked(_libc.posix_spawn_file_actions_init(self.actions))
        self._set_signals()
        self._streams = [_high(fd) for fd in streams]
        self._set_files(gate)

    def run(self) -> int:
        """The number of the started process; OSError with the program's name when there is none."""
        pid = ctypes.c_int(0)
        words = (ctypes.byref(pid), self.path, self.actions, self.attributes, self.argv, self.environment)
        _checked(_libc.posix_spawn(*words), os.fsdecode(self.path))
        return pid.value

    def close(self) -> None:
        """Let everything go that was made ready."""
        for fd in self._streams:
            os.close(fd)
        _libc.posix_spawn_file_actions_destroy(self.actions)
        _libc.posix_spawnattr_destroy(self.attributes)

    def _set_signals(self) -> None:
        signals = ctypes.create_string_buffer(_ROOM)
        _libc.posix_spawnattr_setflags(self.attributes, ctypes.c_short(_SETSIGDEF | _SETSIGMASK | _SETSID))
        _libc.sigfillset(signals)
        _libc.posix_spawnattr_setsigdefault(self.attributes, signals)
        _libc.sigemptyset(signals)
        _libc.posix_spawnattr_setsigmask(self.attributes, signals)

    def _set_files(self, gate: hold.Gate | None) -> None:
        """The gate, then the three streams, then nothing else."""
        if gate is not None:
            # Onto 0, which the first stream replaces: no other descriptor is touched.
            for path, flags in zip(gate.paths, (os.O_WRONLY, os.O_RDONLY)):
                _checked(_libc.posix_spawn_file_actions_addopen(self.actions, 0, path, flags, 0))
        for target, fd in enumerate(self._streams):
            _checked(_libc.posix_spawn_file_actions_adddup2(self.actions, fd, target))
        for fd in _inheritable():
            _checked(_libc.posix_spawn_file_actions_addclose(self.actions, fd))


def _inheritable() -> list[int]:
    """Descriptors above 2 that an exec would hand down; our own never are."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        try:
            if fd > 2 and os.get_inheritable(fd):
                found.append(fd)
        except OSError:
            continue  # the descriptor of the listing itself
    return found


def _high(fd: int) -> int:
    """A copy of a descriptor above 2, so that filling 0 to 2 cannot overwrite it."""
    return int(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3))


def _strings(words: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    """A NULL-ended array of C strings; ValueError for a NUL inside."""
    encoded = [os.fsencode(word) for word in words]
    if any(b"\0" in word for word in encoded):
        raise OSError(errno.EINVAL, "a word of a command holds a NUL")
    return (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None)


def _checked(code: int, what: str = "") -> None:
    if code:
        raise OSError(code, os.strerror(code), what or None)
