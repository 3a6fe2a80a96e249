"""Block maps: which blocks of an image must be on a card, and their hashes. bmap 2.0, as bmap-tools has it.

Rules:
1. What is mapped hangs on the bytes of the image alone, never on the holes that the file system of the builder made of
   them: the same image gives the same map, sparse or not.
2. A card has a life before it is flashed. So a block is left out only if it holds zeros *and* nobody will look at it:
   - the first MiB (partition table, boot state) is mapped whole;
   - of a FAT32 partition all that is in use is mapped, zeros too (a free entry in an allocation table is a zero, and
     would be what the last owner of the card left there), and what is not zero;
   - of a partition of zeros the first 64 KiB, so that no older file system shows through;
   - any other partition is mapped whole, and so is an image without a partition table;
   - between partitions, what is not zero.
3. A range is at most 256 KiB and does not reach over the edge of a partition: a hash that fails tells the place.
4. The text is the format's: elements in bmap-tools' order, ASCII, the checksum of the file taken with zeros in its own
   place. The same map is the same text.
5. What is read may be anybody's: every number is checked, ranges are in order, apart and inside the image; a document
   type is refused, for it can grow without end. Checksums of other kinds than sha256 are refused with their name.
6. A map leaves zeros out, and a card's first block never is: what does not map the partition table is no map of a card.
   Flashing by it would write nothing, or what no board starts from, and call that done.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from edge.card import mbr
from edge.card.fat import is_fat32
from edge.faults import CardFault
from edge.record import Record
from images.fatread import Read, Volume

BLOCK = 4096
HEAD = 1 << 20
_STEP = 256 * 1024
_SHOWN = 64 * 1024
_ZERO = bytes(BLOCK)
_LARGEST = 8 << 20


class Range(Record):
    """Blocks `first` to `last`, both included; sha256 over their bytes in hex, "" when the map has none."""

    first: int
    last: int
    sha256: str = ""


class Map(Record):
    """A block map: the image's size in bytes, the size of a block, the mapped ranges in order."""

    size: int
    block: int
    ranges: tuple[Range, ...]

    @property
    def blocks(self) -> int:
        """All blocks of the image, the last one perhaps short."""
        return -(-self.size // self.block)

    @property
    def mapped(self) -> int:
        """How many blocks are mapped."""
        return sum(part.last - part.first + 1 for part in self.ranges)

    def place(self, part: Range) -> tuple[int, int]:
        """A range as (byte, byte behind)."""
        return part.first * self.block, min((part.last + 1) * self.block, self.size)

    @property
    def bytes(self) -> int:
        """How many bytes are mapped."""
        return sum(end - start for start, end in map(self.place, self.ranges))


def make(image: Path) -> str:
    """The text of the map of an image file."""
    return text(of(image))


def of(image: Path, told: Callable[[int, int], None] = lambda done, total: None) -> Map:
    """The map of an image file; `told` hears how far it is, in bytes. CardFault for an empty or unreadable file."""
    try:
        with image.open("rb") as file:
            size = file.seek(0, 2)

            def read(offset: int, length: int) -> bytes:
                if _empty(file.fileno(), offset, length):
                    return bytes(max(0, min(length, size - offset)))
                file.seek(offset)
                return file.read(length)

            if not size:
                raise CardFault(f"{image} is empty")
            ranges = []
            for start, end in _pieces(read, size):
                ranges.append(
                    Range(start // BLOCK, (end - 1) // BLOCK, hashlib.sha256(read(start, end - start)).hexdigest())
                )
                told(end, size)
            return Map(size, BLOCK, tuple(ranges))
    except OSError as error:
        raise CardFault(f"{image} could not be read: {error.strerror or error}") from error


def _empty(handle: int, offset: int, length: int) -> bool:
    """Whether a hole is all that is there: it reads as zeros, and need not be read (rule 1 stands)."""
    if not hasattr(os, "SEEK_DATA"):
        return False
    try:
        return os.lseek(handle, offset, os.SEEK_DATA) >= offset + length
    except OSError as error:
        return error.errno == errno.ENXIO  # nothing but a hole up to the end


def whole(size: int) -> Map:
    """The map of an image that nothing is known of: all of it, without hashes."""
    last = -(-size // BLOCK) - 1
    step = _STEP // BLOCK
    return Map(size, BLOCK, tuple(Range(at, min(at + step - 1, last)) for at in range(0, last + 1, step)))


# --- what is mapped ---


def _pieces(read: Read, size: int) -> Iterator[tuple[int, int]]:
    """Mapped ranges as (byte, byte behind), cut by rule 3."""
    for start, end, keeps in _areas(read, size):
        piece: tuple[int, int] | None = None
        for at in range(start, end, _STEP):
            chunk = read(at, min(_STEP, end - at))
            for offset in range(0, len(chunk), BLOCK):
                block, place = chunk[offset : offset + BLOCK], at + offset
                if block == _ZERO[: len(block)] and not keeps(place):
                    continue
                behind = place + len(block)
                if piece and piece[1] == place and behind - piece[0] <= _STEP:
                    piece = piece[0], behind
                    continue
                if piece:
                    yield piece
                piece = place, behind
        if piece:
            yield piece


Keeps = Callable[[int], bool]


def _areas(read: Read, size: int) -> Iterator[tuple[int, int, Keeps]]:
    """The image in areas, from its begin to its end, each with the rule which zero blocks are mapped all the same."""
    table = mbr.read(read(0, mbr.SIZE))
    if table is None:
        yield 0, size, lambda place: True
        return
    at = 0
    for start, end in sorted((part.first * 512, (part.first + part.sectors) * 512) for part in table.entries if part):
        start, end = min(start // BLOCK * BLOCK, size), min(-(-end // BLOCK) * BLOCK, size)
        if start < at:
            raise CardFault("partitions of this image share a block of 4096 bytes")
        yield at, start, lambda place: place < HEAD
        if start < end:
            yield start, end, _kept(read, start, end)
        at = max(at, end)
    yield at, size, lambda place: place < HEAD


def _kept(read: Read, start: int, end: int) -> Keeps:
    if is_fat32(read(start, 512)):
        used = _blocks(Volume(read, start, end - start))
        return lambda place: place // BLOCK in used
    zero = bytes(_STEP)
    pieces = (read(at, min(_STEP, end - at)) for at in range(start, end, _STEP))
    if all(piece == zero[: len(piece)] for piece in pieces):
        return lambda place: place < start + _SHOWN
    return lambda place: True


def _blocks(volume: Volume) -> set[int]:
    return {block for first, behind in volume.used() for block in range(first // BLOCK, -(-behind // BLOCK))}


# --- the format ---

_NOTE = """<!-- Which blocks of an image have to be on a card: {mapped} of {blocks}. The others are not needed;
     what a card has there stays. The checksum of this file is taken with zeros in its place. -->"""


def text(of_image: Map) -> str:
    """The map as a bmap 2.0 file."""
    lines = [
        '<?xml version="1.0" ?>',
        _NOTE.format(mapped=of_image.mapped, blocks=of_image.blocks),
        '<bmap version="2.0">',
        f"    <ImageSize> {of_image.size} </ImageSize>",
        f"    <BlockSize> {of_image.block} </BlockSize>",
        f"    <BlocksCount> {of_image.blocks} </BlocksCount>",
        f"    <MappedBlocksCount> {of_image.mapped} </MappedBlocksCount>",
        "    <ChecksumType> sha256 </ChecksumType>",
        f"    <BmapFileChecksum> {'0' * 64} </BmapFileChecksum>",
        "    <BlockMap>",
        *(f"        <Range{_sum(part)}> {_span(part)} </Range>" for part in of_image.ranges),
        "    </BlockMap>",
        "</bmap>",
    ]
    empty = "\n".join(lines) + "\n"
    return empty.replace("0" * 64, hashlib.sha256(empty.encode("ascii")).hexdigest(), 1)


def _sum(part: Range) -> str:
    return f' chksum="{part.sha256}"' if part.sha256 else ""


def _span(part: Range) -> str:
    return str(part.first) if part.first == part.last else f"{part.first}-{part.last}"


def load(path: Path) -> Map:
    """The map in a file; CardFault when it cannot be read or is none."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise CardFault(f"{path} could not be read: {(error.strerror or 'unknown').lower()}") from error
    return read(data, path.name)


def read(data: bytes, name: str = "the block map") -> Map:
    """A bmap 2.0 file (1.4 is the same), checked; CardFault names what is wrong."""
    if len(data) > _LARGEST:
        raise CardFault(f"{name} is larger than a block map can be ({_LARGEST} bytes)")
    try:
        # As text: in bytes a document may name an encoding in which nobody sees what it declares.
        words = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CardFault(f"{name} is no block map: it is not UTF-8") from error
    if "\0" in words:
        raise CardFault(f"{name} is no block map: it is not UTF-8")
    if "<!DOCTYPE" in words or "<!ENTITY" in words:
        raise CardFault(f"{name} declares a document type: no block map does")
    try:
        root = ElementTree.fromstring(words)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise CardFault(f"{name} is no XML: {error}") from error
    version = root.get("version", "")
    if root.tag != "bmap" or version not in ("2.0", "1.4"):
        raise CardFault(f"{name} is no block map of version 2.0 ({root.tag} {version})".rstrip())
    kind = _word(root, "ChecksumType", name)
    if kind != "sha256":
        raise CardFault(f"{name} has checksums of the kind {kind}, sha256 is wanted")
    _own_checksum(data, _word(root, "BmapFileChecksum", name), name)
    return _checked(root, name)


def _own_checksum(data: bytes, told: str, name: str) -> None:
    if not re.fullmatch("[0-9a-f]{64}", told):
        raise CardFault(f"{name} has no checksum of its own")
    zeroed = data.replace(told.encode("ascii"), b"0" * 64, 1)
    if hashlib.sha256(zeroed).hexdigest() != told:
        raise CardFault(f"{name} was changed: its own checksum does not hold", "take it again from where it came")


def _checked(root: ElementTree.Element, name: str) -> Map:
    size, block = _number(root, "ImageSize", name), _number(root, "BlockSize", name)
    if not size or block not in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536):
        raise CardFault(f"{name} has an image of {size} bytes in blocks of {block}")
    ranges = tuple(_range(element, name) for element in root.iterfind("BlockMap/Range"))
    found = Map(size, block, ranges)
    behind = -1
    for part in ranges:
        if part.first <= behind or part.last < part.first or part.last >= found.blocks:
            raise CardFault(f"{name} has a range that is not in order or outside the image: {_span(part)}")
        behind = part.last
    counts = _number(root, "BlocksCount", name), _number(root, "MappedBlocksCount", name)
    if counts != (found.blocks, found.mapped):
        raise CardFault(
            f"{name} counts {counts[1]} of {counts[0]} blocks, its ranges say {found.mapped} of {found.blocks}"
        )
    if not ranges or ranges[0].first:
        what = "the first block, with the partition table" if ranges else "any block"
        raise CardFault(f"{name} is no map of a card: it does not map {what}", "take the one that the build made")
    return found


def _range(element: ElementTree.Element, name: str) -> Range:
    words = (element.text or "").strip()
    fits = re.fullmatch(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", words)
    digest = element.get("chksum", "")
    if not fits or not re.fullmatch("([0-9a-f]{64})?", digest):
        raise CardFault(f"{name} has a range that cannot be read: {words[:40]!r} {digest[:80]!r}")
    return Range(int(fits[1]), int(fits[2] or fits[1]), digest)


def _word(root: ElementTree.Element, tag: str, name: str) -> str:
    found = root.find(tag)
    if found is None or not (found.text or "").strip():
        raise CardFault(f"{name} has no {tag}")
    return (found.text or "").strip()


def _number(root: ElementTree.Element, tag: str, name: str) -> int:
    words = _word(root, tag, name)
    if not re.fullmatch("[0-9]{1,15}", words):
        raise CardFault(f"{name}: {tag} is {words[:40]!r}, a number is wanted")
    return int(words)
