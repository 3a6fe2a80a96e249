"""The hand on files: what the gate granted, opened below a root, judged by what it is, read or replaced.

Rules:
1. A path is opened by edge/hands/open.py: never out of its root, and judged by where it really leads. What that is,
   when it is something else than what was granted (a link inside the root), is for the gate to allow: `also`.
2. The descriptor decides: only regular files are read or replaced, only folders are listed. A FIFO, a socket or a
   device is not even opened and gives a sentence at once.
3. Reading is bounded in memory, in bytes and in time; a call that is cut or stopped ends between two blocks.
4. A write is whole or not at all (edge/hands/replace.py), and goes to no file with a second name and through no link.
5. What is the agent's own, and what is private in a readable place, is known by edge/hands/guard.py, on every
   descriptor of the way.
"""

from __future__ import annotations

import os
import time

from edge.call import Effect
from edge.faults import Refused, ToolFault
from edge.gate.paths import READABLE, inside, is_odd, place
from edge.hands import guard
from edge.hands.lines import entries, window
from edge.hands.open import TRIES, Moved, again, below, descend, lead, said, way
from edge.hands.replace import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Grant
    from edge.gate.paths import Place
    from edge.hands import Holder
    from edge.hands.guard import Guard

# The result has to be back before the loop stops waiting for it.
_SHARE = 0.9
_KINDS = {
    0o010000: "a FIFO",
    0o020000: "a device",
    0o040000: "folder",
    0o060000: "a device",
    0o100000: "file",
    0o120000: "a link",
    0o140000: "a socket",
}


