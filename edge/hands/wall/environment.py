"""What a child finds in its environment, and its private folder for temporary files.

Rules:
1. The environment is made from a list of names, never copied: no key of the agent can be in it.
2. PATH is fixed to folders that only root writes. Programs see no terminal.
3. The folder for temporary files is the child's alone, and goes with everything in it when the call ends. A call
   that only reads what all may read has none.
4. The agent holds a lock on such a folder. What has the name and the owner of one and no lock is left of an agent that
   was killed: it goes when the next one makes its first.
5. Removing follows no link, whatever still runs in there: every step is taken from an open folder.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Pairs = tuple[tuple[str, str], ...]

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LOCALE = re.compile(r"[A-Za-z0-9_.@:/+,-]{1,100}")  # what a locale or a time zone can look like
_OURS = re.compile(r"fieldhand-[0-9a-f]{16}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_held: dict[str, int] = {}  # our folders, each with the descriptor that holds its lock
_swept: set[str] = set()
_NAMES = ("LANG", "LANGUAGE", "TZ")


def environment(own: Mapping[str, str], home: str, temporary: str = "") -> Pairs:
    """The pairs for a child, from the agent's `own` environment, its home, and its folder for temporary files."""
    user = _user()
    made = {"PATH": PATH, "HOME": home or "/", "USER": user, "LOGNAME": user, "SHELL": "/bin/sh", "TERM": "dumb"}
    for name, value in own.items():
        if (name in _NAMES or name.startswith("LC_")) and _LOCALE.fullmatch(value):
            made[name] = value
    if temporary:
        made["TMPDIR"] = temporary
    return tuple(sorted(made.items()))


def _user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def base() -> str:
    """Where folders for temporary files are made: $TMPDIR, else the places of hier(7)."""
    told = os.environ.get("TMPDIR", "")
    places = (*([told] if told[:1] == "/" else []), "/tmp", "/var/tmp")
    found = next((place for place in places if os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)), "/tmp")
    return os.path.realpath(found)


def temporary() -> str:
    """A new folder (mode 0700) for one call, to be given to `remove`. OSError when none can be made."""
    place = base()
    if place not in _swept:
        _swept.add(place)
        sweep(place)
    for _ in range(100):
        path = f"{place}/fieldhand-{os.urandom(8).hex()}"
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        fd = _locked(path)
        if fd >= 0:
            _held[path] = fd
            return path
    raise OSError(17, "no free name for one", place)


def sweep(place: str) -> int:
    """Remove what killed agents of this user left in `place`; how many folders."""
    removed = 0
    for name in os.listdir(place):
        path = f"{place}/{name}"
        if _OURS.fullmatch(name) and path not in _held:
            fd = _locked(path)
            if fd >= 0:
                _held[path] = fd
                removed += remove(path)
    return removed


def _locked(path: str) -> int:
    """A descriptor that holds the lock of a folder; -1 where it is not ours, has an owner, or is gone."""
    import fcntl

    try:
        fd = os.open(path, _FOLDER)
    except OSError:
        return -1
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        opened, now = os.fstat(fd), os.lstat(path)
        if opened.st_uid == os.geteuid() and not opened.st_mode & 0o022 and os.path.samestat(opened, now):
            return fd
    except OSError:
        # Somebody has the lock, or whoever had it has just removed the folder.
        pass
    os.close(fd)
    return -1


def remove(folder: str) -> bool:
    """Remove a folder with all below it, following no link; False when something stayed.

    What a child made unreadable is made readable first. What lies deeper than one folder is moved up, so that no
    depth of folders needs as many descriptors or as long a path.
    """
    lock = _held.pop(folder, -1)
    try:
        _open_up(folder)
        top = os.open(folder, _FOLDER)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(folder)
    except OSError:
        # What stays is seen by the caller.
        pass
    finally:
        if lock >= 0:
            os.close(lock)
    return not os.path.lexists(folder)


def _empty(top: int) -> None:
    names = os.listdir(top)
    while names:
        name = names.pop()
        if not _unlinked(name, top):
            try:
                names += _lifted(name, top)
            except OSError:
                continue  # what is in it stays, and with it the whole; all else goes


def _lifted(name: str, top: int) -> list[str]:
    """Remove a folder in `top`, its folders moved up: their new names. OSError."""
    _open_up(name, top)
    folder = os.open(name, _FOLDER, dir_fd=top)
    found: list[str] = []
    try:
        for inner in os.listdir(folder):
            if not _unlinked(inner, folder):
                _open_up(inner, folder)  # a folder is moved by who may write in it
                new = os.urandom(8).hex()
                os.rename(inner, new, src_dir_fd=folder, dst_dir_fd=top)
                found.append(new)
        os.rmdir(name, dir_fd=top)
    finally:
        os.close(folder)
    return found


def _unlinked(name: str, folder: int) -> bool:
    """True when it is no folder, and gone."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _open_up(name: str, folder: int | None = None) -> None:
    """Make a folder readable and writable for its owner. OSError when it is none, or not ours."""
    fd = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        mode = os.fstat(fd).st_mode & 0o7777
        if mode & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{fd}", mode | 0o700)
    finally:
        os.close(fd)
