"""A user of its own for a confined child, where the agent is root.

Rules:
1. The number comes from the state folder's path: one of 60706 to 61183, which no distribution hands out (systemd's
   list of user numbers calls them unused; its dynamic users begin at 61184), and which /etc/passwd does not hold.
2. The folders that the child may write are mounted over themselves in a mount name space of the calling thread, with
   the owner of each shown as the child's user: what the child makes there belongs to that owner on the disk, and
   what belongs to anybody else stays theirs. That needs Linux 5.12 and a file system that can do it.
3. What the child may read and its owner has closed to others is shown in the same way, but never what lies in the
   folders of the system: what they close stays closed. Without a wall for files nothing but rule 2 is shown.
4. What the plan masks is covered there (mask.py). A folder on the way that others may not pass is covered by one that
   holds nothing but the way.
5. Where it cannot be, the child keeps the agent's user, without one capability, and a sentence says why.
"""

from __future__ import annotations

import os
import stat

from edge.faults import ToolFault
from edge.hands.wall import kernel, mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from edge.hands.wall.confine import Confinement

FIRST, LAST = 60706, 61183
HIGHEST = 0xFFFFFFFE
# Never shown as the child's own when read.
_SYSTEM = ("/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/proc", "/sys", "/dev")
_numbers: dict[str, int] = {}
_shown: dict[tuple[int, int, int], int] = {}


def number(state: str) -> int:
    """The user and group of the children of an agent that keeps its state in `state`; "" is one that keeps none."""
    if state not in _numbers:
        taken = _taken()
        begin = 0x811C9DC5  # FNV-1a: spread well, and no module for it
        for one in os.fsencode(state):
            begin = (begin ^ one) * 0x01000193 & 0xFFFFFFFF
        room = LAST - FIRST + 1
        free = (FIRST + (begin + step) % room for step in range(room))
        _numbers[state] = next((one for one in free if one not in taken), FIRST)
    return _numbers[state]


def _taken() -> set[int]:
    found: set[int] = set()
    for name, field in (("/etc/passwd", 2), ("/etc/group", 2)):
        try:
            with open(name, "rb") as file:
                found.update(int(line.split(b":")[field]) for line in file if line.count(b":") > field)
        except (OSError, ValueError):
            continue
    return found


def ready(plan: Confinement) -> None:
    """Make and keep what `enter` needs for this plan; in the agent's own table of descriptors. Failures show there."""
    user = plan.user or number("")
    for path in (*plan.writes, *plan.reads):
        try:
            if path in plan.writes or wants_showing(os.path.realpath(path), plan):
                status = os.stat(path)
                key = (status.st_uid, status.st_gid, user)
                if key not in _shown:
                    _shown[key] = users(*key)
        except OSError:
            continue


def enter(plan: Confinement) -> str:
    """Make the calling thread, of a root agent, one of the child's user; what it starts then inherits that.

    `ready` was called for the plan before: the thread may have a table of descriptors of its own.

    The thread gets a mount name space of its own and the plan's working folder. "" when it has the own user; else
    the sentence of why it has none, and then it is still root, without capabilities. OSError is not raised: a
    capability that cannot be dropped is a ToolFault.
    """
    user = plan.user or number("")
    why = _prepare(plan, user)
    try:
        kept = [kernel.CAPABILITIES[name] for name in plan.capabilities]
        kernel.bound(kept)
        if not why:
            kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
            kernel.become(user, user)
        kernel.hold(kept)
    except OSError as error:
        raise ToolFault(f"the rights of root could not be taken from a child: {error.strerror}") from error
    return why


def _prepare(plan: Confinement, user: int) -> str:
    """The mounts of rules 2 to 4 for the calling thread; why they cannot be, or ""."""
    why = unknown(user)
    if why:
        return why
    try:
        kernel.unshare(kernel.NEWNS)
        kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    except OSError as error:
        return f"no mount name space: {error.strerror}"
    trees: list[tuple[str, int]] = []
    moved: list[str] = []
    try:
        for path in plan.writes:
            if not open_to_all(path):
                trees.append((path, shown(path, user)))
        for path in plan.reads if plan.level != "seccomp" else ():
            if wants_showing(os.path.realpath(path), plan) and os.path.exists(path):
                trees.append((path, _tree(path, user)))
        for closed in _closed(plan):
            _cover(closed, plan, trees)
        for path, tree in sorted(trees):
            moved.append(os.path.realpath(path))  # /var/log may be a link, and nothing can be mounted on a link
            kernel.move_mount(tree, moved[-1])
        mask.hold(plan.masked, plan.writes)
        for path in plan.masked:
            mask.cover(path)
        os.chdir(plan.cwd)
    except OSError as error:
        _undo(moved)
        return unmapped(error)
    finally:
        for _, tree in trees:
            os.close(tree)
    return ""


def _undo(moved: list[str]) -> None:
    """Take the mounts away again, as far as they came: a root without capabilities could not enter what they show."""
    for path in reversed(moved):
        try:
            kernel.unmount(path)
        except OSError:
            continue


