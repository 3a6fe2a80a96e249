"""What is done about a tape that power or a killed writer left torn.

Rules:
1. Only the writer repairs, under its lock. A reader reports and changes nothing.
2. All up to the last valid record stays as it is, with whatever is damaged before it: nobody can mend that, and
   what stands behind it counts. All behind the last valid record is a torn end. It goes to `NAME.torn-N` first, and
   is on the card there before the tape is cut; the cut is on the card before the next record.
3. Nothing is written behind a torn line.
"""

from __future__ import annotations

import os

from edge.faults import TapeFault
from edge.record import Record
from edge.tape.disk import cannot
from edge.tape.form import BLOCK, valid
from edge.tape.names import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.tape.disk import Disk


class Found(Record):
    """A tape after repair: its last number, its length, how many bytes were cut off and to which file."""

    seq: int
    size: int
    cut: int = 0
    kept_in: str = ""


def repair(disk: Disk, fd: int, path: str) -> Found:
    """Make the open, locked tape `fd` end with its last valid record. OSError or TapeFault when that fails."""
    size = seq = 0
    for _, end, record in valid(lambda count, offset: disk.pread(fd, count, offset)):
        size, seq = end, record["seq"]
    torn = disk.size(fd) - size
    if torn <= 0:
        return Found(seq, size)
    aside = _aside(disk, fd, size, path[: -len(SUFFIX)])
    disk.sync_folder(os.path.dirname(path))
    disk.ftruncate(fd, size)
    disk.fsync(fd)
    return Found(seq, size, torn, os.path.basename(aside))


def _aside(disk: Disk, fd: int, offset: int, stem: str) -> str:
    """Copy all from `offset` on to the first free `STEM.torn-N`; its path."""
    target, aside = _free(disk, stem)
    try:
        while block := disk.pread(fd, BLOCK, offset):
            if disk.write(target, block) != len(block):
                raise TapeFault(f"no room to keep the torn end of {stem}{SUFFIX}", "make room on the card")
            offset += len(block)
        disk.fsync(target)
    except OSError as error:
        disk.unlink(aside)
        if isinstance(error, TapeFault):
            raise
        raise cannot(f"the torn end of the tape cannot be kept in {aside}", error) from error
    finally:
        disk.close(target)
    return aside


def _free(disk: Disk, stem: str) -> tuple[int, str]:
    number = 1
    while True:
        aside = f"{stem}.torn-{number}"
        try:
            return disk.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600), aside
        except FileExistsError:
            number += 1
