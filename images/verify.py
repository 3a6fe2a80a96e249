"""`image verify IMAGE|CARD|UPDATE`: is every byte what the build made? A list, and 0 or 1.

Rules:
1. What is looked at: signature and manifest, the files against the manifest, every mapped range against the block map,
   and from inside: partition table, boot state, both slots with their hashes, the size, the gates over the root.
2. One flipped bit in what is mapped is found and its place named: partition and file where that can be told, the exact
   byte where the other slot shows what it should be.
3. What was not looked at is a row too, and says why. Without a trusted key a signature does not hold, unless
   --unsigned is said. The last line tells both apart: what was compared, and what was not.
4. A card that ran has changed: its boot state, its first partition. Then a map says so, and `--bmap none` leaves the
   map out; the slots are held against their hashes all the same.
5. An update is told from an image by what is in it, and is images/verify_update.py's.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.card.layout import IMAGE_SECTORS, PARTS, SECTOR, SLOTS
from edge.card.manifest import Key
from edge.faults import CardFault, UsageFault
from edge.text import visible
from images import at_rest, beside, bmap, contents, keys, report, verify_update
from images.bmap import Map
from images.contents import BAD, LEFT, OK, Row
from images.fatread import Read
from images.machine import Machine
from images.progress import Progress, amount
from images.source import Image
from images.writing import first_difference

_SHOWN = 8
_STEP = 1 << 20
_MOST = 4 * IMAGE_SECTORS * SECTOR  # bytes that an image is unpacked to

ABOUT = """\
Checks an image (.img, .img.zst) or a card (/dev/sdX): signature, manifest,
block map, partition table, boot state, both slots, and the gates of the build
over the root; or an update (.update): signature, manifest, what is in its
slot, the same gates. Prints a list, then what was compared and what was not;
the code is 1 when anything is wrong."""


def main(words: list[str]) -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(
        "fieldhand image verify", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("image", type=Path, metavar="IMAGE|CARD|UPDATE")
    parser.add_argument("--bmap", metavar="FILE", help="the block map (default: beside the image); none: without")
    parser.add_argument("--key", type=Path, action="append", default=[], metavar="NAME.pub", help="a key you trust")
    parser.add_argument("--unsigned", action="store_true", help="a signature is not asked for")
    parser.add_argument("--no-gates", action="store_true", help="do not unpack the root for the gates of the build")
    told = parser.parse_args(words)
    found = []
    for row in _rows(told, Progress(sys.stderr)):
        found.append(row)
        print(f"{row.state:<4} {row.what:<20} {visible(row.sentence, 4000)}", flush=True)
    print(f"{visible(str(told.image), 4000)}: {_end(found)}")
    return CardFault.code if any(row.state == BAD for row in found) else 0


def _end(rows: list[Row]) -> str:
    """The last line: rule 3."""
    names = {state: ", ".join(row.what for row in rows if row.state == state) for state in (OK, BAD, LEFT)}
    if names[BAD]:
        said = f"{sum(row.state == BAD for row in rows)} of {len(rows)} checks failed"
    else:
        said = f"nothing is wrong in what was compared ({names[OK]})" if names[LEFT] else "all is as it should be"
    return f"{said}; not compared: {names[LEFT]}" if names[LEFT] else said


def _rows(told: argparse.Namespace, progress: Progress) -> Iterator[Row]:
    path = told.image
    trusted = [keys.load_public(key) for key in told.key]
    node = Machine().node(str(path))
    if node.kind not in ("file", "block"):
        fix = "name a .img, .img.zst, .update or /dev/..."
        raise UsageFault(f"{path} is neither an image nor a card: {node.kind}", fix)
    if node.kind == "file" and verify_update.is_one(path):
        if told.bmap is not None:
            raise UsageFault(f"{path} is an update, and --bmap is for images and cards", "leave --bmap away")
        yield from verify_update.rows(path, trusted, told.unsigned, not told.no_gates)
        return
    found, row = _beside(path, told, trusted)
    yield row
    yield from _size(path, node.kind)
    try:
        with _readable(path, node.kind) as (read, size):
            yield _mapped(read, size, found.of, progress)
            yield from contents.rows(read, found.manifest, found.of is not None)
            yield from at_rest.rows(contents.volume(read, SLOTS["a"]), not told.no_gates)
    except CardFault as fault:
        yield Row("content", BAD, str(fault))


# --- what lies beside ---


def _beside(path: Path, told: argparse.Namespace, trusted: list[Key]) -> tuple[beside.Beside, Row]:
    """What lies beside, and the row on where the image comes from."""
    without = told.bmap == "none"
    named = Path(told.bmap) if told.bmap and not without else None
    try:
        found = beside.look(path, named, trusted, told.unsigned)
        row = Row("origin", OK if found.signer else LEFT, "; ".join(found.words) or "nothing lies beside it")
    except CardFault as fault:
        row = Row("origin", BAD, str(fault))
        found = _without_origin(path, named)
    return (beside.Beside(None, found.manifest, found.signer, ()) if without else found), row


def _without_origin(path: Path, named: Path | None) -> beside.Beside:
    """The map alone, where origin or files do not hold: it still tells the place of damage."""
    place = named or beside.find_map(path)
    try:
        of = bmap.load(place) if place else None
    except CardFault:
        of = None
    return beside.Beside(of, None, None, ())


def _size(path: Path, kind: str) -> Iterator[Row]:
    if kind == "file" and path.suffix == ".zst":
        size = path.stat().st_size
        try:
            report.small_enough(path.name, size)
            yield Row("size", OK, amount(size))
        except CardFault as fault:
            yield Row("size", BAD, fault.sentence)


# --- bytes ---


@contextmanager
def _readable(path: Path, kind: str) -> Iterator[tuple[Read, int]]:
    """A reader at any place and the size; a packed image is unpacked into a folder of ours."""
    if kind == "block":
        with _opened(path) as (read, size):
            yield read, min(size, IMAGE_SECTORS * SECTOR)
        return
    image = Image(path)
    if not image.packed:
        with _opened(path) as found:
            yield found
        return
    with tempfile.TemporaryDirectory(prefix="fieldhand-verify-") as folder:
        plain = Path(folder, "card.img")
        image.unpack(plain, _MOST)
        with _opened(plain) as found:
            yield found


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Read, int]]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise CardFault(f"{path} could not be read: {(error.strerror or 'unknown').lower()}") from error

    def read(offset: int, length: int) -> bytes:
        try:
            return os.pread(handle, length, offset)
        except OSError as error:
            why = (error.strerror or "unknown").lower()
            raise CardFault(f"{path} could not be read at byte {offset}: {why}") from error

    try:
        yield read, os.lseek(handle, 0, os.SEEK_END)
    finally:
        os.close(handle)


def _mapped(read: Read, size: int, of: Map | None, progress: Progress) -> Row:
    """Every mapped range against its hash."""
    if of is None:
        return Row("block map", LEFT, "none: bytes were not compared with those of the build")
    if size < of.size:
        return Row("block map", BAD, f"{size} bytes are there, the map is of {of.size}")
    wrong, done = [], 0
    with progress.step("comparing"):
        for part in of.ranges:
            start, end = of.place(part)
            if part.sha256 and _hash(read, start, end) != part.sha256:
                wrong.append((start, end))
            done += end - start
            progress.at(done, of.bytes)
    if wrong:
        places = [_told(read, start, end, of) for start, end in wrong[:_SHOWN]]
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        return Row("block map", BAD, f"{len(wrong)} of {len(of.ranges)} ranges differ: {'; '.join(places)}{more}")
    blind = sum(not part.sha256 for part in of.ranges)
    if blind:
        return Row("block map", LEFT, f"{blind} of {len(of.ranges)} ranges have no hash: they were not compared")
    rest = f"; {amount(of.size - of.bytes)} outside them are in no use and were not compared"
    said = f"{len(of.ranges)} ranges, {amount(of.bytes)}, each as its hash says"
    return Row("block map", OK, said + (rest if of.bytes < of.size else ""))


def _hash(read: Read, start: int, end: int) -> str:
    digest = hashlib.sha256()
    for at in range(start, end, _STEP):
        digest.update(read(at, min(_STEP, end - at)))
    return digest.hexdigest()


def _told(read: Read, start: int, end: int, of: Map) -> str:
    """The place of a range that differs: the exact byte where the other slot has the right bytes, else its files."""
    exact = _exact(read, start, end, of)
    if exact >= 0:
        return f"byte {exact} ({contents.place(read, exact)})"
    return f"bytes {start} to {end - 1} ({', '.join(contents.places(read, start, end)[:_SHOWN])})"


def _exact(read: Read, start: int, end: int, of: Map) -> int:
    """The first byte that differs from the same range of the other slot, if that one is as its hash says; else -1."""
    one, two = (PARTS[number][0] * SECTOR for number in SLOTS.values())
    length = PARTS[SLOTS["a"]][1] * SECTOR
    away = two - one if one <= start < one + length else one - two if two <= start < two + length else 0
    twin = {of.place(part): part.sha256 for part in of.ranges}.get((start + away, end + away), "")
    if not away or not twin or _hash(read, start + away, end + away) != twin:
        return -1
    for at in range(start, end, _STEP):
        count = min(_STEP, end - at)
        here, there = read(at, count), read(at + away, count)
        if here != there:
            return at + first_difference(here, there)
    return -1
