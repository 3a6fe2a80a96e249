"""Every ELF file of the root is for the board's processor and for its way of passing floating point numbers.

Rules:
1. Machine, size and byte order have to be those of the architecture, for kernel modules too.
2. 32 bit: the attributes of a file name the processor it was made for (Tag_CPU_arch) and its Thumb; an image for ARMv6
   holds nothing above it. A file without attributes is judged by its header alone.
3. Programs and libraries of 32 bit: the floating point mark of the header, where there is one, and Tag_ABI_VFP_args
   have to be those of the architecture. armel passes numbers in integer registers, armhf does not.
4. The attributes of a library that chooses its code when it is loaded are those of the best it can choose. Such are the
   libraries of CHOOSES, as long as they have functions that choose (STT_GNU_IFUNC); that they choose well is shown
   by the gate `starts`, on the least processor of the architecture.
"""

from __future__ import annotations

from pathlib import Path

from edge.faults import CardFault
from images import arches, elf, rooted
from images.arches import Arch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target

_MACHINES = {3: "i386", 8: "MIPS", 20: "PowerPC", 21: "PowerPC64", 22: "S390", arches.EM_ARM: "ARM", 62: "x86-64"}
_MACHINES.update({arches.EM_AARCH64: "AArch64", 243: "RISC-V", 258: "LoongArch"})
_PROCESSORS = (
    *("older than v4", "v4", "v4T", "v5T", "v5TE", "v5TEJ", "v6", "v6KZ", "v6T2", "v6K", "v7"),
    *("v6-M", "v6S-M", "v7E-M", "v8", "v8-R", "v8-M"),
)
TAG_THUMB = 9
# libatomic takes the instructions of v7 where the kernel says that they are there (GCC's libatomic, config/linux/arm).
CHOOSES = ("libatomic.so.1",)
VFP_ARGS = 1


def check(tree: Path, product: Target) -> list[str]:
    """A sentence for each file that the board could not run."""
    arch = arches.named(product.arch)
    found = []
    for name in rooted.files(tree):
        with (tree / name).open("rb") as file:
            data = file.read(4)
            if elf.is_elf(data):
                sentence = judge(data + file.read(), arch)
                found += [f"{name} {sentence}"] if sentence else []
    return found


def judge(data: bytes, arch: Arch) -> str:
    """What is wrong with an ELF file for an architecture, empty when nothing is."""
    try:
        read = elf.read(data)
    except CardFault as fault:
        return f"cannot be read: {fault}"
    if (read.machine, read.bits, read.little) != (arch.machine, arch.bits, True):
        return f"is for {_MACHINES.get(read.machine, f'machine {read.machine}')} with {read.bits} bit, not {arch.name}"
    if arch.bits != 32:
        return ""
    chooses = read.soname in CHOOSES and elf.chooses(data)
    return ("" if chooses else _above(read, arch)) or ("" if read.kind == elf.ET_REL else _floats(read, arch))


def _above(read: elf.Elf, arch: Arch) -> str:
    said = dict(read.attributes)
    made_for = said.get(elf.TAG_CPU_ARCH, 0)
    if made_for not in arch.runs:
        word = _PROCESSORS[made_for] if made_for < len(_PROCESSORS) else str(made_for)
        return f"is made for ARM {word}, which {arch.name} boards are not"
    if said.get(TAG_THUMB, 0) > arch.thumb and said.get(TAG_THUMB, 0) != 3:
        return f"uses Thumb-2, which {arch.name} boards do not have"
    return ""


def _floats(read: elf.Elf, arch: Arch) -> str:
    marks = read.flags & (elf.EF_ARM_ABI_FLOAT_HARD | elf.EF_ARM_ABI_FLOAT_SOFT)
    args = dict(read.attributes).get(elf.TAG_ABI_VFP_ARGS, 0)
    hard = marks == elf.EF_ARM_ABI_FLOAT_HARD or args == VFP_ARGS
    soft = marks == elf.EF_ARM_ABI_FLOAT_SOFT
    if (hard and not arch.hard) or (soft and arch.hard):
        return f"passes floating point numbers {'hard' if hard else 'soft'}, {arch.name} does not"
    return ""
