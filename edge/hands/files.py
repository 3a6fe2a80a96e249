"""The hand on files: a walk from an opened root that follows no link.

Rules:
1. Every part of a path is opened from the folder before it with O_NOFOLLOW; a link anywhere is refused
   and the sentence says where it points.
2. The descriptor decides: only regular files are read or replaced, opened without blocking, so that a
   FIFO or a device gives a sentence at once.
3. A write is whole or not at all: temp file in the opened folder, fsync, rename, fsync of the folder.
   A file with a second name (hard link) is not replaced.
4. Reading takes constant memory: lines are cut from blocks, and what is returned is bounded.
"""

from __future__ import annotations

import os

from edge.faults import Refused, ToolFault
from edge.gate.paths import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from edge.call import Grant
    from edge.hands import Holder

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
        grant = self._granted("read", path)
        descriptor = _open(self._root(grant), grant.path, _FILE, path)
        try:
            if _kind(descriptor) == "folder":
                return {"path": path, "entries": _entries(descriptor)}
            if _kind(descriptor) != "file" or path.endswith("/"):
                raise ToolFault(f"{path} is no regular file", "only files and folders can be read")
            return {"path": path, **_window(descriptor, first, lines, self._holder.permit.bytes)}
        except OSError as error:
            raise ToolFault(f"{path} cannot be read: {_why(error)}") from error
        finally:
            os.close(descriptor)

    def write(self, path: str, content: bytes) -> int:
        """Create or replace a regular file by `content`; the number of bytes. The old mode is kept."""
        grant = self._granted("write", path)
        head, _, name = grant.path.rpartition("/")
        folder = _open(self._root(grant), head or ".", _FOLDER, path)
        try:
            return _replace(folder, name, content, path)
        except OSError as error:
            raise ToolFault(f"{path} cannot be written: {_why(error)}", "nothing was changed") from error
        finally:
            os.close(folder)

    def _granted(self, verb: str, path: str) -> Grant:
        if "\0" in path:
            raise ToolFault("a path cannot hold a NUL character")
        if path.endswith("/") and verb == "write":
            raise ToolFault(f"{path} names a folder", "give the name of a file")
        spot = place(path, self._holder.world.scene)
        return self._holder.grant(verb, spot.root, spot.path)

    def _root(self, grant: Grant) -> str:
        for root in self._holder.world.scene.roots:
            if root.name == grant.root:
                return root.path
        if grant.root == "system":
            return "/"
        raise Refused(f"there is no opened folder called {grant.root!r}", "hands.no-root")


def _why(error: OSError) -> str:
    return (error.strerror or "unknown error").lower()


def _kind(descriptor: int) -> str:
    kind = os.fstat(descriptor).st_mode & 0o170000
    return {0o040000: "folder", 0o100000: "file"}.get(kind, "other")


def _open(root: str, path: str, flags: int, shown: str) -> int:
    """Walk from `root` to `path` without following a link; ToolFault with the reason."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    current = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            try:
                deeper = os.open(part, flags if last else _FOLDER, dir_fd=current)
            except OSError as error:
                raise ToolFault(f"{shown} cannot be opened: {_reason(error, part, current)}") from error
            os.close(current)
            current = deeper
    except ToolFault:
        os.close(current)
        raise
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
    plain = [name.encode("utf-8", "replace").decode("utf-8", "replace") for name in names]
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


def _replace(folder: int, name: str, content: bytes, shown: str) -> int:
    mode = 0o644
    try:
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        pass
    else:
        if old.st_mode & 0o170000 != 0o100000:
            raise ToolFault(f"{shown} is no regular file", "choose another name")
        if old.st_nlink > 1:
            raise ToolFault(f"{shown} has a second name (hard link)", "choose another name")
        mode = old.st_mode & 0o7777
    temp = f".{name[:200]}.{os.urandom(4).hex()}.tmp"
    descriptor = os.open(temp, _NEW, 0o600, dir_fd=folder)
    try:
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(temp, dir_fd=folder)
        raise
    os.fsync(folder)
    return len(content)
