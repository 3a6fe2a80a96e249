"""One small file in the root folder of a FAT32 file system, without mounting it. Bytes only.

Rules:
1. It reads by a function (offset from the begin of the file system, length) -> bytes and changes nothing.
2. Nothing is believed: a number that makes no sense, a chain that loops or leaves the volume, a file that is larger
   than asked for are None, like a file that is not there. Chains are followed for MOST clusters at most.
3. Names are compared without case, by their long name where they have one.

Source: "Microsoft Extensible Firmware Initiative FAT32 File System Specification", version 1.03.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int, int], bytes]

MOST = 4096  # clusters
_ENTRY = 32
_LONG, _NOT_A_FILE = 0x0F, 0x18  # attributes: part of a long name; folder or label
_LAST = 0x0FFFFFF8


class Volume:
    """The numbers of the first sector that say where things are; `clusters` is 0 where there is no FAT32."""

    def __init__(self, read: Read) -> None:
        boot = read(0, 512)
        self.read = read
        self.clusters = 0
        if len(boot) < 512 or boot[510:] != b"\x55\xaa":
            return
        sector, per, reserved, tables = _int(boot, 11, 2), boot[13], _int(boot, 14, 2), boot[16]
        if sector not in (512, 1024, 2048, 4096) or not per or not reserved or tables not in (1, 2):
            return
        self.cluster = sector * per
        self.table = reserved * sector
        self.data = self.table + tables * _int(boot, 36, 4) * sector
        self.root = _int(boot, 44, 4)
        old = _int(boot, 17, 2) or _int(boot, 22, 2)  # root folder or table of FAT12 and FAT16
        self.clusters = 0 if old else max(0, (_int(boot, 32, 4) * sector - self.data) // self.cluster)

    def chain(self, first: int) -> Iterator[int]:
        """Offsets of the clusters of a chain; ValueError when it loops or leaves the volume."""
        for _ in range(MOST):
            if first >= _LAST:
                return
            if not 2 <= first < self.clusters + 2:
                raise ValueError(f"cluster {first}")
            yield self.data + (first - 2) * self.cluster
            first = _int(self.read(self.table + 4 * first, 4), 0, 4) & 0x0FFFFFFF
        raise ValueError("a chain without an end")

    def entries(self) -> Iterator[tuple[str, bytes]]:
        """Name and entry of each file of the root folder."""
        long = ""
        for at in self.chain(self.root):
            folder = self.read(at, self.cluster)
            for start in range(0, len(folder), _ENTRY):
                entry = folder[start : start + _ENTRY]
                if not entry[0]:
                    return
                if entry[0] == 0xE5:
                    long = ""
                elif entry[11] & 0x3F == _LONG:
                    long = _part(entry) + ("" if entry[0] & 0x40 else long)
                elif entry[11] & _NOT_A_FILE:
                    long = ""
                else:
                    yield long or _short(entry), entry
                    long = ""


def small_file(read: Read, name: str, limit: int) -> bytes | None:
    """The content of a file of at most `limit` bytes; None when it is not there, larger or out of order."""
    volume = Volume(read)
    if not volume.clusters:
        return None
    try:
        entry = next((entry for found, entry in volume.entries() if found.lower() == name.lower()), b"")
        size = _int(entry, 28, 4)
        if not entry or size > limit:
            return None
        first = _int(entry, 20, 2) << 16 | _int(entry, 26, 2)
        text = b"".join(volume.read(at, volume.cluster) for at in volume.chain(first)) if size else b""
    except ValueError:
        return None
    return text[:size] if len(text) >= size else None


def _int(text: bytes, at: int, size: int) -> int:
    return int.from_bytes(text[at : at + size], "little")


def _part(entry: bytes) -> str:
    """The up to 13 letters of a long name that one entry holds."""
    text = (entry[1:11] + entry[14:26] + entry[28:32]).decode("utf-16-le", "replace")
    return text.split("\0", 1)[0].rstrip("\uffff")


def _short(entry: bytes) -> str:
    stem, end = entry[:8].decode("cp437").rstrip(), entry[8:11].decode("cp437").rstrip()
    return f"{stem}.{end}" if end else stem
