"""From a grant to a descriptor: the thing that is read, or the folder that holds the name that is changed.

Rules:
1. A way begins at a root that was opened at the start, or at `/`, and ends where edge/hands/open.py says it really is.
2. What a link inside the root led to is another thing than what was granted: the gate is asked about it.
3. Every folder of the way and its end are shown to the guard (edge/hands/guard.py).
4. Whoever changes something asks `still` right before: the folder is where it was judged to be, or nothing happens.
"""

from __future__ import annotations

import os

from edge.call import Effect
from edge.faults import ToolFault
from edge.gate.paths import place
from edge.hands import guard
from edge.hands.open import TRIES, Moved, again, below, descend, lead, way
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Grant, Scene
    from edge.gate.paths import Place
    from edge.hands import Holder
    from edge.hands.guard import Guard


class Way:
    """From a grant to a descriptor: for reading to the thing itself, for writing to the folder that holds `name`."""

    __slots__ = ("_holder", "_rest", "_spot", "found", "grant", "name")

    found: Guard

    def __init__(self, holder: Holder, grant: Grant, spot: Place) -> None:
        self._holder = holder
        self.grant = grant
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

    def folder(self, shown: str) -> int:
        """The folder that holds the name that is changed, open for reading. ToolFault, Refused."""
        thing, _ = self.opened(shown)
        try:
            return again(thing, shown)
        finally:
            os.close(thing)

    def made(self, shown: str) -> tuple[int, list[str]]:
        """The same folder, made with what is missing above it, and what was made: each synced into its own folder."""
        try:
            return self.folder(shown), []
        except ToolFault as fault:
            if not isinstance(fault.__cause__, FileNotFoundError) or " is a link to " in fault.sentence:
                raise
        parts = self.grant.path.split("/")[:-1]
        new = [
            path for path in ("/".join(parts[:count]) for count in range(1, len(parts) + 1)) if self._make(path, shown)
        ]
        return self.folder(shown), new

    def _make(self, path: str, shown: str) -> bool:
        """Make one folder above; False when it is there."""
        scene = self._holder.world.scene
        step = Way(self._holder, replace(self.grant, path=path), place(f"{top(scene, self.grant)}/{path}", scene))
        folder = step.folder(shown)
        try:
            step.found.name(folder, step.name)
            step.still(folder, shown)
            os.mkdir(step.name, dir_fd=folder)
            os.fsync(folder)
        except FileExistsError:
            return False
        finally:
            os.close(folder)
        return True

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
        if self.grant.root == "system":
            return os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        return os.dup(self._holder.world.root(self.grant.root))

    def _tried(self, root: int, shown: str) -> tuple[int, Place]:
        asked = self.grant.path
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
        full = f"{top(scene, self.grant)}/{self._rest}" + f"/{self.name}" * bool(self.name)
        spot = place(full, scene)
        self._holder.also(Effect(self.grant.verb, f"file:{full}"))
        return spot


def top(scene: Scene, grant: Grant) -> str:
    """The path of a grant's root, without a slash at its end: "" for `/`."""
    return next((root.path for root in scene.roots if root.name == grant.root), "/").rstrip("/")
