"""Where GPIO chips are: the kernel's character devices, or a model of them behind the same five calls.

Rules this file keeps:
1. A descriptor that a seam gives is a real one, which poll and epoll take, and only the seam closes it: closing a
   line's descriptor releases the line.
2. Errors are OSError with the kernel's numbers. Who asked says what they mean (`trouble`).
"""

from __future__ import annotations

import posix as os
from errno import EBADF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Seam(Protocol):
        """The calls through which every chip and line is reached. All of them raise OSError."""

        def chips(self) -> tuple[str, ...]:
            """The paths of the chip nodes, links left out, in order of their numbers."""

        def open(self, path: str) -> int:
            """A descriptor of the chip."""

        def ioctl(self, fd: int, request: int, data: bytearray) -> None:
            """Ask a chip or a line; the answer takes the place of `data`."""

        def read(self, fd: int, size: int) -> bytes:
            """Events of a line, as many whole ones as `size` holds; BlockingIOError when there are none."""

        def close(self, fd: int) -> None:
            """Close a chip, or release a line."""


MODEL = "model:"


def _is_link(path: str) -> bool:
    try:
        return os.lstat(path).st_mode & 0o170000 == 0o120000  # S_IFMT, S_IFLNK
    except OSError:
        return False  # it is gone since it was listed: opening it will say so


class Kernel:
    """The real ones. `root`: the folder of the nodes."""

    def __init__(self, root: str = "/dev") -> None:
        self.root = root

    def chips(self) -> tuple[str, ...]:
        try:
            names = os.listdir(self.root)
        except FileNotFoundError:
            return ()
        numbered = [name for name in names if name[:8] == "gpiochip" and name[8:].isdigit() and name.isascii()]
        paths = [f"{self.root}/{name}" for name in sorted(numbered, key=lambda name: (len(name), name))]
        return tuple([path for path in paths if not _is_link(path)])

    def open(self, path: str) -> int:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def ioctl(self, fd: int, request: int, data: bytearray) -> None:
        from fcntl import ioctl

        if fd < 0:  # what was closed; ioctl itself would call that a ValueError
            raise OSError(EBADF, os.strerror(EBADF))
        ioctl(fd, request, data, True)

    def read(self, fd: int, size: int) -> bytes:
        return os.read(fd, size)

    def close(self, fd: int) -> None:
        os.close(fd)


def of(chips: str) -> Seam:
    """The seam of a setting: "" is the kernel, `model:SOCKET` a model that runs there.

    HardwareFault when nothing answers at the socket or the setting is neither.
    """
    if not chips:
        return Kernel()
    if chips.startswith(MODEL):
        from edge.peripherals.gpiochip.remote import Remote

        return Remote(chips[len(MODEL) :])
    from edge.faults import HardwareFault

    raise HardwareFault(
        f"there are no GPIO chips called {chips[:80]!r}", 'leave `chips` empty for the kernel\'s, or say "model:SOCKET"'
    )
