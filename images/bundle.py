"""What belongs to an image: the content of its slot as a file, the manifest, the signature, the update.

Rules:
1. The slot's content is its FAT cut behind the last cluster in use, made up to 4 KiB: what an update writes.
2. The manifest names every file of the results, and the image once more as it is without compression.
3. Without a key there is no signature and no update: a board takes none that nobody signed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edge.card import bundle, manifest
from images import fat
from images.hashes import sha256_of
from images.keys import Key
from images.product import Product

_PIECE = 1 << 20
ALIGNED = 4096


def slot_content(image: Path, to: Path) -> None:
    """Write the content of a slot: rule 1."""
    left = fat.used(image)
    with image.open("rb") as source, to.open("wb") as out:
        while left:
            piece = source.read(min(left, _PIECE))
            out.write(piece)
            left -= len(piece)
        out.write(bytes(-out.tell() % ALIGNED))


def describe(product: Product, version: str, epoch: int, schema: int, content: Path, root: str) -> manifest.Manifest:
    """The manifest of a build, still without its files."""
    return manifest.Manifest(
        product=product.name,
        version=version,
        arch=product.arch,
        suite=product.suite,
        machines=product.machines,
        epoch=epoch,
        data_schema=schema,
        slot=manifest.Slot(content.stat().st_size, sha256_of(content), root),
        files={},
    )


def entry(path: Path) -> manifest.File:
    """Size and hash of a file as the manifest has them."""
    return manifest.File(path.stat().st_size, sha256_of(path))


def signed(text: bytes, key: Key | None, folder: Path) -> bytes | None:
    """Write manifest.json and, with a key, manifest.sig; the signature, or None."""
    (folder / "manifest.json").write_bytes(text)
    if key is None:
        return None
    signature = manifest.sign(text, key.seed)
    (folder / "manifest.sig").write_bytes(signature)
    return signature


def update(text: bytes, signature: bytes, content: Path, to: Path, epoch: int) -> None:
    """Write the update file."""
    with to.open("wb") as out:
        for piece in bundle.pack(text, signature, _pieces(content), content.stat().st_size, epoch):
            out.write(piece)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")
