"""Machines as folders of text: /sys, /proc and /dev of a laptop, a board or a server, drawn by a test."""

from __future__ import annotations

import os
from pathlib import Path

from images.machine import Machine, Node


class Drawn(Machine):
    """A machine below `root`. Its device files are text: `block 8:16`; links among them are links."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        for folder in ("sys/class/block", "sys/dev/block", "proc/self", "dev"):
            (root / folder).mkdir(parents=True)
        self._lines: list[str] = []
        self._swaps = ["Filename Type Size Used Priority"]
        self.write("proc/cmdline", "quiet\n")
        self.write("proc/swaps", self._swaps[0] + "\n")
        self.mount("0:22", "/proc", "proc", "proc")

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def link(self, path: str, to: str) -> None:
        """A link below the root, to a path as the drawn machine sees it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.path.relpath(self.root / to.lstrip("/"), file.parent))

    def block(self, name: str, number: str, where: str, size: int, **attributes: str | bytes) -> str:
        """A block device in sys/devices/WHERE; attributes with __ for a slash. Gives its folder."""
        folder = f"sys/devices/{where}/block/{name}" if "block" not in where else f"sys/devices/{where}/{name}"
        told: dict[str, str | bytes] = {"size": str(size // 512), "ro": "0", "removable": "0", **attributes}
        for key, value in told.items():
            self.write(f"{folder}/{key.replace('__', '/')}", value)
        for child in ("slaves", "holders"):
            (self.root / folder / child).mkdir()
        self.link(f"sys/class/block/{name}", folder)
        self.link(f"sys/dev/block/{number}", folder)
        self.write(f"dev/{name}", f"block {number}")
        return folder

    def part(self, disk: str, name: str, number: str, size: int) -> None:
        """A partition of a disk."""
        where = os.path.relpath(self.real(disk), self.root.resolve() / "sys/devices")
        self.block(name, number, where, size, partition=name[-1])

    def stack(self, upper: str, *lower: str) -> None:
        """`upper` is made of the lower ones."""
        for name in lower:
            (self.real(upper) / "slaves" / name).touch()
            (self.real(name) / "holders" / upper).touch()

    def mount(self, number: str, point: str, kind: str, source: str, options: str = "rw") -> None:
        spaced = point.replace("\\", "\\134").replace(" ", "\\040").replace("\n", "\\012")
        self._lines.append(
            f"{len(self._lines) + 22} 1 {number} / {spaced} rw,relatime shared:1 - {kind} {source} {options}"
        )
        self.write("proc/self/mountinfo", "\n".join(self._lines) + "\n")
        self._mounts = None

    def swap(self, path: str) -> None:
        self._swaps.append(f"{path} partition 1 0 -2")
        self.write("proc/swaps", "\n".join(self._swaps) + "\n")

    def node(self, path: str) -> Node:
        real = os.path.realpath(self.root / path.lstrip("/"))
        seen = "/" + os.path.relpath(real, os.path.realpath(self.root))
        if not os.path.exists(real):
            return Node("absent", "", seen)
        words = Path(real).read_text("utf-8").split() if os.path.isfile(real) else []
        kind, number = (
            words if len(words) == 2 and ":" in words[1] else ("folder" if os.path.isdir(real) else "file", "")
        )
        return Node(kind, number, seen)


GB = 10**9


def nvme(machine: Drawn, name: str = "nvme0n1", major: int = 259) -> None:
    """The inner disk of a laptop: EFI, boot and one large partition."""
    machine.block(
        name,
        f"{major}:0",
        f"pci0000:00/0000:01:00.0/nvme/{name[:5]}",
        512 * GB,
        device__model="Samsung SSD 970",
        device__serial="S4EVNX0",
    )
    for number, size in ((1, GB // 2), (2, GB), (3, 500 * GB)):
        machine.part(name, f"{name}p{number}", f"{major}:{number}", size)


def usb(
    machine: Drawn,
    name: str = "sdb",
    minor: int = 16,
    size: int = 16 * GB,
    removable: str = "1",
    model: str = "Ultra           ",
    serial: str = "4C530001",
) -> None:
    """A USB stick or a card in a USB reader, with one partition."""
    bus = "pci0000:00/0000:00:14.0/usb1/1-2"
    machine.write(f"sys/devices/{bus}/idVendor", "0781\n")
    machine.write(f"sys/devices/{bus}/serial", f"{serial}\n")
    where = f"{bus}/1-2:1.0/host6/target6:0:0/6:0:0:{minor}"
    machine.block(
        name,
        f"8:{minor}",
        where,
        size,
        removable=removable,
        device__vendor="SanDisk ",
        device__model=model,
    )
    machine.part(name, f"{name}1", f"8:{minor + 1}", size - 4 * 10**6)


def card(machine: Drawn, name: str = "mmcblk0", kind: str = "SD", size: int = 32 * GB) -> None:
    """A card in a reader of its own, or an eMMC (kind MMC), with two partitions."""
    where = f"platform/soc/mmc_host/mmc{name[-1]}/mmc{name[-1]}:aaaa"
    machine.block(
        name,
        f"179:{32 * int(name[-1])}",
        where,
        size,
        device__type=kind,
        device__name="SC32G",
        device__serial="0x1234",
    )
    for number in (1, 2):
        machine.part(name, f"{name}p{number}", f"179:{32 * int(name[-1]) + number}", size // 3)


def made(machine: Drawn, name: str, number: str, *lower: str, **attributes: str) -> None:
    """A device that is made of others: LVM, encryption, RAID."""
    machine.block(name, number, "virtual", 100 * GB, **attributes)
    machine.stack(name, *lower)
