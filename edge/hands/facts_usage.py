"""What takes the room below a folder: one bounded walk.

Rules:
1. The walk goes by descriptors from the granted folder and follows no link. Folders of other file systems are entered
   only when that was asked for.
2. What is the agent's own, closed by the operator or holds keys is not entered, and counted. So is a folder whose name
   cannot be written (control characters, no UTF-8): what lies in it cannot be judged.
3. Sizes are what a file takes on the card (blocks of 512 bytes); a file with several names counts once.
4. At most ENTRIES names and DEPTH levels, within the time of the call; a cap that bites is told.
"""

from __future__ import annotations

import os

from edge.faults import ToolFault
from edge.gate.paths import inside, place
from edge.hands.facts_reader import known
from edge.hands.open import again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from edge.call import Scene
    from edge.hands import Holder

    Facts = dict[str, Any]

ENTRIES = 500_000
DEPTH = 64
_LINKED = 200_000  # files with several names that are remembered
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_CLOSED = {"own": "private", "secret": "private", "odd": "odd"}


class Level:
    """One folder that the walk is in. `top` is the name below the walk's start that its sizes count for."""

    __slots__ = ("descriptor", "entries", "path", "top")

    def __init__(self, descriptor: int, path: str, top: str) -> None:
        self.descriptor = descriptor
        self.path = path
        self.top = top
        self.entries: Iterator[os.DirEntry[str]] = os.scandir(descriptor)


class Walk:
    """Adds up what it finds. `sizes` by name below the start; `biggest` files as (bytes, path)."""

    def __init__(self, scene: Scene, barred: tuple[str, ...], limit: int, other: bool, late: Callable[[], str]) -> None:
        self._scene = scene
        self._barred = tuple([one.lower() for one in barred])
        self._limit = limit
        self._other = other
        self._late = late
        self._linked: set[tuple[int, int]] = set()
        self.sizes: dict[str, int] = {}
        self.folders: set[str] = set()
        self.biggest: list[tuple[int, str]] = []
        self.counts = dict.fromkeys(("names", "unreadable", "private", "odd", "elsewhere", "deep"), 0)
        self.cut = ""

    def go(self, descriptor: int, path: str) -> None:
        """Walk the open folder `descriptor`, which is at the absolute `path`; it is closed in the end."""
        device = os.fstat(descriptor).st_dev
        levels = [Level(descriptor, path, "")]
        try:
            while levels and not self.cut:
                entry = next(levels[-1].entries, None)
                if entry is None:
                    os.close(levels.pop().descriptor)
                    continue
                deeper = self._one(entry, levels[-1], device, len(levels))
                if deeper is not None:
                    levels.append(deeper)
        except OSError as error:
            raise ToolFault(f"{path} cannot be walked: {(error.strerror or 'unknown error').lower()}") from error
        finally:
            for level in levels:
                os.close(level.descriptor)

    def _one(self, entry: os.DirEntry[str], level: Level, device: int, depth: int) -> Level | None:
        """Count one name; the folder it is, when it is to be entered."""
        self.counts["names"] += 1
        if self.counts["names"] % 512 == 0:
            self.cut = self._late()
        if self.counts["names"] >= ENTRIES:
            self.cut = f"after {ENTRIES:,} names"
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            self.counts["unreadable"] += 1
            return None
        top = level.top or entry.name
        folder = status.st_mode & 0o170000 == 0o040000
        if folder and status.st_dev != device and not self._other:
            self.counts["elsewhere"] += 1
            return None
        size = status.st_blocks * 512
        if not folder and status.st_nlink > 1 and self._again(status):
            size = 0
        self.sizes[top] = self.sizes.get(top, 0) + size
        path = f"{level.path.rstrip('/')}/{entry.name}"
        if not folder:
            self._big(size, path)
            return None
        if not level.top:
            self.folders.add(top)
        return self._entered(entry.name, level, path, top, depth)

    def _entered(self, name: str, level: Level, path: str, top: str, depth: int) -> Level | None:
        closed = self._closed(path)
        if closed:
            self.counts[closed] += 1
        elif depth >= DEPTH:
            self.counts["deep"] += 1
        else:
            try:
                return Level(os.open(name, _FOLDER, dir_fd=level.descriptor), path, top)
            except OSError:
                self.counts["unreadable"] += 1
        return None

    def _again(self, status: os.stat_result) -> bool:
        one = (status.st_dev, status.st_ino)
        if one in self._linked:
            return True
        if len(self._linked) < _LINKED:
            self._linked.add(one)
        return False

    def _big(self, size: int, path: str) -> None:
        if len(self.biggest) < self._limit or size > self.biggest[-1][0]:
            if self._closed(path) == "private":
                return
            self.biggest.append((size, path))
            self.biggest.sort(key=lambda one: (-one[0], one[1]))  # few, and nearly in order
            del self.biggest[self._limit :]

    def _closed(self, path: str) -> str:
        """Why it is not told of, as in `counts`; "" when it is."""
        low = path.lower()
        if any(inside(low, one) for one in self._barred):
            return "private"
        return _CLOSED.get(place(path, self._scene).kind, "")


def usage(holder: Holder, path: str, limit: int, other: bool, late: Callable[[], str]) -> Facts:
    """`path bytes items files`, and what was left out. ToolFault when it is no folder."""
    from edge.hands.way import Way

    spot = place(path, holder.world.scene)
    thing, found = Way(holder, holder.grant("list", spot.root, spot.path), spot).opened(path)
    try:
        if os.fstat(thing).st_mode & 0o170000 != 0o040000:
            raise ToolFault(
                f"{path} is no folder", "give a folder; the size of a file stands in the listing of its folder"
            )
        descriptor = again(thing, path)
    finally:
        os.close(thing)
    walk = Walk(holder.world.scene, holder.permit.barred, limit, other, late)
    walk.go(descriptor, found.full)
    items = sorted(walk.sizes.items(), key=lambda item: (-item[1], item[0]))
    rows = [{"name": name + "/" * (name in walk.folders), "bytes": size} for name, size in items[:limit]]
    counts = walk.counts
    return known(
        {
            "path": found.full,
            "bytes": sum(walk.sizes.values()),
            "names": counts["names"],
            "items": rows,
            "items_in_all": len(items),
            "biggest_files": [{"path": one, "bytes": size} for size, one in walk.biggest],
            "not_readable": counts["unreadable"] or None,
            "private_not_entered": counts["private"] or None,
            "odd_not_entered": counts["odd"] or None,
            "other_file_systems_not_entered": counts["elsewhere"] or None,
            "too_deep_not_entered": counts["deep"] or None,
            "cut": walk.cut or None,
        }
    )
