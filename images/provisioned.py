"""An image with a provision.toml of its own on it, for one card.

Rules:
1. The file is checked as the board will check it, and every wrong line is told; a wrong file is put nowhere.
2. The image is unpacked into a folder of ours that nobody else can read and that is removed afterwards: the file holds
   secrets. It gets a map of its own, so that what was put in is read back from the card like all else.
"""

from __future__ import annotations

from pathlib import Path

from edge.card import hidden, mbr, provision_toml
from edge.card.fat import is_fat32
from edge.card.layout import CONFIG, PARTS, SECTOR
from edge.faults import CardFault, ConfigFault
from images import bmap, host
from images.bmap import Map
from images.source import Image

PLACE = PARTS[CONFIG][0] * SECTOR
_LIMIT = 1 << 20


def make(image: Image, of: Map, file: Path, folder: Path) -> tuple[Image, Map]:
    """The image with the file on its first partition, in `folder`, and its map. ConfigFault for a wrong file."""
    text = taken(file)
    own = folder / "card.img"
    with own.open("wb") as out:
        out.truncate(of.size)
        for offset, piece in image.pieces(of):
            out.seek(offset)
            out.write(piece)
    with own.open("rb") as card:

        def read(offset: int, length: int) -> bytes:
            card.seek(offset)
            return card.read(length)

        if mbr.read(read(0, mbr.SIZE)) is None or not is_fat32(read(PLACE, SECTOR)):
            raise CardFault(
                f"{image.path.name} has no first partition for {provision_toml.FILE}: it is no image of this kind"
            )
    put = folder / provision_toml.FILE
    put.write_bytes(text)
    host.run("mcopy", "-Qmo", "-i", f"{own}@@{PLACE}", put, f"::/{provision_toml.FILE}")
    return Image(own), bmap.of(own)


def taken(file: Path) -> bytes:
    """A provision.toml that a board would take; ConfigFault with every line that it would not."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_LIMIT + 1)
    except OSError as error:
        raise ConfigFault(f"{file} could not be read: {(error.strerror or 'unknown').lower()}") from error
    if len(text) > _LIMIT:
        raise ConfigFault(f"{file} is larger than such a file can be ({_LIMIT} bytes)")
    asked, wrong = provision_toml.asked(text, here=False, name=file.name)
    faults = hidden.clean([str(one) for one in wrong if not one.only_said], asked.untold)
    if faults:
        raise ConfigFault("nothing was written, the board would not take it:\n  " + "\n  ".join(faults))
    return text
