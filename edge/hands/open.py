"""How a path below an opened root becomes a descriptor, and how it is known what was opened.

Rules:
1. Everything is opened as O_PATH first: that starts no watchdog, drops no line of a serial port, wakes no writer of
   a FIFO and cannot hang. Only what has been judged is opened again, for reading, through its own descriptor.
2. Links inside the root are followed where the kernel can hold the way below the root (openat2, RESOLVE_BENEATH,
   RESOLVE_NO_MAGICLINKS). Where it cannot, no link is followed. Which of the two is tried out once, live.
3. openat2 only finds where a path leads. What it found is walked part by part without following anything, each
   folder shown to the guard; so that what was judged and what is opened are the same, whatever moves meanwhile.
4. In the end the descriptor is asked for its path. Another one than was walked: tried anew, then refused.
5. ctypes cuts a text at a NUL: such a path is refused before it gets there.
"""

from __future__ import annotations

import os
from errno import EAGAIN, EINTR, EINVAL, ELOOP, ENOENT, ENOTDIR, EXDEV

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.hands.guard import Guard

THING = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER = THING | os.O_DIRECTORY
READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
TRIES = 16

# openat2(2): the number is the same on arm, aarch64, i386, x86-64 and riscv; linux/openat2.h.
_OPENAT2 = 437
_NO_MAGICLINKS, _BENEATH, _IN_ROOT = 0x02, 0x08, 0x10
# renameat2(2) by machine and size of a pointer: a 32-bit program on a 64-bit kernel has the numbers of 32 bit.
_RENAMEAT2 = {
    ("x86_64", 8): 316,
    ("x86_64", 4): 353,
    ("i386", 4): 353,
    ("arm", 4): 382,
    ("aarch64", 4): 382,
    ("aarch64", 8): 276,
    ("riscv64", 8): 276,
}
_way = ""
_system: list[Any] = []  # syscall(2) of the C library, once it was needed


class Moved(Exception):
    """What was opened is not where it was looked for; trying again may help. Never leaves the hands."""


def way() -> str:
    """`openat2` or `walk`: how this kernel, and what confines this process, lets paths be opened."""
    global _way
    if not _way:
        here = os.open("/", FOLDER)
        try:
            os.close(openat2(here, "proc/self/fd", os.O_PATH | os.O_CLOEXEC, _BENEATH | _NO_MAGICLINKS))
            _way = "openat2"
        except OSError:  # ENOSYS: before Linux 5.6. EPERM: a seccomp filter. No /proc: nothing can be asked back.
            _way = "walk"
        finally:
            os.close(here)
    return _way


def openat2(folder: int, path: str, flags: int, resolve: int) -> int:
    """The system call, tried again a bounded number of times when a rename raced with it. OSError as it says."""
    import ctypes

    name = os.fsencode(path)
    if b"\0" in name:
        raise OSError(EINVAL, "a path cannot hold a NUL")
    how = (ctypes.c_uint64 * 3)(flags, 0, resolve)
    return _asked(_OPENAT2, folder, ctypes.c_char_p(name), ctypes.byref(how), ctypes.sizeof(how))


def rename_new(folder: int, old: str, new: str, target: int = -1) -> None:
    """Rename, into the folder `target` when it is given, never onto something (RENAME_NOREPLACE).

    OSError; FileExistsError when it is there, ENOSYS where the number is not known, EINVAL where the file system
    cannot.
    """
    import ctypes
    from errno import ENOSYS

    machine = os.uname().machine
    machine = "i386" if machine in ("i486", "i586", "i686") else "arm" if machine.startswith("arm") else machine
    number = _RENAMEAT2.get((machine, ctypes.sizeof(ctypes.c_void_p)))
    if number is None:
        raise OSError(ENOSYS, os.strerror(ENOSYS))
    names = [ctypes.c_char_p(os.fsencode(name)) for name in (old, new)]
    _asked(number, folder, names[0], folder if target < 0 else target, names[1], 1)


def _asked(number: int, *values: Any) -> int:
    import ctypes

    if not _system:
        call = ctypes.CDLL(None, use_errno=True).syscall
        call.restype = ctypes.c_long
        _system.append(call)
    call = _system[0]
    # Every argument of a system call is as wide as a register; ctypes would pass an int as half of one.
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in (number, *values)]
    code = 0
    for _ in range(TRIES):
        found: int = call(*wide)
        if found >= 0:
            return found
        code = ctypes.get_errno()
        if code not in (EAGAIN, EINTR):
            break
    raise OSError(code, os.strerror(code))


def lead(root: int, path: str, shown: str) -> str:
    """Where `path` below `root` leads when links inside the root are followed: the real path below it.

    ToolFault with the reason when it leads to nothing or out of the root; the link that does is named with its target.
    """
    # From `/` nothing can be left, and there an absolute link is as good as any.
    everything = real(root) == "/"
    resolve = _NO_MAGICLINKS | (_IN_ROOT if everything else _BENEATH)
    try:
        found = openat2(root, path, os.O_PATH | os.O_CLOEXEC, resolve)
    except OSError as error:
        if error.errno == EAGAIN:
            raise Moved from error
        raise ToolFault(f"{shown} cannot be opened: {_blamed(root, path, shown, resolve, error)}") from error
    try:
        return below(root, found)
    finally:
        os.close(found)


