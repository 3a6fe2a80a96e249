"""The files of the audit log, and going along the chain in them.

Rules:
1. The files are `audit-000001.jsonl`, `audit-000002.jsonl`, ...; a file keeps its name, the newest is written. The last
   record of a full one is `rotate` (`next` names the new one), the first of the new one `begin` (`before` names
   the old one, `dropped` what was removed to make room, with its last number and digest).
2. Whoever writes goes along the chain from where he last knew it, checking every mac with the keys that follow
   from his own. He believes the longest run of lines that fits and nothing behind it.
3. What stands behind that in the newest file and is no line of the chain is torn: it is moved to `NAME.torn-N`.
"""

from __future__ import annotations

import os

from edge.faults import TapeFault
from edge.tape.audit_form import FIRST, LINE, decode, digest_of, mac_of, number, ratchet, split
from edge.tape.disk import whole
from edge.tape.form import BLOCK, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.tape.disk import Disk

FOLDER = "audit"


class Place:
    """Where the chain stands: the last number and its digest, the key of the next record, file and offset behind it.

    `turned`: the last record ends its file. Changed by nobody: `after` makes the next one.
    """

    __slots__ = ("file", "hash", "key", "seq", "size", "turned")

    def __init__(self, seq: int, hash: str, key: bytes, file: int, size: int, turned: bool = False) -> None:
        self.seq, self.hash, self.key, self.file, self.size, self.turned = seq, hash, key, file, size, turned

    def after(self, line: bytes, turned: bool = False) -> Place:
        """The place behind `line` (with its newline)."""
        return Place(self.seq + 1, digest_of(line[:-1]), ratchet(self.key), self.file, self.size + len(line), turned)


def name_of(file: int) -> str:
    """The name of the file with this number."""
    return f"audit-{file:06d}.jsonl"


