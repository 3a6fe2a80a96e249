"""What a call may bring in that nobody here wrote: the source of it, from the effects that were declared. Pure.

Rules:
1. Untrusted: what a host sent, what an MCP server or a serial line said, files outside the workspace. A program
   that is not understood counts by what its command names: the wall has closed the network to it.
2. `/proc` and `/sys` are the kernel's words and do not taint; nor do sensors, nor the workspace itself. A file of
   the workspace that was written from untrusted input is known by edge/taint.py.
"""

from __future__ import annotations

from edge.call import TRASH
from edge.gate.paths import inside, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Effect, Scene

_KERNEL = ("/proc", "/sys")
_OUTSIDE = frozenset(("url", "host", "mcp"))


def source(effects: tuple[Effect, ...], scene: Scene) -> str:
    """Where untrusted words may come from when a call with these effects has run; "" when from nowhere."""
    for effect in effects:
        kind, _, name = effect.on.partition(":")
        if kind in _OUTSIDE or (kind == "serial" and effect.verb == "read"):
            return name
        if kind == "shell":
            from edge.gate.shell import read

            found = source(read(effect.detail, scene, effect.on).effects, scene)
            if found:
                return found
        elif kind == "file" and effect.verb == "read":
            found = _file(name, scene)
            if found:
                return found
    return ""


def _file(path: str, scene: Scene) -> str:
    spot = place(path, scene)
    if any(inside(spot.full, root.path) for root in scene.roots):
        return ""
    return "" if any(inside(spot.full, folder) for folder in _KERNEL) else spot.full


def touched(effects: tuple[Effect, ...], scene: Scene, verb: str) -> tuple[tuple[str, bool], ...]:
    """The absolute paths that these effects read or write (`verb`), each with whether all below is meant too.

    Of a shell text that is not understood: every root of the workspace, with all below. What a shell text writes it
    also counts as reading: a file that is moved is only written where it was, and its words stand elsewhere then.
    What goes into the trash of its root is written there too, where it is found again under another name.
    """
    found: list[tuple[str, bool]] = []
    for effect in effects:
        kind, _, name = effect.on.partition(":")
        if kind == "file" and effect.verb == verb:
            spot = place(name, scene)
            found.append((spot.full, effect.deep))
            if effect.detail == TRASH:
                found += [(f"{root.path.rstrip('/')}/{TRASH}", True) for root in scene.roots if root.name == spot.root]
        elif kind == "shell":
            from edge.gate.shell import read

            inner = read(effect.detail, scene, effect.on).effects
            found += touched(inner, scene, verb)
            if verb == "read":
                found += touched(inner, scene, "write")
        elif effect.verb == "unknown":
            found += [(root.path, True) for root in scene.roots]
    return tuple(found)