def _blamed(root: int, path: str, shown: str, resolve: int, error: OSError) -> str:
    """What is wrong with a path that openat2 refused: the first part that fails; of a link where it points."""
    parts = path.split("/")
    for number, part in enumerate(parts, 1):
        try:
            os.close(openat2(root, "/".join(parts[:number]), os.O_PATH | os.O_CLOEXEC, resolve))
        except OSError as why:
            target = _target(root, "/".join(parts[: number - 1]) or ".", part, resolve)
            if target is None:
                return _at(part, shown) + said(why)
            if why.errno == ENOENT:
                return f"{part!r} is a link to {target!r}, where nothing is"
            if why.errno == ELOOP and not target.startswith("/"):
                return f"{part!r} is a link to {target!r} and leads round in a circle or into a process"
            if why.errno in (EXDEV, ELOOP):
                return f"{part!r} is a link to {target!r}, which is not followed from here; ask for what it points to"
            return f"{part!r} is a link to {target!r}: {said(why)}"
    return said(error)


def _at(part: str, shown: str) -> str:
    """The part of a path that fails, where it is not the thing itself: that was named already."""
    return "" if shown.rstrip("/").rpartition("/")[2] == part else f"{part!r}: "


def _target(root: int, folder: str, name: str, resolve: int) -> str | None:
    """Where the link `name` points to; None when it is no link."""
    try:
        above = openat2(root, folder, os.O_PATH | os.O_CLOEXEC, resolve)
    except OSError:
        return None
    try:
        return os.readlink(name, dir_fd=above)
    except OSError:
        return None
    finally:
        os.close(above)


def descend(root: int, path: str, shown: str, found: Guard, led: bool = False) -> int:
    """The O_PATH descriptor of `path`, walked from `root` without following a link; each folder shown to the guard.

    ToolFault with the reason; a link is told with its target, so that it can be asked for by name. With `led` the path
    is one that was just found to be without links: Moved when something in it is gone, or a link, by now.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")] or ["."]
    last = len(parts) - 1
    current = os.dup(root)
    arrived = False
    try:
        for number, part in enumerate(parts):
            found.folder(os.fstat(current))
            try:
                deeper = _one(current, part, THING if number == last else FOLDER)
            except OSError as error:
                if led and error.errno in (ENOENT, ENOTDIR, ELOOP):
                    raise Moved from error
                raise ToolFault(f"{shown} cannot be opened: {_reason(error, part, shown, current)}") from error
            above, current = current, deeper
            try:
                found.name(above, part)
            finally:
                os.close(above)
        arrived = True
    finally:
        if not arrived:
            os.close(current)
    return current


def _one(folder: int, part: str, flags: int) -> int:
    """One part of a path. With O_PATH a link would be opened itself: OSError as for any other way of not following."""
    found = os.open(part, flags, dir_fd=folder)
    if os.fstat(found).st_mode & 0o170000 == 0o120000:
        os.close(found)
        raise OSError(ELOOP, os.strerror(ELOOP))
    return found


def _reason(error: OSError, part: str, shown: str, folder: int) -> str:
    """Why a part of a path did not open."""
    try:
        target = os.readlink(part, dir_fd=folder)
    except OSError:
        return _at(part, shown) + said(error)
    return f"{part!r} is a link to {target!r}, and links are not followed; ask for what it points to"


def again(descriptor: int, shown: str) -> int:
    """What an O_PATH descriptor stands for, opened for reading without waiting. ToolFault when it cannot be."""
    try:
        return os.open(f"/proc/self/fd/{descriptor}", READING)
    except OSError as error:
        raise ToolFault(f"{shown} cannot be opened: {said(error)}") from error


def real(descriptor: int) -> str:
    """The path of what is open, as the kernel has it now. ToolFault when /proc is not there to say it."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError as error:
        raise ToolFault(f"what was opened has no path: {said(error)}", "files need /proc to be mounted") from error


def below(root: int, descriptor: int) -> str:
    """The path of what is open, relative to the open folder `root`, `.` for itself. Moved when it is not below it."""
    top, full = real(root), real(descriptor)
    if full == top:
        return "."
    top = top.rstrip("/") + "/"
    if not full.startswith(top):
        raise Moved
    return full[len(top) :]


def mount(descriptor: int) -> int:
    """The number of the mount through which a descriptor was opened (proc(5), fdinfo); -1 when it cannot be told."""
    try:
        info = os.open(f"/proc/self/fdinfo/{descriptor}", READING)
    except OSError:
        return -1
    try:
        for line in os.read(info, 1024).split(b"\n"):
            if line.startswith(b"mnt_id:"):
                return int(line[7:])
    finally:
        os.close(info)
    return -1


def said(error: OSError) -> str:
    """The system's own words for an error."""
    return (error.strerror or "unknown error").lower()
