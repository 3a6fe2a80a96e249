"""The disks of this machine and what uses them, read from /sys and /proc.

Rules:
1. Every fact is text below `root`/sys and `root`/proc; only what a path is (`node`) is asked of this machine itself.
   So a folder that looks like another machine is one, with a `node` of its own.
2. What stands on a disk is followed down to all disks below it: partitions, LVM, RAID and encryption by their slaves,
   loop devices by the file behind them, btrfs by its members, overlays by their folders, until whole disks are reached.
3. A fact that cannot be read is an empty word, never a guess that would make a disk look free: what is not seen here
   (ZFS, a mount in another name space) is stopped by the exclusive open of images/target.py.

Sources: proc_pid_mountinfo(5), proc_swaps(5), kernel documents ABI/testing/sysfs-block, sysfs-class-bdi, sysfs-bus-mmc.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from edge.record import Record

_KINDS = {
    stat.S_IFBLK: "block",
    stat.S_IFCHR: "character",
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}


class Node(Record):
    """What a path is. `kind`: block, character, folder, file, pipe, socket or absent; `number` of a device: 8:16."""

    kind: str
    number: str
    path: str
    size: int = 0


class Mount(Record):
    """One line of mountinfo."""

    number: str
    point: str
    kind: str
    source: str
    options: str


class Use(Record):
    """What uses a disk: `what` is mounted, swap, held or root; `where` a mount point, file or the name of a holder."""

    what: str
    where: str


class Machine:
    """This machine, or the one that a folder describes."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root
        self._mounts: list[Mount] | None = None

    # --- text ---

    def text(self, *parts: str) -> str:
        """A file below the root, without space around it and NULs; "" when there is none."""
        return clean(self.raw(*parts))

    def raw(self, *parts: str) -> bytes:
        """The bytes of a file below the root; nothing when there is none."""
        try:
            return self.root.joinpath(*(part.lstrip("/") for part in parts)).read_bytes()
        except OSError:
            return b""

    def names(self, *parts: str) -> list[str]:
        """What is in a folder below the root, sorted; nothing when there is none."""
        try:
            return sorted(os.listdir(self.root.joinpath(*(part.lstrip("/") for part in parts))))
        except OSError:
            return []

    def node(self, path: str) -> Node:
        """What a path is, links followed."""
        real = os.path.realpath(path)
        try:
            found = os.stat(real)
        except OSError:
            return Node("absent", "", real)
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "unknown")
        number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" if kind in ("block", "character") else ""
        return Node(kind, number, real, found.st_size)

    # --- block devices by their kernel names ---

    def real(self, name: str) -> Path:
        """The folder of a block device among the devices of the bus it is on."""
        return Path(os.path.realpath(self.root / "sys/class/block" / name))

    def named(self, number: str) -> str:
        """8:16 -> sdb; "" for what is no block device here."""
        link = self.root / "sys/dev/block" / number
        return Path(os.path.realpath(link)).name if number and link.exists() else ""

    def attribute(self, name: str, *parts: str) -> str:
        """A text attribute of a block device."""
        return self.text("sys/class/block", name, *parts)

    def whole(self, name: str) -> str:
        """The disk that a partition is on; a disk is its own."""
        real = self.real(name)
        return real.parent.name if (real / "partition").exists() else name

    def parts(self, disk: str) -> list[str]:
        """The partitions of a disk."""
        real = self.real(disk)
        return sorted((child.parent.name for child in real.glob("*/partition")), key=_by_number)

    def all_disks(self) -> list[str]:
        """Every whole block device."""
        return [name for name in sorted(self.names("sys/class/block"), key=_by_number) if self.whole(name) == name]

    def below(self, name: str, seen: set[str] | None = None) -> set[str]:
        """The whole disks that a block device stands on, itself among them when it is one (rule 2)."""
        seen = set() if seen is None else seen
        if not name or name in seen:
            return set()
        seen.add(name)
        disk = self.whole(name)
        seen.add(disk)
        found = {disk}
        for layer in {name, disk}:
            for slave in self.names("sys/class/block", layer, "slaves"):
                found |= self.below(slave, seen)
        backing = self.attribute(disk, "loop/backing_file")
        return found | (self.under(backing, seen) if backing else set())

    def under(self, path: str, seen: set[str] | None = None) -> set[str]:
        """The disks that a file or folder stands on: those of the nearest mount above it."""
        seen = set() if seen is None else seen
        above = [mount for mount in self.mounts() if _inside(path, mount.point)]
        if not above:
            return set()
        nearest = max(len(mount.point) for mount in above)
        last = [mount for mount in above if len(mount.point) == nearest][-1]
        return self.carries(last, seen)

    def carries(self, mount: Mount, seen: set[str] | None = None) -> set[str]:
        """The disks below one mount."""
        seen = set() if seen is None else seen
        mark = f"mount {mount.point} {mount.number}"
        if mark in seen:
            return set()
        seen.add(mark)
        name = self.named(mount.number) or self.at(mount.source)
        found: set[str] = set()
        for member in self._members(name):
            found |= self.below(member, seen)
        if mount.kind == "overlay":
            for folder in _folders(mount.options):
                found |= self.under(folder, seen)
        return found

    def at(self, path: str) -> str:
        """The kernel name of a device file; "" when it is none."""
        return self.named(self.node(path).number) if path.startswith("/dev/") else ""

    def _members(self, name: str) -> list[str]:
        """A device, or all members of the btrfs that it belongs to."""
        for system in self.names("sys/fs/btrfs"):
            members = self.names("sys/fs/btrfs", system, "devices")
            if name in members:
                return members
        return [name] if name else []

    # --- what uses what ---

    def mounts(self) -> list[Mount]:
        """All mounts of this name space, in their order."""
        if self._mounts is None:
            self._mounts = list(_mounts(self.text("proc/self/mountinfo")))
        return self._mounts

    def swaps(self) -> list[str]:
        """The partitions and files that this machine swaps to."""
        return [_plain(re.split("[ \t]", line, maxsplit=1)[0]) for line in self.text("proc/swaps").split("\n")[1:]]

    def uses(self) -> dict[str, tuple[Use, ...]]:
        """Disk -> what uses it now, each thing once."""
        self._mounts = None
        found: dict[str, list[Use]] = {}

        def add(disks: set[str], use: Use) -> None:
            for disk in disks:
                if use not in found.setdefault(disk, []):
                    found[disk].append(use)

        for mount in self.mounts():
            add(self.carries(mount), Use("mounted", mount.point))
        for path in self.swaps():
            add(self.below(self.at(path)) or self.under(path), Use("swap", path))
        for disk in self.all_disks():
            for layer in (disk, *self.parts(disk)):
                for holder in self.names("sys/class/block", layer, "holders"):
                    add(self.below(layer), Use("held", self.described(holder)))
        add(self.below(self.at(self._root_device())), Use("root", "root= of the kernel's command line"))
        return {disk: tuple(uses) for disk, uses in found.items()}

    def described(self, holder: str) -> str:
        """`dm-0 (LVM vg-root)`: a holder with the name and kind that device mapper or RAID gave it."""
        kind = self.attribute(holder, "dm/uuid").partition("-")[0] or self.attribute(holder, "md/level")
        words = " ".join(word for word in (kind, self.attribute(holder, "dm/name")) if word)
        return f"{holder} ({words})" if words else holder

    def _root_device(self) -> str:
        words = re.findall(r"(?:^|\s)root=(?:(PARTUUID|UUID|LABEL|PARTLABEL)=)?(\S+)", self.text("proc/cmdline"))
        if not words:
            return ""
        kind, value = words[-1]
        return f"/dev/disk/by-{kind.lower()}/{value}" if kind else value


