"""Reading a FAT32 partition of an image or a card: its files, and what of it is in use.

Rules:
1. It only reads, through a function (offset, length) -> bytes: an image, a device and bytes in memory are alike to it.
2. Nothing in the partition is believed: a chain that loops or leaves the partition, a size that its chain cannot hold,
   folders in folders without end are a CardFault with the place, never a hang.
3. In use is what a computer that mounts it looks at: the reserved sectors, both tables, each cluster with an entry in
   the table that is not zero. All else may hold anything.
4. FAT32 alone: that is what the builder makes. FAT12 and FAT16 are told from it by their root folder of fixed size.

Source: "Microsoft Extensible Firmware Initiative FAT32 File System Specification", version 1.03.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from struct import unpack_from

from edge.faults import CardFault
from edge.record import Record

Read = Callable[[int, int], bytes]

_LAST, _FREE, _MASK = 0x0FFFFFF8, 0, 0x0FFFFFFF
_FOLDER, _VOLUME, _LONG = 0x10, 0x08, 0x0F
_GONE, _END = 0xE5, 0
_DEEPEST = 16
_MOST_ENTRIES = 65536
_PIECE = 1 << 20


class File(Record):
    """A file or folder: `path` with slashes, size in bytes (0 for a folder), its first cluster (0: it has none)."""

    path: str
    size: int
    cluster: int
    folder: bool = False


class Volume:
    """The FAT32 file system that begins at byte `start` of what `read` reads. CardFault when there is none."""

    def __init__(self, read: Read, start: int = 0, length: int = 1 << 62) -> None:
        boot = read(start, 512)
        if not is_fat32(boot):
            raise CardFault(f"there is no FAT32 file system at byte {start}")
        self.read, self.start = read, start
        self._owners: dict[int, str] | None = None
        self.sector, self.per_cluster, reserved, self.tables = (int(n) for n in unpack_from("<HBHB", boot, 11))
        sectors, table_sectors = (int(n) for n in unpack_from("<II", boot, 32))
        self.root = int.from_bytes(boot[44:48], "little")
        self.table_at = reserved * self.sector
        self.table_size = table_sectors * self.sector
        self.data_at = self.table_at + self.tables * self.table_size
        self.size = sectors * self.sector
        self.cluster = self.sector * self.per_cluster
        self.clusters = (self.size - self.data_at) // self.cluster
        if self.size > length or self.clusters < 1 or self.table_size < 4 * (self.clusters + 2):
            raise CardFault(f"the FAT32 file system at byte {start} does not fit into its partition or its own table")
        table = read(start + self.table_at, 4 * (self.clusters + 2))
        if len(table) != 4 * (self.clusters + 2):
            raise CardFault(f"the FAT32 file system at byte {start} is cut off")
        self.table = array("I", table)

    def chain(self, cluster: int) -> Iterator[int]:
        """The clusters of a file from its first one; CardFault when they loop or leave the partition."""
        for _ in range(self.clusters + 1):
            if cluster >= _LAST or cluster == 0:
                return
            if not 2 <= cluster < self.clusters + 2:
                raise CardFault(f"the FAT32 file system at byte {self.start} has a chain that leaves it")
            yield cluster
            cluster = int(self.table[cluster]) & _MASK
        raise CardFault(f"the FAT32 file system at byte {self.start} has a chain without an end")

    def place(self, cluster: int) -> int:
        """The byte of the image at which a cluster begins."""
        return self.start + self.data_at + (cluster - 2) * self.cluster

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
        text = b"".join(self.read(at, length) for at, length in self.runs(folder.cluster))
        long = ""
        for at in range(0, len(text) - 31, 32):
            entry = text[at : at + 32]
            if entry[0] == _END:
                return
            if entry[0] == _GONE:
                long = ""
            elif entry[11] & 0x3F == _LONG:
                long = _long_part(entry) + ("" if entry[0] & 0x40 else long)
            else:
                name, long = long or _short(entry), ""
                if not entry[11] & _VOLUME and name not in (".", ".."):
                    yield _file(f"{folder.path}/{name}".lstrip("/"), entry)

    def used(self) -> Iterator[tuple[int, int]]:
        """What is in use (rule 3), as (byte of the image, byte behind) in order, neighbours joined."""
        first, last = self.start, self.start + self.data_at
        for number, entry in enumerate(self.table[2:], 2):
            if entry & _MASK == _FREE:
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


def is_fat32(boot: bytes) -> bool:
    """Whether a first sector is that of a FAT32 file system whose numbers make sense."""
    if len(boot) < 512 or boot[510:512] != b"\x55\xaa":
        return False
    sector, per_cluster, reserved, tables, root_entries, _, _, short_table = unpack_from("<HBHBHHBH", boot, 11)
    return (
        sector in (512, 1024, 2048, 4096)
        and per_cluster in (1, 2, 4, 8, 16, 32, 64, 128)
        and reserved > 0
        and tables in (1, 2)
        and root_entries == 0
        and short_table == 0
    )


def _long_part(entry: bytes) -> str:
    text = (entry[1:11] + entry[14:26] + entry[28:32]).decode("utf-16-le", "replace")
    return text.split("\0", 1)[0].rstrip("\uffff")


def _short(entry: bytes) -> str:
    stem, end = entry[:8].decode("cp437").rstrip(), entry[8:11].decode("cp437").rstrip()
    # Bits 3 and 4 of the byte after the attributes: this part stands in small letters.
    stem = stem.lower() if entry[12] & 0x08 else stem
    end = end.lower() if entry[12] & 0x10 else end
    return f"{stem}.{end}" if end else stem


def _file(path: str, entry: bytes) -> File:
    (high,) = unpack_from("<H", entry, 20)
    low, size = unpack_from("<HI", entry, 26)
    folder = bool(entry[11] & _FOLDER)
    return File(path, 0 if folder else size, (high << 16 | low) & _MASK, folder)
