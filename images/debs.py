"""Debian packages -> files of a tree: no root, no chroot, no script of a package runs.

Rules:
1. A package is an `ar` archive with a `data.tar`, plain or compressed by gzip, xz or zstd (deb(5)).
2. Everything lands inside the tree: names that are absolute or climb are a fault, a file below a link is a fault.
3. /bin, /sbin, /lib and the like are links into /usr, whatever a package calls them (Debian's usr-merge). Links stay as
   relative as the package wrote them; absolute targets become relative, so that they mean the same from outside.
4. Devices, pipes and sockets are a fault. Owners are dropped; modes are 0755 where the owner may run it, else 0644.
5. What `wanted` says no to is not written. A hard link becomes a file with the content of the other.
6. A link that leads out of the tree is a fault: what writes or reads there later would be outside.
7. What a package unpacks to is counted on the way and has a bound (LARGEST).
"""

from __future__ import annotations

import lzma
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from edge.faults import CardFault
from images import rooted, source

MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
AR_MAGIC = b"!<arch>\n"
LARGEST = 2 << 30  # bytes; the largest package of the locks, a kernel, unpacks to 0.3 GB
_HEADER = 60
_STEP = 1 << 20
_MEMORY = 512 << 20
Wanted = Callable[[str], bool]


def everything(_inner: str) -> bool:
    """Takes all of a package."""
    return True


def unpack(deb: Path, tree: Path, wanted: Wanted = everything) -> list[str]:
    """Write a package's files into the tree; their paths in it, in the order of the package.

    `wanted` is asked by path inside the tree, after the usr-merge. CardFault names the package and what is wrong.
    """
    try:
        with tempfile.TemporaryFile(dir=tree) as data:
            _data(deb, data)
            data.seek(0)
            with tarfile.open(fileobj=data, mode="r:") as archive:
                written = _Written(archive, tree, wanted)
                names = [name for member in archive if (name := written.placed(member))]
        out = rooted.leading_out(tree, names)
        if out:
            raise CardFault(f"the link {out[0]} leads out of the tree")
        return names
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, ValueError, RecursionError) as fault:
        raise CardFault(f"{deb.name} is no sound Debian package: {fault}", "fetch it again") from fault
    except CardFault as fault:
        raise CardFault(f"{deb.name}: {fault.sentence}", fault.fix) from fault


