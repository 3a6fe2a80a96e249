"""The index of a repository: what the next commit holds. Versions 2 to 4 are read, 2 or 3 is written.

Source: gitformat-index(5). Rules:
1. Nothing is believed: the checksum, the order of names, each name (edge/hands/repo_names.py) and the size are
   looked at. What does not fit refuses the index as a whole.
2. An extension in capitals may be left out, any other may not: a split or sparse index is said, not guessed at.
3. What was read is not kept in a form that differs: flags of an entry go back as they came.
"""

from __future__ import annotations

from binascii import hexlify, unhexlify

from edge.faults import ToolFault
from edge.hands.repo_names import LONGEST, is_path, shown
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Index = dict[tuple[bytes, int], "Item"]

MOST = 32 << 20
VALID, EXTENDED, SKIP, INTENT = 0x8000, 0x4000, 0x4000, 0x2000
_KINDS = {b"link": "is split into two files", b"sdir": "is sparse"}


class Item(Record):
    """One entry: `times` and sizes as the file system told them, for knowing it again without reading it.

    flags: assume-valid in its place. more: flags of version 3.
    """

    mode: int
    sha: bytes
    times: tuple[int, int, int, int] = (0, 0, 0, 0)  # ctime and mtime, seconds and nanoseconds
    device: int = 0
    inode: int = 0
    uid: int = 0
    gid: int = 0
    size: int = 0
    flags: int = 0
    more: int = 0


def read(data: bytes) -> dict[tuple[bytes, int], Item]:
    """(path, stage) -> entry, in order. ToolFault for what is no index, or one that cannot be kept."""
    from hashlib import sha1

    if len(data) < 32 or data[:4] != b"DIRC":
        raise _broken("it does not begin as one")
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if version not in (2, 3, 4):
        raise ToolFault(f"the index of the repository has version {version}", "versions 2 to 4 are known")
    end = len(data) - 20
    if any(data[end:]) and sha1(data[:end], usedforsecurity=False).digest() != data[end:]:
        raise _broken("its checksum does not fit")
    found: dict[tuple[bytes, int], Item] = {}
    at, last, held = 12, (b"", -1), 0
    try:
        for _ in range(count):
            at, key, item = _entry(data, at, end, version, last[0])
            if key <= last or not is_path(key[0]):
                raise _broken(f"{shown(key[0])!r} cannot stand in it, or not there")
            if item.mode & 0o170000 not in (0o100000, 0o120000, 0o160000):
                raise _broken("it is sparse, or has an entry of an unknown kind")
            held += len(key[0])
            if held > MOST:
                raise _broken("its names take too much room")
            found[key] = item
            last = key
    except (IndexError, ValueError) as error:
        raise _broken("it ends early") from error
    _extensions(data, at, end)
    return found


def _entry(data: bytes, at: int, end: int, version: int, last: bytes) -> tuple[int, tuple[bytes, int], Item]:
    words = [int.from_bytes(data[at + 4 * n : at + 4 * n + 4], "big") for n in range(10)]
    flags = int.from_bytes(data[at + 60 : at + 62], "big")
    if at + 62 > end:
        raise IndexError
    name_at, more = at + 62, 0
    if flags & EXTENDED:
        if version == 2:
            raise _broken("version 2 has no extended flags")
        more = int.from_bytes(data[name_at : name_at + 2], "big")
        name_at += 2
    path = b""
    if version == 4:
        strip, name_at = _strip(data, name_at)
        if strip > len(last):
            raise IndexError
        path = last[: len(last) - strip]
    stop = data.index(b"\0", name_at, min(end, name_at + LONGEST + 1))
    path += data[name_at:stop]
    if len(path) > LONGEST:
        raise IndexError
    behind = stop + 1 if version == 4 else at + (((stop - at) + 8) & ~7)
    sha = hexlify(data[at + 40 : at + 60])
    times = (words[0], words[1], words[2], words[3])
    item = Item(words[6], sha, times, words[4], words[5], words[7], words[8], words[9], flags & VALID, more)
    return behind, (path, flags >> 12 & 3), item


def _strip(data: bytes, at: int) -> tuple[int, int]:
    """The number of bytes that version 4 leaves off the name before; as in a pack's offsets."""
    byte = data[at]
    value, read_ = byte & 0x7F, 1
    while byte & 0x80:
        if read_ > 4:
            raise IndexError
        byte = data[at + read_]
        value = ((value + 1) << 7) | (byte & 0x7F)
        read_ += 1
    return value, at + read_


def _extensions(data: bytes, at: int, end: int) -> None:
    while at + 8 <= end:
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        if not b"A" <= kind[:1] <= b"Z":
            what = _KINDS.get(kind, f"has an extension {shown(kind)!r} that is not known")
            raise ToolFault(f"the index of the repository {what}", "git itself can work with it, this tool cannot")
        at += 8 + size
    if at != end:
        raise _broken("its end is not where it should be")


def text(items: Iterable[tuple[tuple[bytes, int], Item]]) -> bytes:
    """The bytes of an index of version 2, or 3 where an entry needs it."""
    from hashlib import sha1

    sorted_items = sorted(items)
    version = 3 if any(item.more for _, item in sorted_items) else 2
    parts = [b"DIRC", version.to_bytes(4, "big"), len(sorted_items).to_bytes(4, "big")]
    for (path, stage), item in sorted_items:
        numbers = (*item.times, item.device, item.inode, item.mode, item.uid, item.gid, item.size)
        one = b"".join([(number & 0xFFFFFFFF).to_bytes(4, "big") for number in numbers]) + unhexlify(item.sha)
        flags = item.flags | stage << 12 | min(len(path), 0xFFF) | (EXTENDED if item.more else 0)
        one += flags.to_bytes(2, "big") + (item.more.to_bytes(2, "big") if item.more else b"") + path
        parts.append(one + b"\0" * (8 - len(one) % 8))
    body = b"".join(parts)
    return body + sha1(body, usedforsecurity=False).digest()


def _broken(why: str) -> ToolFault:
    return ToolFault(f"the index of the repository is broken: {why}", "git itself can make a new one: git reset")
