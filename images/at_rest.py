"""The gates of a build that start no foreign program, over the root of a slot that was built before.

Rules:
1. What an image says of itself is not believed: its product is a name of this checkout or none, a root that would fill
   this machine is not unpacked, and neither is one that holds devices or pipes.
2. Gates that are not run are a row that says why.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from edge.faults import CardFault
from images import contents, gates, host, product
from images.contents import BAD, LEFT, OK, Row
from images.fatread import Volume
from images.product import Product
from images.progress import amount

_SHOWN = 8
_LARGEST = 10**9  # bytes; the largest root has 0.06 GB


def rows(inner: Volume, wanted: bool) -> Iterator[Row]:
    """The gates over the root in the file system of a slot (rule 2)."""
    root = inner.find("root.sqfs")
    target, why = _target(inner)
    if not wanted:
        why = "left out by --no-gates"
    elif host.missing(["unsquashfs"]):
        why = "unsquashfs is not on this machine (apt install squashfs-tools)"
    if root is None or target is None or why:
        yield Row("gates", LEFT, why or "there is no root.sqfs to unpack")
        return
    with tempfile.TemporaryDirectory(prefix="fieldhand-verify-") as folder:
        packed, tree = Path(folder, "root.sqfs"), Path(folder, "root")
        with packed.open("wb") as out:
            out.writelines(inner.pieces(root))
        try:
            _bounded(packed)
            host.run("unsquashfs", "-no-progress", "-no-xattrs", "-quiet", "-d", tree, packed)
        except CardFault as fault:
            yield Row("gates", BAD, f"its root cannot be unpacked: {fault.sentence}")
            return
        yield from _checked(tree, target)


def _target(inner: Volume) -> tuple[Product | None, str]:
    """The product that the slot says it is, or why there is none. CardFault when it says nothing."""
    named = contents.read_label(inner).get("product")
    if named in product.names():
        return product.load(named), ""
    return None, f"its product {str(named)[:60]!r} is not known here"


def _checked(tree: Path, target: Product) -> Iterator[Row]:
    for name, gate in gates.AT_REST.items():
        wrong = gate.check(tree, target)
        yield Row(f"gate {name}", BAD if wrong else OK, "; ".join(wrong[:_SHOWN]) or "nothing to say against it")


def _bounded(packed: Path) -> None:
    """CardFault for a root that would fill this machine, or that holds what is neither file, folder nor link."""
    size = 0
    for line in host.run("unsquashfs", "-no-progress", "-lln", packed).splitlines():
        words = line.split(None, 3)
        if len(words) == 4 and words[0][:1] in b"bcps":
            raise CardFault("it holds a device, a pipe or a socket")
        if len(words) == 4 and words[0][:1] == b"-" and words[2].isdigit():
            size += int(words[2])
    if size > _LARGEST:
        raise CardFault(f"it unpacks to {amount(size)}, {amount(_LARGEST)} are the most")
