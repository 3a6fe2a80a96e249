"""The links by which busybox is everything else: as many as this busybox says it has, each where it says.

Rules:
1. The target's own busybox is asked, under qemu-user.
2. A program that a package brought stays what it is.
"""

from __future__ import annotations

import os
from pathlib import Path

from edge.faults import CardFault
from images import debs, user_mode
from images.arches import Arch

BUSYBOX = "usr/bin/busybox"
# linuxrc is for kernels that start it by hand.
NOT = frozenset(("linuxrc", BUSYBOX))


def install(tree: Path, arch: Arch) -> int:
    """Make the links; how many. CardFault when there is no busybox, or it has no init."""
    if not (tree / BUSYBOX).is_file():
        raise CardFault("there is no busybox in the tree", "add the package busybox-static to the product")
    code, out, errors = user_mode.run(user_mode.program(tree, arch, BUSYBOX, "--list-full"))
    names = [debs.inside(line) for line in out.decode("utf-8", "replace").split()]
    if code or "usr/sbin/init" not in names:
        told = errors.decode("utf-8", "replace").strip()
        raise CardFault(f"the busybox of the image does not name its applets (code {code}): {told}")
    made = [name for name in names if name not in NOT and not os.path.lexists(tree / name)]
    for name in made:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(f"/{BUSYBOX}", f"/{os.path.dirname(name)}"))
    return len(made)
