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
from images import modules as image_modules
from images.host import run
from images.product import Product
from images.slot import HEADER

# What finds the card and the far side of the lab bench, as far as the kernel does not have it itself.
DRIVERS = ("virtio_pci", "virtio_blk")
_LARGEST = 256 << 20


def prepare(card: Path, product: Product, folder: Path) -> None:
    """Put `kernel` and `initrd` of the card's slot into `folder`."""
    slot = layout.SLOT_B if cards.boot_state(card).slot == "b" else layout.SLOT_A
    kernel = cards.get(card, slot, "kernel")
    (folder / "kernel").write_bytes(unpacked(kernel) if product.arch == "arm64" else kernel[HEADER:])
    with tempfile.TemporaryDirectory(prefix="hil-", dir=folder) as work:
        release, own = shipped(cards.get(card, slot, "root.sqfs"), Path(work))
        found = [*own, *modules.built(modules.Kernel(release, product.suite, product.arch), print)]
        archive = extended(cards.get(card, slot, "initrd")[HEADER:], [(path.name, path.read_bytes()) for path in found])
    (folder / "initrd").write_bytes(archive)


def shipped(root: bytes, work: Path) -> tuple[str, list[Path]]:
    """The release of the kernel that a root is for, and its modules of DRIVERS in the order of loading."""
    (work / "root.sqfs").write_bytes(root)
    run("unsquashfs", "-q", "-n", "-d", work / "tree", work / "root.sqfs", image_modules.FOLDER)
    (folder,) = (work / "tree" / image_modules.FOLDER).iterdir()
    return folder.name, [work / "tree" / inner for inner in image_modules.closure(work / "tree", DRIVERS)]


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
