"""A card started without a boot loader: QEMU gets kernel and initramfs of the slot that the card's state names.

Rules:
1. The card stays as it is. Drivers that the emulated board needs come in a second archive behind the initramfs: its
   init loads all it finds in /modules, in the order of their names.
2. The kernel hears what images/board/boot.cmd would tell it, but no try is counted and no other slot is taken: who
   tests slots takes a board with a boot loader.
"""

from __future__ import annotations

import lzma
import tempfile
from collections.abc import Sequence
from pathlib import Path

from edge.card import layout
from edge.faults import CardFault
from hil import card as cards
from hil import modules
from images import cpio, initrd
from images.host import run
from images.slot import HEADER

DISK = "kernel/drivers/block/virtio_blk.ko"
_LARGEST = 256 << 20


def prepare(card: Path, folder: Path) -> None:
    """Put `kernel` and `initrd` of the card's slot into `folder`."""
    slot = layout.SLOT_B if cards.boot_state(card).slot == "b" else layout.SLOT_A
    image = unpacked(cards.get(card, slot, "kernel"))
    found = modules.kernel(image)
    drivers = [_disk(cards.get(card, slot, "root.sqfs"), found.release)]
    drivers += [(path.name, path.read_bytes()) for path in modules.built(found, print)]
    (folder / "kernel").write_bytes(image)
    (folder / "initrd").write_bytes(extended(cards.get(card, slot, "initrd")[HEADER:], drivers))


def words(card: Path) -> list[str]:
    """The kernel's command line (rule 2), with that of cmdline.txt."""
    state = cards.boot_state(card)
    told = cards.get(card, layout.CONFIG, "cmdline.txt").decode("ascii", "replace").split()
    said = {"slot": state.slot, "prev": state.prev, "good": int(state.good), "tries": state.tries}
    said.update({"data": state.data, "why": state.why})
    return ["panic=10", "oops=panic", *(f"fieldhand.{name}={value}" for name, value in said.items()), *told]


def unpacked(kernel: bytes) -> bytes:
    """The kernel in a slot's file for arm64 (images/slot.py, rule 2); CardFault when it is none."""
    plain = lzma.LZMADecompressor(format=lzma.FORMAT_ALONE)
    try:
        image = plain.decompress(kernel[HEADER:], _LARGEST)
    except (lzma.LZMAError, EOFError) as fault:
        raise CardFault(f"the kernel of the slot cannot be unpacked: {fault}") from fault
    if not plain.eof:
        raise CardFault("the kernel of the slot is cut off, or larger than any is")
    return image


def extended(archive: bytes, drivers: Sequence[tuple[str, bytes]]) -> bytes:
    """An initramfs with further modules, loaded last in this order. The kernel wants archives at a multiple of four."""
    items = [cpio.file(f"modules/{90 + number}-{name}", data) for number, (name, data) in enumerate(drivers)]
    return archive + bytes(-len(archive) % 4) + initrd.gzipped(cpio.pack(items, 0))


def _disk(root: bytes, release: str) -> tuple[str, bytes]:
    """The driver of the disk, which boards of ours have no use for in their initramfs."""
    with tempfile.NamedTemporaryFile(prefix="hil-", suffix=".sqfs") as file:
        Path(file.name).write_bytes(root)
        return "virtio_blk.ko", run("unsquashfs", "-cat", file.name, f"usr/lib/modules/{release}/{DISK}")
