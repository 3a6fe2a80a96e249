"""The bytes of an image, from a plain file or one packed by zstd, in the order they stand in it.

Rules:
1. Nothing is unpacked onto a disk: a packed image is read through the zstd program (Python's own from 3.14 on where
   there is none), once for each pass over it.
2. What the map gives a hash for is compared with it on every pass; a difference is told with its place.
3. An image has the size that its map says, to the byte: one that is shorter or goes on is told. A packed image can
   therefore not grow without end.
4. A file that is packed in another way, or is an update, is told as that: written as it is it would make no card.
"""

from __future__ import annotations

import hashlib
import importlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from edge.faults import CardFault
from images import host
from images.bmap import Map

STEP = 4 << 20
_PIECE = 1 << 20
_MAGIC = b"\x28\xb5\x2f\xfd"
# Where -> what begins so -> what it is.
_OTHERS = (
    (0, b"\xfd7zXZ\0", "packed by xz"),
    (0, b"\x1f\x8b", "packed by gzip"),
    (0, b"BZh", "packed by bzip2"),
    (0, b"PK\x03\x04", "a zip archive"),
    (0, b"7z\xbc\xaf", "a 7z archive"),
    (0, b"\x04\x22\x4d\x18", "packed by lz4"),
    (257, b"ustar", "an archive or an update, no image"),
)
_MOST = 256 * 10**9


class Image:
    """An image file; `packed` when it is compressed by zstd. CardFault when it cannot be read or is empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._damage: tuple[type[Exception], ...] = (OSError, EOFError, ValueError)
        try:
            if not path.is_file():
                raise CardFault(f"{path} is no image file" if path.exists() else f"there is no image {path}")
            with path.open("rb") as file:
                head = file.read(512)
            self.stored = path.stat().st_size
        except OSError as error:
            raise CardFault(f"{path} could not be read: {(error.strerror or 'unknown').lower()}") from error
        if not head:
            raise CardFault(f"{path} is empty")
        self.packed = head.startswith(_MAGIC)
        for place, mark, words in _OTHERS:
            if head[place:].startswith(mark):
                raise CardFault(f"{path} is {words}", "an image is a .img or .img.zst: unpack it first")

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The unpacked bytes from their begin on. Who leaves early ends the program that unpacks."""
        if not self.packed:
            with self.path.open("rb") as file:
                yield file
            return
        library = _library() if host.missing(["zstd"]) else None
        if library is not None:
            self._damage = (*self._damage, library.ZstdError)
            with library.open(self.path, "rb") as file:
                yield file
            return
        with unpacking(self.path) as pipe:
            yield pipe

    def size(self) -> int:
        """The bytes of the unpacked image; a packed one is unpacked for that."""
        if not self.packed:
            return self.stored
        with self.opened() as stream:
            count = 0
            while piece := self.read(stream, STEP):
                count += len(piece)
                if count > _MOST:
                    raise CardFault(f"{self.path} unpacks to more than a card can hold")
        return count

    def pieces(self, of: Map) -> Iterator[tuple[int, bytes]]:
        """What is mapped, as (offset, bytes) of at most 4 MiB, compared with the hashes of the map (rules 2, 3)."""
        with self.opened() as stream:
            at = 0
            for part in of.ranges:
                start, end = of.place(part)
                self._skip(stream, start - at, start)
                digest = hashlib.sha256()
                for offset in range(start, end, STEP):
                    piece = self._exactly(stream, min(STEP, end - offset), offset)
                    digest.update(piece)
                    yield offset, piece
                at = end
                if part.sha256 and digest.hexdigest() != part.sha256:
                    raise CardFault(
                        f"{self.path.name} is damaged: bytes {start} to {end - 1} are not what its block map says",
                        "take it anew from where it came",
                    )
            self._skip(stream, of.size - at, of.size)
            if self.read(stream, 1):
                raise CardFault(f"{self.path.name} goes on behind the {of.size} bytes that its block map says")

    def _skip(self, stream: IO[bytes], count: int, behind: int) -> None:
        if count and not self.packed:
            # A seek goes behind the end without a word: the byte before the place must be there.
            stream.seek(count - 1, 1)
            count = 1
        while count:
            count -= len(self._exactly(stream, min(STEP, count), behind - count))

    def _exactly(self, stream: IO[bytes], count: int, offset: int) -> bytes:
        piece = self.read(stream, count)
        while len(piece) < count:
            more = self.read(stream, count - len(piece))
            if not more:
                raise CardFault(f"{self.path.name} ends at byte {offset + len(piece)}, earlier than its block map says")
            piece += more
        return piece

    def unpack(self, to: Path, most: int) -> None:
        """Write the image to a file, its zeros as holes. CardFault when it has more than `most` bytes."""
        with to.open("wb") as out, self.opened() as stream:
            for piece in iter(lambda: self.read(stream, _PIECE), b""):
                if out.tell() + len(piece) > most:
                    raise CardFault(f"{self.path.name} unpacks to more than a card image can be")
                if piece.count(0) == len(piece):
                    out.seek(len(piece), 1)
                else:
                    out.write(piece)
            out.truncate(out.tell())

    def read(self, stream: IO[bytes], count: int) -> bytes:
        """The next bytes of what `opened` gave; an OSError and what a library says of damaged data is a CardFault."""
        try:
            return stream.read(count)
        except self._damage as error:
            raise CardFault(f"{self.path.name} could not be read: {error}") from error


def joined(pieces: Iterator[tuple[int, bytes]], limit: int = STEP) -> Iterator[tuple[int, bytes]]:
    """Neighbours as one, cut where a multiple of `limit` begins: what cards like to be written in."""
    at, held = 0, bytearray()
    for offset, piece in pieces:
        if held and at + len(held) != offset:
            yield at, bytes(held)
            held.clear()
        while piece:
            if not held:
                at = offset
            room = limit - (at + len(held)) % limit
            held += piece[:room]
            offset, piece = offset + len(piece[:room]), piece[room:]
            if (at + len(held)) % limit == 0:
                yield at, bytes(held)
                held.clear()
    if held:
        yield at, bytes(held)


@contextmanager
def unpacking(path: Path) -> Iterator[IO[bytes]]:
    """What zstd unpacks of a file, from its begin on; CardFault with what zstd says of it. Who leaves early ends it."""
    child = subprocess.Popen(
        [host.find("zstd"), "-q", "-d", "-c", "--", str(path.resolve())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=host.environment(),
    )
    if child.stdout is None or child.stderr is None:
        raise CardFault("zstd was started without its pipes")
    out, errors = child.stdout, child.stderr

    def judged() -> None:
        """What zstd says of its input, once nobody reads any more; a reader that left early is no error of its."""
        out.close()
        told = errors.read().decode("utf-8", "replace").strip()
        if child.wait() > 0:
            raise CardFault(f"{path.name} could not be unpacked: {told or 'it is damaged or cut off'}")

    try:
        yield out
        judged()
    except CardFault:
        judged()
        raise
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        out.close()
        errors.close()


def _library() -> Any:
    """Python's own reader of zstd, from 3.14 on; None before."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return None
