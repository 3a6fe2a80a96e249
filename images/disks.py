"""Which disks may be written over, and the sentences for those that may not.

Rules:
1. Refused always: what is no whole disk of a kind that cards show up as (partitions, loop, ram, zram, optical drives,
   boot areas of eMMC, anything made of other disks), what is read-only, empty or too small, the disk that this system
   runs from, and a disk of which anything is mounted, swapped to or held by LVM, RAID, encryption.
2. Refused until the target is named a second time by `--again`: what does not say that it is removable (an SD card in
   a reader of its own says what it is, not that it is removable: it counts as removable), and what has more than
   256 GB.
3. A sentence names the device, its model, size and serial number, and what is mounted where. What a disk calls itself
   and where it lets itself be mounted is its maker's text: it stands there on one line, its control characters written.
"""

from __future__ import annotations

import re

from edge.faults import UsageFault
from edge.record import Record
from edge.text import visible
from images.machine import Machine, Use, clean
from images.progress import amount, beyond

LARGE = 256 * 10**9
_CARDS = re.compile(r"(sd[a-z]+|mmcblk\d+|nvme\d+n\d+|vd[a-z]+|xvd[a-z]+|hd[a-z]+)")
_SYSTEM = re.compile(r"/|/(boot|usr|nix|gnu|sysroot|ostree)(/.*)?|/(efi|home|var|etc|opt|srv|root|tmp)")
_SHOWN = 4
_LONGEST = 80


class Disk(Record):
    """A whole block device. `size` in bytes, `bus` as a word, `uses` what is in the way of writing over it."""

    name: str
    model: str
    serial: str
    size: int
    bus: str
    removable: bool
    readonly: bool
    uses: tuple[Use, ...]

    @property
    def node(self) -> str:
        """Its device file."""
        return f"/dev/{self.name}"

    @property
    def system(self) -> bool:
        """Whether this system runs from it."""
        return any(use.what == "root" or (use.what == "mounted" and _SYSTEM.fullmatch(use.where)) for use in self.uses)


def every(machine: Machine) -> list[Disk]:
    """All disks that could be a card, in the order of their names."""
    uses = machine.uses()
    return [read(machine, name, uses) for name in machine.all_disks() if _CARDS.fullmatch(name)]


def read(machine: Machine, name: str, uses: dict[str, tuple[Use, ...]] | None = None) -> Disk:
    """One disk by its kernel name."""
    found = machine.uses() if uses is None else uses
    sectors = machine.attribute(name, "size")
    return Disk(
        name=name,
        model=_model(machine, name),
        serial=_serial(machine, name),
        size=int(sectors) * 512 if sectors.isdigit() else 0,
        bus=_bus(machine, name),
        removable=machine.attribute(name, "removable") == "1" or machine.attribute(name, "device/type") == "SD",
        readonly=machine.attribute(name, "ro") == "1",
        uses=found.get(name, ()),
    )


def described(disk: Disk) -> str:
    """`/dev/sdb (SanDisk Ultra, 15.9 GB, serial 4C53, USB, removable)`."""
    words = [
        visible(disk.model, _LONGEST) or "no model name",
        amount(disk.size),
        f"serial {visible(disk.serial, _LONGEST)}" if disk.serial else "no serial number",
        disk.bus,
        "removable" if disk.removable else "not removable",
    ]
    return f"{disk.node} ({', '.join(word for word in words if word)})"


def used(uses: tuple[Use, ...]) -> str:
    """`mounted at /, /home; swap on /swapfile; held by dm-0 (LVM vg-root)`."""
    words = []
    for what, said in (("mounted", "mounted at"), ("swap", "swap on"), ("held", "held by"), ("root", "named by")):
        places = [visible(use.where) for use in uses if use.what == what]
        if what == "held":
            places.sort()
        if places:
            more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
            words.append(f"{said} {', '.join(places[:_SHOWN])}{more}")
    return "; ".join(words)


