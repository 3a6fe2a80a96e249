"""Replacing a file, whole or not at all, in a folder that is open.

Rules:
1. A temp file in the same folder, written, synced, renamed; then the folder is synced. Nothing is written in place.
   Where the file system can (O_TMPFILE), it has a name only from when it is whole until it is renamed: a process that
   is killed while it writes leaves nothing behind.
2. What is replaced is what was judged: the same device and inode right before the rename. A new file never lands on
   something that appeared meanwhile (RENAME_NOREPLACE). A rename replaces a link, it never follows one. Between that
   look and the rename the folder is locked (flock): of two agents none loses what the other has written. Who holds the
   lock for longer than _PATIENCE is not waited for.
3. No set-id and sticky bits, no capabilities: what a tool wrote must not run with another's rights. The owner stays.
4. Whatever goes wrong, the temp file goes and the sentence says whether the file was changed.
"""

from __future__ import annotations

import os
from errno import EAGAIN, EEXIST, EINVAL, EISDIR, ENOENT, ENOSYS, EOPNOTSUPP, EPERM, EXDEV

from edge.faults import ToolFault
from edge.hands.open import rename_new, said
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.hands.guard import Guard

    Stamp = tuple[int, int, int, int]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HIDDEN = os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC
_CANNOT = (ENOSYS, EINVAL, EPERM, EOPNOTSUPP)
_PATIENCE = 1.0  # seconds
NEW: Stamp = (0, 0, 0, 0)  # the stamp of what is not there


class Changed(ToolFault):
    """Something else changed the file meanwhile; nothing was done."""

    def __init__(self, shown: str, how: str = "was changed by something else") -> None:
        super().__init__(f"{shown} {how} meanwhile", "nothing was changed; look at it again")


class Spot(Record):
    """Where a file is put: the open folder, the name in it, the path in sentences, the guard of the way.

    still: raises when the folder is no longer where it was judged to be.
    """

    folder: int
    name: str
    shown: str
    found: Guard
    still: Callable[[], None]


def stamp(status: os.stat_result) -> Stamp:
    """What changes when a file does: device, inode, size, time of change in nanoseconds."""
    return status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns


def replace(spot: Spot, content: bytes, read: Stamp | None = None) -> str:
    """Create or replace a file: `new` or `replaced`. ToolFault and Refused in sentences.

    read: the stamp of what the content was made from, NEW when it has to be new; ToolFault when the file is another one
    by now.
    """
    old = _old(spot.folder, spot.name, spot.shown, spot.found)
    if read and (stamp(old) if old else NEW) != read:
        raise Changed(spot.shown)
    temp = f".{os.urandom(8).hex()}.tmp"
    return _named(spot, temp, old, read, lambda: _fill(spot.folder, temp, content, old, spot.shown))


def standing(spot: Spot) -> os.stat_result | None:
    """The file that would be replaced, None when there is none. ToolFault and Refused when it may not be."""
    return _old(spot.folder, spot.name, spot.shown, spot.found)


def adopt(spot: Spot, temp: str, descriptor: int) -> str:
    """Give the file `temp` of the folder, open as `descriptor`, its name: `new` or `replaced`. It goes on a fault."""
    old = standing(spot)

    def fill() -> None:
        if old:
            _keep(descriptor, old, spot.shown)
        os.fsync(descriptor)

    return _named(spot, temp, old, None, fill)


def _named(spot: Spot, temp: str, old: os.stat_result | None, read: Stamp | None, fill: Callable[[], None]) -> str:
    """Have the temp file filled, and give it its name in place of `old` (rule 4)."""
    done = False
    try:
        fill()
        spot.still()
        _put(spot.folder, temp, spot.name, old, spot.shown, read)
        done = True
        os.fsync(spot.folder)
    except OSError as error:
        if done and error.errno == EINVAL:
            return "replaced" if old else "new"  # a file system without such a thing: nothing is left to be confirmed
        if done:
            raise ToolFault(
                f"{spot.shown} was replaced, but the card did not confirm it: {said(error)}", "read it back"
            ) from error
        raise ToolFault(f"{spot.shown} cannot be written: {said(error)}", "nothing was changed") from error
    finally:
        if not done:
            _drop(spot.folder, temp)
    return "replaced" if old else "new"


def confirm(folder: int, done: str) -> None:
    """Sync an open folder. ToolFault, which begins with what was `done` already, when the card does not confirm it."""
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno != EINVAL:  # a file system without such a thing: nothing is left to be confirmed
            raise ToolFault(f"{done}, but the card did not confirm it: {said(error)}", "look at it again") from error


def new_folder(folder: int, name: str, shown: str) -> bool:
    """Make the folder `name` in the open `folder`; False when it is there. ToolFault when something else is."""
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError as error:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if mode & 0o170000 != 0o040000:
            raise ToolFault(f"{shown} is there and is no folder", "nothing was changed; choose another name") from error
        return False
    confirm(folder, f"{shown} was made")
    return True


def _drop(folder: int, temp: str) -> None:
    from contextlib import suppress

    # It never came to be, or the card lets nothing be removed: the fault on its way says what happened.
    with suppress(OSError):
        os.unlink(temp, dir_fd=folder)


