"""Other versions of an image's slot, as updates to take or in their place: its root unpacked, changed, packed again.

Rules:
1. All but what is changed is the image's own: kernel, initramfs, device trees, root. It is packed fast.
2. The key is the test's. A board trusts it when `line` of it stands in `[board] keys` of its provision.toml.
3. Nothing needs root: files that unsquashfs cannot give away belong to who runs this; mksquashfs gives all to root.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from edge.card import ed25519, layout, manifest
from edge.faults import CardFault
from images import bundle, product, slot
from images import fat as fats
from images.hashes import sha256_of
from images.host import run
from images.keys import Key

_STEP = 1 << 20
_SERIAL = 0xEDCE00FF
VERSION = "etc/fieldhand/release"


def key(name: str) -> Key:
    """A key that is the same each time, so that a run can be told again. For emulated boards alone."""
    seed = hashlib.sha256(f"hil {name}".encode()).digest()
    return Key(name, seed, ed25519.public_key(seed))


def line(one: Key) -> str:
    """What provision.toml takes for it."""
    return f"{one.public.hex()} {one.name}"


class Releases:
    """Makes updates from the slot A of a card; everything it needs and makes is in `folder`."""

    def __init__(self, card: Path, product_name: str, folder: Path) -> None:
        self._product = product.load(product_name)
        self._folder = folder
        self._stage = folder / "stage"
        self._stage.mkdir()
        fat = folder / "slot.fat"
        _cut_out(card, layout.SLOT_A, fat)
        run("mcopy", "-s", "-n", "-i", fat, "::*", self._stage)
        self._tree = folder / "tree"
        _unpack(self._stage / "root.sqfs", self._tree)

    def make(self, version: str, signer: Key, change: Callable[[Path], None] = lambda _: None) -> Path:
        """The update file of a version; `change` does to the unpacked root what is to be different, and stays done."""
        _say_version(self._tree / VERSION, version)
        fat, root = self._slot(version, change)
        content = self._folder / "content"
        bundle.slot_content(fat, content)
        text = manifest.pack(bundle.describe(self._product, version, 0, layout.DATA_SCHEMA, content, root))
        made = self._folder / f"{self._product.name}-{version}.update"
        bundle.update(text, manifest.sign(text, signer.seed), content, made, 0)
        return made

    def put(self, card: Path, change: Callable[[Path], None]) -> None:
        """Give the slot A of a card the root with what `change` did to it; its version stays."""
        version = json.loads((self._stage / "slot.json").read_text("utf-8"))["version"]
        fat, _ = self._slot(version, change)
        with fat.open("rb") as source, card.open("r+b") as out:
            out.seek(layout.PARTS[layout.SLOT_A][0] * layout.SECTOR)
            shutil.copyfileobj(source, out, _STEP)

    def _slot(self, version: str, change: Callable[[Path], None]) -> tuple[Path, str]:
        """The file system of a slot with the root as `change` leaves it, and the hash of that root."""
        change(self._tree)
        root = self._packed(self._stage / "root.sqfs")
        slot.label(self._product, version, layout.DATA_SCHEMA, root, self._stage)
        fat = self._folder / "slot.fat"
        fats.make(fat, layout.SLOT_LABEL, _SERIAL, layout.PARTS[layout.SLOT_A][1], self._stage, 0)
        return fat, root

    def _packed(self, to: Path) -> str:
        fast = ("-comp", "zstd", "-Xcompression-level", "1", "-b", "512K")
        run("mksquashfs", self._tree, to, "-noappend", "-no-progress", "-all-root", "-no-xattrs", *fast)
        return sha256_of(to)


def root(card: Path, folder: Path) -> Path:
    """The root of a card's slot A as a tree below `folder`."""
    fat, packed, tree = folder / "slot.fat", folder / "root.sqfs", folder / "tree"
    _cut_out(card, layout.SLOT_A, fat)
    run("mcopy", "-n", "-i", fat, "::root.sqfs", packed)
    _unpack(packed, tree)
    return tree


def _unpack(packed: Path, tree: Path) -> None:
    run("unsquashfs", "-q", "-n", "-no-xattrs", "-d", tree, packed)


def _say_version(release: Path, version: str) -> None:
    lines = release.read_text("utf-8").splitlines()
    told = [f"VERSION={version}" if one.startswith("VERSION=") else one for one in lines]
    if told == lines and f"VERSION={version}" not in lines:
        raise CardFault(f"{release} has no line VERSION=")
    release.write_text("\n".join(told) + "\n", "utf-8")


def _cut_out(card: Path, part: int, to: Path) -> None:
    begin, count, _ = layout.PARTS[part]
    left = count * layout.SECTOR
    with card.open("rb") as source, to.open("wb") as out:
        source.seek(begin * layout.SECTOR)
        while left:
            piece = source.read(min(left, _STEP))
            out.write(piece)
            left -= len(piece)