def numbers(folder: str) -> list[int]:
    """The numbers of the files in the folder of the log, in order; none when there is no folder. OSError."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    digits = [name[6:-6] for name in names if name[:6] == "audit-" and name[-6:] == ".jsonl"]
    return sorted(int(one) for one in digits if len(one) >= 6 and one.isascii() and one.isdigit() and int(one))


def lines(disk: Disk, fd: int, offset: int, size: int) -> Iterator[tuple[int, bytes]]:
    """The lines between `offset` and `size`, each with its newline and the offset behind it. OSError.

    What has no newline, or is longer than a line may be, is the last that comes (the latter cut short).
    """
    rest = b""
    while offset < size and (block := disk.pread(fd, min(BLOCK, size - offset), offset)):
        offset += len(block)
        block = rest + block
        start = 0
        while (end := block.find(b"\n", start) + 1) > 0:
            yield offset - len(block) + end, block[start:end]
            start = end
        rest = block[start:]
        if len(rest) > LINE:
            break
    if rest:
        yield offset, rest


def forward(disk: Disk, folder: str, place: Place) -> Place:
    """The place at the end of the chain (rule 2), in the newest file that belongs to it. OSError."""
    while True:
        try:
            fd = disk.open(f"{folder}/{name_of(place.file)}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return place
        try:
            place = _along(disk, fd, place)
        finally:
            disk.close(fd)
        if not place.turned or not os.path.exists(f"{folder}/{name_of(place.file + 1)}"):
            return place
        place = Place(place.seq, place.hash, place.key, place.file + 1, 0)


def _along(disk: Disk, fd: int, place: Place) -> Place:
    for _, line in lines(disk, fd, place.size, disk.size(fd)):
        if place.turned or not fits(place, line):
            break
        place = place.after(line, kind_of(line) == "rotate")
    return place


def fits(place: Place, line: bytes) -> bool:
    """True when `line` (with its newline) is the next record of the chain."""
    parts = split(line[:-1]) if line[-1:] == b"\n" else None
    if parts is None:
        return False
    body, prev, mac = parts
    same = number(body) == place.seq + 1 and prev == place.hash.encode()
    return same and mac_of(place.key, prev, body).encode() == mac


def stands(disk: Disk, folder: str, place: Place) -> tuple[Place, str]:
    """`place` as it is in the log, and why the log cannot be one that once stood there; "" when it can. OSError."""
    if not place.seq:
        return place, ""
    missing = f"it should hold {place.seq} records and ends before the last of them"
    try:
        fd = disk.open(f"{folder}/{name_of(place.file)}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return place, missing
    try:
        if disk.size(fd) < place.size:
            return place, missing
        line = line_before(disk, fd, place.size)
    finally:
        disk.close(fd)
    if digest_of(line[:-1]) != place.hash:
        return place, f"record {place.seq} is not the one that was written"
    turned = kind_of(line) == "rotate"
    return Place(place.seq, place.hash, place.key, place.file, place.size, turned), ""


def line_before(disk: Disk, fd: int, end: int) -> bytes:
    """The line that ends at `end`, with its newline if it has one. OSError."""
    found = b""
    while end > 0 and len(found) <= LINE:
        start = max(0, end - BLOCK)
        block = whole(disk, fd, end - start, start)
        found = block + found
        cut = found.rfind(b"\n", 0, len(found) - 1)
        if cut >= 0:
            return found[cut + 1 :]
        end = start
    return found


def last_line(disk: Disk, fd: int) -> tuple[int, bytes]:
    """The last line that has the form of a record, without newline, and the offset behind it; (0, b""). OSError."""
    end = disk.size(fd)
    while end > 0:
        line = line_before(disk, fd, end)
        if line[-1:] == b"\n" and decode(line[:-1]) is not None:
            return end, line[:-1]
        if not line:
            break
        end -= len(line)
    return 0, b""


def found_end(disk: Disk, folder: str) -> tuple[int, str, int]:
    """Number and digest of the last thing in the log that has the form of a record, and the newest file.

    For a log whose key is lost or whose head does not fit. OSError.
    """
    files = numbers(folder)
    for file in reversed(files):
        fd = disk.open(f"{folder}/{name_of(file)}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            line = last_line(disk, fd)[1]
        finally:
            disk.close(fd)
        if line:
            return number(line), digest_of(line), files[-1]
    return 0, FIRST, files[-1] if files else 1


def set_aside(disk: Disk, fd: int, path: str, offset: int) -> str:
    """Move all behind `offset` to a file of its own, on the card before the log is cut; its name.

    OSError; TapeFault when there is no room for it.
    """
    count = 1
    while True:
        aside = f"{path[:-6]}.torn-{count}"
        try:
            target = disk.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            break
        except FileExistsError:
            count += 1
    whole = False
    try:
        end = disk.size(fd)
        at = offset
        while at < end and (block := disk.pread(fd, min(BLOCK, end - at), at)):
            if disk.write(target, block) != len(block):
                raise TapeFault(f"no room to keep the torn end of {path}", "make room on the card")
            at += len(block)
        disk.fsync(target)
        whole = True
    finally:
        disk.close(target)
        if not whole:
            disk.unlink(aside)
    disk.sync_folder(os.path.dirname(path))
    disk.ftruncate(fd, offset)
    disk.fsync(fd)
    return os.path.basename(aside)


def end_of(disk: Disk, path: str) -> tuple[int, str]:
    """Number and digest of the last record in the file at `path`. OSError."""
    fd = disk.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        line = last_line(disk, fd)[1]
    finally:
        disk.close(fd)
    return (number(line), digest_of(line)) if line else (0, FIRST)


def remove(disk: Disk, folder: str, file: int) -> None:
    """Remove a file of the log with what was torn off it, for good before the next one may go. OSError."""
    stem = name_of(file)[:-6]
    for name in sorted(os.listdir(folder)):
        if name.startswith(stem + "."):
            disk.unlink(f"{folder}/{name}")
    disk.sync_folder(folder)
