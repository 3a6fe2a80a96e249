"""What a walk may not come through: found by what a folder or a file is, not by how it was spelled.

Rules:
1. Own: the state folder, all folders and files below it, the agent's keys, its own memory and environment in /proc.
   Never read, never changed. For a change also the settings and the program itself. Compared by (device, inode),
   which a mount, a second name (hard link) or another spelling cannot hide.
2. Private: in a readable place a file that others may not read, or one in a folder that others may not enter.
   Under the folders of logs the group may read as well: logs are kept from the public, not from who administers.
3. The look at what is own is taken for each call anew: a folder that was made or moved since is found. The files of
   the state folder are only counted through when it matters: a file with several names, or behind another mount.
4. Memory of the kernel and of processes is no file, whatever the gate said, nor are the kernel's messages, which are
   gone for everybody once they are read here.
5. A FAT card knows a file by a short name too (`USERCO~1.TXT`), which says nothing of what it is: a name with `~`
   that its folder does not list is refused.
"""

from __future__ import annotations

import os

from edge.faults import Refused
from edge.gate.paths import inside
from edge.gate.secret import is_memory, is_secret
from edge.hands.open import mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.call import Scene
    from edge.gate.paths import Place

LOGS = ("/var/log", "/run/log")
_READ, _ENTER = 0o004, 0o001
_DEPTH = 8
_REGULAR = 0o100000


class Guard:
    """Judges the folders and the end of one walk; Refused for what it must not come through."""

    __slots__ = ("_logs", "_mount", "_own", "_passed", "_public", "_shown", "_state", "_whole")

    def __init__(
        self, own: frozenset[tuple[int, int]], state: str, shown: str, public: bool, logs: bool, mounted: int
    ) -> None:
        self._own = own
        self._state = state
        self._shown = shown
        self._public = public
        self._logs = logs
        self._mount = mounted
        self._passed: list[tuple[int, int]] = []
        self._whole: frozenset[tuple[int, int]] | None = None  # all of the state, once it was asked for

    def folder(self, status: os.stat_result) -> None:
        """A folder that the walk goes through."""
        self._passed.append((status.st_dev, status.st_ino))
        self._look(status, _ENTER)

    def end(self, status: os.stat_result, descriptor: int) -> None:
        """The file or folder where the walk ends; `descriptor` is it or its folder."""
        self._passed.append((status.st_dev, status.st_ino))
        self._look(status, _READ)
        several = status.st_nlink > 1 and status.st_mode & 0o170000 == _REGULAR
        if not self._state or status.st_dev not in {device for device, _ in self._own}:
            return  # nothing of the state can be there
        if (several or mount(descriptor) != self._mount) and not self._passed_by(everything(self._state, _DEPTH)):
            raise self._refused()

    def below(self, status: os.stat_result) -> None:
        """Something that lies below the end of the walk, or is it, and would be changed with it."""
        one = status.st_dev, status.st_ino
        if one in self._own:
            raise self._refused()
        several = status.st_nlink > 1 and status.st_mode & 0o170000 == _REGULAR
        if several and self._state and status.st_dev in {device for device, _ in self._own}:
            if self._whole is None:
                self._whole = frozenset(everything(self._state, _DEPTH))
            if one in self._whole:
                raise self._refused()

    def _passed_by(self, found: Iterator[tuple[int, int]]) -> bool:
        """True when nothing of what was found lies on the walk."""
        return frozenset(self._passed).isdisjoint(found)

    def name(self, folder: int, name: str) -> None:
        """A name that was found in the open `folder`: one that only FAT knows is refused."""
        if name.rpartition("~")[2][:1].isdigit() and "~" in name:
            listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
            try:
                known = any(name.casefold() == one.casefold() for one in os.listdir(listed))
            finally:
                os.close(listed)
            if not known:
                raise Refused(f"{name!r} is the short name of something", "hands.short-name", "use its whole name")

    def _look(self, status: os.stat_result, bit: int) -> None:
        if (status.st_dev, status.st_ino) in self._own:
            raise self._refused()
        mode = status.st_mode | (status.st_mode >> 3 if self._logs else 0)
        if self._public and not mode & bit:
            raise Refused(
                f"{self._shown} is private: only its owner and group may read it",
                "read.secret",
                "the operator can copy what is needed into the workspace",
            )

    def _refused(self) -> Refused:
        return Refused(f"{self._shown} leads to the agent's own state, keys or settings", "hands.own")


def of(scene: Scene, spot: Place, shown: str, root: int, changes: bool = False) -> Guard:
    """The guard of one walk from the open folder `root` to `spot`; `shown` is the path in its sentences."""
    if inside(spot.full, f"/proc/{os.getpid()}") and is_secret(spot.full):
        raise Refused(f"{shown} leads to the agent's own memory or environment", "hands.own")
    if is_memory(spot.full):
        raise Refused(f"{shown} is no file but memory of the kernel or of a process", "hands.memory")
    own = identities((*scene.own, *(scene.settings if changes else ())), scene.state)
    logs = any(inside(spot.full, folder) for folder in LOGS)
    return Guard(own, scene.state, shown, spot.kind == "readable", logs, mount(root))


def identities(paths: tuple[str, ...], state: str) -> frozenset[tuple[int, int]]:
    """What these paths are, and the state folder with all that lies in it itself."""
    found = {_identity(path) for path in paths}
    if state:
        found.add(_identity(state))
        found.update(everything(state, 0))
    return frozenset(one for one in found if one is not None)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None  # what is not there cannot be walked into
    return status.st_dev, status.st_ino


def everything(folder: str, depth: int) -> Iterator[tuple[int, int]]:
    """What the entries of a folder are, and of the folders below it down to `depth`."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                found = _identity(entry.path)
                if found is not None:
                    yield found
                if depth and entry.is_dir():
                    yield from everything(entry.path, depth - 1)
    except OSError:
        return  # what cannot be listed by the agent was not written by it
