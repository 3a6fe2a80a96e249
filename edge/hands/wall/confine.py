"""The plan of a wall: all that one child may touch, in absolute paths, before any mechanism is chosen.

Rules:
1. A plan is complete: what it does not name, the child does not get. The mechanisms only carry it out.
2. Paths are absolute and without links. `reads` and `writes` hold for all below, but for what is `hidden`.
3. `level` says which mechanism carries it out: `landlock`, `namespaces`, `seccomp` (files then only by the
   rights of the user), `off`.
"""

from __future__ import annotations

from edge.record import Record

LEVELS = ("landlock", "namespaces", "seccomp", "off")


class Limits(Record):
    """What one child tree may use up. Bytes, processes, open files, seconds of processor time."""

    memory: int = 4 << 30
    file_size: int = 4 << 30
    processes: int = 512
    files: int = 1024
    cpu: int = 3600


class Confinement(Record):
    """One child's whole world. `sockets`: of inet, unix, netlink. `tag` marks its processes (see tree.py).

    `reads`: files and folders that may be read and executed; `lists`: folders of which only the names may be read;
    `writes`: folders whose content may change, and single files or devices that may be written; `hidden`: what lies
    below one of those and still may not be touched; `masked`: what of that mounts of the child's own cover (mask.py),
    so that its folder stays writable; `standing`: empty folders that stand for what of it is not there. `alone`: true
    when it may run under a user of its own; `user` is the number of that (see identity.number; 0 is that of an agent
    that keeps no state).
    """

    cwd: str
    reads: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    limits: Limits = Limits()
    level: str = "landlock"
    alone: bool = True
    user: int = 0
    tag: int = 0
