"""The initramfs of a slot: busybox, the modules a boot needs, our init, and what it needs to know of the card.

    init                    images/board/init, run by the kernel
    bin/busybox, bin/sh     the static busybox of the image; init installs the other names itself
    modules/NN-NAME.ko      what is loaded, in the order of the numbers, uncompressed: `insmod` needs no index
    state-SLOT-DATA         ready boot states of 512 bytes: "the other slot was rotten, try SLOT", data new or made
    dev/console, dev/null   devices that must be there before devtmpfs is

Rules:
1. Nothing of the host comes in: the archive is images/cpio.py's, gzip has no time and no name in its head.
2. gzip at level 9: every Debian kernel of the products reads it, and the modules that matter are small.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Sequence
from pathlib import Path

from edge.card import state
from edge.faults import CardFault
from images import cpio, host, modules

BUSYBOX = "usr/bin/busybox"
# What a boot up to the root needs, the watchdog first. Kernels have some of it built in and do without others; what no
# boot can do without the tree's own list demands (images/module_names.py, MUST). ext4 the root loads for itself.
BOOT = (
    "bcm2835_wdt",
    *("bcm2835-mailbox", "raspberrypi", "clk-raspberrypi", "bcm2835-dma", "pinctrl-bcm2835", "gpio-raspberrypi-exp"),
    *("gpio-regulator", "bcm2835", "sdhci-iproc", "mmc_block"),
    *("loop", "squashfs", "overlay", "nls_cp437", "nls_ascii", "vfat"),
)


def boot_modules(tree: Path, present: Sequence[str]) -> list[Path]:
    """The modules of a boot in the order of loading; `present` are the paths of all modules in the tree."""
    names = {stem(Path(path))[: -len(".ko")].replace("-", "_") for path in present}
    wanted = [name for name in BOOT if name.replace("-", "_") in names]
    return [tree / inner for inner in modules.closure(tree, wanted)]


def make(tree: Path, init: Path, load: Sequence[Path], epoch: int) -> bytes:
    """The compressed archive. `load` are modules in the order of loading; CardFault when something is absent."""
    items = [
        cpio.file("init", _read(init), 0o755),
        cpio.file("bin/busybox", _read(tree / BUSYBOX), 0o755),
        cpio.link("bin/sh", "busybox"),
        cpio.node("dev/console", 5, 1),
        cpio.node("dev/null", 1, 3, 0o666),
        *(cpio.folder(name) for name in ("etc", "mnt", "proc", "root", "run", "sys", "tmp")),
        *(cpio.file(f"modules/{number:02d}-{stem(path)}", plain(path)) for number, path in enumerate(load)),
        *(cpio.file(name, block) for name, block in states().items()),
    ]
    return gzipped(cpio.pack(items, epoch))


def gzipped(data: bytes) -> bytes:
    """gzip with a head of our own (RFC 1952): Python's names an operating system, and not the same in each version."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    tail = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + packer.compress(data) + packer.flush() + tail


def states() -> dict[str, bytes]:
    """The boot states that init may write: state-a-new, state-a-made, state-b-new, state-b-made."""
    found = {}
    for slot in state.SLOTS:
        for data in (state.NEW, state.MADE):
            block = state.State(state.other(slot), slot, good=False, tries=0, data=data, why="update")
            found[f"state-{slot}-{data}"] = state.pack(state.rotten(block))
    return found


def stem(module: Path) -> str:
    """i2c-dev.ko.xz -> i2c-dev.ko."""
    return f"{module.name.partition('.ko')[0]}.ko"


def plain(module: Path) -> bytes:
    """A kernel module without its compression."""
    data = _read(module)
    if module.suffix == ".xz":
        return lzma.decompress(data)
    if module.suffix == ".zst":
        return host.run("zstd", "-dcq", data=data)
    return gzip.decompress(data) if module.suffix == ".gz" else data


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CardFault(f"the initramfs needs {path.name}: {(error.strerror or 'unknown').lower()}") from error