def clean(data: bytes) -> str:
    """What a file of the kernel says, without NULs and without space around it."""
    return data.replace(b"\0", b"").decode("utf-8", "replace").strip()


def _mounts(text: str) -> Iterator[Mount]:
    # The kernel writes out space, tab, line feed and backslash; all else that ends a line elsewhere is part of a name.
    for line in text.split("\n"):
        first, _, last = line.partition(" - ")
        head, tail = first.split(" "), last.split(" ")
        if len(head) >= 5 and len(tail) >= 2:
            options = tail[2] if len(tail) > 2 else ""
            yield Mount(head[2], _plain(head[4]), tail[0], _plain(tail[1]), _plain(options))


def _plain(word: str) -> str:
    r"""A word of /proc with its space, tab, line feed and backslash back: \040 -> space."""
    return re.sub(r"\\([0-7]{3})", lambda hit: chr(int(hit[1], 8)), word)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _folders(options: str) -> list[str]:
    """The folders that an overlay is made of."""
    found = []
    for name, value in re.findall(r"(lowerdir\+?|upperdir|workdir|datadir\+)=((?:[^,\\]|\\.)*)", options):
        pieces = re.split(r"(?<!\\):+", value) if name == "lowerdir" else [value]
        found += [re.sub(r"\\(.)", r"\1", piece) for piece in pieces if piece.startswith("/")]
    return found


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(word), "") if word.isdigit() else (-1, word) for word in re.findall(r"\d+|\D+", name)]
