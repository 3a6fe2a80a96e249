"""Packages, wheels and a checkout -> the root of a board: a folder that mksquashfs can take as it is.

Rules:
1. Parts come in this order: packages (the later one wins a name), links of the usr-merge, modules, certificates,
   Fieldhand, the board's own files, applets, byte code. Nothing of the machine that builds gets in.
2. Every folder is 0755, every file 0644 or, where its owner may run it, 0755, whatever the umask is. Special modes are
   set where the file system is made.
3. The gates look at the finished tree; `make` raises a CardFault with every sentence that one had.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from edge.faults import CardFault
from edge.record import Record
from images import agent, applets, arches, certificates, compiled, debs, gates, modules, rooted, strip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Target(Protocol):
        """What of a product decides its root."""

        @property
        def arch(self) -> str: ...
        @property
        def python(self) -> str: ...


BOARD = "images/board/root"
KERNEL = "linux-image-"
# The kernel, its firmware and U-Boot have places of their own on the card.
NOT_ROOT = (KERNEL, "raspi-firmware", "u-boot-")
EMPTY = ("boot", "data", "dev", "etc", "mnt", "proc", "run", "sys", "tmp", "root", "usr/sbin", "var")
Told = Callable[[str, int, int], object]


class Part(Record):
    """What takes how many bytes, before the file system compresses it."""

    name: str
    bytes: int


class Report(Record):
    """What a tree is made of. `modules` are paths inside it; `cas` counts certificates."""

    parts: tuple[Part, ...]
    modules: tuple[str, ...]
    cas: int
    sources: int
    applets: int


def silent(_what: str, _done: int, _all: int) -> None:
    """Hears how far it is, and does nothing."""


def make(
    product: Target,
    packages: dict[str, Path],
    wheels: list[Path],
    checkout: Path,
    into: Path,
    told: Told = silent,
    cache: Path | None = None,
) -> Report:
    """Make the root of a product in the new folder `into`, and pass it through the gates.

    `packages` are .debs by name, `told(what, done, all)` hears how far it is, `cache` holds byte code that was compiled
    before. CardFault says all that is wrong.
    """
    arch = arches.named(product.arch)
    into.mkdir(parents=True)
    into.chmod(0o755)
    _unpack(packages, into, told)
    found = _modules(packages, into, product)
    trusted = certificates.install(into)
    agent.install(checkout, wheels, into)
    _board(checkout / BOARD, into)
    links = applets.install(into, arch)
    folders = (f"usr/lib/python{product.python}", agent.LIBRARY)
    many = compiled.compile_all(into, arch, product.python, folders, lambda n, of: told("compile", n, of), cache)
    _modes(into)
    wrong = gates.check(into, product, told)
    if wrong:
        raise CardFault(f"the root is not fit for a board: {'; '.join(wrong)}")
    return Report(tuple(_parts(into, arch, product.python)), tuple(found), trusted, many, links)


def _unpack(packages: dict[str, Path], into: Path, told: Told) -> None:
    names = sorted(name for name in packages if not name.startswith(NOT_ROOT))
    for number, name in enumerate(names):
        told("unpack", number, len(names))
        debs.unpack(packages[name], into, strip.needed)
    told("unpack", len(names), len(names))
    # A link of one package may lead elsewhere through a link of another: what is written from here on follows them.
    out = rooted.leading_out(into, rooted.links(into))
    if out:
        raise CardFault(f"the link {out[0]} of the packages leads out of the tree")
    for folder in debs.MERGED[:3]:
        (into / "usr" / folder).mkdir(parents=True, exist_ok=True)
        (into / folder).symlink_to(f"usr/{folder}")
    for folder in EMPTY:
        (into / folder).mkdir(parents=True, exist_ok=True)


def _modules(packages: dict[str, Path], into: Path, product: Target) -> list[str]:
    # The package without a version is empty: it names the one with the newest.
    names = [name for name in sorted(packages) if name.startswith(KERNEL) and name[len(KERNEL) :][:1].isdigit()]
    kernels = [packages[name] for name in names]
    if len(kernels) != 1:
        raise CardFault(f"{len(kernels)} kernels are among the packages, one is wanted")
    return modules.install(kernels[0], into, getattr(product, "modules", ()))


def _board(source: Path, into: Path) -> None:
    """The files that make it a Fieldhand board, as they lie in the checkout."""
    for folder, _, names in sorted(os.walk(source)):
        for name in sorted(names):
            path = Path(folder, name)
            target = into / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(target):
                target.unlink()
            shutil.copy(path, target, follow_symlinks=False)


def _modes(into: Path) -> None:
    for folder, _, names in os.walk(into):
        os.chmod(folder, 0o755)
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)


def _parts(into: Path, arch: arches.Arch, python: str) -> list[Part]:
    """Each part once, the rest as the last."""
    triple, library = f"usr/lib/{arch.triple}", agent.LIBRARY
    edge = rooted.size(into, f"{library}/edge")
    crypto = sum(rooted.size(into, f"{triple}/{name}.so.3") for name in ("libssl", "libcrypto"))
    parts = [
        Part("python", rooted.size(into, f"usr/bin/python{python}")),
        Part("standard library", rooted.size(into, f"usr/lib/python{python}")),
        Part("fieldhand", edge),
        Part("libraries beside it", rooted.size(into, library) - edge),
        Part("busybox", rooted.size(into, applets.BUSYBOX)),
        Part("libssl and libcrypto", crypto),
        Part("libc and other libraries", rooted.size(into, triple) - crypto),
        Part("kernel modules", modules.size(into)),
        Part("certificates", rooted.size(into, certificates.FOLDER) + rooted.size(into, certificates.SOURCE)),
    ]
    return [*parts, Part("the rest", rooted.size(into) - sum(part.bytes for part in parts))]
