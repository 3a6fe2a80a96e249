"""What a plan lets a child do with files, as a Landlock ruleset (Documentation/userspace-api/landlock.rst).

Rules:
1. Rights are masked to what this kernel's Landlock knows and to what fits the thing: a file gets no folder's rights.
2. Landlock cannot subtract. A folder over something hidden gets the right to list it, which holds for all below it,
   and its other children get their rights one by one. In such a folder no new thing can be made, and the names
   below what is hidden can be listed.
3. /proc and /sys make their files at the moment of asking and are not split: there the kernel's own checks (the
   memory and environment of processes outside the wall, what needs a capability) close what is hidden.
4. A link is never followed from a split folder: what it points to has to be granted itself.
5. What is missing is left out; what was not seen because a bound was reached is left out too.
6. A ruleset is kept for the next call as long as the granted things are the same and split folders did not change.
"""

from __future__ import annotations

import _thread
import ctypes
import errno
import os
import stat
import struct

from edge.gate.paths import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from edge.hands.wall.confine import Confinement

    Key = tuple[object, ...]

CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on all machines
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = 1, 2, 4, 8, 16, 32
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK = 64, 128, 256, 512, 1024, 2048
MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV = 4096, 8192, 16384, 32768
READS = EXECUTE | READ_FILE | READ_DIR
CHANGES = (
    WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | REFER | TRUNCATE
)
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
# All rights of files that each version handles (include/uapi/linux/landlock.h); later ones add none.
HANDLED = (0, 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF)
BIND, CONNECT = 1, 2  # TCP, from version 4
ABSTRACT, SIGNAL = 1, 2  # scopes, from version 6
ALWAYS = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_UNSPLIT = ("/proc", "/sys")
# Folders that nobody replaces while an agent runs. Were one replaced, the new one would be closed.
_LASTING = frozenset(
    (
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/usr",
        "/etc",
        "/proc",
        "/sys",
        "/dev",
        "/boot",
        "/var/log",
    )
)
_ENTRIES = 8192  # of one split folder
_KEPT = 8
_PATH = os.O_PATH | os.O_CLOEXEC

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_version = -1
_kept: dict[Key, int] = {}
_lock = _thread.allocate_lock()


def _call(number: int, *words: int | bytes | None) -> int:
    given = [ctypes.c_long(word) if isinstance(word, int) else ctypes.c_char_p(word) for word in words]
    result = int(_libc.syscall(ctypes.c_long(number), *given))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "Landlock")
    return result


def version() -> int:
    """Which version of Landlock this kernel has; 0 for none. Asked once."""
    global _version
    if _version < 0:
        try:
            _version = _call(CREATE, None, 0, 1)
        except OSError:
            _version = 0
    return _version


def truncates() -> bool:
    """Does this kernel's Landlock know truncation?"""
    return version() >= 3


def holds_signals() -> bool:
    """Does this kernel's Landlock keep signals inside the wall?"""
    return version() >= 6