def _old(folder: int, name: str, shown: str, found: Guard) -> os.stat_result | None:
    """The file that is there, when it is one that may be replaced; None when there is nothing."""
    try:
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
        kind = old.st_mode & 0o170000
        target = os.readlink(name, dir_fd=folder) if kind == 0o120000 else ""
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolFault(f"{shown} cannot be written: {said(error)}", "nothing was changed") from error
    if target:
        raise ToolFault(f"{shown} is a link to {target!r}, no regular file", "write to what it points to, by its name")
    if kind != 0o100000:
        raise ToolFault(f"{shown} is no regular file", "choose another name")
    found.name(folder, name)
    found.end(old, folder)
    if old.st_nlink > 1:
        raise ToolFault(f"{shown} has a second name (hard link)", "choose another name")
    return old


def _fill(folder: int, temp: str, content: bytes, old: os.stat_result | None, shown: str) -> None:
    # A new file gets what the umask, or the access list of the folder, gives to every new file there.
    mode = 0o600 if old else 0o666
    descriptor = nameless(folder, mode)
    if descriptor >= 0:
        try:
            _filled(descriptor, content, old, shown)
            if linked(descriptor, folder, temp):
                return
        finally:
            os.close(descriptor)
    descriptor = os.open(temp, _NEW, mode, dir_fd=folder)
    try:
        _filled(descriptor, content, old, shown)
    finally:
        os.close(descriptor)


def nameless(folder: int, mode: int) -> int:
    """A file of the folder without a name; -1 where this kernel or file system has none (open(2), O_TMPFILE)."""
    try:
        return os.open(".", _HIDDEN, mode, dir_fd=folder)
    except OSError as error:
        if error.errno not in (*_CANNOT, EISDIR, ENOENT):
            raise
        return -1


def linked(descriptor: int, folder: int, temp: str) -> bool:
    """Give it its name; False where it cannot have one (no /proc; an overlay of old kernels)."""
    try:
        os.link(f"/proc/self/fd/{descriptor}", temp, dst_dir_fd=folder, follow_symlinks=True)
    except OSError as error:
        if error.errno not in (*_CANNOT, ENOENT, EXDEV):
            raise
        return False
    return True


def _filled(descriptor: int, content: bytes, old: os.stat_result | None, shown: str) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    if old:
        _keep(descriptor, old, shown)
    os.fsync(descriptor)


def _put(folder: int, temp: str, name: str, old: os.stat_result | None, shown: str, read: Stamp | None) -> None:
    """Give the temp file its name, in place of `old` or of nothing."""
    if old is None:
        _put_new(folder, temp, name, shown)
        return
    lock = locked(folder)
    try:
        _put_over(folder, temp, name, old, shown, read)
    finally:
        if lock >= 0:
            os.close(lock)


def locked(folder: int) -> int:
    """A descriptor that holds the lock of the folder until it is closed; -1 where it cannot be had."""
    import fcntl
    import time

    try:
        lock = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return -1
    ends = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError as error:
            if error.errno != EAGAIN or time.monotonic() > ends:
                os.close(lock)
                return -1
        time.sleep(0.002)


def _put_over(folder: int, temp: str, name: str, old: os.stat_result, shown: str, read: Stamp | None) -> None:
    try:
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        now = None
    same = now is not None and (now.st_dev, now.st_ino) == (old.st_dev, old.st_ino) and now.st_nlink < 2
    if not same or (read and now is not None and stamp(now) != read):
        raise Changed(shown)
    os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)


def _put_new(folder: int, temp: str, name: str, shown: str) -> None:
    try:
        try:
            rename_new(folder, temp, name)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
            _put_by_link(folder, temp, name)
    except FileExistsError as error:
        raise Changed(shown, "appeared") from error


def _put_by_link(folder: int, temp: str, name: str) -> None:
    """Where the kernel or the file system has no RENAME_NOREPLACE: a link fails on what is there as well."""
    try:
        os.link(temp, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    else:
        _drop(folder, temp)
        return
    # Neither (an old FAT driver): the gap between the look and the rename stays, and a rename follows no link.
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    raise FileExistsError(EEXIST, os.strerror(EEXIST))


def _keep(descriptor: int, old: os.stat_result, shown: str) -> None:
    """Give the new file the owner, the group and the permissions of the old one.

    A group that cannot be kept loses what the old group could do. ToolFault when the owner would change.
    """
    new = os.fstat(descriptor)
    mode = old.st_mode & 0o777
    if old.st_uid != new.st_uid:
        try:
            os.fchown(descriptor, old.st_uid, -1)
        except OSError as error:
            raise ToolFault(f"{shown} belongs to another user", "choose another name") from error
    if old.st_gid != new.st_gid:
        try:
            os.fchown(descriptor, -1, old.st_gid)
        except OSError:
            mode &= 0o707
    # FAT has one set of permissions for all its files, and refuses to be asked for others.
    if mode != new.st_mode & 0o7777:
        os.fchmod(descriptor, mode)
