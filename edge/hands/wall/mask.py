"""Covers over what stays closed in a folder that may be written, in a mount name space of the child's.

Rules:
1. A cover cannot be opened: an empty closed folder over a folder, a node where no node opens over a file. It can be
   neither removed nor renamed nor replaced nor linked to, as mount(2) and rename(2) say of what is mounted on.
2. So that it stays at its name, the folders on the way to it are mounted over themselves: those cannot be moved either.
3. Only what is there, and is no link on any part of its way, can be covered. Where what is to be closed is not there,
   an empty folder stands for its first missing part as long as a call needs it.
"""

from __future__ import annotations

import _thread
import os
import stat

from edge.gate.paths import inside
from edge.hands.wall import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 64  # covers of one child
_standing: dict[str, int] = {}  # the empty folders that stand, and how many calls need each
_lock = _thread.allocate_lock()
CLOSED = kernel.ATTR_RDONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV


def possible(hidden: Iterable[str], writes: Iterable[str]) -> tuple[str, ...]:
    """Of `hidden` what a cover can close below the folders `writes` (rule 3); () when those are too many."""
    found = []
    for path in hidden:
        if any(path != one and inside(path, one) for one in writes) and os.path.realpath(path) == path:
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                continue
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                found.append(path)
    outer = [path for path in found if not any(path != one and inside(path, one) for one in found)]
    return tuple(outer) if len(outer) <= MOST else ()


def stand_in(hidden: Iterable[str], writes: Iterable[str]) -> tuple[str, ...]:
    """Make the empty folders of rule 3, to be given to `let_go`. Where none can be made, no child can make one."""
    tops = tuple(writes)
    found: dict[str, None] = {}
    for path in hidden:
        if not any(path != one and inside(path, one) for one in tops):
            continue
        with _lock:
            first = next((one for one in _standing if inside(path, one)), "")
            if not first and not os.path.lexists(path):
                first = _made(path)
            if first and first not in found:
                found[first] = None
                _standing[first] = _standing.get(first, 0) + 1
    return tuple(found)


def _made(path: str) -> str:
    """An empty folder for the first missing part of a path; "" when it cannot be."""
    while not os.path.lexists(os.path.dirname(path)):
        path = os.path.dirname(path)
    try:
        if os.path.realpath(path) == path:
            os.mkdir(path, 0o700)
            return path
    except OSError:
        return ""
    return ""


def let_go(standing: Iterable[str]) -> None:
    """A call needs its empty folders no more; what somebody filled stays."""
    for path in standing:
        with _lock:
            _standing[path] -= 1
            if not _standing[path]:
                del _standing[path]
                try:
                    os.rmdir(path)
                except OSError:
                    continue


def ways(paths: Iterable[str], writes: Iterable[str]) -> list[str]:
    """The folders between the outermost of `writes` and what is covered, those above first."""
    found: dict[str, None] = {}
    for path in paths:
        top = min((one for one in writes if path != one and inside(path, one)), key=len, default="")
        folder = os.path.dirname(path)
        while top and folder != top and inside(folder, top):
            found[folder] = None
            folder = os.path.dirname(folder)
    return sorted(found)


def hold(paths: Iterable[str], writes: Iterable[str]) -> None:
    """Keep the ways to `paths` where they are (rule 2). OSError."""
    writes = tuple(writes)
    for folder in ways(paths, writes):
        if folder not in writes:
            kernel.mount(folder, folder, "", kernel.MS_BIND | kernel.MS_REC)


def cover(path: str) -> None:
    """Put a cover over a file or folder. From Linux 5.12; OSError."""
    if os.path.isdir(path):
        kernel.mount("tmpfs", path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0000,size=4k")
    else:
        kernel.mount("/dev/full", path, "", kernel.MS_BIND)
    kernel.mount_setattr(path, CLOSED, False)
