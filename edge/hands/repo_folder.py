"""Files below one open folder, each part of a path opened by itself, never through a link.

Rules:
1. A path is walked from the folder with O_NOFOLLOW. A link, a device, a FIFO is no file here.
2. What is the agent's own, or private, is known by what it is (edge/hands/below.py), for folders and files alike.
3. Reading is bounded by the caller; time by `late`, which raises.
4. What is written is a temp file, synced, renamed, and its folder synced; right before, the folder still lies below.
5. A lock is made as git makes it (`NAME.lock`, O_EXCL), so that git and this never write the same thing at once.
"""

from __future__ import annotations

import os
from errno import ELOOP, ENAMETOOLONG, EPERM

from edge.faults import ToolFault
from edge.hands.open import Moved, below, said
from edge.hands.repo_names import DEPTH, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.hands.below import Below

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT = 48  # open folders
_NAMES = 100_000  # entries of one folder


class Folder:
    """The files below an open folder. full: its absolute path. The descriptor is closed with it."""

    def __init__(self, descriptor: int, full: str, rules: Below, late: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.full = full
        self.late = late
        self._rules = rules
        self._open: dict[bytes, int] = {}

    def close(self) -> None:
        self._shut()
        os.close(self.descriptor)

    def forget(self) -> None:
        """Folders that were opened may be gone."""
        self._shut()

    def _shut(self) -> None:
        while self._open:
            os.close(self._open.popitem()[1])

    # --- looking: OSError as it comes ---

    def at(self, path: bytes) -> int:
        """The descriptor of a folder below, which stays this object's."""
        if not path:
            return self.descriptor
        found = self._open.get(path)
        if found is not None:
            return found
        self.late()
        if len(self._open) >= _KEPT:
            self._shut()
        parts = path.split(b"/")
        if len(parts) > DEPTH:
            raise OSError(ENAMETOOLONG, os.strerror(ENAMETOOLONG))
        here = self.descriptor
        full = self.full
        for part in parts:
            if part in (b"", b".", b".."):
                raise OSError(ELOOP, "no path below")
            try:
                deeper = os.open(part, _FOLDER, dir_fd=here)
            finally:
                if here != self.descriptor:
                    os.close(here)
            here = deeper
            full += "/" + shown(part)
            if not self._rules.folder(os.fstat(here), full):
                os.close(here)
                raise PermissionError(EPERM, "the agent's own, or private")
        self._open[path] = here
        return here

    def status(self, path: bytes) -> os.stat_result:
        folder, _, name = path.rpartition(b"/")
        return os.stat(name, dir_fd=self.at(folder), follow_symlinks=False)

    def target(self, path: bytes) -> bytes:
        folder, _, name = path.rpartition(b"/")
        return os.readlink(name, dir_fd=self.at(folder))

    def file(self, path: bytes) -> int:
        """A regular file, open for reading; the caller closes it."""
        folder, _, name = path.rpartition(b"/")
        above = self.at(folder)
        opened = os.open(name, _FILE, dir_fd=above)
        status = os.fstat(opened)
        fits = status.st_mode & 0o170000 == 0o100000
        if not fits or not self._rules.file(status, self.full + "/" + shown(folder)):
            os.close(opened)
            raise PermissionError(EPERM, "the agent's own, or private" if fits else "no regular file")
        return opened

    def read(self, path: bytes, most: int) -> bytes:
        """All of a regular file. ToolFault when it is larger than `most`."""
        descriptor = self.file(path)
        try:
            size = os.fstat(descriptor).st_size
            if size > most:
                raise ToolFault(f"{shown(path)} has {size:,} bytes", f"at most {most:,} are taken")
            kept = bytearray()
            while block := os.read(descriptor, 1 << 18):
                kept += block
                self.late()
                if len(kept) > most:
                    raise ToolFault(f"{shown(path)} grows while it is read", "try again later")
            return bytes(kept)
        finally:
            os.close(descriptor)

    def perhaps(self, path: bytes, most: int) -> bytes | None:
        """The same; None where nothing is."""
        try:
            return self.read(path, most)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, path: bytes) -> list[tuple[bytes, bool, bool]]:
        """Names of a folder, each with whether it is a folder and whether it is a file or a link; sorted."""
        # A descriptor that was listed has its place at the end: each listing gets one of its own.
        own = os.open(b".", _FOLDER, dir_fd=self.at(path))
        found = []
        try:
            with os.scandir(own) as entries:
                for entry in entries:
                    # Asked without following: a link that leads round in a circle is a link like any other.
                    folder = entry.is_dir(follow_symlinks=False)
                    plain = entry.is_symlink() or entry.is_file(follow_symlinks=False)
                    found.append((os.fsencode(entry.name), folder, plain))
                    if len(found) > _NAMES:
                        raise ToolFault(f"{shown(path) or '.'} holds more than {_NAMES:,} names")
        finally:
            os.close(own)
        self.late()
        return sorted(found)

    # --- changing: ToolFault in sentences ---

    def make(self, path: bytes) -> int:
        """The folder `path` below, made with what is missing above it."""
        parts = path.split(b"/") if path else []
        for number in range(1, len(parts) + 1):
            above = self.at(b"/".join(parts[: number - 1]))
            try:
                os.mkdir(parts[number - 1], dir_fd=above)
            except FileExistsError:
                continue
            os.fsync(above)
        return self.at(path)

    def still(self, descriptor: int) -> None:
        """ToolFault when an open folder lies no longer below this one."""
        try:
            below(self.descriptor, descriptor)
        except Moved as moved:
            raise ToolFault("a folder of the repository was moved meanwhile", "look at it again") from moved

    def put(self, path: bytes, content: bytes, mode: int = 0o666, keep: bool = False) -> None:
        """Create or replace a file. keep: what is there stays (an object that is there already is the same)."""
        folder, _, name = path.rpartition(b"/")
        try:
            above = self.make(folder)
            temp = b".tmp_" + os.urandom(8).hex().encode()
            fill(above, temp, content, mode)
            try:
                self.still(above)
                if keep and _there(above, name):
                    os.unlink(temp, dir_fd=above)
                    return
                os.rename(temp, name, src_dir_fd=above, dst_dir_fd=above)
            except (OSError, ToolFault):
                _drop(above, temp)
                raise
            os.fsync(above)
        except OSError as error:
            raise ToolFault(f"{shown(path)} of the repository cannot be written: {said(error)}") from error

    def add(self, path: bytes, content: bytes) -> None:
        """Put something at the end of a file, or create it. Only regular files with one name."""
        folder, _, name = path.rpartition(b"/")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(name, flags, 0o666, dir_fd=self.make(folder))
            try:
                status = os.fstat(descriptor)
                if status.st_mode & 0o170000 != 0o100000 or status.st_nlink > 1:
                    raise ToolFault(f"{shown(path)} of the repository is no plain file")
                _write(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ToolFault(f"{shown(path)} of the repository cannot be written: {said(error)}") from error

    def lock(self, path: bytes) -> Lock:
        return Lock(self, path)


class Lock:
    """`PATH.lock` for as long as it is entered; `done(content)` gives the file its new content, `drop()` removes it."""

    def __init__(self, folder: Folder, path: bytes) -> None:
        self._folder = folder
        self._path = path
        self._above = -1

    def __enter__(self) -> Lock:
        folder, _, name = self._path.rpartition(b"/")
        try:
            self._above = os.dup(self._folder.make(folder))
            self._file = os.open(name + b".lock", _NEW, 0o666, dir_fd=self._above)
        except FileExistsError as error:
            self._end()
            raise ToolFault(
                f"{shown(self._path)}.lock is there: another git works here, or one died",
                "try again; remove the lock when nothing else works in the repository",
            ) from error
        except OSError as error:
            self._end()
            raise ToolFault(f"the repository cannot be changed: {said(error)}", "nothing was changed") from error
        self._name, self._held = name, True
        return self

    def done(self, content: bytes) -> None:
        try:
            _write(self._file, content)
            os.fsync(self._file)
            self._folder.still(self._above)
            os.rename(self._name + b".lock", self._name, src_dir_fd=self._above, dst_dir_fd=self._above)
            self._held = False
            os.fsync(self._above)
        except OSError as error:
            raise ToolFault(f"{shown(self._path)} of the repository cannot be written: {said(error)}") from error

    def drop(self) -> None:
        """The locked file goes."""
        from contextlib import suppress

        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self._above)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        if self._held:
            _drop(self._above, self._name + b".lock")
        self._end()

    def _end(self) -> None:
        if self._above >= 0:
            os.close(self._above)
            self._above = -1


def fill(folder: int, name: bytes, content: bytes, mode: int) -> None:
    """A new file in an open folder, synced; it goes again when it cannot be written whole."""
    descriptor = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        _write(descriptor, content)
        os.fsync(descriptor)
    except OSError:
        _drop(folder, name)
        raise
    finally:
        os.close(descriptor)


def _write(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _there(folder: int, name: bytes) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _drop(folder: int, name: bytes) -> None:
    from contextlib import suppress

    with suppress(OSError):  # the fault on its way says what happened
        os.unlink(name, dir_fd=folder)
