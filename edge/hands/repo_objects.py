"""The objects of a repository: found loose or in packs, checked, told apart; new ones are added loose.

Rules:
1. Files are opened by edge/hands/repo_folder.py; no library opens a path. dulwich reads and writes what stands inside
   of trees and commits; what it is given is bounded.
2. The name of an object that was read loose, or will be shown, is its SHA-1: what does not match is broken.
3. Objects that lie in another repository (alternates) are not looked for, and that is said.
4. A new object is written whole and synced before anything refers to it; one that is there is left as it is.
"""

from __future__ import annotations

import os
from binascii import hexlify, unhexlify

from edge.faults import ToolFault
from edge.hands.open import said
from edge.hands.repo_pack import MOST, Pack, inflated, too_large
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from edge.hands.repo_folder import Folder

    Entry = tuple[int, bytes]

TREE, LINK, MODULE = 0o040000, 0o120000, 0o160000
_PACKS = 1000
_TREES = 500  # that were read are kept


class Person(Record):
    """Who did something and when: seconds since 1970, and seconds east of Greenwich."""

    name: str
    seconds: int
    zone: int


class CommitInfo(Record):
    """What a commit says; `parents` and `tree` are names in hexadecimal digits."""

    id: bytes
    tree: bytes
    parents: tuple[bytes, ...]
    author: Person
    committer: Person
    message: str


class Store:
    """Objects below the folder `objects` of a repository. ToolFault in sentences for all that is broken."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._packs: list[Pack] | None = None
        self._trees: dict[bytes, list[tuple[bytes, int, bytes]]] = {}

    def close(self) -> None:
        for pack in self._packs or ():
            pack.close()
        self._packs = None

    # --- reading ---

    def get(self, name: bytes) -> tuple[bytes, bytes]:
        """Kind and content of an object by its name (40 digits)."""
        found = self._loose(name)
        if found is None:
            sha = unhexlify(name)
            for pack in self.packs():
                offset = pack.find(sha)
                if offset >= 0:
                    found = pack.get(offset)
                    break
            else:
                raise self._absent(name)
        if named(*found) != name:
            raise ToolFault(f"the object {name.decode()} of the repository is broken", "git fsck tells more")
        return found

    def has(self, name: bytes) -> bool:
        try:
            self._folder.status(_where(name))
            return True
        except OSError:
            return any(pack.find(unhexlify(name)) >= 0 for pack in self.packs())

    def of(self, kind: bytes, name: bytes) -> bytes:
        found, content = self.get(name)
        if found != kind:
            raise ToolFault(f"{name.decode()[:12]} is a {found.decode()}, no {kind.decode()}")
        return content

    def packs(self) -> list[Pack]:
        if self._packs is None:
            self._packs = []
            try:
                listed = [name for name, _, plain in self._folder.names(b"objects/pack") if plain]
            except FileNotFoundError:
                listed = []
            names = [name for name in listed if name.startswith(b"pack-") and name.endswith(b".idx")]
            if len(names) > _PACKS:
                raise ToolFault(f"the repository has more than {_PACKS} packs", "git gc makes one of them")
            for name in names:
                self._opened(b"objects/pack/" + name)
        return self._packs

    def _opened(self, path: bytes) -> None:
        try:
            index = self._folder.file(path)
            try:
                data = self._folder.file(path[:-4] + b".pack")
            except OSError:
                os.close(index)
                raise
        except OSError as error:
            raise ToolFault(f"a pack of the repository cannot be opened: {said(error)}") from error
        try:
            pack = Pack(path[13:-4].decode("utf-8", "replace"), index, data, self._folder.late)
        except ToolFault:
            os.close(index)
            os.close(data)
            raise
        assert self._packs is not None
        self._packs.append(pack)

    def _loose(self, name: bytes) -> tuple[bytes, bytes] | None:
        try:
            descriptor = self._folder.file(_where(name))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ToolFault(f"the object {name.decode()} cannot be read: {said(error)}") from error
        try:
            return _unpacked(descriptor, name, self._folder)
        finally:
            os.close(descriptor)

    def _absent(self, name: bytes) -> ToolFault:
        why = "git fsck tells more"
        if self._folder.perhaps(b"objects/info/alternates", 65536):
            why = "the repository keeps objects in another one (alternates), where tools do not look"
        return ToolFault(f"the object {name.decode()} is not in the repository", why)

    def like(self, start: str) -> list[bytes]:
        """At most three names that begin with at least four digits."""
        found: set[bytes] = set()
        try:
            for name, _, plain in self._folder.names(b"objects/" + start[:2].encode()):
                if plain and len(name) == 38 and name.startswith(start[2:].encode()):
                    found.add(start[:2].encode() + name)
        except FileNotFoundError:
            pass
        for pack in self.packs():
            found.update(pack.like(start, 3))
        return sorted(found)[:3]

    def commit(self, name: bytes) -> CommitInfo:
        from edge.hands.repo_form import commit

        return commit(name, self.of(b"commit", name))

    def tree(self, name: bytes) -> Iterator[tuple[bytes, int, bytes]]:
        """Name, mode and object of each entry, as they stand there."""
        from edge.hands.repo_form import tree

        found = self._trees.get(name)
        if found is None:
            found = list(tree(name, self.of(b"tree", name)))
            if len(self._trees) >= _TREES or len(found) > 1000:
                self._trees.clear()
            self._trees[name] = found
        return iter(found)

    # --- adding ---

    def put(self, kind: bytes, content: bytes) -> bytes:
        """The name of an object, which is written when it is not there."""
        import zlib

        if len(content) > MOST:
            raise too_large(len(content))
        name = named(kind, content)
        if not self.has(name):
            packed = zlib.compress(b"%s %d\0" % (kind, len(content)) + content, 1)
            self._folder.put(_where(name), packed, 0o444, keep=True)
        return name

    def put_tree(self, entries: Iterable[tuple[bytes, int, bytes]]) -> bytes:
        from edge.hands.repo_form import tree_text

        return self.put(b"tree", tree_text(entries))


def named(kind: bytes, content: bytes) -> bytes:
    """The name of an object: the SHA-1 of its head and content."""
    from hashlib import sha1

    found = sha1(b"%s %d\0" % (kind, len(content)), usedforsecurity=False)
    found.update(content)
    return hexlify(found.digest())


def _where(name: bytes) -> bytes:
    return b"objects/" + name[:2] + b"/" + name[2:]


def _unpacked(descriptor: int, name: bytes, folder: Folder) -> tuple[bytes, bytes]:
    """Kind and content of a loose object, inflated no further than its head says."""
    import zlib

    broken = ToolFault(f"the object {name.decode()} of the repository is broken", "git fsck tells more")
    try:
        head, mark, _ = zlib.decompressobj().decompress(os.pread(descriptor, 256, 0), 64).partition(b"\0")
    except zlib.error as error:
        raise broken from error
    kind, _, number = head.partition(b" ")
    if not mark or kind not in (b"commit", b"tree", b"blob", b"tag") or not number.isdigit():
        raise broken
    size = int(number)
    if size > MOST:
        raise too_large(size)
    content = inflated(lambda: os.read(descriptor, 16384), len(head) + 1 + size, folder.late)
    if content is None:
        raise broken
    return kind, content[len(head) + 1 :]


def library() -> Any:
    """dulwich's reader and writer of objects. ToolFault where it is not installed."""
    try:
        return __import__("dulwich.objects", fromlist=["Commit"])
    except ImportError as error:
        raise ToolFault("the Python package dulwich is not installed", "pip install 'dulwich>=0.24,<2'") from error
