"""The folder of a guard: `<state>/sim` of a simulated board, `<state>/guard` of real lines; its lock and descriptions.

Rules this file keeps:
1. One guard per folder: `lock` holds the file `lock` (flock). Its first line is the holder's process id, its second
   the socket where the holder can be asked ("" none). The lock is the kernel's and goes with the process; the file
   stays, so what it says counts only while somebody holds it.
2. `last.json` is what the guard here was told to own last (edge.peripherals.guard.owned), replaced whole: written
   beside, fsync, rename, fsync of the folder. It is kept only after the settings were found right.
3. Folders are 0700 and files 0600. Whatever lies where one of these files should be (a link, a pipe that nobody reads)
   is an error and never a wait: who keeps leases opens nothing that could make it wait.
"""

from __future__ import annotations

import fcntl
import posix as os  # `os` itself is 0.4 MiB of the guard's memory
from sys import getfilesystemencoding

from edge.faults import HardwareFault
from edge.peripherals.guard import line
from edge.record import Record

SURE = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # rule 3, open(2)
NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | SURE
LOCK, LOG, LAST, SOCKET = "lock", "board.log", "last.json", "guard.sock"
NAMES = {"sim": "sim", "lines": "guard"}  # the kind of what is owned -> the folder below the state folder
LONGEST = 512 * 1024  # bytes of last.json: a description of 128 KiB (execve(2), MAX_ARG_STRLEN) with its quotes escaped


def path_of(state: str, kind: str = "sim") -> str:
    """The folder of a guard of that kind below the state folder."""
    return f"{state.rstrip('/') or '/'}/{NAMES[kind]}"


def make(state: str, kind: str = "sim") -> str:
    """`path_of(state, kind)`, made when it is not there. HardwareFault when it cannot be."""
    from os import makedirs

    path = path_of(state, kind)
    try:
        makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise unusable(path, error) from error
    return path


def unusable(path: str, error: OSError) -> HardwareFault:
    """The fault of a folder that a guard cannot work in."""
    return HardwareFault(
        f"the {what(path)} cannot use its folder {path}: {error.strerror}",
        "use --state DIR with a folder that can be written",
    )


def in_use(path: str, holder: str) -> HardwareFault:
    """The fault of a folder that another guard holds."""
    return HardwareFault(
        f"another {what(path)} ({holder}) is using {path}", f"use --state DIR for a second {what(path)}"
    )


def what(path: str) -> str:
    """What works in a folder, for sentences."""
    return "guard" if path.endswith("/" + NAMES["lines"]) else "simulated board"


def encoded(path: str) -> bytes:
    """A path as the kernel has it; what `os.fsencode` does."""
    return path.encode(getfilesystemencoding(), "surrogateescape")


class Folder:
    """The open folder of a guard. OSError from every method is the card's or the folder's."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = -1

    def lock(self, socket: str = "") -> bool:
        """Take the lock without waiting, and say where to ask; False when another process holds it."""
        if self._lock < 0:
            self._lock = os.open(f"{self.path}/{LOCK}", os.O_RDWR | os.O_CREAT | SURE, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, b"%d\n%s\n" % (os.getpid(), encoded(socket)), 0)
        except OSError as error:
            if error.errno != 28:  # ENOSPC: the lock holds on a card that is full, only its words are missing
                raise
        return True

    def holder(self) -> str:
        """Who holds the lock, for people: `process 1234`."""
        text = os.pread(self._lock, 32, 0).decode("ascii", "replace").partition("\n")[0].strip()
        return f"process {text}" if text.isdigit() else "an unknown process"

    def close(self) -> None:
        """Let the lock go."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def asked_at(path: str) -> str:
    """The socket of the guard that holds the folder at `path`; "" when nobody holds it or it has none."""
    lines = _said(path)
    return lines[1].decode(getfilesystemencoding(), "surrogateescape") if lines is not None and len(lines) > 2 else ""


def locked(path: str) -> bool:
    """True when a guard holds the folder at `path`."""
    return _said(path) is not None


def _said(path: str) -> list[bytes] | None:
    """The lines of a lock that somebody holds; None when nobody does, or it cannot be looked at."""
    try:
        fd = os.open(f"{path}/{LOCK}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return os.pread(fd, 8192, 0).split(b"\n")
    except OSError:
        return None
    finally:
        os.close(fd)


class Kept(Record):
    """What a guard was told last: what it owns, where it listens, who may come."""

    said: str
    socket: str
    users: tuple[int, ...]


def keep(path: str, said: str, socket: str, users: tuple[int, ...]) -> None:
    """Keep what a guard was told; OSError of the card."""
    from edge.peripherals.guard.journal import sync_folder

    target = f"{path}/{LAST}"
    fd = os.open(target + ".new", NEW, 0o600)
    try:
        told = {"version": 1, "owned": said, "socket": socket, "users": users}
        data = line.write(told).encode("ascii") + b"\n"
        if os.write(fd, data) != len(data):
            raise OSError(28, "No space left on device")
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(target + ".new", target)
    sync_folder(path)


def kept(path: str) -> Kept | None:
    """What was kept last; None when there is nothing that can be understood."""
    try:
        fd = os.open(f"{path}/{LAST}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        data = os.read(fd, LONGEST + 1)
        found = line.read(data.decode("ascii"))
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
    if not isinstance(found, dict) or found.get("version") != 1:
        return None
    said, socket, users = (found.get(name) for name in ("owned", "socket", "users"))
    if not isinstance(said, str) or not isinstance(socket, str) or not isinstance(users, list):
        return None
    return Kept(said, socket, tuple([user for user in users if type(user) is int]))
