"""An update in one file: PRODUCT-VERSION.update, an uncompressed tar of manifest, signature and the slot's content.

Rules:
1. A plain ustar (POSIX.1-1988): manifest.json, manifest.sig, slot.img in this order, regular files, then at least two
   zero blocks, only zeros and less than PADDING of them, then the end. Anything else is refused with its place.
2. It is read from front to back, once, in constant memory: the first two members are small and have a bound, the third
   has the size that the signed manifest says.
3. Nothing of the slot's content is given to anybody before the manifest's signature holds: `Bundle` checks it when it
   is made.
4. Whoever reads all pieces up to the end learns whether the hash was right: CardFault from the last step.
"""

from __future__ import annotations

from edge.card.manifest import LARGEST, SIGNATURE_TEXT, signed
from edge.faults import CardFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from edge.card.manifest import Key, Manifest

    Read = Callable[[int], bytes]

BLOCK = 512
PADDING = 20 * BLOCK + BLOCK  # bytes of zeros behind the last member: a record of tar, and the two blocks
PIECE = 1 << 20  # bytes
MEMBERS = ("manifest.json", "manifest.sig", "slot.img")
_NEW = "take the update anew from where it was made"


def header(name: str, size: int, epoch: int = 0) -> bytes:
    """The block before a member: mode 644, owner 0, time `epoch`."""
    fields = (
        name.encode("ascii").ljust(100, b"\0"),
        b"0000644\0" + b"0000000\0" * 2,
        b"%011o\0" % size,
        b"%011o\0" % epoch,
        b" " * 8,
        b"0".ljust(101, b"\0"),
        b"ustar\x0000" + bytes(64),
        b"0000000\0" * 2 + bytes(155),
    )
    block = b"".join(fields).ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def pack(manifest: bytes, signature: bytes, slot: Iterable[bytes], size: int, epoch: int = 0) -> Iterator[bytes]:
    """The bytes of an update, piece by piece; `slot` are the `size` bytes of the slot's content. CardFault."""
    for name, content in (("manifest.json", manifest), ("manifest.sig", signature)):
        yield header(name, len(content), epoch) + content + bytes(-len(content) % BLOCK)
    yield header("slot.img", size, epoch)
    written = 0
    for piece in slot:
        written += len(piece)
        yield piece
    if written != size:
        raise CardFault(f"the slot's content has {written} bytes, and {size} were announced")
    yield bytes(-size % BLOCK) + bytes(2 * BLOCK)


class Bundle:
    """An update whose manifest is signed by one of `keys`; `read(n)` gives up to n bytes of it, b"" at the end.

    `manifest`, `key`; then `pieces`. CardFault for whatever is not as it should be.
    """

    def __init__(self, read: Read, keys: Iterable[Key]) -> None:
        self._read = read
        text = self._small("manifest.json", LARGEST)
        signature = self._small("manifest.sig", SIGNATURE_TEXT)
        self.manifest, self.key = self._said(text, signature, keys)
        size = self._member("slot.img")
        if size != self.manifest.slot.size:
            raise CardFault(f"slot.img has {size} bytes, its manifest says {self.manifest.slot.size}", _NEW)

    def _said(self, text: bytes, signature: bytes, keys: Iterable[Key]) -> tuple[Manifest, Key]:
        """The manifest and who signed it. CardFault."""
        return signed(text, signature, keys)

    def pieces(self) -> Iterator[bytes]:
        """The slot's content in pieces of PIECE bytes; the last step checks its hash and the end of the file."""
        import hashlib

        made: Any = hashlib.sha256()
        left = self.manifest.slot.size
        while left:
            piece = self._exactly(min(PIECE, left), "slot.img")
            left -= len(piece)
            made.update(piece)
            yield piece
        self._end(-self.manifest.slot.size % BLOCK)
        if made.hexdigest() != self.manifest.slot.sha256:
            raise CardFault("slot.img is not what its signed manifest says: it was changed or damaged", _NEW)

    def _small(self, name: str, limit: int) -> bytes:
        size = self._member(name)
        if size > limit:
            raise CardFault(f"{name} has {size} bytes, {limit} are the most", _NEW)
        content = self._exactly(size + -size % BLOCK, name)
        if any(content[size:]):
            raise CardFault(f"behind {name} stands what is not part of it", _NEW)
        return content[:size]

    def _member(self, name: str) -> int:
        """The size of the next member, which has to be this one."""
        block = self._exactly(BLOCK, name)
        found = block[:100].rstrip(b"\0")
        if block[257:263] != b"ustar\0" or block[148:156] != _sum(block):
            raise CardFault(f"this is no update: where {name} should begin there is no head of a tar file")
        if found != name.encode("ascii") or block[156:157] != b"0" or any(block[157:257]) or any(block[345:500]):
            raise CardFault(f"this is no update: where {name} should be stands {found[:60].decode('latin-1')!r}", _NEW)
        size = block[124:136]
        if size[11:] not in (b"\0", b" ") or not frozenset(b"01234567").issuperset(size[:11]):
            raise CardFault(f"the size of {name} is no number", _NEW)
        return int(size[:11], 8)

    def _exactly(self, size: int, what: str) -> bytes:
        found = b""
        while len(found) < size:
            piece = self._read(size - len(found))
            if not piece:
                raise CardFault(f"the update ends in the middle of {what}", _NEW)
            found = found + piece if found else piece
        return found

    def _end(self, padding: int) -> None:
        """Only zeros, two blocks of them at least, then the end (rule 1)."""
        rest = b""
        while True:
            piece = self._read(padding + PADDING + 1 - len(rest))
            rest += piece
            if not piece or len(rest) > padding + PADDING:
                break
        if any(rest) or len(rest) > padding + PADDING:
            raise CardFault("behind slot.img stands what is not part of the update", _NEW)
        if len(rest) < padding + 2 * BLOCK:
            raise CardFault("the update ends before its end is said", _NEW)


def _sum(block: bytes) -> bytes:
    """The checksum of a head as it stands there: the eight bytes of its own field count as blanks."""
    return b"%06o\0 " % (sum(block[:148]) + 8 * 32 + sum(block[156:]))