def refusal(machine: Machine, name: str, need: int, again: bool) -> str:
    """Why a block device is not written over, as a sentence; "" when it may be. `need`: bytes of the image."""
    if machine.whole(name) != name:
        whole = machine.whole(name)
        return f"/dev/{name} is a partition of /dev/{whole}; a card is written as a whole: name /dev/{whole}"
    if not _CARDS.fullmatch(name):
        return f"/dev/{name} is no card: {_what(machine, name)}"
    disk = read(machine, name)
    return _in_the_way(disk) or _unfit(disk, need) or ("" if again else _unusual(disk))


def check(machine: Machine, name: str, need: int, again: bool) -> Disk:
    """The disk, if it may be written over; UsageFault with the sentence."""
    sentence = refusal(machine, name, need, again)
    if sentence:
        raise UsageFault(sentence)
    return read(machine, name)


def _in_the_way(disk: Disk) -> str:
    if disk.system:
        return f"{described(disk)} is the disk that this system runs from ({used(disk.uses)}): never written over"
    if disk.uses:
        return f"{described(disk)} is in use: {used(disk.uses)}; unmount it or take it out of use first"
    return ""


def _unfit(disk: Disk, need: int) -> str:
    if not disk.size:
        return f"{disk.node} has no card in it"
    if disk.readonly:
        return f"{described(disk)} is read-only: look at the lock switch of the card"
    if disk.size < need:
        return f"{described(disk)} is too small: the image has {beyond(need, disk.size)}"
    return ""


def _unusual(disk: Disk) -> str:
    found = []
    if not disk.removable:
        found.append("is not removable")
    if disk.size > LARGE:
        found.append(f"has more than {amount(LARGE)}")
    if not found:
        return ""
    return (
        f"{described(disk)} {' and '.join(found)}; if it is the card all the same, name it twice: --again {disk.node}"
    )


def _what(machine: Machine, name: str) -> str:
    for pattern, words in (
        (r"loop\d+", "a loop device stands on a file"),
        (r"z?ram\d+", "it is memory of this computer"),
        (r"sr\d+", "it is an optical drive"),
        (r"mmcblk\d+(boot\d+|rpmb|gp\d+)", "it is a boot or hidden area of an eMMC"),
        (r"mtdblock\d+", "it is flash memory of this computer"),
        (r"fd\d+", "it is a floppy drive"),
    ):
        if re.fullmatch(pattern, name):
            return words
    below = sorted(machine.below(name) - {name})
    return f"it is made of other disks ({', '.join(below)})" if below else "it is of a kind that no card shows up as"


def _model(machine: Machine, name: str) -> str:
    vendor, model = machine.attribute(name, "device/vendor"), machine.attribute(name, "device/model")
    if vendor.startswith("0x"):  # virtio has a number there
        vendor = ""
    return " ".join(f"{vendor} {model or machine.attribute(name, 'device/name')}".split())


def _serial(machine: Machine, name: str) -> str:
    """The disk's own number: MMC, NVMe, virtio, SCSI's page 80h, else of the USB device that it is in."""
    page = machine.raw("sys/class/block", name, "device/vpd_pg80")[4:]  # behind four bytes of head
    own = machine.attribute(name, "device/serial") or machine.attribute(name, "serial") or clean(page)
    if own:
        return own
    for folder in machine.real(name).parents:
        if (folder / "idVendor").exists():
            return machine.text(str(folder.relative_to(machine.root.resolve())), "serial")
    return ""


def _bus(machine: Machine, name: str) -> str:
    kind = machine.attribute(name, "device/type")
    if name.startswith("mmcblk"):
        return "eMMC" if kind == "MMC" else f"{kind or 'MMC'} card"
    way = str(machine.real(name))
    for mark, word in (("/usb", "USB"), ("/nvme", "NVMe"), ("/ata", "SATA"), ("/virtio", "virtio")):
        if mark in way:
            return word
    return ""
