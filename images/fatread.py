"""Reading a FAT32 partition of an image or a card: its files, and what of it is in use.

Rules:
1. The file system itself is edge/card/fat.py's; here the whole table is held, and everything in the partition is looked
   at: folders, contents, places by name.
2. Nothing in the partition is believed: a chain that loops or leaves the partition, a size that its chain cannot hold,
   folders in folders without end are a CardFault with the place, never a hang.
3. In use is what a computer that mounts it looks at: the reserved sectors, both tables, each cluster with an entry in
   the table that is not zero. All else may hold anything.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from edge.card import fat
from edge.faults import CardFault
from edge.record import Record

Read = Callable[[int, int], bytes]

_DEEPEST = 16
_MOST_ENTRIES = 65536
_PIECE = 1 << 20


class File(Record):
    """A file or folder: `path` with slashes, size in bytes (0 for a folder), its first cluster (0: it has none)."""

    path: str
    size: int
    cluster: int
    folder: bool = False


class Volume(fat.Volume):
    """The FAT32 file system at byte `start`, which fits into `length` bytes; all of it can be looked at. CardFault."""

    def __init__(self, read: Read, start: int = 0, length: int = 1 << 62) -> None:
        super().__init__(read, start)
        self._owners: dict[int, str] | None = None
        self.most = self.clusters + 1
        if self.size > length or self.clusters < 1 or self.table_size < 4 * (self.clusters + 2):
            raise CardFault(f"the FAT32 file system at byte {start} does not fit into its partition or its own table")
        table = read(start + self.table_at, 4 * (self.clusters + 2))
        if len(table) != 4 * (self.clusters + 2):
            raise CardFault(f"the FAT32 file system at byte {start} is cut off")
        self.table = array("I", table)

    def after(self, cluster: int) -> int:
        """What the table says of a cluster."""
        return int(self.table[cluster]) & fat.MASK

    def runs(self, cluster: int) -> Iterator[tuple[int, int]]:
        """A chain as (byte of the image, length) of clusters that lie side by side, none above 1 MiB."""
        first = count = 0
        for at in self.chain(cluster):
            if count and at == first + count and count * self.cluster < _PIECE:
                count += 1
                continue
            if count:
                yield self.place(first), count * self.cluster
            first, count = at, 1
        if count:
            yield self.place(first), count * self.cluster

    def pieces(self, file: File) -> Iterator[bytes]:
        """The content of a file. CardFault when its chain is shorter than its size."""
        left = file.size
        for at, length in self.runs(file.cluster):
            if left <= 0:
                break
            piece = self.read(at, min(length, left))
            left -= len(piece)
            yield piece
        if left > 0:
            raise CardFault(f"{file.path} has {file.size} bytes by its folder, {left} of them are on no cluster")

    def content(self, path: str, limit: int = _PIECE) -> bytes:
        """A small file; CardFault when it is absent or larger than `limit`."""
        file = self.find(path)
        if file is None:
            raise CardFault(f"there is no {path}")
        if file.size > limit:
            raise CardFault(f"{path} has {file.size} bytes, {limit} are expected at most")
        return b"".join(self.pieces(file))

    def find(self, path: str) -> File | None:
        """A file by its path, without regard to case, as FAT has it."""
        wanted = path.casefold()
        return next((file for file in self.files() if file.path.casefold() == wanted and not file.folder), None)

    def files(self) -> Iterator[File]:
        """Every file and folder, folders before what is in them."""
        waiting = [File("", 0, self.root, True)]
        seen = 0
        while waiting:
            folder = waiting.pop(0)
            if folder.path.count("/") >= _DEEPEST:
                raise CardFault(f"folders of the FAT32 file system at byte {self.start} are more than {_DEEPEST} deep")
            for file in self._listed(folder):
                seen += 1
                if seen > _MOST_ENTRIES:
                    raise CardFault(f"the FAT32 file system at byte {self.start} has more than {_MOST_ENTRIES} files")
                yield file
                if file.folder:
                    waiting.append(file)

    def _listed(self, folder: File) -> Iterator[File]:
        for name, entry in self.entries(folder.cluster):
            path, inner = f"{folder.path}/{name}".lstrip("/"), bool(entry[11] & fat.FOLDER)
            yield File(path, fat.length(entry), fat.first(entry), inner)

    def used(self) -> Iterator[tuple[int, int]]:
        """What is in use (rule 3), as (byte of the image, byte behind) in order, neighbours joined."""
        first, last = self.start, self.start + self.data_at
        for number, entry in enumerate(self.table[2:], 2):
            if not entry & fat.MASK:
                continue
            at = self.place(number)
            if at != last:
                yield first, last
                first = at
            last = at + self.cluster
        yield first, last

    def owner(self, offset: int) -> str:
        """What stands at a byte of the image, as words: `root.sqfs`, `the allocation table`, `free space`."""
        inner = offset - self.start
        if inner < self.table_at:
            return "the boot sectors"
        if inner < self.data_at:
            return "the allocation table"
        return self.owners().get(2 + (inner - self.data_at) // self.cluster, "free space")

    def owners(self) -> dict[int, str]:
        """Cluster -> the file or folder that it belongs to; read once."""
        if self._owners is None:
            found = dict.fromkeys(self.chain(self.root), "the root folder")
            for file in self.files():
                found.update(dict.fromkeys(self.chain(file.cluster), file.path))
            self._owners = found
        return self._owners
