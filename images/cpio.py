"""The archive an initramfs is: cpio in the form "newc", as bytes. Nothing of the machine that builds comes into it.

Rules:
1. Items are sorted by name, so that a folder stands before what is in it; folders that are missing are added.
2. Owner and group are 0, times are the epoch given, inode numbers count from 1, nothing is a hard link.
3. Device nodes are entries like any other: no mknod, no root.

Source: Documentation/driver-api/early-userspace/buffer-format.rst of the Linux kernel.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import PurePosixPath

from edge.record import Record

_END = "TRAILER!!!"


class Item(Record):
    """One thing in the archive. `name` is relative, without `.` and `..`; `mode` holds type and rights as in stat(2);
    `data` is a file's content or a link's target; `device` the major and minor number of a node."""

    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)

    def check(self) -> None:
        """ValueError for a name that is no plain relative path."""
        parts = self.name.split("/")
        if not self.name or any(part in ("", ".", "..") for part in parts) or "\0" in self.name:
            raise ValueError(f"{self.name!r} is no name inside an archive")


def file(name: str, data: bytes, mode: int = 0o644) -> Item:
    """A regular file."""
    return Item(name, stat.S_IFREG | mode, data)


def folder(name: str, mode: int = 0o755) -> Item:
    """A folder."""
    return Item(name, stat.S_IFDIR | mode)


def link(name: str, target: str) -> Item:
    """A symbolic link."""
    return Item(name, stat.S_IFLNK | 0o777, target.encode())


def node(name: str, major: int, minor: int, mode: int = 0o600) -> Item:
    """A character device."""
    return Item(name, stat.S_IFCHR | mode, device=(major, minor))


def pack(items: Iterable[Item], epoch: int) -> bytes:
    """The whole archive; ValueError when a name stands twice."""
    named: dict[str, Item] = {}
    for item in items:
        if item.name in named:
            raise ValueError(f"{item.name} stands twice in the archive")
        named[item.name] = item
    for name in list(named):
        for parent in list(PurePosixPath(name).parents)[:-1]:
            named.setdefault(str(parent), folder(str(parent)))
    out = bytearray()
    for number, name in enumerate(sorted(named), 1):
        out += _entry(named[name], number, epoch)
    out += _record(_END, [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], b"")
    return bytes(out.ljust(-(-len(out) // 512) * 512, b"\0"))


def _entry(item: Item, number: int, epoch: int) -> bytes:
    links = 2 if stat.S_ISDIR(item.mode) else 1
    head = [number, item.mode, 0, 0, links, epoch, len(item.data), 0, 0, *item.device]
    return _record(item.name, head, item.data)


def _record(name: str, head: list[int], data: bytes) -> bytes:
    text = name.encode() + b"\0"
    numbers = "".join(f"{value:08X}" for value in (*head, len(text), 0))
    return _padded(b"070701" + numbers.encode() + text) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
