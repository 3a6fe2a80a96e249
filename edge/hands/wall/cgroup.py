"""A bound on processes where the limit of the user does not bind: children that stay root (RLIMIT_NPROC, setrlimit(2)).

Rules:
1. One control group for all children of this agent, below its own (version 1) or beside it (version 2, where a group
   that holds processes can hold no others). It is made at first use and goes with the agent; what a killed agent left
   is removed by the next.
2. Version 1: the thread that starts a child moves itself into it, the child is born there. Version 2 cannot move a
   thread: the child and what it started by then are moved after the start, until none is outside.
3. Where there is no controller of processes, or no right to use it, there is no bound and no error.
Source: Documentation/admin-guide/cgroup-v1/pids.rst, cgroup-v2.rst.
"""

from __future__ import annotations

import os

from edge.hands.wall import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "fieldhand-"
_made: dict[int, Group | None] = {}


class Group:
    """A control group with a bound. `threads`: single threads can be moved into it."""

    def __init__(self, path: str, threads: bool) -> None:
        self.path = path
        self.threads = threads

    def enter(self) -> bool:
        """Move the calling thread into it; False where only processes can be moved."""
        return self.threads and _written(self.path + "/tasks", "0")

    def take(self, tag: int) -> None:
        """Move all processes of a call into it."""
        inside: set[int] = set()
        for _ in range(20):
            new = set(tree.members(tag)) - inside
            for pid in new:
                _written(self.path + "/cgroup.procs", str(pid))
            inside |= new
            if not new:
                return

    def remove(self) -> None:
        """Remove it; it stays while a process is in it."""
        try:
            os.rmdir(self.path)
        except OSError:
            return


def group(most: int) -> Group | None:
    """This agent's group for at most `most` processes; None where there can be none."""
    own = os.getpid()
    if own not in _made:
        _made[own] = found = _new(most)
        if found is not None:
            import atexit

            atexit.register(found.remove)
    return _made[own]


def _new(most: int) -> Group | None:
    for base, threads in _bases():
        _sweep(base)
        path = f"{base}/{NAME}{os.getpid()}"
        try:
            os.mkdir(path, 0o755)
        except FileExistsError:
            pass
        except OSError:
            continue
        made = Group(path, threads)
        if _written(path + "/pids.max", str(most)):
            return made
        made.remove()
    return None


def _bases() -> Iterable[tuple[str, bool]]:
    """Folders in which a group with a bound on processes may be made, and whether single threads can be moved."""
    mine = dict(_own_groups())
    for point, kind, options in _mounts():
        if kind == "cgroup" and "pids" in options and "pids" in mine:
            yield (point + mine["pids"]).rstrip("/"), True
        elif kind == "cgroup2" and "" in mine:
            above = mine[""].rpartition("/")[0]
            if "pids" in _text(f"{point}{above}/cgroup.subtree_control").split():
                yield (point + above).rstrip("/"), False


def _own_groups() -> Iterable[tuple[str, str]]:
    """(controller, path) of the groups this process is in; "" is the one of version 2."""
    for line in _text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller, path


def _mounts() -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """(mount point, kind, options of the file system) of all mounts (proc(5), mountinfo)."""
    for line in _text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ")[:3]
        yield before.split(" ")[4], kind, tuple(options.split(","))


def _sweep(base: str) -> None:
    """Remove the groups of agents that are gone."""
    try:
        names = os.listdir(base)
    except OSError:
        return
    for name in names:
        number = name[len(NAME) :]
        if name.startswith(NAME) and number.isdigit() and not tree.stat(int(number))[0]:
            Group(f"{base}/{name}", False).remove()


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _written(path: str, text: str) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, text.encode())
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