def unknown(user: int) -> str:
    """Why this root cannot make anything of `user`'s, "" when it can: in a container it may be root of few users."""
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/self/{name}", encoding="ascii") as file:
            rows = [[int(word) for word in line.split()] for line in file]
        if not any(first <= user < first + count for first, _, count in rows):
            return f"there is no user or group {user} in this container"
    return ""


def possible(path: str, user: int = FIRST) -> str:
    """Why a folder cannot be shown to a child as its own, "" when it can. Nothing is mounted."""
    try:
        os.close(shown(path, user))
    except OSError as error:
        return unmapped(error)
    return ""


def unmapped(error: OSError) -> str:
    """The sentence of why a folder could not be shown as the child's own."""
    what = error.filename or "a folder"
    return f"{what} cannot be shown as another user's on its file system ({(error.strerror or 'unknown').lower()})"


def wants_showing(path: str, plan: Confinement) -> bool:
    """True for what is only read and may be closed to others, outside the folders of the system (rule 3)."""
    return path != "/" and not within(path, _SYSTEM) and not within(path, plan.writes)


def within(path: str, places: Iterable[str]) -> bool:
    """True when `path` is one of the places or lies below one."""
    return any(path == place or place == "/" or path.startswith(place + "/") for place in places)


def open_to_all(path: str) -> bool:
    """True for a device or file that everybody may write, as /dev/null."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return True
    return not stat.S_ISDIR(mode) and mode & 0o006 == 0o006


def shown(path: str, user: int) -> int:
    """A detached copy of what is mounted at `path`, whose owner is shown as `user`. OSError where it cannot be."""
    status = os.stat(path)
    key = (status.st_uid, status.st_gid, user)
    tree = kernel.open_tree(path, True)
    space = -1
    try:
        space = users(*key)
        kernel.mount_setattr(tree, kernel.ATTR_IDMAP, False, space)
    except OSError as error:
        os.close(tree)
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        if space >= 0 and space != _shown.get(key):
            os.close(space)
    return tree


def _tree(path: str, user: int) -> int:
    """The same for what is only read: a plain copy where the file system cannot show another owner."""
    try:
        return shown(path, user)
    except OSError:
        return kernel.open_tree(path, True)


def _closed(plan: Confinement) -> list[str]:
    """The uppermost folders on the way to what the plan names that others may not pass, and that it does not name."""
    named = (*plan.reads, *plan.lists, *plan.writes, plan.cwd)
    found = set()
    for path in named:
        way = path.rstrip("/").split("/")
        for length in range(2, len(way)):
            folder = "/".join(way[:length])
            if folder in named:
                break
            if not os.stat(folder).st_mode & 0o001:
                found.add(folder)
                break
    return sorted(found)


def _cover(closed: str, plan: Confinement, trees: list[tuple[str, int]]) -> None:
    """Put a folder over `closed` that holds the way to what the plan names below it, and nothing else."""
    have = {path for path, _ in trees}
    below = [path for path in (*plan.reads, *plan.lists, *plan.writes) if path.startswith(closed + "/")]
    for path in below:
        if path not in have and os.path.lexists(path):
            trees.append((path, kernel.open_tree(path, True)))
    kinds = {path: os.path.isdir(path) for path in below}
    kernel.mount("tmpfs", closed, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755,size=1m")
    for path in sorted(path for path in below if path in {one for one, _ in trees}):
        point(path, kinds[path])


def point(path: str, folder: bool) -> None:
    """Make the place on which something is mounted, and the folders on the way to it, passable by all."""
    if os.path.lexists(path):
        return
    parent = os.path.dirname(path)
    if not os.path.lexists(parent):
        point(parent, True)
    if folder:
        os.mkdir(path, 0o755)
        os.chmod(path, 0o755)
    else:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444))


def users(uid: int, gid: int, user: int) -> int:
    """The user name space that shows (uid, gid) as `user` and all others as they are, as a descriptor.

    The kept one, or one made for this moment. OSError where user name spaces are barred.
    """
    kept = _shown.get((uid, gid, user))
    return _made(_map(uid, user), _map(gid, user)) if kept is None else kept


def _map(owner: int, user: int) -> str:
    """The lines of a uid_map: `owner` is shown as `user`, all others as they are, `user` itself as nobody."""
    lines, begin = [f"{owner} {user} 1"], 0
    for edge in sorted({owner, user}):
        if edge > begin:
            lines.append(f"{begin} {begin} {edge - begin}")
        begin = edge + 1
    return "\n".join([*lines, f"{begin} {begin} {HIGHEST - begin}"]) + "\n"


def _made(uids: str, gids: str) -> int:
    """A user name space with these maps, as a descriptor; by way of a process that stands in it for a moment."""
    shielded = not kernel.prctl(kernel.PR_GET_DUMPABLE)
    try:
        if shielded:  # as the copy is then too: without CAP_SYS_PTRACE its name space could not be opened
            kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
        pid = kernel.sleeper(kernel.NEWUSER)
    finally:
        if shielded:
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    try:
        for name, text in (("uid_map", uids), ("gid_map", gids)):
            file = os.open(f"/proc/{pid}/{name}", os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.write(file, text.encode())
            finally:
                os.close(file)
        return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
