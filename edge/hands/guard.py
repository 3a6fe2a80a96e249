"""What a walk may not come through: found by what a folder is, not by how it was spelled.

Rules:
1. Own: the state folder, its subfolders, the agent's keys. Never read, never changed. For a change also the
   settings and the program itself. Compared by (device, inode), which a mount or another spelling cannot hide.
2. Private: in a readable place a file that others may not read, or one in a folder that others may not enter.
   Under the folders of logs the group may read as well: logs are kept from the public, not from who administers.
3. The look at what is own is taken for each call anew: a folder that was made or moved since is found.
"""

from __future__ import annotations

import os

from edge.faults import Refused
from edge.gate.paths import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene
    from edge.gate.paths import Place

_IN_STATE = ("", "/tapes", "/live", "/sim")
_LOGS = ("/var/log", "/run/log")
_READ, _ENTER = 0o004, 0o001


class Guard:
    """Judges the folders and the end of one walk; Refused for what it must not come through."""

    __slots__ = ("_logs", "_own", "_public", "_shown")

    def __init__(self, own: frozenset[tuple[int, int]], shown: str, public: bool, logs: bool) -> None:
        self._own = own
        self._shown = shown
        self._public = public
        self._logs = logs

    def folder(self, status: os.stat_result) -> None:
        """A folder that the walk goes through."""
        self._look(status, _ENTER)

    def end(self, status: os.stat_result) -> None:
        """The file or folder where the walk ends."""
        self._look(status, _READ)

    def _look(self, status: os.stat_result, bit: int) -> None:
        if (status.st_dev, status.st_ino) in self._own:
            raise Refused(f"{self._shown} leads to the agent's own state, keys or settings", "hands.own")
        mode = status.st_mode | (status.st_mode >> 3 if self._logs else 0)
        if self._public and not mode & bit:
            raise Refused(
                f"{self._shown} is private: only its owner and group may read it",
                "read.secret",
                "the operator can copy what is needed into the workspace",
            )


def of(scene: Scene, spot: Place, shown: str, changes: bool = False) -> Guard:
    """The guard of one walk to `spot`; `shown` is the path in its sentences."""
    paths = [scene.state + part for part in _IN_STATE] if scene.state else []
    paths += [*scene.own, *(scene.settings if changes else ())]
    found = set()
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue  # what is not there cannot be walked into
        found.add((status.st_dev, status.st_ino))
    logs = any(inside(spot.full, folder) for folder in _LOGS)
    return Guard(frozenset(found), shown, spot.kind == "readable", logs)
