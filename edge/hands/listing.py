"""What a folder holds, with facts: names in order, a few levels deep, bounded.

Rules:
1. Entries of folders come after the name of their folder, in the order of their names as bytes.
2. At most `most` are told and at most _LOOKED_AT looked at; what was left out is said.
3. A folder that the gate would not let be listed (keys, the agent's own, private) is named and not looked into. Nor is
   what is mounted there, nor where a link leads.
"""

from __future__ import annotations

import os

from edge.call import Effect
from edge.faults import Refused
from edge.gate.paths import is_odd, place
from edge.hands import guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.hands import Holder

_LOOKED_AT = 20_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TYPES = {0o010000: "fifo", 0o020000: "device", 0o040000: "dir", 0o060000: "device", 0o100000: "file"}
_TYPES.update({0o120000: "link", 0o140000: "socket"})


def listed(
    holder: Holder, descriptor: int, full: str, depth: int, hidden: bool, most: int, late: Callable[[], str]
) -> dict[str, Any]:
    """`found` and `left`. The folder is open as `descriptor`, and is `full` by its path. OSError as it comes."""
    work = _Listing(holder, full, hidden, most, late)
    work.folder(descriptor, "", depth)
    return {"found": work.found, "left": work.told()}


class _Listing:
    """One listing as it grows."""

    __slots__ = (
        "_closed",
        "_deeper",
        "_full",
        "_guard",
        "_hidden",
        "_holder",
        "_late",
        "_looked",
        "_more",
        "_most",
        "_why",
        "found",
    )

    def __init__(self, holder: Holder, full: str, hidden: bool, most: int, late: Callable[[], str]) -> None:
        self.found: list[dict[str, Any]] = []
        self._holder = holder
        self._full = full.rstrip("/")
        self._hidden = hidden
        self._most = most
        self._late = late
        self._closed: list[str] = []
        self._looked = self._more = 0
        self._why = ""
        self._deeper = False
        scene = holder.world.scene
        self._guard = guard.identities(scene.own, scene.state)

    def folder(self, descriptor: int, above: str, depth: int) -> None:
        """The entries of an open folder; `above`: its path with a slash, "" for the first."""
        for name in self._names(descriptor):
            entry = self._entry(descriptor, name, above)
            if entry is None:
                continue
            if len(self.found) >= self._most:
                self._more += 1
                self._deeper = self._deeper or (entry["type"] == "dir" and depth > 1)
                continue
            self.found.append(entry)
            if entry["type"] == "dir" and depth > 1:
                self._below(descriptor, name, above, depth)

    def _names(self, descriptor: int) -> list[str]:
        names = []
        with os.scandir(descriptor) as entries:
            for entry in entries:
                self._looked += 1
                if self._looked > _LOOKED_AT:
                    self._why = f"only the first {_LOOKED_AT:,} names were looked at, in no order; glob looks at all"
                    break
                if self._hidden or not entry.name.startswith("."):
                    names.append(entry.name)
        self._why = self._why or self._late()
        return sorted(names, key=os.fsencode) if not self._why or self._looked > _LOOKED_AT else []

    def _entry(self, descriptor: int, name: str, above: str) -> dict[str, Any] | None:
        try:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except OSError:
            return None  # gone meanwhile
        kind = _TYPES.get(status.st_mode & 0o170000, "other")
        told: dict[str, Any] = {"name": _plain(above + name), "type": kind, "size": status.st_size}
        told.update(mode=f"{status.st_mode & 0o7777:04o}", mtime=int(status.st_mtime))
        if kind == "link":
            try:
                told["target"] = _plain(os.readlink(name, dir_fd=descriptor))
            except OSError:
                return None
        return told

    def _below(self, descriptor: int, name: str, above: str, depth: int) -> None:
        path = above + name
        try:
            below = os.open(name, _FOLDER, dir_fd=descriptor)
        except OSError:
            self._closed.append(_plain(path))
            return
        try:
            if self._open(descriptor, below, path):
                self.folder(below, path + "/", depth - 1)
            else:
                self._closed.append(_plain(path))
        finally:
            os.close(below)

    def _open(self, above: int, below: int, path: str) -> bool:
        """May this folder be looked into (rule 3)?"""
        status = os.fstat(below)
        full = f"{self._full}/{path}"
        if (status.st_dev, status.st_ino) in self._guard or status.st_dev != os.fstat(above).st_dev or is_odd(full):
            return False
        spot = place(full, self._holder.world.scene)
        if spot.kind == "readable" and not status.st_mode & 0o001:
            return False
        try:
            self._holder.also(Effect("list", f"file:{full}"), held=spot.kind in ("outside", "system"))
        except Refused:
            return False
        return True

    def told(self) -> list[str]:
        """What was left out, in words."""
        said = []
        if self._more:
            more = "more than " * (self._deeper or bool(self._why))
            said.append(f"{len(self.found):,} of {more}{len(self.found) + self._more:,} shown")
        if self._closed:
            more = ", ..." if len(self._closed) > 3 else ""
            said.append(f"not looked into: {', '.join(self._closed[:3])}{more} (keys, private, shut or mounted)")
        return [*said, *([self._why] if self._why else [])]


def _plain(name: str) -> str:
    return ascii(name)[1:-1] if is_odd(name) else name
