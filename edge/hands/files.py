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

from edge.call import Effect, Grant
from edge.faults import Fault, Refused, ToolFault
from edge.gate.paths import READABLE, inside, is_odd, place
from edge.hands.adding import add
from edge.hands.lines import entries
from edge.hands.open import again, said
from edge.hands.replace import NEW, Spot, new_folder, replace
from edge.hands.way import Way as Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from edge.gate.paths import Place
    from edge.hands import Holder
    from edge.hands.blocks import Blocks
    from edge.hands.incoming import Incoming
    from edge.hands.replace import Stamp
    from edge.hands.tree import Tree

    T = TypeVar("T")

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
    """Reads and changes files inside the grants of one call. Each raises ToolFault or Refused in sentences."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._ends = time.monotonic() + holder.permit.seconds * _SHARE

    # --- looking ---

    def read(self, path: str, first: int, lines: int, limit: int = 0) -> Mapping[str, Any]:
        """`lines` lines from line `first` of a regular file: `path place text first lines more total said`.

        first: from 1, or from the end when negative. limit: bytes of text, the permit's when 0. said: what is to be
        said of it, such as its encoding. Of a binary file `binary` says which kind, and `size`; there is no text then.
        A folder gives `path place entries`. place: workspace, readable, kernel (/proc and /sys) or outside, by where
        it really lies.
        """

        def act(descriptor: int, spot: Place, kind: str) -> Mapping[str, Any]:
            from edge.hands.reading import lines_of

            told = {"path": path, "place": _where(spot)}
            if kind == "folder":
                return {**told, "entries": entries(descriptor)}
            room = limit or self._holder.permit.bytes
            return {**told, **lines_of(descriptor, first, lines, room, told["place"] == "kernel", self.why)}

        return self._opened(path, act, folders=True)

    def part(self, path: str, start: int, count: int) -> Mapping[str, Any]:
        """`count` bytes from byte `start` (from 0, from the end when negative): `path place data start size more`.

        size: None where the file does not tell it.
        """

        def act(descriptor: int, spot: Place, kind: str) -> Mapping[str, Any]:
            from edge.hands.reading import bytes_of

            return {"path": path, "place": _where(spot), **bytes_of(descriptor, start, count, self.why)}

        return self._opened(path, act)

    def whole(self, path: str, most: int, absent: bool = False) -> tuple[bytes, Stamp]:
        """All of a regular file of at most `most` bytes, and its stamp for `put`.

        absent: where nothing is gives no bytes and a stamp of zeros, with which `put` makes it and replaces nothing.
        """

        def act(descriptor: int, spot: Place, kind: str) -> tuple[bytes, Stamp]:
            from edge.hands.reading import all_of

            return all_of(descriptor, path, most, self.why)

        try:
            return self._opened(path, act)
        except ToolFault as fault:
            if absent and isinstance(fault.__cause__, FileNotFoundError) and " is a link to " not in fault.sentence:
                return b"", NEW
            raise

    def blocks(self, path: str) -> Blocks:
        """A regular file as blocks of whole lines, to be gone through once: edge/hands/blocks.py."""
        from edge.hands.blocks import Blocks

        return self._opened(path, lambda descriptor, spot, kind: Blocks(os.dup(descriptor), self.why))

    def list(self, path: str, depth: int, hidden: bool, most: int) -> Mapping[str, Any]:
        """What a folder holds down to `depth` levels, sorted, at most `most`: `path place found left`.

        found: `name type size mode mtime` and `target` of a link. left: sentences of what was left out.
        """

        def act(descriptor: int, spot: Place, kind: str) -> Mapping[str, Any]:
            from edge.hands.listing import listed

            if kind != "folder":
                raise ToolFault(f"{path} is a file, no folder", "file_read reads it")
            found = listed(self._holder, descriptor, spot.full, depth, hidden, most, self.why)
            return {"path": path, "place": _where(spot), **found}

        return self._opened(path, act, folders=True, verb="list")

    def tree(self, path: str, verb: str = "read") -> Tree:
        """What lies below a folder that was granted deep, or one file: edge/hands/tree.py. A context manager.

        verb: what was granted, `read`, or `list` for names alone.
        """
        from edge.hands.tree import grow

        way_to = self._granted(verb, path)

        def look() -> Tree:
            try:
                return grow(self._holder, way_to, path, verb)
            except ToolFault as fault:
                raise self._near(fault, path) from fault.__cause__

        return _told(path, "searched", look)

    # --- changing ---

    def write(self, path: str, content: bytes) -> int:
        """Create or replace a regular file by `content`; the number of bytes. Its owner and permissions are kept.

        ToolFault, which says whether something was changed; Refused for what is the agent's own.
        """
        self.put(path, content, parents=False)
        return len(content)

    def put(
        self, path: str, content: bytes, append: bool = False, stamp: Stamp | None = None, parents: bool = True
    ) -> Mapping[str, Any]:
        """Create, replace or lengthen a regular file, whole or not at all: `bytes was folders`.

        stamp: of `whole`; a file that is another one by now is not replaced. was: new, replaced or appended to.
        folders: those that were missing and made, when `parents`. append: see edge/hands/adding.py.
        """
        way_to = self._granted("write", path)

        def act() -> Mapping[str, Any]:
            folder, made = way_to.made(path) if parents else (_above(way_to, path), [])
            spot = Spot(folder, way_to.name, path, way_to.found, lambda: way_to.still(folder, path))
            try:
                was = add(spot, content) if append else replace(spot, content, stamp)
            finally:
                os.close(folder)
            return {"bytes": len(content), "was": was, "folders": made}

        return _told(path, "written", act)

    def incoming(self, path: str, source: str) -> Incoming:
        """A regular file that comes piece by piece from `source`: edge/hands/incoming.py. A context manager."""
        from edge.hands.incoming import Incoming

        way_to = self._granted("write", path)
        folder, _ = _told(path, "written", lambda: way_to.made(path))
        spot = Spot(folder, way_to.name, path, way_to.found, lambda: way_to.still(folder, path))
        return Incoming(spot, source, self.late)

    def mkdir(self, path: str) -> Mapping[str, Any]:
        """Make a folder and what is missing above it: `folders` that were made, none when it was there."""
        way_to = self._granted("write", path, folder=True)

        def act() -> Mapping[str, Any]:
            if way_to.grant.path == ".":
                return {"path": path, "folders": []}
            folder, made = way_to.made(path)
            try:
                way_to.found.name(folder, way_to.name)
                way_to.still(folder, path)
                made += [way_to.grant.path] * new_folder(folder, way_to.name, path)
            finally:
                os.close(folder)
            return {"path": path, "folders": made}

        return _told(path, "made", act)

    def delete(self, path: str, recursive: bool, forever: bool) -> Mapping[str, Any]:
        """Put something into the trash of its root, or remove it: `files folders bytes trash dropped`."""
        from edge.hands.remove import delete

        way_to = self._granted("write", path, folder=True)
        return _told(path, "deleted", lambda: delete(self._holder, way_to, path, recursive, forever, self.late))

    def move(self, source: str, target: str, overwrite: bool) -> Mapping[str, Any]:
        """Give something another name: `files folders bytes copied made`. A link is moved, not what it leads to."""
        from edge.hands.moving import move

        ways = self._granted("write", source, folder=True), self._granted("write", target)
        return _told(source, "moved", lambda: move(self._holder, ways, (source, target), overwrite, self.late))

    # --- what they share ---

    def _opened(self, path: str, act: Callable[[int, Place, str], T], folders: bool = False, verb: str = "read") -> T:
        """What `act` makes of a regular file, or of a folder where that is wanted: descriptor, where, which of both."""
        way_to = self._granted(verb, path)

        def look() -> T:
            try:
                thing, spot = way_to.opened(path)
            except ToolFault as fault:
                raise self._near(fault, path) from fault.__cause__
            descriptor, kind = _judged(thing, path, folders)
            try:
                return act(descriptor, spot, kind)
            finally:
                os.close(descriptor)

        return _told(path, "read", look)

    def _near(self, fault: ToolFault, path: str) -> ToolFault:
        """The fault with names of the same folder that are like the one that is missing."""
        above, _, name = path.rstrip("/").rpartition("/")
        if not isinstance(fault.__cause__, FileNotFoundError) or not name or fault.fix or "'" in fault.sentence:
            return fault
        above = above or ("/" if path.startswith("/") else ".")
        if self._holder.world.judge(self._holder.call, Effect("list", f"file:{above}")).verdict != "allow":
            return fault
        from difflib import get_close_matches

        spot = place(above, self._holder.world.scene)
        way_to = Way(self._holder, Grant("list", spot.root, spot.path), spot)
        try:
            thing, _ = way_to.opened(above)
            try:
                folder = again(thing, above)
            finally:
                os.close(thing)
            try:
                names = [one for one in entries(folder) if one[:1] != "[" and one.rstrip("/") != name]
            finally:
                os.close(folder)
        except (Fault, OSError):
            return fault
        close = get_close_matches(name, names, 3, 0.6)
        close += [one for one in names if one.lower().rstrip("/") == name.lower() and one not in close]
        return ToolFault(fault.sentence, f"there is {', '.join(close)}") if close else fault

    def _granted(self, verb: str, path: str, folder: bool = False) -> Way:
        if is_odd(path):
            raise ToolFault("a path cannot hold a NUL or what is not seen, nor be longer than 4096 bytes")
        if path.endswith("/") and verb == "write" and not folder:
            raise ToolFault(f"{path} names a folder", "give the name of a file")
        spot = place(path, self._holder.world.scene)
        return Way(self._holder, self._holder.grant(verb, spot.root, spot.path), spot)

    def why(self) -> str:
        """Why reading has to stop now, or nothing."""
        if self._holder.ending():
            return "because the call was ended"
        if time.monotonic() > self._ends:
            return f"after {self._holder.permit.seconds * _SHARE:.3g} s"
        return ""

    def late(self) -> None:
        """ToolFault when what is done now has to stop."""
        why = self.why()
        if why:
            raise ToolFault(f"stopped {why}")


def _told(path: str, done: str, act: Callable[[], T]) -> T:
    """What `act` brings; an error of the system becomes a sentence."""
    try:
        return act()
    except Refused:
        raise
    except OSError as error:
        fix = "" if done == "read" else "nothing was changed"
        raise ToolFault(f"{path} cannot be {done}: {said(error)}", fix) from error


def _judged(thing: int, path: str, folders: bool) -> tuple[int, str]:
    """What was opened as O_PATH, for reading, and whether it is a file or a folder."""
    try:
        kind = _kind(os.fstat(thing))
        if kind not in ("file", "folder") or (path.endswith("/") and kind == "file"):
            what = "no regular file" if kind == "file" else f"{kind} and no regular file"
            raise ToolFault(f"{path} is {what}", "only files and folders can be read")
        if kind == "folder" and not folders:
            raise ToolFault(f"{path} is a folder", "give the name of a file in it; file_list shows them")
        return again(thing, path), kind
    finally:
        os.close(thing)


def _above(way_to: Way, path: str) -> int:
    try:
        return way_to.folder(path)
    except ToolFault as fault:
        if isinstance(fault.__cause__, FileNotFoundError) and " is a link to " not in fault.sentence and not fault.fix:
            raise ToolFault(fault.sentence, "nothing was changed; make the folder first: mkdir -p") from fault.__cause__
        raise


def _kind(status: os.stat_result) -> str:
    return _KINDS.get(status.st_mode & 0o170000, "something else")


def _where(spot: Place) -> str:
    """Whose words a file's words are: the operator's folder, the system's, the kernel's, or anybody's."""
    if spot.root != "system":
        return "workspace"
    if inside(spot.full, "/proc") or inside(spot.full, "/sys"):
        return "kernel"
    return "readable" if any(inside(spot.full, folder) for folder in READABLE) else "outside"
