"""A build of an image in seconds: the packages are small ones made on the spot, and no program of the target runs.

What is put in place of the real thing: the lock, the pool, the tree with gates and modules, the papers. All else is the
builder's own: squashfs, initramfs, kernel in its wrapping, both FATs, the card, its map, manifest, signature, update.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from images import build, host, initrd, product
from images.keys import Key
from images.product import Product
from images.tree import Part, Report
from tests.support import packages, signed

PRODUCT = "pi-armv6"
KEY = Key("tests", signed.SEED, signed.KEY.public)
needs_tools = pytest.mark.skipif(bool(host.missing(build.PROGRAMS)), reason=f"not here: {host.missing(build.PROGRAMS)}")


def order(out: Path, **changes: Any) -> build.Order:
    """A build of version 1.0, signed by the key of the tests."""
    return build.Order(**{"product": product.load(PRODUCT), "out": out, "version": "1.0", "key": KEY, **changes})


def replaced(monkeypatch: pytest.MonkeyPatch, pool: Path, root: bytes = b"a root") -> None:
    """From here on the builder makes a small image, with `root` in its tree."""
    monkeypatch.setattr(build.user_mode, "emulator", lambda arch: "/bin/true")
    monkeypatch.setattr(build.locks, "load", _lock)
    monkeypatch.setattr(build.pool, "fetch", lambda lock, pools, progress: _debs(pool, product.load(PRODUCT)))
    monkeypatch.setattr(build.pool, "fetch_texts", lambda lock, pools, progress: [])
    monkeypatch.setattr(build.wheels, "fetch", lambda lock, pools, progress: [])
    monkeypatch.setattr(build.trees, "make", lambda *told: _tree(told[4], root))
    monkeypatch.setattr(build.initrd, "boot_modules", lambda tree, present: [])
    monkeypatch.setattr(build.licences, "collect", lambda *_: "terms of all")
    monkeypatch.setattr(build.licences, "firmware", lambda *_: "terms of the firmware")
    monkeypatch.setattr(build.papers, "write", _papers)


def _lock(_product: Product) -> Any:
    return SimpleNamespace(epoch=1_700_000_000, kernel=lambda: SimpleNamespace(name="linux-image-1"))


def _debs(pool: Path, of: Product) -> dict[str, Path]:
    trees = {f"usr/lib/linux-image-1/{name}.dtb": name.encode() for name in of.machines}
    firmware = {f"usr/lib/raspi-firmware/{name}": name.encode() for name in build.selector.FILES["start"]}
    files = {
        "linux-image-1": {"boot/vmlinuz-1": b"kernel" * 5000, **trees},
        "raspi-firmware": firmware,
        "u-boot-rpi": {f"usr/lib/u-boot/{name}/u-boot.bin": name.encode() for name in of.uboot.values()},
    }
    return {name: packages.deb(pool / f"{name}.deb", f"Package: {name}\n", inner) for name, inner in files.items()}


def _tree(into: Path, root: bytes) -> Report:
    settings = into / "etc/fieldhand/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[tools]\n")
    (into / initrd.BUSYBOX).parent.mkdir(parents=True)
    (into / initrd.BUSYBOX).write_bytes(b"busybox")
    (into / "root").write_bytes(root)
    return Report((Part("all of it", len(root)),), (), 0, 0, 0)


def _papers(*told: Any) -> list[Path]:
    (told[7] / "notes.txt").write_text("notes")
    return [told[7] / "notes.txt"]
