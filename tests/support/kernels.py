"""Kernel packages made on the spot: modules that say what they need, and the lists that come with them."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path

from tests.support import elves, packages

FOLDER = "lib/modules/6.1-test"


def module(depends: str = "", softdep: str = "") -> bytes:
    """A kernel module that says what it needs."""
    said = f"license=GPL\0depends={depends}\0" + (f"softdep={softdep}\0" if softdep else "")
    return elves.make(kind=1, sections={".modinfo": said.encode(), ".text": b"code"})


def deb(path: Path, modules: Mapping[str, bytes], builtin: str = "", ends: str = ".ko", folder: str = FOLDER) -> Path:
    """A kernel package with those modules (by their path without an end) and those names built in."""
    pack = lzma.compress if ends == ".ko.xz" else bytes
    files = {f"{folder}/kernel/{name}{ends}": pack(data) for name, data in modules.items()}
    files[f"{folder}/modules.builtin"] = "".join(f"kernel/x/{name}.ko\n" for name in builtin.split()).encode()
    files[f"{folder}/modules.order"] = "".join(f"kernel/{name}.ko\n" for name in modules).encode()
    files["boot/vmlinuz-6.1-test"] = b"kernel"
    return packages.deb(path, "Package: linux-image-6.1-test\n", files)
