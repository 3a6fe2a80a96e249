"""What stands on the first partition: the firmware, U-Boot with its script, and what a person with a laptop reads.

    bootcode.bin start*.elf fixup*.dat    firmware of the models of the product, with its licence
    u-boot-TARGET.bin                     U-Boot, one for each target that the product names
    config.txt                            which model starts what; cmdline.txt: words for the kernel besides our own
    boot.scr                              images/board/boot.cmd as U-Boot runs it; uboot.env: images/environment.py
    *.dtb                                 device trees of the models: the firmware fills one in and hands it on
    provision.toml                        settings to fill in, all commented out
    status.txt                            what the board says of itself; preallocated, the board overwrites it in place
    README.txt                            what is what

Rules:
1. Only firmware that a model of the product needs: chips BCM2835 to BCM2837 take start_cd.elf and bootcode.bin,
   BCM2711 takes start4cd.elf and has its boot code in a chip. These are the small builds of it: config.txt says
   gpu_mem=16, and with that the firmware asks for these names. Who raises gpu_mem has to add start.elf and fixup.dat.
2. Device trees stand here besides those of the slots: without one the firmware hands nothing on, and the 64-bit U-Boot
   has no tree of its own (CONFIG_OF_BOARD), so it would not start. The kernel gets that of its slot.
3. Text files have the line ends of Windows: Notepad of older versions reads no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from edge.card import status
from edge.faults import CardFault
from images import arches, debs, environment
from images.product import Product
from images.slot import cpu, wrap

FIRMWARE = {"bcm2835": "start", "bcm2836": "start", "bcm2837": "start", "bcm2711": "start4"}
FILES = {
    "start": ("bootcode.bin", "start_cd.elf", "fixup_cd.dat"),
    "start4": ("start4cd.elf", "fixup4cd.dat"),
}
README = """\
Fieldhand {product} {version}

This is the first partition of a Fieldhand card. Computers show only this one.

provision.toml   Fill it in before the first start: host name, password, network, model.
                 The board reads it once, takes the secrets out of it and says in status.txt
                 what it took and what is wrong, with line numbers.
status.txt       What the board said of itself when it last started.
config.txt       Read by the firmware of the Raspberry Pi. Change it only if you know why.
cmdline.txt      A line of words that the kernel hears besides our own.

The system itself is on the partitions behind this one, twice: an update writes the one
that does not run. Licences of all parts are in the folder licences.
"""


def firmware(deb: Path, product: Product, stage: Path, work: Path) -> None:
    """Copy the firmware that the machines of the product need. CardFault for a machine whose chip is not known."""
    kinds = set()
    for machine in product.machines:
        chip = machine.partition("-")[0]
        if chip not in FIRMWARE:
            raise CardFault(f"no firmware is known for {machine}", f"machines begin with {', '.join(sorted(FIRMWARE))}")
        kinds.add(FIRMWARE[chip])
    wanted = {f"usr/lib/raspi-firmware/{name}" for kind in kinds for name in FILES[kind]}
    found = debs.unpack(deb, work, lambda name: name in wanted)
    absent = sorted(wanted - set(found))
    if absent:
        raise CardFault(f"{deb.name} has no {', '.join(absent)}")
    for name in sorted(wanted):
        (stage / Path(name).name).write_bytes((work / name).read_bytes())


def uboot(deb: Path, targets: Iterable[str], stage: Path, work: Path) -> None:
    """Copy U-Boot for each target."""
    for target in sorted(targets):
        inner = f"usr/lib/u-boot/{target}/u-boot.bin"
        try:
            (stage / f"u-boot-{target}.bin").write_bytes(debs.file(deb, inner))
        except CardFault as fault:
            raise CardFault(fault.sentence, "correct [uboot] of the product") from fault


def config(base: str, product: Product) -> str:
    """The text of config.txt: the base, then which U-Boot each model starts."""
    lines = [base.rstrip("\n"), f"arm_64bit={int(product.arch == 'arm64')}"]
    for model, target in sorted(product.uboot.items()):
        lines += [f"[{model}]", f"kernel=u-boot-{target}.bin"]
    return "\n".join([*lines, "[all]", ""])


def script(command: Path, product: Product, stage: Path, work: Path, epoch: int) -> None:
    """Write boot.scr, and the settings by which U-Boot runs it at once."""
    (stage / environment.FILE).write_bytes(environment.made(arches.named(product.arch).bits))
    wrap(command.read_bytes(), stage / "boot.scr", work, epoch, ("script", cpu(product), "none", 0))


def texts(board: Path, product: Product, version: str, stage: Path) -> None:
    """Write config.txt, cmdline.txt, provision.toml, status.txt and README.txt; `board` is the folder images/board."""
    (stage / "config.txt").write_bytes(windows(config(_text(board / "config.txt"), product)))
    (stage / "cmdline.txt").write_bytes(_text(board / "cmdline.txt").encode())
    (stage / "provision.toml").write_bytes(windows(_text(board / "provision.toml")))
    (stage / "README.txt").write_bytes(windows(README.format(product=product.name, version=version)))
    (stage / status.FILE).write_bytes(status.not_started())


def trees(slot: Path, stage: Path) -> None:
    """Copy the device trees of a slot's stage."""
    for path in sorted((slot / "dtb").iterdir()):
        (stage / path.name).write_bytes(path.read_bytes())


def windows(text: str) -> bytes:
    """UTF-8 with the line ends of Windows."""
    return "\r\n".join(text.splitlines()).encode() + b"\r\n"


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise CardFault(f"{path.name} of the checkout: {(error.strerror or 'unknown').lower()}") from error
