"""FAT partitions: made from a folder, and measured. By mkfs.vfat and mtools; no mount, no root.

Rules:
1. The same folder gives the same bytes: files are copied one folder after the other in the order of their names (a
   recursive copy takes the order of the host's file system), every time is the epoch, the serial number is given.
2. One sector is a cluster: small files waste nothing, and all our partitions are large enough for FAT32 that way.
3. A FAT's years are 1980 to 2107 and mtools wraps others around; what a 32-bit board cannot stat(2), behind 2038, it
   cannot mount either. A time outside of both is taken as the nearest inside (a day from the end, for time zones).
4. `used` goes by the allocation table: what lies behind the last cluster in use need not be shipped.
"""

from __future__ import annotations

import os
from pathlib import Path

from edge.card.layout import SECTOR
from edge.faults import CardFault
from images import host
from images.fatread import Volume

FIRST, LAST = 315619200, 2147385600  # 1980-01-02 and 2038-01-18, in seconds since 1970


def make(image: Path, label: str, serial: int, sectors: int, folder: Path, epoch: int) -> None:
    """Write a FAT32 of `sectors` with everything in `folder`; CardFault when it does not fit or a program is absent."""
    need = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if need > sectors * SECTOR:
        raise CardFault(
            f"{label}: the files of this partition are {need:,} bytes, it holds {sectors * SECTOR:,}",
            "take something out of the product, or give the partition more room in edge/card/layout.py",
        )
    with image.open("wb") as file:
        file.truncate(sectors * SECTOR)
    host.run("mkfs.vfat", "--invariant", "-F32", "-s1", "-n", label, "-i", f"{serial:08X}", image)
    _fill(image, folder, min(max(epoch, FIRST), LAST))


def _fill(image: Path, folder: Path, epoch: int) -> None:
    """Copy the folder into the FAT, one folder of it at a time."""
    add = {"SOURCE_DATE_EPOCH": str(epoch)}
    for here, below, names in os.walk(folder):
        below.sort()
        inner = Path(here).relative_to(folder).as_posix()
        place = "::/" if inner == "." else f"::/{inner}/"
        for name in names:
            os.utime(Path(here, name), (epoch, epoch))
        if below:
            host.run("mmd", "-i", image, *(f"{place}{name}" for name in below), add=add)
        if names:
            host.run("mcopy", "-Qm", "-i", image, *(Path(here, name) for name in sorted(names)), place, add=add)


def used(image: Path) -> int:
    """Bytes from the start of a FAT32 up to the end of its last cluster in use; CardFault when it is none."""
    with image.open("rb") as file:

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        return max(end for _, end in Volume(read).used())
