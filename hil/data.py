"""The data partition of a card that is out of its board, as a file of its own: mended as a start does it, and read.

A file of its own, because e2fsck forgets an offset while it replays a journal. Nothing of the card is changed.
"""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

from edge.card import layout, mbr
from edge.faults import CardFault
from images.host import ended, environment, find, run

_STEP = 1 << 20


def take(card: Path, into: Path) -> Path:
    """Copy the data partition, as long as the card's own table says, into the file `into`, sparse; the file."""
    with card.open("rb") as source, into.open("wb") as out:
        table = mbr.read(source.read(mbr.SIZE))
        entry = table.part(layout.DATA) if table is not None else None
        if entry is None:
            raise CardFault(f"{card.name} has no partition {layout.DATA} for data")
        source.seek(entry.first * layout.SECTOR)
        for at in range(0, entry.sectors * layout.SECTOR, _STEP):
            piece = source.read(min(_STEP, entry.sectors * layout.SECTOR - at))
            if piece.count(0) != len(piece):
                out.seek(at)
                out.write(piece)
        out.truncate(entry.sectors * layout.SECTOR)
    return into


def mend(part: Path) -> None:
    """Do to it what a start does before it is mounted (edge/card/prepare.py), then what the kernel does when it mounts:
    forget the files that were open and had no name any more. CardFault where it is not whole then."""
    _checked(part, "-p", 4)
    if b"is not clean" in _said(part, "-fn").stdout:
        _checked(part, "-pf", 4)
    else:
        run("debugfs", "-w", "-R", "feature -orphan_present", part)
    _checked(part, "-fn", 1)


def _checked(part: Path, how: str, bad: int) -> None:
    done = _said(part, how)
    if done.returncode >= bad:
        told = done.stdout.decode("utf-8", "replace").strip()
        raise CardFault(f"{part.name} is damaged beyond what a start mends: {told}")


def _said(part: Path, how: str) -> CompletedProcess[bytes]:
    return ended([find("e2fsck"), how, part], environment())


def folder(part: Path, name: str, into: Path) -> Path:
    """Copy a folder of it, `name` as in /data, into a new folder `into`; where it is then. CardFault: there is none."""
    into.mkdir()
    run("debugfs", "-R", f'rdump "/{name}" "{into}"', part)
    found = into / name.rpartition("/")[2]
    if not found.is_dir():
        raise CardFault(f"{part.name} has no folder {name} that can be read")
    return found