class Files:
    """Reads and replaces files inside the grants of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._ends = time.monotonic() + holder.permit.seconds * _SHARE

    def read(self, path: str, first: int, lines: int) -> Mapping[str, Any]:
        """`lines` lines from line `first` (from 1) of a regular file: `path place text first lines more`.

        A folder gives `path place entries`. place: workspace, readable, kernel (/proc and /sys) or outside, by where
        it really lies. At most the permit's bytes of text. ToolFault in a sentence for all that is no readable
        regular file; Refused where a link leads to what the gate does not allow.
        """
        way_to = self._granted("read", path)
        try:
            return self._read(way_to, path, first, lines)
        except Refused:
            raise
        except OSError as error:
            raise ToolFault(f"{path} cannot be read: {said(error)}") from error

    def write(self, path: str, content: bytes) -> int:
        """Create or replace a regular file by `content`; the number of bytes. Its owner and permissions are kept.

        ToolFault, which says whether something was changed; Refused for what is the agent's own.
        """
        way_to = self._granted("write", path)
        try:
            return _write(way_to, path, content)
        except Refused:
            raise
        except OSError as error:
            raise ToolFault(f"{path} cannot be written: {said(error)}", "nothing was changed") from error

    def _read(self, way_to: Way, path: str, first: int, lines: int) -> Mapping[str, Any]:
        thing, spot = way_to.opened(path)
        try:
            kind = _kind(os.fstat(thing))
            if kind not in ("file", "folder") or (path.endswith("/") and kind == "file"):
                what = "no regular file" if kind == "file" else f"{kind} and no regular file"
                raise ToolFault(f"{path} is {what}", "only files and folders can be read")
            descriptor = again(thing, path)
        finally:
            os.close(thing)
        told: dict[str, Any] = {"path": path, "place": _where(spot)}
        try:
            if kind == "folder":
                return {**told, "entries": entries(descriptor)}
            return {**told, **window(descriptor, first, lines, self._holder.permit.bytes, self._late)}
        finally:
            os.close(descriptor)

    def _granted(self, verb: str, path: str) -> Way:
        if is_odd(path):
            raise ToolFault("a path cannot hold a NUL or what is not seen, nor be longer than 4096 bytes")
        if path.endswith("/") and verb == "write":
            raise ToolFault(f"{path} names a folder", "give the name of a file")
        spot = place(path, self._holder.world.scene)
        return Way(self._holder, self._holder.grant(verb, spot.root, spot.path), spot)

    def _late(self) -> str:
        """Why reading has to stop now, or nothing."""
        if self._holder.ending():
            return "because the call was ended"
        if time.monotonic() > self._ends:
            return f"after {self._holder.permit.seconds * _SHARE:.3g} s"
        return ""


class Way:
    """From a grant to a descriptor: for reading to the thing itself, for writing to the folder that holds `name`."""

    __slots__ = ("_grant", "_holder", "_rest", "_spot", "found", "name")

    found: Guard

    def __init__(self, holder: Holder, grant: Grant, spot: Place) -> None:
        self._holder = holder
        self._grant = grant
        self._spot = spot
        self._rest = ""
        self.name = grant.path.rpartition("/")[2] if grant.verb == "write" else ""

    def opened(self, shown: str) -> tuple[int, Place]:
        """The O_PATH descriptor and where it really is; the guard stays as `found`. ToolFault, Refused."""
        root = self._root()
        try:
            for _ in range(TRIES):
                try:
                    return self._tried(root, shown)
                except Moved:
                    continue
        finally:
            os.close(root)
        raise ToolFault(f"{shown} cannot be opened: it changes all the time", "try again later")

    def still(self, descriptor: int, shown: str) -> None:
        """ToolFault when what was opened is no longer where it was judged to be."""
        root = self._root()
        try:
            if below(root, descriptor) == self._rest:
                return
        except Moved:
            pass
        finally:
            os.close(root)
        raise ToolFault(f"the folder of {shown} was moved meanwhile", "nothing was changed; look at it again")

    def _root(self) -> int:
        if self._grant.root == "system":
            return os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        return os.dup(self._holder.world.root(self._grant.root))

    def _tried(self, root: int, shown: str) -> tuple[int, Place]:
        asked = self._grant.path
        if self.name:
            asked = asked.rpartition("/")[0] or "."
        links = way() == "openat2"
        self._rest = lead(root, asked, shown) if links else asked
        spot = self._spot if self._rest == asked else self._judged()
        self.found = guard.of(self._holder.world.scene, spot, shown, root, bool(self.name))
        descriptor = descend(root, self._rest, shown, self.found, led=links)
        kept = False
        try:
            self.found.end(os.fstat(descriptor), descriptor)
            if below(root, descriptor) != self._rest:
                raise Moved
            kept = True
        finally:
            if not kept:
                os.close(descriptor)
        return descriptor, spot

    def _judged(self) -> Place:
        """Where a link inside the root led; Refused unless the gate allows that too."""
        scene = self._holder.world.scene
        top = next((root.path for root in scene.roots if root.name == self._grant.root), "/").rstrip("/")
        full = f"{top}/{self._rest}" if not self.name else f"{top}/{self._rest}/{self.name}"
        spot = place(full, scene)
        self._holder.also(Effect(self._grant.verb, f"file:{full}"))
        return spot


def _write(way_to: Way, path: str, content: bytes) -> int:
    try:
        thing, _ = way_to.opened(path)
    except ToolFault as fault:
        if isinstance(fault.__cause__, FileNotFoundError) and " is a link to " not in fault.sentence and not fault.fix:
            raise ToolFault(fault.sentence, "nothing was changed; make the folder first: mkdir -p") from fault.__cause__
        raise
    try:
        folder = again(thing, path)
    finally:
        os.close(thing)
    try:
        return replace(folder, way_to.name, content, path, way_to.found, lambda: way_to.still(folder, path))
    finally:
        os.close(folder)


def _kind(status: os.stat_result) -> str:
    return _KINDS.get(status.st_mode & 0o170000, "something else")


def _where(spot: Place) -> str:
    """Whose words a file's words are: the operator's folder, the system's, the kernel's, or anybody's."""
    if spot.root != "system":
        return "workspace"
    if inside(spot.full, "/proc") or inside(spot.full, "/sys"):
        return "kernel"
    return "readable" if any(inside(spot.full, folder) for folder in READABLE) else "outside"
