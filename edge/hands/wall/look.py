"""What a child sees that only reads: the board as it is, and nothing of it to be changed.

A root of its own would be a lie to who looks at the board: other mounts, no processes but its own, no device names. So:
1. All that is mounted is read-only, gives no rights and opens no device; five nodes that are no hardware, and the
   devices that the plan names, are put over /dev again. Processes and network are the board's.
2. Places of persons, services and temporary files are covered; what the plan names in them lies on the cover. Of a
   list-only folder there the names are on it.
3. What is hidden lies under something that cannot be opened: a device node where none opens, an empty closed folder.
4. /tmp and the plan's temporary folder are the child's own memory.
5. One thing is not as it is: every mount says that it is read-only. Whoever shows the result has to say so.
6. Needs Linux 5.2 (open_tree). Runs in the first process, as room.py does; any call that fails ends the try.
"""

from __future__ import annotations

import os
import stat

from edge.hands.wall import identity, kernel, room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.wall.confine import Confinement

COVERED = (
    "/home",
    "/root",
    "/srv",
    "/media",
    "/mnt",
    "/tmp",
    "/var/tmp",
    "/var/lib",
    "/var/spool",
    "/var/backups",
    "/run/user",
)
CLOSED = kernel.ATTR_RDONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV


def build(plan: Confinement) -> None:
    """Close the mounts of this name space. OSError with the path that could not be closed."""
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    nodes = _nodes(plan)
    attributes("/")
    for path, tree in nodes:
        kernel.move_mount(tree, path)
        os.close(tree)
    for place in COVERED:
        if os.path.isdir(place) and not os.path.islink(place):
            _cover(place, plan)
    _temporary(plan)
    _shut(plan)


def attributes(path: str) -> None:
    """Everything at and below `path`: read-only, no rights, no devices."""
    room.attributes(path, CLOSED, True, "/proc/self/mountinfo")


def _nodes(plan: Confinement) -> list[tuple[str, int]]:
    """Copies of the device nodes that may be opened, taken before all others are closed."""
    found = []
    named = [path for path in (*plan.writes, *plan.reads) if path.startswith("/dev/")]
    for path in dict.fromkeys([*(f"/dev/{name}" for name in room.NODES), *named]):
        if os.path.exists(path) and not os.path.isdir(path):
            found.append((os.path.realpath(path), kernel.open_tree(path, False)))
    return found


def _cover(place: str, plan: Confinement) -> None:
    """Put an empty folder over a place, and on it what the plan names there (rule 2)."""
    open_ones = (*plan.reads, *plan.writes)
    if identity.within(place, open_ones):
        return
    listed = [path for path in plan.lists if identity.within(path, (place,)) and not identity.within(path, open_ones)]
    names = {path: _names(path) for path in listed if os.path.isdir(path)}
    below = [path for path in dict.fromkeys(open_ones) if identity.within(path, (place,))]
    trees = [(path, os.path.isdir(path), kernel.open_tree(path, True)) for path in below if os.path.exists(path)]
    own = place == "/tmp"
    options = f"mode=1777,size={room.MEMORY}" if own else "mode=0755,size=4m"
    kernel.mount("tmpfs", place, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    for path, folder, tree in sorted(trees):
        identity.point(path, folder)
        kernel.move_mount(tree, path)
        os.close(tree)
    for folder_path, inside in names.items():
        identity.point(folder_path, True)
        room.placeholders(folder_path, inside)
    if not own:
        room.attributes(place, CLOSED, False)


def _temporary(plan: Confinement) -> None:
    """Put memory over the plan's folder for temporary files, which came here read-only as all that was mounted."""
    path = dict(plan.environment).get("TMPDIR", "")
    if path in plan.writes and os.path.isdir(path):
        options = f"mode=1777,size={room.MEMORY}"
        kernel.mount("tmpfs", path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _names(path: str) -> list[tuple[str, bool]]:
    """The names in a folder, and which of them are folders; none where the agent's user may not look."""
    try:
        with os.scandir(path) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
    return found[: room.MOST_NAMES]


def _shut(plan: Confinement) -> None:
    """Close what is hidden (rule 3)."""
    for path in sorted(plan.hidden):
        above = [other for other in plan.hidden if other != path]
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue  # not there, or behind a cover
        if identity.within(path, above) or stat.S_ISLNK(mode):
            continue
        if stat.S_ISDIR(mode):
            kernel.mount("tmpfs", path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0000,size=4k")
        else:
            kernel.mount("/dev/full", path, "", kernel.MS_BIND)
        room.attributes(path, CLOSED, False)
