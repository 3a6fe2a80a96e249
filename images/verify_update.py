"""`image verify X.update`: who signed it, what it is, and whether every byte is what its manifest says.

Rules:
1. It is read by the code of the board (edge/card/bundle.py): what is refused there is refused here.
2. Then from inside: the slot is the product and the version of the manifest, its root has the manifest's hash, kernel
   and initramfs are whole, the gates of the build hold.
3. `unsigned` reads on without a key that is trusted, and says so. What such a manifest says tells damage, not origin.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from edge.card import manifest
from edge.card.bundle import MEMBERS, Bundle, header
from edge.card.manifest import Key, Manifest
from edge.faults import CardFault
from images import at_rest, contents
from images.contents import BAD, LEFT, OK, Row
from images.fatread import Volume

_NAMED = len(MEMBERS[0])


class Unsigned(Bundle):
    """An update whose signature nobody asked for (rule 3): its key is only called what the signature calls it."""

    def _said(self, text: bytes, signature: bytes, keys: Iterable[Key]) -> tuple[Manifest, Key]:
        return manifest.read(text), Key(signature[:16].decode("ascii", "replace"), b"")


def is_one(path: Path) -> bool:
    """Whether a file is called an update, or begins as one does."""
    with path.open("rb") as file:
        return path.suffix == ".update" or file.read(_NAMED) == header(MEMBERS[0], 0)[:_NAMED]


def rows(path: Path, trusted: list[Key], unsigned: bool, gates: bool) -> Iterator[Row]:
    """All checks; the ones behind the first that fails are not made."""
    with path.open("rb") as file:
        try:
            bundle, row = _opened(file, trusted, unsigned)
        except CardFault as fault:
            yield Row("origin", BAD, str(fault))
            return
        yield row
        yield Row("update", OK, described(bundle.manifest))
        start = file.tell()
        whole = contents.row("slot", lambda: _whole(bundle))
        yield whole
        if whole.state == OK:
            yield from _inside(file, start, bundle.manifest, gates)


def _opened(file: BinaryIO, trusted: list[Key], unsigned: bool) -> tuple[Bundle, Row]:
    """The update behind its signature, and the row on where it comes from. CardFault."""
    if trusted:
        signed = Bundle(file.read, trusted)
        return signed, Row("origin", OK, f"signed by {signed.key.name} ({signed.key.id})")
    found = Unsigned(file.read, ())
    said = f"the signature (key {found.key.name}) was not checked"
    if not unsigned:
        raise CardFault(f"{said}: no key was named", "--key NAME.pub, or --unsigned to look all the same")
    return found, Row("origin", LEFT, said)


def described(told: Manifest) -> str:
    """What an update is, in a line."""
    made = time.strftime("%Y-%m-%d", time.gmtime(told.epoch))
    boards = ", ".join(told.machines)
    return (
        f"{told.product} {told.version} ({told.arch}, {told.suite}, packages of {made}), data schema "
        f"{told.data_schema}, for {boards}"
    )


def _whole(bundle: Bundle) -> str:
    """Every byte of the slot and the end of the file: `pieces` compares when it comes to its end."""
    size = sum(len(piece) for piece in bundle.pieces())
    return f"{size} bytes, as the manifest says"


def _inside(file: BinaryIO, start: int, told: Manifest, gates: bool) -> Iterator[Row]:
    """Rule 2."""

    def read(offset: int, length: int) -> bytes:
        file.seek(start + offset)
        return file.read(max(0, min(length, told.slot.size - offset)))

    try:
        inner = Volume(read)
    except CardFault as fault:
        yield Row("file system", BAD, str(fault))
        return
    yield contents.row("file system", lambda: _agrees(inner, told))
    yield from at_rest.rows(inner, gates)


def _agrees(inner: Volume, told: Manifest) -> str:
    """The slot against its own hashes and against the manifest. CardFault."""
    said, root = contents.slot(inner)
    label = contents.read_label(inner)
    found = tuple(label.get(name) for name in ("product", "version", "data_schema"))
    if found != (told.product, told.version, told.data_schema):
        raise CardFault(f"the slot is {said}, which is not what the manifest says it is")
    if root != told.slot.root:
        raise CardFault("the root is not the one of the manifest")
    return said
