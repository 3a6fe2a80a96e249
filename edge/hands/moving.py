"""Giving something another name, here or on another card.

Rules:
1. On one file system it is one rename, never onto something unless that was asked for, and then only a file onto a
   file: whole or not at all.
2. Across file systems it is copied beside its new name, synced, renamed there, and only then removed where it was.
   Power that fails in between leaves the old one, or both. Links are copied as links; FIFOs and devices are not.
3. Whatever lies below is judged by the gate by its old name and by its new one.
4. No folder goes into itself; a root stays where it is. What is under a second name is not replaced.
"""

from __future__ import annotations

import os
from errno import EINVAL, ENOSYS, EXDEV

from edge.faults import ToolFault
from edge.gate.paths import inside
from edge.hands.open import rename_new, said
from edge.hands.remove import full_of, not_a_root, surveyed
from edge.hands.replace import confirm, linked, locked, nameless
from edge.hands.walk import Judge, remove, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.hands.way import Way

_BLOCK = 1 << 20
_DEEPEST = 100  # folders in each other that are copied: each is an open file on either side
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def move(
    holder: Holder, ways: tuple[Way, Way], names: tuple[str, str], overwrite: bool, late: Callable[[], None]
) -> Mapping[str, Any]:
    """`files folders bytes copied made`. made: folders of the target that were missing. ToolFault, Refused, OSError."""
    source, target = ways
    fulls = full_of(holder, source), full_of(holder, target)
    not_a_root(holder, fulls[0], names[0], "moved")
    if inside(fulls[1], fulls[0]):
        what = "are the same" if fulls[0] == fulls[1] else "lie in each other: nothing goes into itself"
        raise ToolFault(f"{names[0]} and {names[1]} {what}", "nothing was moved")
    here = source.folder(names[0])
    try:
        source.found.name(here, source.name)
        judges = tuple([Judge(holder, source.found, full, "moved") for full in fulls])
        count, status = surveyed(here, source.name, judges, names[0], late)
        there, made = target.made(names[1])
        try:
            target.found.name(there, target.name)
            old = _in_the_way(there, target, names[1], overwrite, status)
            copied = _Move(ways, names, (here, there), late).go(old, status)
        finally:
            os.close(there)
    finally:
        os.close(here)
    return {"files": count.files, "folders": count.folders, "bytes": count.bytes, "copied": copied, "made": made}


