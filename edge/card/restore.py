"""A backup of a board's data (archive.py) back to its place.

Rules:
1. All is read, checked and written aside, next to what it is to replace, before anything moves. A member that is no
   plain file or folder, a name that leaves its part, a part or one of FOLDERS that is a file, one of PLAIN that is a
   folder (a board could not read its settings, nor write them anew), one that comes twice, more bytes than there is
   room for, a newer format or schema, a tar that is cut or goes on behind its end: nothing was changed.
2. Then a mark is set and the parts change places by renaming. Cut anywhere, `finish` goes on where it was: before the
   mark nothing was changed, after it everything will be. What was there before is gone when all is in its place.
   What is ready and did not begin to change places (a restore before this one, on a board that was not started since)
   gives way to the next restore: nothing moves under whoever uses it.
3. Users, set-user bits and times are not taken over: what is written belongs to whoever restores.
"""

from __future__ import annotations

import os

from edge.card.archive import BLOCK, DEEPEST, FORMAT, HEAD, MOST, PARTS, PIECE, Kept
from edge.faults import CardFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ASIDE, BEFORE, MARK = "restore.new", "restore.old", "ready"
LONGEST_NAME = 4096
LARGEST = 8 << 30
SPARE = 8 << 20  # bytes that must stay free
BEHIND = 1 << 20  # bytes of zeros that may follow the end: tar pads to records
# What a start, the agent and provisioning (provision_plan.py) read and write by these names.
PLAIN = frozenset(
    (
        *("config/config.toml", "config/model.key", "config/later.toml", "etc/hostname", "etc/id", "etc/TZ"),
        *("etc/network", "etc/time", "etc/shadow", "etc/seed", "etc/starts"),
        *[f"etc/keys/provisioned-{number}.pub" for number in range(1, 5)],
        *("state/audit.key", "state/audit.first-key", "state/stop"),
    )
)
_NOT_OURS = "this is no backup of ours"
FOLDERS = frozenset(("etc/keys", "state/audit", "state/tapes", "state/live"))


class Home(Record):
    """Where parts belong: `folder`, and in it the name of each part. `prefix`: of what lies beside them meanwhile.

    `single`: parts that are one file; all others are folders.
    """

    folder: str
    names: tuple[tuple[str, str], ...] = tuple([(part, part) for part in PARTS])
    prefix: str = ""
    parts: tuple[str, ...] = PARTS  # what may be in the tar
    single: tuple[str, ...] = ()

    @property
    def aside(self) -> str:
        return f"{self.folder}/{self.prefix}{ASIDE}"

    @property
    def before(self) -> str:
        return f"{self.folder}/{self.prefix}{BEFORE}"


