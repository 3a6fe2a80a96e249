"""A board's data as one tar: settings, what was provisioned, tapes and audit log, workspace. Back: restore.py.

Rules:
1. Members are `fieldhand-data.json` first (format, schema, version, parts), then PART/path of plain files and folders.
   Links, devices, sockets and pipes are not in it, nor what lies deeper than DEEPEST; each is said. What is left of
   half-done work in our own folders is not in it either; in the workspace everything is somebody's.
2. It can be made while an agent runs. What there is, and how long, is noted at one moment in which the audit log's lock
   is held (edge/tape/audit_key.py, rule 6), and no more is read of a file than it had then; of records on lines
   (*.jsonl) only whole lines. So each tape and the log end with a record, and a key is never ahead of its log.
3. Secrets are in it: whoever makes the file makes it for its owner alone.
"""

from __future__ import annotations

import os

from edge.card.locks import lock
from edge.faults import CardFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

FORMAT = 1
HEAD = "fieldhand-data.json"
WORK = "work"
KEY = "audit.key"
PATIENCE = 5.0  # seconds to wait for the log's lock, as every writer of it does
PARTS = ("config", "etc", "state", WORK)
SKIPPED = ("ballast", "guard.sock", "lost+found")
DEEPEST = 64  # names in a path, its part included: restore.py takes no more
BLOCK = 512
PIECE = 1 << 18
MOST = 200_000


class Item(Record):
    """One thing to be kept. `size` of a file, as it was at that moment; -1 for a folder."""

    name: str
    path: str
    size: int
    mode: int
    when: int


class Kept(Record):
    """What a backup holds: files, their bytes, and what was left out of it."""

    files: int
    bytes: int
    left_out: tuple[str, ...]


# --- out ---


def backup(out: BinaryIO, parts: dict[str, str], about: dict[str, object], own: str = "") -> Kept:
    """Write the tar of the parts (name -> folder or file) to `out`. CardFault: it cannot be read; OSError of `out`.

    own: the file behind `out`, which is not to be in itself.
    """
    import json
    import tarfile

    items, left_out = _listed(parts)
    head = json.dumps({"format": FORMAT, **about, "parts": sorted(parts)}, sort_keys=True).encode() + b"\n"
    out.write(_header(tarfile.TarInfo(HEAD), len(head), 0o600, 0))
    out.write(_padded(head))
    total = files = 0
    for item in items:
        if own and os.path.basename(item.path) == os.path.basename(own) and os.path.realpath(item.path) == own:
            continue
        info = tarfile.TarInfo(item.name)
        if item.size < 0:
            info.type = tarfile.DIRTYPE
            out.write(_header(info, 0, item.mode, item.when))
            continue
        size = _copied(out, info, item)
        if size < 0:
            left_out.append(f"{item.name}: it went while the rest was read")
            continue
        files, total = files + 1, total + size
    out.write(bytes(2 * BLOCK))
    return Kept(files, total, tuple(left_out))


def _listed(parts: dict[str, str]) -> tuple[list[Item], list[str]]:
    """All there is at one moment (rule 2), and what is no file or folder."""
    items: list[Item] = []
    left_out: list[str] = []
    with _log_held(parts.get("state", ""), left_out):
        for name in sorted(parts):
            _walk(name, parts[name], items, left_out)
    return items, left_out


def _walk(name: str, path: str, items: list[Item], left_out: list[str]) -> None:
    try:
        found = os.lstat(path)
        kind = found.st_mode & 0o170000
        if kind == 0o040000:
            items.append(Item(name, path, -1, found.st_mode & 0o777, int(found.st_mtime)))
            names = [one for one in sorted(os.listdir(path)) if not _half_done(name, one)]
            if name.count("/") >= DEEPEST - 1 and names:
                left_out.append(f"{name}: what is in it lies deeper than {DEEPEST} folders")
                names = []
            for one in names:
                _walk(f"{name}/{one}", f"{path}/{one}", items, left_out)
        elif kind == 0o100000:
            size = _whole_lines(path, found.st_size) if path.endswith(".jsonl") else found.st_size
            items.append(Item(name, path, size, found.st_mode & 0o777, int(found.st_mtime)))
        else:
            left_out.append(f"{name}: no file and no folder")
    except FileNotFoundError:
        return  # it went in this moment
    except OSError as error:
        raise CardFault(f"{path} cannot be read: {(error.strerror or 'unknown').lower()}", "look as root") from error
    if len(items) > MOST:
        raise CardFault(f"there are more than {MOST} files", "move what need not be kept out of the workspace")


def _half_done(name: str, one: str) -> bool:
    """Whether an entry of the folder `name` is what our own programs leave in between."""
    return name.partition("/")[0] != WORK and (one in SKIPPED or one.endswith(".new"))


def _log_held(state: str, left_out: list[str]) -> _Held:
    return _Held(f"{state}/{KEY}" if state else "", left_out)


class _Held:
    """The audit log's lock, shared, for one moment; nothing where there is no log. CardFault: somebody keeps it.

    That a log is there and cannot be held goes to `left_out`: what is kept of it may not end with a record then.
    """

    def __init__(self, path: str, left_out: list[str]) -> None:
        self._path, self._left_out, self._fd = path, left_out, -1

    def __enter__(self) -> None:
        try:
            self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            held = lock(self._fd, PATIENCE, shared=True)
        except (FileNotFoundError, NotADirectoryError):
            return  # no log
        except OSError as error:
            why = (error.strerror or "unknown").lower()
            self._left_out.append(f"state/{KEY}: it cannot be held ({why}), so the audit log may be newer than its key")
            return
        if not held:
            self.__exit__()
            raise CardFault(
                f"the audit log was not let go within {PATIENCE:.0f} s: who writes it hangs or is stopped",
                "end or continue that agent (fieldhand doctor), then make the backup again",
            )

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _whole_lines(path: str, size: int) -> int:
    """How many of the first `size` bytes are whole lines."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        end = size
        while end > 0:
            begin = max(0, end - PIECE)
            at = os.pread(fd, end - begin, begin).rfind(b"\n")
            if at >= 0:
                return begin + at + 1
            end = begin
        return 0
    finally:
        os.close(fd)


def _copied(out: BinaryIO, info: object, item: Item) -> int:
    """The header and the first `size` bytes of a file; how many. -1 when it is not there any more."""
    try:
        fd = os.open(item.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return -1
    except OSError as error:
        raise CardFault(f"{item.path} cannot be read: {(error.strerror or 'unknown').lower()}") from error
    try:
        size = min(item.size, os.fstat(fd).st_size)
        out.write(_header(info, size, item.mode, item.when))
        at = 0
        while at < size:
            piece = _piece(fd, min(PIECE, size - at), at, item.path)
            if not piece:
                raise CardFault(f"{item.path} became shorter while it was read", "make the backup again")
            out.write(piece)
            at += len(piece)
        out.write(bytes(-size % BLOCK))
        return size
    finally:
        os.close(fd)


def _piece(fd: int, size: int, at: int, path: str) -> bytes:
    try:
        return os.pread(fd, size, at)
    except OSError as error:
        why = (error.strerror or "unknown").lower()
        raise CardFault(f"{path} cannot be read at byte {at}: {why}", "look at the card: fieldhand doctor") from error


def _header(info: object, size: int, mode: int, when: int) -> bytes:
    import tarfile

    assert isinstance(info, tarfile.TarInfo)
    info.size, info.mode, info.mtime = size, mode, when
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)
