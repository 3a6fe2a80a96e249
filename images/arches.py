"""The architectures of Debian that images are built for, as data: what their files look like, what runs them here.

Sources: Arm IHI 0044 and 0045 (ELF for the Arm Architecture, Addenda to the ABI: e_flags, Tag_CPU_arch);
Debian's ArchitectureSpecificsMemo (names of loaders and folders).
"""

from __future__ import annotations

from edge.faults import CardFault
from edge.record import Record

EM_ARM, EM_AARCH64 = 40, 183


class Arch(Record):
    """One architecture.

    `name` is Debian's, `triple` the folder below /usr/lib, `loader` the program interpreter. `qemu` is the emulator
    without its `-static`, `cpu` the least processor of its boards. `bits` is 32 or 64, `machine` ELF's e_machine,
    `runs` the values of Tag_CPU_arch that its boards run and `thumb` the highest Tag_THUMB_ISA_use (64 bit has no such
    tags), `hard` whether arguments go in floating point registers (None: not asked).
    """

    name: str
    triple: str
    loader: str
    qemu: str
    cpu: str
    bits: int
    machine: int
    runs: tuple[int, ...] = ()
    thumb: int = 0
    hard: bool | None = None


# Tag_CPU_arch: 0 before v4, 1 v4, 2 v4T, 3 v5T, 4 v5TE, 5 v5TEJ, 6 v6, 7 v6KZ, 8 v6T2, 9 v6K, 10 v7.
# The ARM1176 of the Raspberry Pi Zero and 1 is a v6KZ, which has what v6K has, but not the Thumb-2 of v6T2.
_V6KZ, _V7 = (*range(8), 9), tuple(range(11))
ARCHES = {
    arch.name: arch
    for arch in (
        Arch("armel", "arm-linux-gnueabi", "ld-linux.so.3", "qemu-arm", "arm1176", 32, EM_ARM, _V6KZ, 1, False),
        Arch("armhf", "arm-linux-gnueabihf", "ld-linux-armhf.so.3", "qemu-arm", "cortex-a7", 32, EM_ARM, _V7, 2, True),
        Arch("arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1", "qemu-aarch64", "cortex-a53", 64, EM_AARCH64),
    )
}


def named(name: str) -> Arch:
    """The architecture of that name; CardFault for one that no image is built for."""
    if name not in ARCHES:
        raise CardFault(f"no image can be built for the architecture {name!r}", f"use one of {', '.join(ARCHES)}")
    return ARCHES[name]