def unpack(read: Callable[[int], bytes], home: Home, schema: int) -> Kept:
    """Write a tar aside in the folder of `home` and mark it ready for `finish`. CardFault: nothing was changed.

    read(n): the next n bytes, fewer only at the end. schema: the newest that can be used here.
    """
    aside = home.aside
    _former(home)
    try:
        os.mkdir(aside, 0o700)
        kept = _Unpacking(read, aside, schema, home).all()
        _synced(aside)
        os.close(os.open(f"{aside}/{MARK}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        sync_folder(aside)
        sync_folder(home.folder)
    except OSError as error:
        _given_up(home)
        why = (error.strerror or "unknown").lower()
        raise CardFault(f"{home.folder} cannot take it: {why}; nothing was changed") from error
    except CardFault:
        _given_up(home)
        raise
    return kept


def _former(home: Home) -> None:
    """What a restore before this one left: ended if it began to change places (rule 2), else away. CardFault."""
    try:
        if os.path.lexists(home.before):
            finish(home)
        else:
            _given_up(home)
    except OSError as error:
        why = (error.strerror or "unknown").lower()
        fix = "what it holds is kept: run this again when that is mended"
        raise CardFault(f"the restore before this one cannot be ended in {home.folder}: {why}", fix) from error


def _given_up(home: Home) -> None:
    """Nothing of what lies aside is wanted: its mark goes first, so that a cut leaves nothing that looks ready."""
    mark = f"{home.aside}/{MARK}"
    if os.path.lexists(mark):
        os.unlink(mark)
        sync_folder(home.aside)
    _clear(home.aside)


def finish(home: Home) -> bool:
    """Put what is ready in its place, as far as a cut left it, and clear away what never became so. OSError.

    True when there was something ready.
    """
    aside, before = home.aside, home.before
    if not os.path.lexists(f"{aside}/{MARK}"):
        _clear(aside)
        _clear(before)
        return False
    os.makedirs(before, mode=0o700, exist_ok=True)
    for part, name in home.names:
        if os.path.lexists(f"{aside}/{part}"):
            if os.path.lexists(f"{home.folder}/{name}"):
                _clear(f"{before}/{part}")
                os.rename(f"{home.folder}/{name}", f"{before}/{part}")
            os.rename(f"{aside}/{part}", f"{home.folder}/{name}")
            for folder in (home.folder, before, aside):
                sync_folder(folder)
    os.unlink(f"{aside}/{MARK}")
    sync_folder(aside)
    _clear(aside)
    _clear(before)
    sync_folder(home.folder)
    return True


class _Unpacking:
    """One tar on its way in: every member is looked at before a byte of it is written."""

    def __init__(self, read: Callable[[int], bytes], aside: str, schema: int, home: Home) -> None:
        self._read, self._aside, self._schema = read, aside, schema
        self._parts, self._single = home.parts, home.single
        self._seen: set[str] = set()
        room = os.statvfs(aside)
        self._room = room.f_bavail * room.f_frsize - SPARE

    def all(self) -> Kept:
        files = total = 0
        folders: list[tuple[str, int]] = []
        for name, size, mode in self._members():
            path = f"{self._aside}/{name}"
            if size < 0:
                os.makedirs(path, mode=0o700, exist_ok=True)
                folders.append((path, mode))
            else:
                self._file(name, path, size, mode)
                files, total = files + 1, total + size
        for path, mode in reversed(folders):
            os.chmod(path, mode | 0o700)
        if any(self._read(BEHIND)) or self._read(1):
            raise CardFault("it goes on behind its end", _NOT_OURS)
        return Kept(files, total, ())

    def _members(self) -> Iterator[tuple[str, int, int]]:
        """(name, size or -1, mode) of each member; the data of a file are read by whoever gets it, before the next."""
        name = self._next_name()
        if name is None or name[0] != HEAD or not 0 <= name[1] <= 1 << 16:
            raise CardFault("this is no backup of a board's data", "fieldhand data backup makes one")
        self._about(self._data(name[1]))
        while True:
            member = self._next_name()
            if member is None:
                return
            self._allowed(member[0], member[1])
            yield member

    def _about(self, text: bytes) -> None:
        import json

        try:
            told = json.loads(text)
            form, schema = int(told["format"]), int(told["schema"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise CardFault("the head of this backup cannot be read", "take another one") from error
        if form != FORMAT:
            raise CardFault(f"this backup has format {form}, and this version reads {FORMAT}", "update first")
        if schema > self._schema:
            raise CardFault(f"its data have schema {schema}, and this version reads {self._schema}", "update first")

    def _allowed(self, name: str, size: int) -> None:
        parts = name.split("/")
        shown = name[:80].encode("ascii", "backslashreplace").decode("ascii")
        if parts[0] not in self._parts or any(
            part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 255 for part in parts
        ):
            raise CardFault(f"it holds the name {shown!r}, which has no place here", _NOT_OURS)
        if (size < 0 or len(parts) > 1) == (parts[0] in self._single):
            what = "one file" if parts[0] in self._single else "a folder"
            raise CardFault(f"it holds {shown!r}, and {parts[0]} is {what} here", "this is no backup for here")
        self._kinds(parts, shown, size < 0)
        if name in self._seen or "\0" in name:
            raise CardFault(f"{shown!r} comes twice in it")
        self._seen.add(name)
        if len(self._seen) > MOST or len(parts) > DEEPEST:
            raise CardFault("it holds more files than a board ever had")
        self._room -= max(0, size) + BLOCK
        if size > LARGEST or self._room < 0:
            raise CardFault("there is no room for it", "free some, or use a larger card")

    def _kinds(self, parts: list[str], shown: str, folder: bool) -> None:
        """Files are files and folders folders (rule 1), also where only what lies below them is in the tar."""
        above = ["/".join(parts[:count]) for count in range(1, len(parts))]
        file = next((one for one in (*above, *["/".join(parts)] * folder) if one in PLAIN), "")
        if file:
            raise CardFault(f"it holds the folder {file!r}, which is a file on a board", _NOT_OURS)
        if not folder and "/".join(parts) in FOLDERS:
            raise CardFault(f"it holds the file {shown!r}, which is a folder on a board", _NOT_OURS)

    def _next_name(self) -> tuple[str, int, int] | None:
        """The next member; None at the end, which is a block of zeros."""
        import tarfile

        longer = None
        while True:
            block = self._exactly(BLOCK)
            if not any(block):
                return None
            try:
                info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
            except (tarfile.TarError, ValueError) as error:
                raise CardFault("it is damaged: a header does not fit its checksum") from error
            if info.type == tarfile.GNUTYPE_LONGNAME and longer is None and 0 < info.size <= LONGEST_NAME:
                longer = self._data(info.size).rstrip(b"\0").decode("utf-8", "surrogateescape")
                continue
            name = longer if longer is not None else info.name
            if info.type == tarfile.DIRTYPE:
                return name.rstrip("/"), -1, info.mode & 0o777
            if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.size < 0:
                shown = name[:80].encode("ascii", "backslashreplace").decode("ascii")
                raise CardFault(f"{shown!r} in it is no plain file and no folder", _NOT_OURS)
            return name, info.size, info.mode & 0o777

    def _file(self, name: str, path: str, size: int, mode: int) -> None:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode & 0o700 or 0o600)
        try:
            left = size
            while left:
                piece = self._exactly(min(PIECE, left))
                left -= len(piece)
                while piece:
                    piece = piece[os.write(fd, piece) :]
            os.fchmod(fd, mode)
        finally:
            os.close(fd)
        self._exactly(-size % BLOCK)

    def _data(self, size: int) -> bytes:
        data = self._exactly(size)
        self._exactly(-size % BLOCK)
        return data

    def _exactly(self, size: int) -> bytes:
        data = self._read(size) if size else b""
        if len(data) != size:
            raise CardFault("it ends too early: a part of it is missing", "copy it again")
        return data


def _synced(top: str) -> None:
    """All below is on the card."""
    for folder, _, names in os.walk(top):
        for name in names:
            fd = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        sync_folder(folder)


def sync_folder(path: str) -> None:
    """The names in a folder are on the card. OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _clear(path: str) -> None:
    """Take away a file or a folder with all in it, if it is there."""
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
