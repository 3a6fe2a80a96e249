"""Removing a file or a folder: into the trash, or for good.

Rules:
1. All that would go is looked at first: what the gate denies a change of, anywhere below, refuses the whole call.
2. A root, what holds one, and the folder of the start are never removed.
3. A link goes, never what it leads to. What is mounted is not walked into (edge/hands/walk.py).
4. For good is one by one, the deepest first, each judged again by its name as it goes: power that fails in between
   leaves the rest. The trash is one rename.
"""

from __future__ import annotations

import os

from edge.faults import Fault, Refused, ToolFault
from edge.gate.paths import inside
from edge.hands import trash
from edge.hands.open import said
from edge.hands.walk import Count, Judge, drop, walk
from edge.hands.way import Way, top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.hands import Holder


def full_of(holder: Holder, way_to: Way) -> str:
    """The absolute path of what a way leads to."""
    base = top(holder.world.scene, way_to.grant)
    return base or "/" if way_to.grant.path == "." else f"{base}/{way_to.grant.path}"


def not_a_root(holder: Holder, full: str, shown: str, done: str) -> None:
    """ToolFault for a root, for what holds one, for the folder of the start (rule 2)."""
    scene = holder.world.scene
    for path in (*[root.path for root in scene.roots], scene.cwd):
        if path and inside(path, full):
            raise ToolFault(f"{shown} is or holds the folder that is worked in", f"it cannot be {done}")


def surveyed(
    folder: int, name: str, judges: tuple[Judge, ...], shown: str, late: Callable[[], None]
) -> tuple[Count, os.stat_result]:
    """How much a name stands for, all of it judged, and what it is itself. ToolFault when it is not there."""
    count = Count()
    try:
        for entry in walk(folder, name, late):
            for judge in judges:
                judge.look(entry)
            count.add(entry)
    except FileNotFoundError as error:
        raise ToolFault(f"{shown} is not there", "file_list shows what is") from error
    except PermissionError as error:
        if isinstance(error, Refused):
            raise
        raise ToolFault(f"{shown} cannot be looked through: {said(error)}", "nothing was changed") from error
    return count, entry.status


def delete(
    holder: Holder, way_to: Way, shown: str, recursive: bool, forever: bool, late: Callable[[], None]
) -> Mapping[str, Any]:
    """`files folders bytes trash dropped`; trash: where it is now, "" when it is gone. ToolFault, Refused, OSError."""
    full = full_of(holder, way_to)
    not_a_root(holder, full, shown, "deleted")
    in_trash = f"/{way_to.grant.path}/".startswith(f"/{trash.NAME}/")
    folder = way_to.folder(shown)
    try:
        way_to.found.name(folder, way_to.name)
        judge = Judge(holder, way_to.found, full, "deleted")
        _alone(folder, way_to.name, shown, recursive and way_to.grant.deep)
        count, status = surveyed(folder, way_to.name, (judge,), shown, late)
        if in_trash and not forever:
            raise ToolFault(f"{shown} is in the trash already", "forever=true deletes it; file_move brings it back")
        way_to.still(folder, shown)
        if forever:
            return _gone(folder, way_to.name, judge, shown, late, count)
        now = os.stat(way_to.name, dir_fd=folder, follow_symlinks=False)
        if (now.st_dev, now.st_ino) != (status.st_dev, status.st_ino):
            raise ToolFault(f"{shown} was changed by something else meanwhile", "nothing was deleted")
        root = os.dup(holder.world.root(way_to.grant.root))
        try:
            where, dropped = trash.put(root, folder, way_to.name, count, shown, late)
        finally:
            os.close(root)
    finally:
        os.close(folder)
    base = top(holder.world.scene, way_to.grant)
    path = where if base == holder.world.scene.cwd else f"{base}/{where}"
    return {**_told(count), "trash": path, "dropped": dropped}


def _alone(folder: int, name: str, shown: str, deep: bool) -> None:
    """ToolFault for a folder that holds something, when only it was meant."""
    if deep:
        return
    try:
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # no folder, or not there: the survey says so
    try:
        held = len(os.listdir(below))
    finally:
        os.close(below)
    if held:
        raise ToolFault(
            f"{shown} is a folder that holds {held} thing{'s' * (held != 1)}",
            "nothing was deleted; recursive=true deletes it with all below",
        )


def _gone(
    folder: int, name: str, judge: Judge, shown: str, late: Callable[[], None], wanted: Count
) -> Mapping[str, Any]:
    count = Count()
    try:
        for entry in walk(folder, name, late):
            judge.look(entry)
            drop(entry)
            count.add(entry)
        os.fsync(folder)
    except (OSError, ToolFault) as error:
        why = error.sentence if isinstance(error, Fault) else said(error)
        rest = f"{count.entries} of {wanted.entries} entries are gone, the rest is there"
        raise ToolFault(
            f"{shown} cannot be deleted: {why}", rest if count.entries else "nothing was deleted"
        ) from error
    return {**_told(count), "trash": "", "dropped": 0}


def _told(count: Count) -> dict[str, int]:
    return {"files": count.files, "folders": count.folders, "bytes": count.bytes}
