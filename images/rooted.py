"""Paths inside a folder that will be somebody's `/`: links mean what they will mean there, never what they mean here.

Rules:
1. A path is text without a leading slash. `..` never leads out of the tree, as nothing leads out of `/`.
2. A link with an absolute target begins again at the tree. More than 40 links in a row are a loop (path_resolution(7)).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LINKS = 40


def resolve(tree: Path, inner: str, last: bool = True) -> str | None:
    """What a path inside the tree is in the end, "" for the tree itself; None for a loop of links.

    The end needs not exist. `last` False leaves a link in the last place as it is.
    """
    done: list[str] = []
    rest = parts(inner)[::-1]
    links = 0
    while rest:
        part = rest.pop()
        if part == "..":
            del done[-1:]
            continue
        here = tree.joinpath(*done, part)
        if not here.is_symlink() or not (rest or last):
            done.append(part)
            continue
        links += 1
        if links > LINKS:
            return None
        target = os.readlink(here)
        if target.startswith("/"):
            done = []
        rest += parts(target)[::-1]
    return "/".join(done)


def parts(inner: str) -> list[str]:
    """The parts of a path that say something."""
    return [part for part in inner.split("/") if part not in ("", ".")]


def find(tree: Path, inner: str) -> Path | None:
    """The file or folder that a path inside the tree means; None where there is none."""
    ended = resolve(tree, inner)
    if ended is None:
        return None
    path = tree / ended
    return path if os.path.lexists(path) else None


def files(tree: Path, under: str = "") -> list[str]:
    """Every regular file below a folder of the tree, links not followed, sorted, as paths inside the tree."""
    found = []
    for folder, _, names in os.walk(tree / under):
        for name in names:
            path = os.path.join(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                found.append(os.path.relpath(path, tree))
    return sorted(found)


def leading_out(tree: Path, names: Iterable[str]) -> list[str]:
    """Those of the names that are links by which this machine, which is not in the tree, gets out of it."""
    top = os.path.realpath(tree)
    ends = ((name, os.path.realpath(tree / name)) for name in names if (tree / name).is_symlink())
    return [name for name, end in ends if end != top and not end.startswith(f"{top}/")]


def links(tree: Path) -> list[str]:
    """Every symbolic link of the tree, sorted."""
    found = []
    for folder, folders, names in os.walk(tree):
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found.append(os.path.relpath(path, tree))
    return sorted(found)


def size(tree: Path, inner: str = "") -> int:
    """Bytes of the regular files at or below a path of the tree; a file counts once for each of its names."""
    path = tree / inner
    if path.is_file() and not path.is_symlink():
        return path.stat().st_size
    return sum((tree / name).stat().st_size for name in files(tree, inner))
