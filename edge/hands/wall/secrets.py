"""Where keys lie below the folders that a child may use, found by name.

Rules:
1. A name is secret when edge.gate.secret.is_closed says so of its path: the wall closes what the gate would ask about.
2. A look is bounded in folders, names and time. What was not seen is treated as secret: fail closed, and the caller
   is told. The next look goes on from there, as what was seen is kept. What this user cannot read is closed as it is.
3. A folder that did not change since the last look is not read again. One that changed in this very moment is.
4. Links are not followed. What they point to is granted or closed by its own name.
5. Not looked at: /proc and /sys, whose files are made as they are asked for; /usr except /usr/local, which holds
   what the distribution gives to everybody.
"""

from __future__ import annotations

import os
import time

from edge.gate.paths import inside
from edge.gate.secret import closed_in, is_closed
from edge.record import Record

MOST = 20_000  # folders in one look
SECONDS = 5.0  # for what is read anew in one look
_ENTRIES = 20_000  # names in one folder
_FRESH = 50_000_000  # ns; a folder that changed within this may change again within the same tick
_UNSEEN = ("/proc", "/sys", "/dev")
_KEPT = 50_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Seen = tuple[tuple[int, int, int], tuple[str, ...], tuple[str, ...]]

# folder -> (device, inode, changed ns), the paths of keys in it, those of its folders
_seen: dict[str, Seen] = {}


class Found(Record):
    """`secret`: paths of keys; `unseen`: folders that were not looked into, to be kept closed."""

    secret: tuple[str, ...]
    unseen: tuple[str, ...]


def find(folders: tuple[str, ...], closed: tuple[str, ...] = (), most: int = MOST) -> Found:
    """The keys below `folders`, not looking into what is `closed` anyway. At most `most` folders are visited."""
    secret: list[str] = []
    unseen: list[str] = []
    barred = frozenset(closed)
    queue = [folder for top in folders for folder in _tops(top)]
    secret += [folder for folder in queue if is_closed(folder)]
    queue = [folder for folder in queue if folder not in secret]
    visited: set[str] = set()
    until = time.monotonic() + SECONDS
    number = 0
    while number < len(queue):
        folder = queue[number]
        number += 1
        if folder in visited or folder in barred:
            continue
        if len(visited) >= most:
            unseen.append(folder)
            continue
        visited.add(folder)
        found = _look(folder, time.monotonic() < until)
        if found is None:
            unseen.append(folder)
            continue
        secret += found[1]
        queue += found[2]
    return Found(tuple(secret), tuple(unseen))


def _tops(folder: str) -> tuple[str, ...]:
    """Where to begin for a granted folder (rule 5)."""
    if inside("/usr", folder) or any(inside(one, folder) for one in _UNSEEN):
        return ("/usr/local",) if folder == "/usr" else ()
    if any(inside(folder, one) for one in _UNSEEN):
        return ()
    if inside(folder, "/usr") and not inside(folder, "/usr/local"):
        return ()
    return (folder,)


def _look(folder: str, anew: bool) -> Seen | None:
    """The keys and the folders in a folder; None when it has too many names, or may not be read `anew`."""
    try:
        status = os.lstat(folder)
        stamp = (status.st_dev, status.st_ino, max(status.st_mtime_ns, status.st_ctime_ns))
        known = _seen.get(folder)
        if known is not None and known[0] == stamp:
            return known
        if status.st_mode & 0o170000 != 0o040000:
            return (stamp, (), ())
        if not anew:
            return None
        with os.scandir(folder) as entries:
            made = _sorted(folder, stamp, entries)
    except (FileNotFoundError, PermissionError):
        return ((0, 0, 0), (), ())
    except OSError:
        return None
    if made is not None and stamp[2] < time.time_ns() - _FRESH:
        if len(_seen) >= _KEPT:
            _seen.clear()
        _seen[folder] = made
    return made


def _sorted(folder: str, stamp: tuple[int, int, int], entries: Iterable[os.DirEntry[str]]) -> Seen | None:
    secret, folders = [], []
    closed, start = closed_in(folder), folder.rstrip("/") + "/"
    for number, entry in enumerate(entries):
        if number >= _ENTRIES:
            return None
        if closed(entry.name):
            secret.append(start + entry.name)
        elif entry.is_dir(follow_symlinks=False):
            folders.append(start + entry.name)
    return (stamp, tuple(secret), tuple(folders))
