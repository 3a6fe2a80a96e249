"""The kernel's attribute files: read and written whole, at descriptors that stay with the device they were opened on.

Rules this file keeps:
1. A descriptor is opened once and kept. When its device goes, it answers ENODEV, whatever takes the device's name.
2. An attribute is opened for what it is for, and no more: sysfs refuses to open for reading what can only be written,
   also to root.
3. Errors are OSError with the kernel's numbers; who asked says what they mean.
"""

from __future__ import annotations

import posix as os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Tree(Protocol):
        """What of sysfs is needed here. Paths begin with /sys. All of them raise OSError."""

        def names(self, path: str) -> list[str]:
            """What is in a folder, sorted."""

        def target(self, path: str) -> str:
            """The last name of what a link leads to."""

        def open(self, path: str, mode: str = "rw") -> int:
            """A descriptor of an attribute, to read ("r"), to write ("w") or for both."""

        def read(self, fd: int) -> str:
            """The value of an attribute, without the newline."""

        def write(self, fd: int, text: str) -> None:
            """Give an attribute a value."""

        def lock(self, fd: int) -> bool:
            """Keep others who ask for this lock away from an attribute until it is closed; False: one has it."""

        def close(self, fd: int) -> None:
            """Close an attribute."""


MOST = 4096  # bytes of an attribute: one page
MODES = {"r": os.O_RDONLY, "w": os.O_WRONLY, "rw": os.O_RDWR}


class Files:
    """The real ones below `root`."""

    def __init__(self, root: str = "/") -> None:
        self.root = root.rstrip("/")

    def names(self, path: str) -> list[str]:
        return sorted(os.listdir(self.root + path))

    def target(self, path: str) -> str:
        return os.readlink(self.root + path).rpartition("/")[2]

    def open(self, path: str, mode: str = "rw") -> int:
        return os.open(self.root + path, MODES[mode] | os.O_CLOEXEC)

    def read(self, fd: int) -> str:
        return os.pread(fd, MOST, 0).decode("ascii", "replace").strip()

    def write(self, fd: int, text: str) -> None:
        os.pwrite(fd, text.encode("ascii"), 0)

    def lock(self, fd: int) -> bool:
        from fcntl import LOCK_EX, LOCK_NB, flock

        try:
            flock(fd, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self, fd: int) -> None:
        os.close(fd)