def file(deb: Path, inner: str) -> bytes:
    """One regular file of a package by its path after the usr-merge; CardFault when it is not there."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        if inner not in unpack(deb, tree, lambda name: name == inner):
            raise CardFault(f"{deb.name} has no file {inner}")
        return (tree / inner).read_bytes()


def _data(deb: Path, out: IO[bytes]) -> None:
    """The data.tar of a package, uncompressed, into `out`."""
    with deb.open("rb") as file:
        name, size = _member(file)
        if name not in UNPACKERS:
            raise CardFault(f"its files are in {name}, which is not read here")
        left = LARGEST
        for block in UNPACKERS[name](_blocks(file, size)):
            left -= len(block)
            if left < 0:
                raise _too_much()
            out.write(block)


def _too_much() -> CardFault:
    return CardFault(f"it unpacks to more than {LARGEST >> 20} MiB", "no package of Debian does: look where it is from")


def _xz(blocks: Iterator[bytes]) -> Iterator[bytes]:
    plain = lzma.LZMADecompressor(memlimit=_MEMORY)
    for block in blocks:
        yield plain.decompress(block, _STEP)
        while not (plain.needs_input or plain.eof):
            yield plain.decompress(b"", _STEP)
    _ended(plain.eof)


def _gz(blocks: Iterator[bytes]) -> Iterator[bytes]:
    plain = zlib.decompressobj(16 + zlib.MAX_WBITS)
    for block in blocks:
        while block:
            yield plain.decompress(block, _STEP)
            block = plain.unconsumed_tail
    yield plain.flush()
    _ended(plain.eof)


def _zst(blocks: Iterator[bytes]) -> Iterator[bytes]:
    with tempfile.NamedTemporaryFile() as packed:
        packed.writelines(blocks)
        packed.flush()
        with source.unpacking(Path(packed.name)) as pipe:
            yield from iter(lambda: pipe.read(_STEP), b"")


def _ended(whole: bool) -> None:
    if not whole:
        raise CardFault("its files end too early", "fetch it again")


UNPACKERS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "data.tar": iter,
    "data.tar.xz": _xz,
    "data.tar.gz": _gz,
    "data.tar.zst": _zst,
}


def _member(source: IO[bytes]) -> tuple[str, int]:
    """Name and size of data.tar*, with the file at its first byte (ar(5))."""
    if source.read(len(AR_MAGIC)) != AR_MAGIC:
        raise CardFault("it is no ar archive", "fetch it again")
    while True:
        header = source.read(_HEADER)
        if len(header) != _HEADER or header[58:] != b"`\n" or not header[48:58].strip().isdigit():
            raise CardFault("it has no data.tar, or is cut off", "fetch it again")
        name, size = header[:16].decode("ascii", "replace").strip().rstrip("/"), int(header[48:58])
        if name.startswith("data.tar"):
            return name, size
        source.seek(size + size % 2, os.SEEK_CUR)


def _blocks(source: IO[bytes], size: int) -> Iterator[bytes]:
    while size:
        block = source.read(min(size, 1 << 20))
        if not block:
            raise CardFault("it is cut off", "fetch it again")
        yield block
        size -= len(block)


def safe(name: str) -> list[str]:
    """The parts of a name of an archive; CardFault when it leads out of the folder it is unpacked in."""
    if name.startswith("/") or ".." in name.split("/"):
        raise CardFault(f"{name!r} leads out of the tree")
    return rooted.parts(name)


def inside(name: str) -> str:
    """A name of a package as a path inside the tree, "" for the tree itself: rules 2 and 3."""
    found = safe(name)
    return "/".join(["usr", *found] if found[:1] and found[0] in MERGED else found)


class _Written:
    """The members of one package as they come into the tree; what is written is counted (rule 7)."""

    def __init__(self, archive: tarfile.TarFile, tree: Path, wanted: Wanted) -> None:
        self.archive, self.tree, self.wanted = archive, tree, wanted
        self.left = LARGEST

    def placed(self, member: tarfile.TarInfo) -> str:
        """Write one member; its path in the tree, "" when it was not wanted or is a folder."""
        inner = inside(member.name)
        if member.isdir() or not inner:
            return ""
        if not (member.isfile() or member.issym() or member.islnk()):
            raise CardFault(f"{inner} is a device, a pipe or a socket")
        if not self.wanted(inner):
            return ""
        path = _room(self.tree, inner)
        if member.issym():
            path.symlink_to(relative(inner, member.linkname))
        else:
            self.write(member, path)
        return inner

    def write(self, member: tarfile.TarInfo, path: Path) -> None:
        """The content of a file or, by tarfile's own search, of the file that a hard link names."""
        try:
            content = self.archive.extractfile(member)
        except KeyError as fault:
            raise CardFault(f"{member.name} is a hard link to {member.linkname}, which is not there") from fault
        if content is None:
            raise CardFault(f"{member.name} is a hard link to what is no file")
        with content, path.open("wb") as out:
            while block := content.read(_STEP):
                self.left -= len(block)
                if self.left < 0:
                    raise _too_much()
                out.write(block)
        path.chmod(0o755 if member.mode & 0o100 else 0o644)


def _room(tree: Path, inner: str) -> Path:
    """Where a file goes: its folders made, no link among them, what stood there gone."""
    path = tree
    for part in inner.split("/")[:-1]:
        path /= part
        if path.is_symlink():
            raise CardFault(f"{inner} lies below a link")
        if not path.is_dir():
            path.mkdir()
            path.chmod(0o755)
    path = tree / inner
    if path.is_dir() and not path.is_symlink():
        raise CardFault(f"{inner} is a folder of another package")
    path.unlink() if os.path.lexists(path) else None
    return path


def relative(inner: str, target: str) -> str:
    """The target of a link as it is written: absolute ones as seen from the link's folder."""
    if not target.startswith("/"):
        return target
    return os.path.relpath("/" + inside(target[1:]), "/" + os.path.dirname(inner))
