"""Room on the card for the audit log: a file that can be given up when the card is full. Its bytes mean nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.tape.disk import Disk


class Ballast:
    """The file at `path`, of `size` bytes (0: there is none). `there`: it holds its place on the card."""

    def __init__(self, disk: Disk, path: str, size: int) -> None:
        self.there = not size
        self._disk = disk
        self._path = path
        self._size = size

    def make(self) -> bool:
        """Make sure that it is there. False when it cannot be made: no room, or a card that fails."""
        if self.there or os.path.exists(self._path):
            self.there = True
            return True
        try:
            fd = self._disk.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            return False
        try:
            self.there = self._disk.write(fd, bytes(self._size)) == self._size
            self._disk.fsync(fd)
        except OSError:
            self.there = False
        finally:
            self._disk.close(fd)
        if not self.there:
            self._disk.unlink(self._path)
        return self.there

    def give_up(self) -> bool:
        """Make room; False when there was nothing to give up. OSError."""
        if not self.there or not self._size:
            return False
        self.there = False
        self._disk.unlink(self._path)
        return True
