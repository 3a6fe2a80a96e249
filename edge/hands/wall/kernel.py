"""System calls that Python has no name for: name spaces, mounts, users and capabilities of one thread.

Rules:
1. Each function does one call and raises OSError as `os` would. EINTR cannot come from any of them but is retried.
2. Numbers by the machine of the *process*, told by its pointer size: a 32-bit program on a 64-bit Pi kernel reports
   aarch64. Sources: arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl, arch/arm/tools/syscall.tbl,
   include/uapi/asm-generic/unistd.h (arm64, riscv) of Linux 6.12. From 424 on all machines count alike.
3. What changes users or capabilities is the bare call, which changes the calling thread alone; the C library's
   setresuid(3) would change every thread of the agent.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE, MS_RELATIME = 1024, 2048, 4096, 16384, 1 << 18, 1 << 21
MNT_DETACH = 2
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_IDMAP = 1, 2, 4, 0x00100000
OPEN_TREE_CLONE, AT_RECURSIVE, AT_EMPTY_PATH = 1, 0x8000, 0x1000
MOVE_MOUNT_F_EMPTY_PATH = 4
SIGCHLD = 17
PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 1, 3, 4, 8
PR_CAPBSET_READ, PR_CAPBSET_DROP = 23, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
CAPABILITIES = {"syslog": 34}  # those a permit can name (include/uapi/linux/capability.h)
CAPABILITY_VERSION_3 = 0x20080522

_NAMES = ("clone", "pivot_root", "setgroups", "setresuid", "setresgid", "capset")
_NUMBERS = {
    "x86_64": (56, 155, 116, 117, 119, 126),
    "generic": (220, 41, 159, 147, 149, 91),
    "arm": (120, 218, 206, 208, 210, 185),  # the calls with 32-bit ids
    "i386": (120, 217, 206, 208, 210, 185),
}
_SHARED = {"open_tree": 428, "move_mount": 429, "mount_setattr": 442}

_library = ctypes.CDLL(None, use_errno=True)
_holding = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock during the call


def machine(name: str = "", wide: bool = sys.maxsize > 1 << 32) -> str:
    """Which row of numbers a process uses: of its machine name (of uname) and whether its pointers have 64 bits."""
    name = name or os.uname().machine
    if name in ("x86_64", "amd64", "i386", "i486", "i586", "i686"):
        return "x86_64" if wide else "i386"
    if name.startswith(("arm", "aarch64")):
        return "generic" if wide else "arm"
    return "generic"


def number(name: str, row: str = "") -> int:
    """The number of a system call."""
    return _SHARED.get(name) or _NUMBERS[row or machine()][_NAMES.index(name)]


def _checked(result: int, what: str = "") -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what or None)
    return result


def _call(name: str, *words: Any) -> int:
    wide = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    return int(_library.syscall(ctypes.c_long(number(name)), *wide))


def prctl(option: int, *words: int) -> int:
    """prctl(2); what is not given is 0."""
    filled = [ctypes.c_ulong(word) for word in (*words, 0, 0, 0, 0)[:4]]
    return _checked(int(_library.prctl(ctypes.c_int(option), *filled)), "prctl")


def unshare(flags: int) -> None:
    """New name spaces for the calling thread."""
    _checked(int(_library.unshare(ctypes.c_int(flags))), "unshare")


def clone(flags: int) -> int:
    """fork(2) into new name spaces: 0 in the child. Only for a process that has one thread.

    The interpreter's lock is held all the while and the one thread keeps its identity, so that the interpreter
    needs no repair in the child.
    """
    words = [ctypes.c_long(word) for word in (number("clone"), flags | SIGCHLD, 0, 0, 0, 0)]
    return _checked(int(_holding.syscall(*words)), "clone")


def sleeper(flags: int, seconds: int = 30) -> int:
    """The pid of a child in new name spaces that does nothing but sleep for a while; OSError.

    For a process of many threads too: the child never comes back into the interpreter or the allocator, whose locks
    another thread may have held; it runs sleep(3) of the C library on a stack of its own, with all signals blocked,
    and then ends. As of a fork, it has copies of all descriptors.
    """
    import signal

    stack = ctypes.create_string_buffer(1 << 16)
    top = (ctypes.addressof(stack) + len(stack)) & ~0xFF  # of a copy of this memory; stacks grow downward here
    before = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    try:
        words = (ctypes.c_void_p(top), ctypes.c_int(flags | SIGCHLD), ctypes.c_void_p(seconds))
        return _checked(int(_library.clone(ctypes.cast(_library.sleep, ctypes.c_void_p), *words)), "clone")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """mount(2)."""
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    given = options.encode() if options else None
    _checked(int(_library.mount(*words, ctypes.c_ulong(flags), given)), target)


def unmount(target: str) -> None:
    """Let a whole tree of mounts go, also a busy one."""
    _checked(int(_library.umount2(os.fsencode(target), ctypes.c_int(MNT_DETACH))), target)


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root; the old one is then at `old`, a folder below it."""
    _checked(_call("pivot_root", ctypes.c_char_p(os.fsencode(new)), ctypes.c_char_p(os.fsencode(old))), new)


