"""What stands in a slot's FAT: kernel, initramfs, device trees, the root and its hash, and what slot it is.

    kernel        a U-Boot image with checksums: bootm refuses a damaged one before it runs
    initrd        the same around the initramfs
    dtb/*.dtb     device trees of the product's machines, by their upstream names
    root.sqfs     the root file system; root.sha256: its hash as sha256sum(1) writes it
    slot.json     {"product", "version", "arch", "data_schema", "root"}: what an update asks the other slot

Rules:
1. arm: the kernel file is zImage as it is, run where U-Boot read it to (images/board/boot.cmd, rule 6): the load
   address is that address behind the header, so nothing is copied. zImage moves itself to where it belongs.
2. arm64: the kernel is unpacked by U-Boot, so it is shipped as LZMA: 38 MB become 10, with gzip 14 (U-Boot of the
   Pi 3 and 4 knows both, CONFIG_LZMA; the image would be over its bound with gzip). A kernel of Linux 3.17 or later
   runs at any multiple of 2 MiB (Documentation/arch/arm64/booting.rst); 2 MiB is free on every board.
3. LZMA is in its oldest form, "alone", whose head names the length of what it holds; it has no time and no name.
   mkimage takes its time from SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

from edge.faults import CardFault
from images import debs, host
from images.product import Product

HEADER = 64
# Where boot.cmd reads the kernel file to (at_kernel), and where arm64 kernels are unpacked to.
AT_KERNEL, AT_UNPACKED = 0x06000000, 0x00200000


def kernel(deb: Path, product: Product, stage: Path, work: Path, epoch: int) -> None:
    """Write kernel and device trees of the kernel's package into the stage of a slot. CardFault when one is absent."""
    wanted = {f"{name}.dtb" for name in product.machines}
    found = debs.unpack(deb, work, lambda name: name.startswith("boot/vmlinuz-") or name.rpartition("/")[2] in wanted)
    images = [work / name for name in found if name.startswith("boot/vmlinuz-")]
    if len(images) != 1:
        raise CardFault(f"{deb.name} holds {len(images)} kernels, one is expected")
    trees = {Path(name).name: work / name for name in found if name.endswith(".dtb")}
    absent = sorted(wanted - set(trees))
    if absent:
        raise CardFault(f"{deb.name} has no device tree for {', '.join(absent)}", "correct `machines` of the product")
    (stage / "dtb").mkdir()
    for name, path in trees.items():
        (stage / "dtb" / name).write_bytes(path.read_bytes())
    data = images[0].read_bytes()
    if product.arch == "arm64":
        wrap(lzma_alone(data), stage / "kernel", work, epoch, ("kernel", "arm64", "lzma", AT_UNPACKED))
    else:
        wrap(data, stage / "kernel", work, epoch, ("kernel", "arm", "none", AT_KERNEL + HEADER))


def lzma_alone(data: bytes) -> bytes:
    """LZMA with the length in its head, where liblzma leaves "not known": U-Boot counts the room by it."""
    filters = [{"id": lzma.FILTER_LZMA1, "preset": 9, "dict_size": 1 << 25}]
    packed = lzma.compress(data, format=lzma.FORMAT_ALONE, filters=filters)
    return packed[:5] + len(data).to_bytes(8, "little") + packed[13:]


def initrd(archive: bytes, product: Product, stage: Path, work: Path, epoch: int) -> None:
    """Write the initramfs into the stage of a slot."""
    wrap(archive, stage / "initrd", work, epoch, ("ramdisk", cpu(product), "none", 0))


def wrap(data: bytes, to: Path, work: Path, epoch: int, what: tuple[str, str, str, int]) -> None:
    """One U-Boot image; `what` is mkimage's kind, architecture and compression, and the load address. CardFault."""
    kind, arch, packing, load = what
    plain = work / f"{kind}.plain"
    plain.write_bytes(data)
    host.run(
        *("mkimage", "-A", arch, "-O", "linux", "-T", kind, "-C", packing, "-n", f"fieldhand {kind}"),
        *("-a", f"{load:#x}", "-e", f"{load:#x}", "-d", plain, to),
        add={"SOURCE_DATE_EPOCH": str(epoch)},
    )


def cpu(product: Product) -> str:
    """What U-Boot calls the architecture."""
    return "arm64" if product.arch == "arm64" else "arm"


def label(product: Product, version: str, schema: int, root: str, stage: Path) -> None:
    """Write slot.json and root.sha256; `root` is the sha256 of root.sqfs in hex."""
    said = {"arch": product.arch, "data_schema": schema, "product": product.name, "root": root, "version": version}
    (stage / "slot.json").write_text(json.dumps(said, sort_keys=True) + "\n", "utf-8")
    (stage / "root.sha256").write_text(f"{root}  root.sqfs\n", "ascii")
