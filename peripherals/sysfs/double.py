"""A tree of attributes in memory, the double of `files.Files` for whoever has no such device.

Rules this file keeps:
1. A text is a value, a function that gives it at each reading, or an OSError: as in sysfs the attribute can be opened
   then, and reading it fails.
2. Folders are what paths lead through; a link is an entry of its folder, and nothing is found behind it.
"""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    Text = Union[str, OSError, Callable[[], str]]


class TreeModel:
    """See files.Tree. `texts`: path -> text; `links`: path -> what it leads to."""

    def __init__(self, texts: dict[str, Text] | None = None, links: dict[str, str] | None = None) -> None:
        self.texts: dict[str, Text] = dict(texts or {})
        self.links: dict[str, str] = dict(links or {})
        self._open: dict[int, str] = {}
        self._locked: dict[int, str] = {}
        self._last = 1000

    def names(self, path: str) -> list[str]:
        if path in self.texts:
            raise _error(errno.ENOTDIR)
        start = path.rstrip("/") + "/"
        found = {
            entry[len(start) :].partition("/")[0] for entry in (*self.texts, *self.links) if entry.startswith(start)
        }
        if not found:
            raise _error(errno.ENOENT)
        return sorted(found)

    def target(self, path: str) -> str:
        if path not in self.links:
            raise _error(errno.EINVAL if path in self.texts else errno.ENOENT)
        return self.links[path].rpartition("/")[2]

    def open(self, path: str, mode: str = "rw") -> int:
        if path not in self.texts:
            raise _error(errno.ENOENT)
        self._last += 1
        self._open[self._last] = path
        return self._last

    def read(self, fd: int) -> str:
        said = self._at(fd)
        if isinstance(said, OSError):
            raise _error(said.errno or errno.EIO)
        return (said if isinstance(said, str) else said()).strip()

    def write(self, fd: int, text: str) -> None:
        self._at(fd)
        self.texts[self._open[fd]] = text

    def lock(self, fd: int) -> bool:
        if any(other != fd and path == self._open[fd] for other, path in self._locked.items()):
            return False
        self._locked[fd] = self._open[fd]
        return True

    def close(self, fd: int) -> None:
        del self._open[fd]
        self._locked.pop(fd, None)

    def _at(self, fd: int) -> Text:
        """What is there now; ENODEV when the device is gone."""
        path = self._open[fd]
        if path not in self.texts:
            raise _error(errno.ENODEV)
        return self.texts[path]


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
