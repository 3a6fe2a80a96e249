"""Short texts of the kernel and the system, read for the tools that tell facts of the board.

Rules:
1. Only what lies in the places that the call was granted is read, and nothing that the operator closed (`barred`) or
   that is a secret. What a link leads to is judged again by where it really is.
2. What is not there, cannot be read or is no regular file is None: unknown is never 0 or "".
3. Each read is bounded in bytes, each folder in names.
4. `top` is put before every path: a folder that holds the texts of another board is read in the same way.
5. Outside /proc and /sys a file that others may not read is private; of logs the group may read as well.
"""

from __future__ import annotations

import os

from edge.gate.paths import inside
from edge.gate.secret import is_secret
from edge.hands.guard import LOGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST = 65536  # bytes of one text
NAMES = 8192  # names of one folder
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_REGULAR, _LINK = 0o100000, 0o120000
_KERNEL = ("/proc", "/sys")


class Reader:
    """Reads below `places` (absolute folders or files); `barred` stays closed."""

    __slots__ = ("_barred", "_places", "_top")

    def __init__(self, places: tuple[str, ...], barred: tuple[str, ...] = (), top: str = "") -> None:
        self._places = places
        self._barred = barred
        self._top = top

    @property
    def here(self) -> bool:
        """False when a folder stands for another board: what only this kernel knows is not asked."""
        return not self._top

    def may(self, path: str) -> bool:
        """True when `path` lies in a granted place and is not closed."""
        return any(inside(path, place) for place in self._places) and not any(
            inside(path.lower(), closed.lower()) for closed in self._barred
        )

    def data(self, path: str, most: int = MOST) -> bytes | None:
        """The first `most` bytes of a regular file, None when there is nothing that may be read."""
        descriptor = self.opened(path)
        if descriptor is None:
            return None
        try:
            return _all(descriptor, most)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def text(self, path: str, most: int = MOST) -> str | None:
        """The same as text without NUL and blanks around it."""
        found = self.data(path, most)
        return None if found is None else found.decode("utf-8", "replace").strip("\0 \t\r\n")

    def number(self, path: str) -> int | None:
        """A whole number, decimal or 0x; None for anything else."""
        return number(self.text(path, 256))

    def names(self, path: str, most: int = NAMES) -> tuple[str, ...]:
        """The names in a folder, sorted, at most `most`; none when it cannot be listed."""
        if not self.may(path):
            return ()
        found: list[str] = []
        try:
            with os.scandir(self._top + path) as entries:
                for entry in entries:
                    found.append(entry.name)
                    if len(found) >= most:
                        break
        except OSError:
            return ()
        return tuple(sorted(found, key=natural))

    def link(self, path: str) -> str | None:
        """Where a link points, as it is written; None when it is none."""
        try:
            return os.readlink(self._top + path) if self.may(path) else None
        except OSError:
            return None

    def status(self, path: str) -> os.stat_result | None:
        """What a file is (links followed); None when it is not there."""
        try:
            return os.stat(self._top + path) if self.may(path) else None
        except OSError:
            return None

    def opened(self, path: str) -> int | None:
        """The descriptor of a regular file; the caller closes it."""
        if not self.may(path):
            return None
        full = self._top + path
        try:
            status = os.lstat(full)
            linked = status.st_mode & 0o170000 == _LINK
            if linked:
                status = os.stat(full)
            if status.st_mode & 0o170000 != _REGULAR:
                return None  # a FIFO or a device is not even opened
            descriptor = os.open(full, _OPEN if linked else _OPEN | os.O_NOFOLLOW)
        except (OSError, ValueError):
            return None
        if self._private(descriptor, path):
            os.close(descriptor)
            return None
        return descriptor

    def _private(self, descriptor: int, path: str) -> bool:
        """True when what was opened is something else than what was granted, or nobody's business."""
        if path.startswith("/proc/"):
            return False  # the kernel's own files; no path that is asked for there leads out
        status = os.fstat(descriptor)
        if status.st_mode & 0o170000 != _REGULAR:
            return True
        try:
            real = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            return True
        top = os.path.realpath(self._top) if self._top else ""
        if not real.startswith(top + "/"):
            return True
        real = real[len(top) :]
        if not self.may(real) or is_secret(real):
            return True
        if any(inside(real, folder) for folder in _KERNEL):
            return False
        open_to = 0o044 if any(inside(real, folder) for folder in LOGS) else 0o004
        return not status.st_mode & open_to


def natural(name: str) -> tuple[str, int, str]:
    """Sorts `cpu2` before `cpu10`."""
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    return stem, int(digits) if 0 < len(digits) < 19 else -1, name


def number(text: str | None) -> int | None:
    """The whole number that a text of the kernel is, decimal or 0x; None when it is none."""
    if not text or len(text) > 40:
        return None
    try:
        return int(text, 16) if text.startswith("0x") else int(text)
    except ValueError:
        return None


def pairs(text: str | None, sign: str = ":") -> dict[str, str]:
    """`Name: value` lines; of a name that comes more than once the first."""
    found: dict[str, str] = {}
    for line in (text or "").splitlines():
        name, parted, value = line.partition(sign)
        if parted:
            found.setdefault(name.strip(), value.strip())
    return found


def known(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts without those that were not told."""
    return {name: value for name, value in facts.items() if value is not None and value != [] and value != {}}


def _all(descriptor: int, most: int) -> bytes:
    """Kernel texts come in pieces of a page: read until the end."""
    parts = []
    left = most
    while left > 0:
        piece = os.read(descriptor, min(left, MOST))
        if not piece:
            break
        parts.append(piece)
        left -= len(piece)
    return b"".join(parts)
