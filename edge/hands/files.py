"""The hand on files: a walk from an opened root that follows no link.

Rules:
1. Every part of a path is opened from the folder before it with O_NOFOLLOW, beginning at the root that was
   opened at start; a link anywhere is refused and the sentence says where it points.
2. The descriptor decides: only regular files are read or replaced, opened without blocking, so that a
   FIFO or a device gives a sentence at once.
3. A write is whole or not at all: temp file in the opened folder, fsync, rename, fsync of the folder.
   A file with a second name (hard link) is not replaced. The owner stays; set-id and sticky bits do not.
4. Reading takes constant memory: lines are cut from blocks, and what is returned is bounded.
5. What is the agent's own is known by device and inode too, on every descriptor of the walk: no mount and no
   other spelling leads into it.
6. In a readable place, what others may not read is private, whatever its name: only a call that was judged as
   reading a secret gets it.
"""

from __future__ import annotations

import os

from edge.faults import Refused, ToolFault
from edge.gate.paths import is_odd, place
from edge.hands import guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from edge.call import Grant
    from edge.gate.paths import Place
    from edge.hands import Holder
    from edge.hands.guard import Guard

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK = 65536
_ENTRIES = 500
_LONGEST_LINE = 4096
_SCAN = 256 << 20


class Files:
    """Reads and replaces files inside the grants of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def read(self, path: str, first: int, lines: int) -> Mapping[str, Any]:
        """`lines` lines from line `first` (from 1) of a regular file: `path text first lines more`.

        A folder gives `path entries`. At most the permit's bytes of text. ToolFault in a sentence for all
        that is no readable regular file.
        """
        grant, spot = self._granted("read", path)
        found = guard.of(self._holder.world.scene, spot, path)
        descriptor = self._walk(grant, grant.path, _FILE, path, found)
        try:
            kind = _kind(descriptor)
            if kind == "folder":
                return {"path": path, "entries": _entries(descriptor)}
            if kind != "file" or path.endswith("/"):
                raise ToolFault(f"{path} is no regular file", "only files and folders can be read")
            return {"path": path, **_window(descriptor, first, lines, self._holder.permit.bytes)}
        except OSError as error:
            raise ToolFault(f"{path} cannot be read: {_why(error)}") from error
        finally:
            os.close(descriptor)

    def write(self, path: str, content: bytes) -> int:
        """Create or replace a regular file by `content`; the number of bytes. Its owner and permissions are kept."""
        grant, spot = self._granted("write", path)
        head, _, name = grant.path.rpartition("/")
        found = guard.of(self._holder.world.scene, spot, path, changes=True)
        folder = self._walk(grant, head or ".", _FOLDER, path, found)
        try:
            return _replace(folder, name, content, path, found)
        except Refused:
            raise
        except OSError as error:
            raise ToolFault(f"{path} cannot be written: {_why(error)}", "nothing was changed") from error
        finally:
            os.close(folder)

    def _granted(self, verb: str, path: str) -> tuple[Grant, Place]:
        if is_odd(path):
            raise ToolFault("a path cannot hold a NUL or what is not seen, nor be longer than 4096 bytes")
        if path.endswith("/") and verb == "write":
            raise ToolFault(f"{path} names a folder", "give the name of a file")
        spot = place(path, self._holder.world.scene)
        return self._holder.grant(verb, spot.root, spot.path), spot

    def _walk(self, grant: Grant, path: str, flags: int, shown: str, found: Guard) -> int:
        """The descriptor of `path` below the root of `grant`, each folder on the way shown to the guard."""
        if grant.root == "system":
            root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        else:
            root = os.dup(self._holder.world.root(grant.root))
        return _open(root, path, flags, shown, found)


def _why(error: OSError) -> str:
    return (error.strerror or "unknown error").lower()


def _kind(descriptor: int) -> str:
    kind = os.fstat(descriptor).st_mode & 0o170000
    return {0o040000: "folder", 0o100000: "file"}.get(kind, "other")


def _open(current: int, path: str, flags: int, shown: str, found: Guard) -> int:
    """Walk from the folder `current` (closed here) to `path` without following a link; ToolFault with the reason."""
    parts = [part for part in path.split("/") if part not in ("", ".")] or ["."]
    last = len(parts) - 1
    arrived = False
    try:
        for number, part in enumerate(parts):
            found.folder(os.fstat(current))
            try:
                deeper = os.open(part, flags if number == last else _FOLDER, dir_fd=current)
            except OSError as error:
                raise ToolFault(f"{shown} cannot be opened: {_reason(error, part, current)}") from error
            os.close(current)
            current = deeper
        found.end(os.fstat(current))
        arrived = True
    finally:
        if not arrived:
            os.close(current)
    return current


def _reason(error: OSError, part: str, folder: int) -> str:
    """Why a part of a path did not open; a link is told with its target, so that it can be asked for by name."""
    try:
        target = os.readlink(part, dir_fd=folder)
    except OSError:
        return f"{part!r}: {_why(error)}"
    return f"{part!r} is a link to {target!r}, and links are not followed; ask for what it points to"


def _entries(descriptor: int) -> list[str]:
    """Names in a folder, sorted, folders with a slash; at most _ENTRIES, and the cut is said."""
    with os.scandir(descriptor) as found:
        names = sorted(entry.name + "/" * entry.is_dir(follow_symlinks=False) for entry in found)
    plain = [ascii(name)[1:-1] if is_odd(name) else name for name in names]
    if len(plain) > _ENTRIES:
        return [*plain[:_ENTRIES], f"[{len(plain) - _ENTRIES} more names left out]"]
    return plain


def _lines(descriptor: int) -> Iterator[bytes]:
    """Lines without their ends, in constant memory: a longer line than _LONGEST_LINE is cut and marked."""
    rest = b""
    cut = False
    scanned = 0
    while scanned < _SCAN:
        block = os.read(descriptor, _BLOCK)
        if not block:
            break
        scanned += len(block)
        whole = (rest + block).split(b"\n")
        rest = whole.pop()
        for line in whole:
            yield _shortened(line, cut)
            cut = False
        if len(rest) > _LONGEST_LINE:
            rest, cut = rest[: _LONGEST_LINE + 1], True
    if rest:
        yield _shortened(rest, cut)
    if scanned >= _SCAN:
        yield b"[reading stopped after %d MiB]" % (_SCAN >> 20)


def _shortened(line: bytes, cut: bool) -> bytes:
    if cut or len(line) > _LONGEST_LINE:
        return line[:_LONGEST_LINE] + b" [line cut]"
    return line[:-1] if line.endswith(b"\r") else line


def _window(descriptor: int, first: int, lines: int, limit: int) -> dict[str, Any]:
    kept: list[str] = []
    size = 0
    more = False
    for number, line in enumerate(_lines(descriptor), 1):
        if number < first:
            continue
        size += len(line) + 1
        if len(kept) == lines or (size > limit and kept):
            more = True
            break
        kept.append(line.decode("utf-8", "replace"))
    return {"text": "\n".join(kept), "first": first, "lines": len(kept), "more": more}


def _replace(folder: int, name: str, content: bytes, shown: str, found: Guard) -> int:
    old = None
    try:
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        pass
    else:
        if old.st_mode & 0o170000 != 0o100000:
            raise ToolFault(f"{shown} is no regular file", "choose another name")
        if old.st_nlink > 1:
            raise ToolFault(f"{shown} has a second name (hard link)", "choose another name")
        found.end(old)
    temp = f".{os.urandom(8).hex()}.tmp"
    descriptor = os.open(temp, _NEW, 0o600, dir_fd=folder)
    try:
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fchmod(descriptor, _kept(descriptor, old, shown) if old else 0o644)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except (OSError, ToolFault):
        os.unlink(temp, dir_fd=folder)
        raise
    os.fsync(folder)
    return len(content)


def _kept(descriptor: int, old: os.stat_result, shown: str) -> int:
    """Give the new file the owner and the group of the old one; the permissions it may then have.

    Never the set-id and sticky bits: what a tool wrote must not run with another's rights. A group that cannot be
    kept loses what the old group could do. ToolFault when the owner would change.
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
    return mode