def _in_the_way(there: int, target: Way, name: str, overwrite: bool, source: os.stat_result) -> os.stat_result | None:
    """What stands at the target, when it may be replaced; None when nothing does. ToolFault."""
    try:
        old = os.stat(target.name, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        return None
    kind = old.st_mode & 0o170000
    if kind == 0o040000:
        raise ToolFault(f"{name} is a folder that is there", f"nothing was moved; a name in it: {name}/...")
    if not overwrite:
        raise ToolFault(f"{name} is there", "nothing was moved; overwrite=true replaces it")
    if source.st_mode & 0o170000 == 0o040000 or kind not in (0o100000, 0o120000):
        raise ToolFault(f"{name} is there and cannot be replaced by that", "nothing was moved; choose another name")
    if kind == 0o100000 and old.st_nlink > 1:
        raise ToolFault(f"{name} has a second name (hard link)", "nothing was moved; choose another name")
    target.found.end(old, there)
    return old


class _Move:
    """One move, between two open folders."""

    __slots__ = ("_folders", "_late", "_names", "_ways")

    def __init__(
        self,
        ways: tuple[Way, Way],
        names: tuple[str, str],
        folders: tuple[int, int],
        late: Callable[[], None],
    ) -> None:
        self._ways = ways
        self._names = names
        self._folders = folders
        self._late = late

    def go(self, old: os.stat_result | None, status: os.stat_result) -> bool:
        """Move; True when it had to be copied."""
        source, target = self._ways
        here, there = self._folders
        for way_to, folder, name in ((source, here, self._names[0]), (target, there, self._names[1])):
            way_to.still(folder, name)
        now = os.stat(source.name, dir_fd=here, follow_symlinks=False)
        if (now.st_dev, now.st_ino) != (status.st_dev, status.st_ino):
            raise ToolFault(f"{self._names[0]} was changed by something else meanwhile", "nothing was moved")
        try:
            _rename(here, source.name, there, target.name, old, self._names[1])
        except OSError as error:
            if error.errno != EXDEV:
                raise
            self._copy(old)
            return True
        for folder in (there, here):
            confirm(folder, f"{self._names[0]} was moved to {self._names[1]}")
        return False

    def _copy(self, old: os.stat_result | None) -> None:
        source, target = self._ways
        here, there = self._folders
        from contextlib import suppress

        temp = f".{os.urandom(8).hex()}.tmp"
        done = False
        try:
            _copied(here, source.name, there, temp, 0, self._late)
            target.still(there, self._names[1])
            _rename(there, temp, there, target.name, old, self._names[1])
            done = True
        finally:
            if not done:
                with suppress(OSError, ToolFault):  # the fault on its way says what happened
                    remove(there, temp, _never)
        confirm(there, f"{self._names[0]} was copied to {self._names[1]} and is there twice")
        try:
            remove(here, source.name, _never)
            os.fsync(here)
        except (OSError, ToolFault) as error:
            why = said(error) if isinstance(error, OSError) else error.sentence
            raise ToolFault(
                f"{self._names[1]} is there, but {self._names[0]} could not be removed: {why}", "delete it yourself"
            ) from error


def _rename(here: int, name: str, there: int, new: str, old: os.stat_result | None, shown_as: str) -> None:
    """One rename; onto `old` when that is still what stands there, else onto nothing."""
    if old is not None:
        lock = locked(there)
        try:
            now = os.stat(new, dir_fd=there, follow_symlinks=False)
            if (now.st_dev, now.st_ino) != (old.st_dev, old.st_ino):
                raise ToolFault(f"{shown_as} was changed by something else meanwhile", "nothing was moved")
            os.rename(name, new, src_dir_fd=here, dst_dir_fd=there)
        finally:
            if lock >= 0:
                os.close(lock)
        return
    try:
        try:
            rename_new(here, name, new, there)
        except OSError as error:
            if error.errno not in (EINVAL, ENOSYS):
                raise
            _rename_old_way(here, name, there, new)
    except FileExistsError as error:
        raise ToolFault(f"{shown_as} appeared meanwhile", "nothing was moved; look at it again") from error


def _rename_old_way(here: int, name: str, there: int, new: str) -> None:
    """Where nothing knows RENAME_NOREPLACE (FAT): a gap stays between the look and the rename."""
    try:
        os.stat(new, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(name, new, src_dir_fd=here, dst_dir_fd=there)
        return
    raise FileExistsError(new)


def _copied(here: int, name: str, there: int, new: str, depth: int, late: Callable[[], None]) -> None:
    """Copy a file, a link or a folder with all below, each synced."""
    status = os.stat(name, dir_fd=here, follow_symlinks=False)
    kind = status.st_mode & 0o170000
    late()
    if depth > _DEEPEST:
        raise ToolFault(f"there are more than {_DEEPEST} folders in each other", "nothing was moved; move a part of it")
    if kind == 0o120000:
        os.symlink(os.readlink(name, dir_fd=here), new, dir_fd=there)
    elif kind == 0o100000:
        _copied_file(here, name, there, new, late)
    elif kind == 0o040000:
        _copied_folder(here, name, there, new, depth, late)
    else:
        raise ToolFault(f"{shown(name)} is no file, folder or link and cannot go to another card", "nothing was moved")


def _copied_folder(here: int, name: str, there: int, new: str, depth: int, late: Callable[[], None]) -> None:
    os.mkdir(new, 0o700, dir_fd=there)
    below, copy = os.open(name, _FOLDER, dir_fd=here), -1
    try:
        copy = os.open(new, _FOLDER, dir_fd=there)
        for one in os.listdir(below):
            _copied(below, one, copy, one, depth + 1, late)
        _kept(copy, os.fstat(below))
        os.fsync(copy)
    finally:
        os.close(below)
        if copy >= 0:
            os.close(copy)


def _copied_file(here: int, name: str, there: int, new: str, late: Callable[[], None]) -> None:
    """Copy a file; it has a name only when it is whole, where the file system can do that."""
    source, copy = os.open(name, _OLD, dir_fd=here), -1
    try:
        copy = nameless(there, 0o600)
        if copy >= 0:
            _poured(source, copy, late)
            if linked(copy, there, new):
                return
            os.close(copy)
            copy = -1
            os.lseek(source, 0, os.SEEK_SET)
        copy = os.open(new, _NEW, 0o600, dir_fd=there)
        _poured(source, copy, late)
    finally:
        os.close(source)
        if copy >= 0:
            os.close(copy)


def _poured(source: int, copy: int, late: Callable[[], None]) -> None:
    while block := os.read(source, _BLOCK):
        view = memoryview(block)
        while view:
            view = view[os.write(copy, view) :]
        late()
    _kept(copy, os.fstat(source))
    os.fsync(copy)


def _kept(copy: int, status: os.stat_result) -> None:
    """Owner, permissions without set-id bits, times: as far as this user and this card can."""
    from contextlib import suppress

    with suppress(OSError):
        os.fchown(copy, status.st_uid, status.st_gid)
    with suppress(OSError):
        os.fchmod(copy, status.st_mode & 0o777)
    with suppress(OSError):
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def _never() -> None:
    """What was begun is finished: the copy is there already, or has to go."""
