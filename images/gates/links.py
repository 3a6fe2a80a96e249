"""No link of the root leads nowhere or out of it."""

from __future__ import annotations

import os
from pathlib import Path

from images import rooted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target

# What exists only while the board runs.
MADE_THERE = ("dev/", "proc/", "run/", "sys/", "tmp/", "data/", "boot/", "etc/")


def check(tree: Path, _product: Target) -> list[str]:
    """A sentence for each link that is absolute and outside, climbs above the root, loops, or ends where nothing is."""
    return [sentence for name in rooted.links(tree) if (sentence := _wrong(tree, name))]


def _wrong(tree: Path, name: str) -> str:
    target = os.readlink(tree / name)
    climbs = os.path.normpath(os.path.join(os.path.dirname(name), target)).startswith("..")
    if not target.startswith("/") and climbs:
        return f"the link {name} -> {target} leads above the root"
    ended = rooted.resolve(tree, name)
    if ended is None:
        return f"the link {name} -> {target} is a loop"
    if not os.path.lexists(tree / ended) and not f"{ended}/".startswith(MADE_THERE):
        return f"the link {name} -> {target} leads nowhere"
    return ""
