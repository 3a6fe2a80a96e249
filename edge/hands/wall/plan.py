"""From a permit to a plan of the wall.

Rules:
1. A plan is made from grants, never from a command's text. What no grant names is closed, but for the programs and
   libraries of the system, the names in /dev, and the five devices that hold nothing.
2. A root is the folder that was opened at the start: when its path leads elsewhere now, the call is refused.
3. What is barred, what names a key, and what could not be looked at is hidden below everything granted, unless the
   gate granted exactly that one thing.
4. A call that only reads keeps the agent's user; one that writes may be given a user of its own.
"""

from __future__ import annotations

import os

from edge.faults import Refused
from edge.gate.paths import READABLE, inside
from edge.hands.wall import identity, mask, secrets
from edge.hands.wall.confine import Confinement, Limits
from edge.hands.wall.environment import environment
from edge.hands.wall.notes import KEPT_CLOSED
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Grant, Permit
    from edge.hands.world import World

PROGRAMS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_MOST = 4 << 30


class _Paths(Record):
    """Absolute paths of the grants. `exact`: single things that were granted by name."""

    reads: tuple[str, ...]
    lists: tuple[str, ...]
    writes: tuple[str, ...]
    exact: tuple[str, ...]


def plan(
    permit: Permit, world: World, level: str, temporary: str = "", own: bool = False
) -> tuple[Confinement, tuple[str, ...]]:
    """The plan for one child, and sentences about what it closes beyond the permit.

    What the plan has `standing` is the caller's to let go (mask.py). `temporary` is the child's own folder, "" for
    none; `own`: a child that writes can have a user, and with it mounts, of its own. Refused (`wall.moved`) when a root
    is no longer the folder of the start.
    """
    paths = _paths(permit, world)
    roots = tuple(_real(world, root.name) for root in world.scene.roots)
    hidden, said = _hidden(paths, permit.barred)
    alone = any(one in roots for one in paths.writes)
    covers = alone and (own or level == "namespaces") and level != "off"
    standing = mask.stand_in(hidden, paths.writes) if covers else ()
    hidden = tuple(dict.fromkeys((*hidden, *standing)))
    masked = mask.possible(hidden, paths.writes) if covers and level != "namespaces" else ()
    # What was granted by name in a closed folder would lie under the cover.
    masked = tuple([one for one in masked if not any(inside(name, one) for name in paths.exact)])
    held = masked if level in ("seccomp", "off") else hidden  # by rights of the user nothing of the user's is closed
    closed = _closed(held, paths.writes, hidden if level == "namespaces" else masked)
    called = {kind: _names(permit, kind) for kind in ("socket", "capability")}
    return Confinement(
        cwd=_cwd(world.scene.cwd, paths),
        reads=(*PROGRAMS, *READABLE, *paths.reads),
        lists=("/dev", *paths.lists),
        writes=(*paths.writes, *([temporary] if temporary else [])),
        hidden=hidden,
        masked=masked,
        standing=standing,
        sockets=called["socket"],
        capabilities=called["capability"],
        environment=environment(os.environ, world.scene.home, temporary),
        limits=_limits(permit),
        level=level,
        alone=alone,
        user=identity.number(world.scene.state) if alone else 0,
    ), (*said, *closed)


def changes(permit: Permit) -> bool:
    """Does the permit let a child write in one of the opened folders?"""
    return any(grant.verb == "write" and grant.root not in ("system", "output") for grant in permit.grants)


def wants_temporary(permit: Permit) -> bool:
    """Does a child need a folder for temporary files: one that writes, or whose program needs more than the readable?

    A folder of its own makes a start dearer (no ruleset fits twice), and what just reads text has no use for one.
    """
    beyond = (grant for grant in permit.grants if grant.root == "system" and grant.verb in ("read", "write"))
    return changes(permit) or any("/" + grant.path not in READABLE for grant in beyond)