class _Builder:
    """One ruleset that grows by rules."""

    def __init__(self, plan: Confinement) -> None:
        self.handled = HANDLED[min(version(), 5)]
        network = 0 if version() < 4 or "inet" in plan.sockets else BIND | CONNECT
        scopes = 0 if version() < 6 else ABSTRACT | SIGNAL
        size = 8 if version() < 4 else 16 if version() < 6 else 24
        self.hidden = frozenset(plan.hidden)
        self.over = frozenset(above for path in self.hidden for above in _above(path))
        self.watched: list[str] = []
        self.fd = _call(CREATE, struct.pack("=QQQ", self.handled, network, scopes)[:size], size, 0)

    def add(self, path: str, rights: int, follow: bool = False) -> None:
        """Rights for one thing that exists, masked to what it is; what is missing or hidden is left out."""
        try:
            fd = os.open(path, _PATH | (0 if follow else os.O_NOFOLLOW))
        except OSError:
            return
        try:
            self.grant(fd, rights)
        finally:
            os.close(fd)

    def grant(self, fd: int, rights: int) -> None:
        kind = os.fstat(fd).st_mode
        if stat.S_ISLNK(kind):
            return
        if not stat.S_ISDIR(kind):
            rights &= OF_FILES
        rights &= self.handled
        if rights:
            _call(ADD, self.fd, 1, struct.pack("=Qi", rights, fd), 0)

    def below(self, path: str, rights: int) -> None:
        """Rights for a thing and all below it but what is hidden (rule 2)."""
        path = path.rstrip("/") or "/"
        if path in self.hidden:
            return
        if any(inside(path, one) for one in self.hidden) and stat.S_ISDIR(_mode(path)):
            return  # a single file that is named itself was granted for what it is
        if path not in self.over or path in _UNSPLIT:
            self.add(path, rights, follow=True)
            return
        todo = [path]
        while todo:
            todo += self._split(todo.pop(), rights)

    def _split(self, folder: str, rights: int) -> list[str]:
        """List-only for `folder`, its harmless children singly; the children that must be split again."""
        self.watched.append(folder)
        self.add(folder, READ_DIR & rights)
        deeper = []
        for name in _names(folder):
            path = f"{folder.rstrip('/')}/{name}"
            if path in self.hidden:
                continue
            if path in self.over and path not in _UNSPLIT:
                deeper.append(path)
            else:
                self.add(path, rights)
        return [path for path in deeper if stat.S_ISDIR(_mode(path))]


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry, _ in zip(entries, range(_ENTRIES))]
    except OSError:
        return []


def _above(path: str) -> Iterable[str]:
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


def _build(plan: Confinement, also: tuple[int, ...]) -> _Builder:
    made = _Builder(plan)
    try:
        for path in plan.lists:
            made.add(path, READ_DIR, follow=True)
        for path in plan.reads:
            made.below(path, READS)
        for path in plan.writes:
            device = stat.S_ISCHR(_mode(path)) or stat.S_ISBLK(_mode(path))
            made.below(path, READ_FILE | WRITE_FILE | IOCTL_DEV if device else READS | CHANGES)
        for path in ALWAYS:
            made.add(path, READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV)
        for fd in also:
            made.grant(fd, READ_FILE | WRITE_FILE)
    except OSError:
        os.close(made.fd)
        raise
    return made


def _identity(path: str, follow: bool = True) -> tuple[int, ...]:
    try:
        found = os.stat(path, follow_symlinks=follow)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino)


def _state(path: str) -> tuple[int, ...]:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)


_watched: dict[Key, tuple[tuple[str, tuple[int, ...]], ...]] = {}


def ruleset(plan: Confinement, also: tuple[int, ...] = ()) -> int:
    """A descriptor of the ruleset for `plan`, for the caller to close. OSError when there is no Landlock.

    `also`: descriptors (O_PATH will do) of single files that may be read and written besides.
    """
    granted = (path for paths in (plan.lists, plan.reads, plan.writes) for path in paths)
    tops = tuple(_identity(path) for path in granted if path not in _LASTING)
    key: Key = (plan.lists, plan.reads, plan.writes, plan.hidden, "inet" in plan.sockets, also, tops)
    with _lock:
        found = _kept.get(key)
        if found is not None:
            if all(_state(path) == state for path, state in _watched[key]):
                _kept[key] = _kept.pop(key)  # the one that was used last goes last
                return os.dup(found)
            _forget(key)
        before = _clock()
        made = _build(plan, also)
        states = tuple((path, _state(path)) for path in dict.fromkeys(made.watched))
        # A folder that changed in this very tick may change again without a trace: such a ruleset serves one call.
        if any(state and max(state[2:]) >= before - 20_000_000 for _, state in states):
            return made.fd
        if len(_kept) >= _KEPT:
            _forget(next(iter(_kept)))
        _kept[key], _watched[key] = made.fd, states
        return os.dup(made.fd)


def _clock() -> int:
    import time

    return time.time_ns()


def _forget(key: Key) -> None:
    os.close(_kept.pop(key))
    _watched.pop(key)


def restrict(ruleset: int) -> None:
    """Put the calling thread, and all it starts, behind a ruleset. Needs no_new_privs. OSError when refused."""
    _call(RESTRICT, ruleset, 0)


def missing() -> OSError:
    """What is raised where the kernel has no Landlock."""
    return OSError(errno.EOPNOTSUPP, "this kernel has no Landlock")
