"""Debian packages -> files of a tree: no root, no chroot, no script of a package runs.

Rules:
1. A package is an `ar` archive with a `data.tar`, plain or compressed by gzip, xz or zstd (deb(5)).
2. Everything lands inside the tree: names that are absolute or climb are a fault, a file below a link is a fault.
3. /bin, /sbin, /lib and the like are links into /usr, whatever a package calls them (Debian's usr-merge). Links stay as
   relative as the package wrote them; absolute targets become relative, so that they mean the same from outside.
4. Devices, pipes and sockets are a fault. Owners are dropped; modes are 0755 where the owner may run it, else 0644.
5. What `wanted` says no to is not written. A hard link becomes a file with the content of the other.
"""

from __future__ import annotations

import lzma
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from edge.faults import CardFault
from images import host, rooted

MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
AR_MAGIC = b"!<arch>\n"
_HEADER = 60
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
                return [name for member in archive if (name := _placed(archive, member, tree, wanted))]
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, ValueError) as fault:
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
    with deb.open("rb") as source:
        name, size = _member(source)
        if name == "data.tar.zst":
            out.write(host.run("zstd", "-d", "-c", "-q", data=b"".join(_blocks(source, size))))
            return
        plain = PLAIN[name]() if name in PLAIN else None
        if plain is None and name != "data.tar":
            raise CardFault(f"its files are in {name}, which is not read here")
        for block in _blocks(source, size):
            out.write(plain.decompress(block) if plain else block)
        if plain and not plain.eof:
            raise CardFault("its files end too early", "fetch it again")


PLAIN: dict[str, Callable[[], Any]] = {
    "data.tar.xz": lzma.LZMADecompressor,
    "data.tar.gz": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
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


def _placed(archive: tarfile.TarFile, member: tarfile.TarInfo, tree: Path, wanted: Wanted) -> str:
    """Write one member; its path in the tree, "" when it was not wanted or is a folder."""
    inner = inside(member.name)
    if member.isdir() or not inner:
        return ""
    if not (member.isfile() or member.issym() or member.islnk()):
        raise CardFault(f"{inner} is a device, a pipe or a socket")
    if not wanted(inner):
        return ""
    path = _room(tree, inner)
    if member.issym():
        path.symlink_to(relative(inner, member.linkname))
    else:
        _write(archive, member, path)
    return inner


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


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    """The content of a file or, by tarfile's own search, of the file that a hard link names."""
    try:
        source = archive.extractfile(member)
    except KeyError as fault:
        raise CardFault(f"{member.name} is a hard link to {member.linkname}, which is not there") from fault
    if source is None:
        raise CardFault(f"{member.name} is a hard link to what is no file")
    with source, path.open("wb") as out:
        while block := source.read(1 << 20):
            out.write(block)
    path.chmod(0o755 if member.mode & 0o100 else 0o644)