def _paths(permit: Permit, world: World) -> _Paths:
    found: dict[str, list[str]] = {"read": [], "list": [], "write": []}
    exact = []
    names = {root.name for root in world.scene.roots} | {"system"}
    for grant in permit.grants:
        if grant.verb not in found or grant.root not in names:
            continue
        path = _path(grant, world)
        if not grant.deep and not os.path.isdir(path):
            exact.append(path)
        elif not grant.deep and grant.verb == "read":
            found["list"].append(path)
            continue
        if not any(inside(path, bar) for bar in permit.barred):
            found[grant.verb].append(path)
    unique = {verb: tuple(dict.fromkeys(paths)) for verb, paths in found.items()}
    return _Paths(unique["read"], unique["list"], unique["write"], tuple(exact))


def _path(grant: Grant, world: World) -> str:
    base = "" if grant.root == "system" else _real(world, grant.root).rstrip("/")
    return base + ("" if grant.path == "." else "/" + grant.path) or "/"


def _real(world: World, name: str) -> str:
    """The path of a root, which must lead to the folder that was opened at the start."""
    path = next((root.path for root in world.scene.roots if root.name == name), "")
    opened = os.fstat(world.root(name))
    try:
        now = os.stat(path, follow_symlinks=False)
    except OSError as error:
        raise Refused(f"the workspace {path} is no longer there: {error.strerror}", "wall.moved") from error
    if (now.st_dev, now.st_ino) != (opened.st_dev, opened.st_ino) or os.path.realpath(path) != path:
        raise Refused(f"the workspace {path} is no longer the folder that was opened at the start", "wall.moved")
    return path


def _cwd(cwd: str, paths: _Paths) -> str:
    return cwd if cwd and any(inside(cwd, one) for one in (*paths.reads, *paths.writes, *paths.lists)) else "/"


def _hidden(paths: _Paths, barred: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    folders = tuple(dict.fromkeys((*READABLE, *paths.reads, *paths.writes)))
    found = secrets.find(folders, barred)
    hidden = dict.fromkeys((*barred, *found.secret, *found.unseen))
    for one in paths.exact:
        if not any(inside(one, bar) for bar in barred):
            hidden.pop(one, None)
    said = []
    if found.unseen:
        said.append(f"closed because not everything could be looked at for keys: {_listed(found.unseen)}")
    return tuple(hidden), tuple(said)


def _closed(hidden: tuple[str, ...], writes: tuple[str, ...], covered: tuple[str, ...]) -> tuple[str, ...]:
    """What is kept closed where the child may write, and what that costs where no mount can cover it."""
    shut = [one for one in hidden if any(one != top and inside(one, top) for top in writes)]
    said = []
    there = tuple(one for one in shut if os.path.lexists(one))
    if there:
        said.append(f"{KEPT_CLOSED}{_listed(there)}")
    # Landlock cannot leave one name out of a folder, nor out of one above it (landlock.py, rule 2).
    apart = tuple(one for one in shut if one not in covered and not any(inside(one, top) for top in covered))
    if apart:
        tops = [top for top in writes if any(inside(one, top) for one in apart)]
        folders = tuple(dict.fromkeys((*tops, *mask.ways(apart, writes))))
        said.append(
            f"because of {_listed(apart)} a shell can make, rename and remove nothing right in {_listed(folders)}, "
            f"only in other folders below: move what is to be closed out of {_listed(tuple(tops))} to change that"
        )
    return tuple(said)


def _listed(paths: tuple[str, ...]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _names(permit: Permit, kind: str) -> tuple[str, ...]:
    return tuple(sorted({grant.path for grant in permit.grants if grant.verb == "call" and grant.root == kind}))


def _limits(permit: Permit) -> Limits:
    """Memory and each file at most 4 GiB; processor time of one process as much as all processors can give it."""
    processors = os.cpu_count() or 1
    return Limits(memory=_MOST, file_size=_MOST, cpu=max(2, int(min(permit.seconds, 86400) * processors) + 2))
