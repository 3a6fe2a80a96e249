"""The header that U-Boot checks a kernel, an initramfs or a script by: its legacy image format, as bytes.

Rules:
1. 64 bytes, big endian: magic, CRC of the header (its own field as zero), time, length, load address, entry, CRC of
   the data, system, architecture, kind, compression, name of 32 bytes. Source: include/image.h of U-Boot.
2. `iminfo` of images/board/boot.cmd refuses what one flipped bit has changed; so does `bootm`.
3. A script's data is a list of lengths (one, then zero) before its text; all else is the file as it is.
"""

from __future__ import annotations

from binascii import crc32
from struct import Struct

from edge.faults import CardFault
from edge.record import Record

_HEAD = Struct(">7I4B32s")
_MAGIC, _LINUX = 0x27051956, 5
_ARCHES = {"arm": 2, "arm64": 22}
_KINDS = {"kernel": 2, "ramdisk": 3, "script": 6}
_PACKINGS = {"none": 0, "gzip": 1}
# Where bootm puts the kernel: zImage below 128 MiB and clear of what it unpacks to; arm64 at a multiple of 2 MiB.
LOADS = {"arm": 0x02000000, "arm64": 0x00200000}


class Head(Record):
    """What a header says. `arch` arm or arm64; `kind` kernel, ramdisk or script; `packing` none or gzip."""

    arch: str
    kind: str
    packing: str = "none"
    name: str = ""
    time: int = 0


def wrap(data: bytes, head: Head) -> bytes:
    """The image of `data`; KeyError for an architecture, kind or packing that is not known."""
    if head.kind == "script":
        data = len(data).to_bytes(4, "big") + bytes(4) + data
    load = LOADS[head.arch] if head.kind == "kernel" else 0
    numbers = [_MAGIC, 0, head.time, len(data), load, load, crc32(data)]
    words = [_LINUX, _ARCHES[head.arch], _KINDS[head.kind], _PACKINGS[head.packing], head.name.encode()[:32]]
    numbers[1] = crc32(_HEAD.pack(*numbers, *words))
    return _HEAD.pack(*numbers, *words) + data


def unwrap(image: bytes) -> tuple[Head, bytes]:
    """What the header says and the data behind it; CardFault when either CRC does not hold."""
    if len(image) < _HEAD.size or int.from_bytes(image[:4], "big") != _MAGIC:
        raise CardFault("this is no image of U-Boot's")
    _, told, time, size, _, _, of_data, _, arch, kind, packing, name = _HEAD.unpack_from(image)
    data = image[_HEAD.size : _HEAD.size + size]
    if crc32(image[:4] + bytes(4) + image[8 : _HEAD.size]) != told or len(data) != size or crc32(data) != of_data:
        raise CardFault("the image is torn: a CRC of its header does not hold")
    words = [_word(table, code) for table, code in ((_ARCHES, arch), (_KINDS, kind), (_PACKINGS, packing))]
    head = Head(words[0], words[1], words[2], name.rstrip(b"\0").decode("latin-1"), time)
    return head, data[8:] if head.kind == "script" else data


def _word(table: dict[str, int], code: int) -> str:
    for word, number in table.items():
        if number == code:
            return word
    raise CardFault("the image is for another architecture, or of a kind that no card of ours has")
