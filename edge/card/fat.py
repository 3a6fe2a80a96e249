"""A FAT32 file system without mounting it: where things are, chains, the entries of a folder. Bytes only.

Rules:
1. It reads by a function (offset, length) -> bytes and changes nothing. images/fatread.py builds on it: what the maker
   of a card reads out of a volume is what the board reads.
2. Nothing is believed: numbers that make no sense, a chain that loops or leaves the volume are a CardFault. Chains are
   followed for `most` clusters at most.
3. `small_file` raises nothing: a file that is not there, larger than asked for, or out of order is None.
4. Names are compared without case, by their long name where they have one.

Source: "Microsoft Extensible Firmware Initiative FAT32 File System Specification", version 1.03.
"""

from __future__ import annotations

from edge.faults import CardFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int, int], bytes]

MOST = 4096  # clusters
FOLDER = 0x10
MASK = 0x0FFFFFFF
_ENTRY = 32
_LONG, _LABEL = 0x0F, 0x08  # attributes: part of a long name; the volume's name
_LAST = 0x0FFFFFF8


class Volume:
    """The FAT32 file system that begins at byte `start` of what `read` reads. CardFault when there is none.

    `table_at` and `data_at` count from `start`; `cluster` is the size of one, `clusters` how many there are.
    """

    most = MOST

    def __init__(self, read: Read, start: int = 0) -> None:
        boot = read(start, 512)
        if not is_fat32(boot):
            raise CardFault(f"there is no FAT32 file system at byte {start}")
        self.read, self.start = read, start
        sector = _int(boot, 11, 2)
        self.cluster = sector * boot[13]
        self.table_at = _int(boot, 14, 2) * sector
        self.table_size = _int(boot, 36, 4) * sector
        self.data_at = self.table_at + boot[16] * self.table_size
        self.root = _int(boot, 44, 4)
        self.size = _int(boot, 32, 4) * sector
        self.clusters = max(0, (self.size - self.data_at) // self.cluster)

    def after(self, cluster: int) -> int:
        """What the table says of a cluster."""
        return _int(self.read(self.start + self.table_at + 4 * cluster, 4), 0, 4) & MASK

    def chain(self, cluster: int) -> Iterator[int]:
        """The clusters of a file from its first one (0: it has none); CardFault when they loop or leave the volume."""
        for _ in range(self.most if cluster else 0):
            if cluster >= _LAST:
                return
            if not 2 <= cluster < self.clusters + 2:
                raise CardFault(f"the FAT32 file system at byte {self.start} has a chain that leaves it")
            yield cluster
            cluster = self.after(cluster)
        if cluster and cluster < _LAST:
            raise CardFault(f"the FAT32 file system at byte {self.start} has a chain without an end")

    def place(self, cluster: int) -> int:
        """The byte of what `read` reads at which a cluster begins."""
        return self.start + self.data_at + (cluster - 2) * self.cluster

    def entries(self, folder: int) -> Iterator[tuple[str, bytes]]:
        """Name and entry of each file and folder in the folder that begins at this cluster."""
        long = ""
        for cluster in self.chain(folder):
            text = self.read(self.place(cluster), self.cluster)
            for at in range(0, len(text) - _ENTRY + 1, _ENTRY):
                entry = text[at : at + _ENTRY]
                if not entry[0]:
                    return
                if entry[0] == 0xE5:
                    long = ""
                elif entry[11] & 0x3F == _LONG:
                    long = _part(entry) + ("" if entry[0] & 0x40 else long)
                else:
                    name, long = long or _short(entry), ""
                    if not entry[11] & _LABEL and name not in (".", ".."):
                        yield name, entry


def is_fat32(boot: bytes) -> bool:
    """Whether a first sector is that of a FAT32 file system whose numbers make sense."""
    if len(boot) < 512 or boot[510:512] != b"\x55\xaa":
        return False
    old = _int(boot, 17, 2) or _int(boot, 22, 2)  # root folder or table of FAT12 and FAT16
    sizes = _int(boot, 11, 2) in (512, 1024, 2048, 4096) and boot[13] in (1, 2, 4, 8, 16, 32, 64, 128)
    return sizes and _int(boot, 14, 2) > 0 and boot[16] in (1, 2) and not old


def first(entry: bytes) -> int:
    """The first cluster of an entry; 0 when it has none."""
    return (_int(entry, 20, 2) << 16 | _int(entry, 26, 2)) & MASK


def length(entry: bytes) -> int:
    """The size of a file by its entry; 0 for a folder."""
    return 0 if entry[11] & FOLDER else _int(entry, 28, 4)


def small_file(read: Read, name: str, limit: int) -> bytes | None:
    """The content of a file of at most `limit` bytes in the root folder; None by rule 3."""
    try:
        volume = Volume(read)
        files = ((found, entry) for found, entry in volume.entries(volume.root) if not entry[11] & FOLDER)
        entry = next((entry for found, entry in files if found.lower() == name.lower()), b"")
        if not entry or length(entry) > limit:
            return None
        text = b"".join(read(volume.place(at), volume.cluster) for at in volume.chain(first(entry)))
    except CardFault:
        return None
    return text[: length(entry)] if len(text) >= length(entry) else None


def _int(text: bytes, at: int, size: int) -> int:
    return int.from_bytes(text[at : at + size], "little")


def _part(entry: bytes) -> str:
    """The up to 13 letters of a long name that one entry holds."""
    text = (entry[1:11] + entry[14:26] + entry[28:32]).decode("utf-16-le", "replace")
    return text.split("\0", 1)[0].rstrip("\uffff")


def _short(entry: bytes) -> str:
    stem, end = entry[:8].decode("cp437").rstrip(), entry[8:11].decode("cp437").rstrip()
    # Bits 3 and 4 of the byte after the attributes: this part stands in small letters.
    stem = stem.lower() if entry[12] & 0x08 else stem
    end = end.lower() if entry[12] & 0x10 else end
    return f"{stem}.{end}" if end else stem
