"""Every library that a program or library of the root needs is in the root, where the loader looks.

Rules:
1. The loader looks in DT_RPATH when there is no DT_RUNPATH, in DT_RUNPATH, then in the folders it knows (ld.so(8));
   $ORIGIN is the folder of the file that needs. RPATH of a program counts for the libraries that it loads too: that is
   not followed here, so a root that stands on it fails, and is told.
2. What is found has to be an ELF file of the same machine and size; one of another is passed over, as the loader does.
3. The program interpreter has to be there.
"""

from __future__ import annotations

import os
from pathlib import Path

from edge.faults import CardFault
from images import arches, elf, rooted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target


def check(tree: Path, product: Target) -> list[str]:
    """A sentence for each name that does not resolve, with all that need it."""
    arch = arches.named(product.arch)
    known = (f"lib/{arch.triple}", f"usr/lib/{arch.triple}", "lib", "usr/lib")
    elves = _elves(tree)
    missing: dict[str, list[str]] = {}
    for name, read in elves.items():
        folders = (*_own(name, read), *known)
        for library in read.needed:
            if not any(_fits(tree, elves, f"{folder}/{library}", read) for folder in folders):
                missing.setdefault(library, []).append(name)
        if read.interpreter and rooted.resolve(tree, read.interpreter) not in elves:
            missing.setdefault(read.interpreter, []).append(name)
    return [f"{library} is not there, {_these(users)} it" for library, users in sorted(missing.items())]


def _these(users: list[str]) -> str:
    if len(users) == 1:
        return f"{users[0]} needs"
    return f"{users[0]} and {len(users) - 1} more need"


def _elves(tree: Path) -> dict[str, elf.Elf]:
    """Every readable ELF file that a loader may meet; what cannot be read is told by another gate."""
    found = {}
    for name in rooted.files(tree):
        with (tree / name).open("rb") as file:
            start = file.read(4)
            if elf.is_elf(start) and not name.endswith(".ko"):
                try:
                    found[name] = elf.read(start + file.read())
                except CardFault:
                    continue
    return found


def _own(name: str, read: elf.Elf) -> list[str]:
    """The folders that a file names itself."""
    said = read.runpath or read.rpath
    here = os.path.dirname(name)
    return [part.replace("${ORIGIN}", here).replace("$ORIGIN", here).lstrip("/") for part in said.split(":") if part]


def _fits(tree: Path, elves: dict[str, elf.Elf], inner: str, user: elf.Elf) -> bool:
    ended = rooted.resolve(tree, inner)
    read = elves.get(ended) if ended else None
    return read is not None and (read.machine, read.bits) == (user.machine, user.bits)
