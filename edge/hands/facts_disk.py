"""Mounted file systems and their sizes.

Rules:
1. The kernel's list of mounts is the truth (/proc/self/mountinfo, proc(5)). What holds no files of people (proc, sysfs,
   cgroups and the like) is left out; of several mounts of one file system the first is told.
2. A server that does not answer must not hang the call: file systems of a network are asked from a thread of their own.
3. `free` is what users may still write; the share in use is of that, as users see it. Sizes in bytes.
"""

from __future__ import annotations

import os

from edge.gate.paths import inside
from edge.hands.facts_reader import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

# File systems without a device that hold files all the same.
_HOLDS = frozenset(("overlay", "tmpfs", "aufs", "zfs", "bcachefs", "9p", "virtiofs", "ubifs", "ramfs", "rootfs"))
_NETWORK = ("nfs", "cifs", "smb", "fuse", "9p", "ceph", "afs", "glusterfs", "ncpfs", "davfs", "virtiofs")
_HIDDEN = ("/proc", "/sys", "/dev", "/run/user", "/run/credentials", "/run/lock", "/snap", "/var/lib/docker")
_ANSWER = 2.0  # seconds that a server has
_MOST = 64  # file systems


def disks(reader: Reader, late: Callable[[], str]) -> Facts:
    """`file_systems`: mounted where, kind, device, sizes, read-only; `unanswered` servers are named.

    Whatever is left when it is `late` is counted in `not_asked`.
    """
    nodev = without_device(reader.text("/proc/filesystems", 16384))
    found, silent = [], []
    rows = mounts(reader.text("/proc/self/mountinfo", 1 << 20), nodev)
    asked = 0
    for row in rows[:_MOST]:
        if late():
            break
        asked += 1
        sizes = _sizes(row["mounted"], row["kind"].startswith(_NETWORK))
        if sizes is None:
            silent.append(row["mounted"])
        elif sizes.get("bytes") or row["kind"] not in ("tmpfs", "ramfs"):
            found.append({**row, **sizes})
    return known({"file_systems": found, "unanswered": silent, "not_asked": len(rows) - asked or None})


def without_device(text: str | None) -> frozenset[str]:
    """The kinds that /proc/filesystems marks `nodev`."""
    lines = [line.split("\t") for line in (text or "").splitlines()]
    return frozenset([parts[1].strip() for parts in lines if len(parts) > 1 and parts[0] == "nodev"])


def mounts(text: str | None, nodev: frozenset[str]) -> list[Facts]:
    """The file systems that hold files, once each: `mounted device kind readonly`."""
    found: dict[str, Facts] = {}
    tops: dict[str, str] = {}
    for line in (text or "").splitlines():
        left, parted, right = line.partition(" - ")
        head, tail = left.split(" "), right.split(" ")
        if not parted or len(head) < 6 or len(tail) < 3:
            continue
        point, kind = unescaped(head[4]), tail[0]
        tops[point] = head[2]  # a later mount covers an earlier one
        if not _wanted(point, kind, nodev) or head[2] in found:
            continue
        readonly = "ro" in head[5].split(",") or "ro" in tail[2].split(",")
        device = unescaped(tail[1])
        found[head[2]] = {"mounted": point, "device": device, "kind": kind, "readonly": readonly}
    return [row for number, row in found.items() if tops[row["mounted"]] == number]


def _wanted(point: str, kind: str, nodev: frozenset[str]) -> bool:
    if point != "/dev/shm" and any(inside(point, folder) for folder in _HIDDEN):
        return False
    return kind not in nodev or kind in _HOLDS or kind.startswith(_NETWORK)


def unescaped(text: str) -> str:
    """A path of the list of mounts: blank, tab, line end and backslash are written as three octal digits."""
    head, *rest = text.split("\\")
    for part in rest:
        digits = part[:3]
        if len(digits) == 3 and not digits.strip("01234567"):
            head += chr(int(digits, 8)) + part[3:]
        else:
            head += "\\" + part
    return head


def _sizes(path: str, far: bool) -> Facts | None:
    """The sizes of a file system; None when it does not answer in time, {} when it will not say."""
    if not far:
        return space(path)
    import _thread

    done: Any = _thread.allocate_lock()
    done.acquire()
    found: list[Facts] = []

    def ask() -> None:
        found.append(space(path))
        done.release()

    _thread.start_new_thread(ask, ())
    return found[0] if done.acquire(timeout=_ANSWER) else None


def space(path: str) -> Facts:
    """statvfs(3) in bytes and percent; {} when it cannot be asked."""
    try:
        told = os.statvfs(path)
    except OSError:
        return {}
    used = (told.f_blocks - told.f_bfree) * told.f_frsize
    free = told.f_bavail * told.f_frsize
    shares = {"used_percent": share(used, used + free), "inodes_used_percent": None}
    if told.f_files:
        shares["inodes_used_percent"] = share(told.f_files - told.f_ffree, told.f_files)
    return known({"bytes": told.f_blocks * told.f_frsize, "used_bytes": used, "free_bytes": free, **shares})


def share(part: int, whole: int) -> int | None:
    """Percent, rounded up as df does; None of nothing."""
    return -(-100 * part // whole) if whole > 0 else None