def open_tree(path: str, deep: bool) -> int:
    """A detached copy of what is mounted at `path`, as a descriptor. From Linux 5.2."""
    flags = OPEN_TREE_CLONE | os.O_CLOEXEC | (AT_RECURSIVE if deep else 0)
    return _checked(_call("open_tree", -100, ctypes.c_char_p(os.fsencode(path)), flags), path)


def move_mount(tree: int, target: str) -> None:
    """Attach a detached tree over `target`."""
    words = (tree, ctypes.c_char_p(b""), -100, ctypes.c_char_p(os.fsencode(target)), MOVE_MOUNT_F_EMPTY_PATH)
    _checked(_call("move_mount", *words), target)


def mount_setattr(where: int | str, attributes: int, deep: bool, users: int = 0) -> None:
    """Set attributes of a mount, by path or by the descriptor of a detached tree. From Linux 5.12."""
    values = struct.pack("=QQQQ", attributes, 0, 0, users)
    flags = (AT_RECURSIVE if deep else 0) | (AT_EMPTY_PATH if isinstance(where, int) else 0)
    folder, path = (where, b"") if isinstance(where, int) else (-100, os.fsencode(where))
    result = _call("mount_setattr", folder, ctypes.c_char_p(path), flags, ctypes.c_char_p(values), len(values))
    _checked(result, path.decode("utf-8", "replace"))


def become(uid: int, gid: int) -> None:
    """Give the calling thread this user, this group and no others. Its capabilities go, unless PR_SET_KEEPCAPS."""
    _checked(_call("setgroups", 0, ctypes.c_void_p(None)), "setgroups")
    _checked(_call("setresgid", gid, gid, gid), "setresgid")
    _checked(_call("setresuid", uid, uid, uid), "setresuid")


def bound(numbers: Iterable[int] = ()) -> None:
    """Take every capability but these from what an exec could ever give the calling thread.

    Without CAP_SETPCAP nothing changes; no_new_privs then keeps an exec from giving any.
    """
    kept = set(numbers)
    for one in range(64):
        words = [ctypes.c_ulong(word) for word in (one, 0, 0, 0)]
        held = int(_library.prctl(ctypes.c_int(PR_CAPBSET_READ), *words))
        if held < 0:
            return
        if held and one not in kept:
            _library.prctl(ctypes.c_int(PR_CAPBSET_DROP), *words)


def hold(numbers: Iterable[int] = ()) -> None:
    """Drop every capability of the calling thread but these; these outlive an exec (ambient). OSError without them."""
    kept = 0
    for one in numbers:
        kept |= 1 << one
    low, high = kept & 0xFFFFFFFF, kept >> 32
    head = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    sets = struct.pack("=IIIIII", low, low, low, high, high, high)
    _checked(_call("capset", ctypes.c_char_p(head), ctypes.c_char_p(sets)), "capset")
    prctl(PR_CAP_AMBIENT, 4)  # PR_CAP_AMBIENT_CLEAR_ALL, from Linux 4.3
    for one in numbers:
        prctl(PR_CAP_AMBIENT, 2, one)  # PR_CAP_AMBIENT_RAISE
