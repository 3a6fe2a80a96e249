"""What a walk below a granted folder may not come through: the guard's rules, made ready once for many files.

Rules:
1. Closed by name: what secret.py closes, and what the permit bars (the state, keys, what the operator forbids).
2. Closed by what it is, (device, inode): what is the agent's own or barred, also under a second name or behind a
   mount. The files of the state folder are only counted through where it matters: a file with several names on the
   same device, or something mounted below the walk.
3. In a readable place what others may not read is private (edge/hands/guard.py, rule 2), also where the walk came
   into such a place from above.
4. What is closed is left out and counted; a walk never fails by it.
"""

from __future__ import annotations

import os

from edge.gate.paths import READABLE, inside
from edge.gate.secret import are_quick, open_names
from edge.hands.guard import LOGS, everything, identities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene

_READ, _ENTER = 0o004, 0o001
_DEPTH = 8


class Below:
    """Judges what a walk from the folder `full` meets. real: its path as the kernel has it. barred: of the permit."""

    def __init__(self, scene: Scene, barred: tuple[str, ...], full: str, real: str) -> None:
        self._state = scene.state
        self._whole: frozenset[tuple[int, int]] | None = None
        self._own = identities((*scene.own, *barred), scene.state)
        self._devices = {device for device, _ in self._own}
        self._names: dict[str, list[str]] = {}
        for path in barred:
            folder, _, name = path.rstrip("/").lower().rpartition("/")
            if inside(folder or "/", full.lower()):
                self._names.setdefault(folder or "/", []).append(name)
        if _mounted_below(real):
            self._own |= self._everything()

    def names(self, folder: str, names: list[str], plain: bool, end: str = "") -> list[str]:
        """Those of the names in `folder` (absolute) that are not closed by rule 1."""
        found = open_names(folder, names, plain, end)
        if self._names:
            barred = self._names.get(folder.lower())
            if barred:
                return [name for name in found if name.lower() not in barred]
        return found

    def calm(self, folder: str, names: list[str]) -> bool:
        """Is it plain at one look that none of the names in a plain folder is closed, nor any folder of such a name?"""
        return are_quick(names) and not (self._names and self._names.get(folder.lower()))

    def folder(self, status: os.stat_result, full: str) -> bool:
        """May the walk go into an open folder, and list it?"""
        return (status.st_dev, status.st_ino) not in self._own and self._public(status, full, _READ | _ENTER)

    def file(self, status: os.stat_result, full: str) -> bool:
        """May an open regular file be read? `full`: where it lies, its folder is enough."""
        if status.st_dev in self._devices:
            if status.st_nlink > 1 and self._state and self._whole is None:
                self._own |= self._everything()
            if (status.st_dev, status.st_ino) in self._own:
                return False
        return self._public(status, full, _READ)

    def _everything(self) -> frozenset[tuple[int, int]]:
        if self._whole is None:
            self._whole = frozenset(everything(self._state, _DEPTH)) if self._state else frozenset()
        return self._whole

    @staticmethod
    def _public(status: os.stat_result, full: str, bits: int) -> bool:
        if status.st_mode & bits == bits or not any(inside(full, place) for place in READABLE):
            return True
        logs = any(inside(full, folder) for folder in LOGS)
        return logs and (status.st_mode | status.st_mode >> 3) & bits == bits


def _mounted_below(full: str) -> bool:
    """True when something is mounted below the folder, or it cannot be told (proc(5), mountinfo)."""
    start = full.rstrip("/").encode("utf-8", "surrogateescape") + b"/"
    try:
        table = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        text = b""
        while True:
            block = os.read(table, 65536)
            if not block:
                break
            text += block
    finally:
        os.close(table)
    spaces = start.replace(b"\\", b"\\134").replace(b" ", b"\\040").replace(b"\t", b"\\011").replace(b"\n", b"\\012")
    return any(line.split(b" ")[4].startswith(spaces) for line in text.splitlines())
