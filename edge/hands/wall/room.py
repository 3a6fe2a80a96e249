"""The files that a confined child sees: a root of its own, in which only what the plan names was ever put.

Rules:
1. An empty memory file system becomes the root; what may be read or written is bound into it, then the old root goes.
   So nothing can be forgotten: other homes, sockets in /run, keys are not hidden but absent.
2. What is only read is read-only, with all that is mounted below it; nothing but /dev holds device nodes, and nothing
   gives rights (nosuid). What is hidden lies under an empty thing that cannot be opened, whatever else is granted, and
   stays at its name (mask.py).
3. /dev holds five nodes that are no hardware and the devices that the plan names; of others at most the name, where it
   may be listed. /proc shows the child's own processes; /sys and /proc are read-only; /tmp and /dev/shm are its own.
4. The names of a list-only folder are there, as things that cannot be opened.
5. Runs as process 1 of new name spaces, in a process of one thread; any call of the kernel that fails ends the try.
"""

from __future__ import annotations

import os
import stat

from edge.hands.wall import identity, kernel, mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.wall.confine import Confinement

OLD = "/.old"
SHUT = "/.shut"
NODE = "/.node"
BASES = ("/tmp", "/run", "/mnt", "/proc")  # where the new root stands until it is the root
NODES = ("null", "zero", "full", "random", "urandom")
LINKS = (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))
OWN = ("/proc", "/sys", "/dev")  # made here, never bound
# What tells of the board and not of processes, where a new /proc is barred.
PROC_FILES = ("cpuinfo", "meminfo", "stat", "uptime", "loadavg", "version", "filesystems", "interrupts", "diskstats")
MOST_NAMES = 4096
MEMORY = "64m"  # of /tmp and of /dev/shm, each
EROFS = 30
_FLAGS = {
    "ro": kernel.MS_RDONLY,
    "nosuid": kernel.MS_NOSUID,
    "nodev": kernel.MS_NODEV,
    "noexec": kernel.MS_NOEXEC,
    "noatime": kernel.MS_NOATIME,
    "nodiratime": kernel.MS_NODIRATIME,
    "relatime": kernel.MS_RELATIME,
}


def build(plan: Confinement, user: int) -> None:
    """Make the root. `user` is the number as which the child's own folders are shown, 0 to show them as they are.

    OSError with the path that could not be made.
    """
    _fresh_root()
    _links()
    ways = _ways_in_tmp(plan)
    _devices(plan, user)
    _bind_all(plan, user)
    if not os.path.lexists("/tmp"):
        _own_tmp(plan)
    _proc(plan)
    for path in plan.lists:
        _names(path)
    _shut(plan, user)
    kernel.unmount(OLD)
    os.rmdir(OLD)
    for path in ("/", *ways):
        attributes(path, kernel.ATTR_RDONLY, False)


def _fresh_root() -> None:
    base = next(place for place in BASES if os.path.isdir(place))
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", base, "tmpfs", kernel.MS_NOSUID, "mode=0755,size=4m")
    os.mkdir(base + OLD, 0o700)
    kernel.pivot_root(base, base + OLD)
    os.chdir("/")


def _links() -> None:
    """The links of the old root, as `/bin -> usr/bin`."""
    for name in os.listdir(OLD):
        if os.path.islink(f"{OLD}/{name}"):
            os.symlink(os.readlink(f"{OLD}/{name}"), f"/{name}")


def _bind_all(plan: Confinement, user: int) -> None:
    """Put what may be read and written at its places, the folders above first."""
    writes = [path for path in plan.writes if not _special(path)]
    reads = {*plan.reads, *_resolver(plan)}
    if "/" in reads:
        reads |= {f"/{name}" for name in os.listdir(OLD) if name != "tmp" and not os.path.lexists(f"/{name}")}
    for path in sorted({*reads, *writes}):
        if os.path.islink(path):
            continue  # a link of the old root, as /bin: what it leads to is granted by its own name
        if path in writes:
            _bind(path, True, 0 if identity.open_to_all(OLD + path) else user)
        elif not _special(path) and not identity.within(path, (*writes, *(reads - {path, "/"}))):
            _bind(path, False, user if identity.wants_showing(path, plan) else 0)


def _special(path: str) -> bool:
    """True for what is made here and not bound: /, /proc, /sys, /dev and what lies in them, but for /dev/shm."""
    return path == "/" or (identity.within(path, OWN) and not identity.within(path, ("/dev/shm",)))


def _resolver(plan: Confinement) -> tuple[str, ...]:
    """What a name is looked up with, where a network is granted: the file may be a link into /run."""
    if "inet" not in plan.sockets:
        return ()
    try:
        target = os.readlink(OLD + "/etc/resolv.conf")
    except OSError:
        return ()
    path = os.path.normpath(os.path.join("/etc", target))
    return (path,) if os.path.isfile(OLD + path) else ()


def _bind(path: str, writable: bool, user: int) -> None:
    """Put a file or folder of the old root at its place; nothing when it is not there."""
    source = OLD + path
    try:
        mode = os.stat(source).st_mode
    except FileNotFoundError:
        return
    except OSError:
        if writable:
            raise
        return  # the agent's user may not get there either
    identity.point(path, stat.S_ISDIR(mode))
    tree = -1
    if user:
        try:
            tree = identity.shown(source, user)
        except OSError:
            if writable:
                raise
    if tree >= 0:
        kernel.move_mount(tree, path)
        os.close(tree)
    else:
        kernel.mount(source, path, "", kernel.MS_BIND | kernel.MS_REC)
    attributes(path, kernel.ATTR_NOSUID | kernel.ATTR_NODEV | (0 if writable else kernel.ATTR_RDONLY), True)


def attributes(path: str, wanted: int, deep: bool, table: str = OLD + "/proc/self/mountinfo") -> None:
    """Set attributes of the mount at `path`, by one call or, before Linux 5.12, mount by mount."""
    try:
        kernel.mount_setattr(path, wanted, deep)
    except OSError as error:
        if error.errno not in (38, 1):  # ENOSYS; EPERM from a filter of a container that does not know the call
            raise
        for point, flags in _mounts(path if deep else "", table):
            kernel.mount("", point, "", kernel.MS_BIND | kernel.MS_REMOUNT | flags | wanted)
        if not deep:
            kernel.mount("", path, "", kernel.MS_BIND | kernel.MS_REMOUNT | wanted)


def _mounts(path: str, table: str) -> list[tuple[str, int]]:
    """The mounts at and below `path` with their flags (proc_pid_mountinfo(5)); none for ""."""
    found = []
    if path:
        with open(table, "rb") as file:
            for line in file:
                words = line.split()
                name = _plain(words[4])
                if identity.within(name, (path,)):
                    flags = os.fsdecode(words[5]).split(",")
                    found.append((name, sum(_FLAGS.get(flag, 0) for flag in flags)))
    return found


def _plain(word: bytes) -> str:
    """A path of mountinfo: a space, a tab, a newline and a backslash stand there as three octal digits.

    By hand: no module can be loaded any more, not even a codec.
    """
    first, *rest = word.split(b"\\")
    return os.fsdecode(first + b"".join(bytes((int(part[:3], 8),)) + part[3:] for part in rest))


def _devices(plan: Confinement, user: int) -> None:
    os.mkdir("/dev", 0o755)
    listed = "/dev" in plan.lists
    if listed:
        # All names as they are; where no device opens and nothing can be written they are no more than that.
        kernel.mount(OLD + "/dev", "/dev", "", kernel.MS_BIND | kernel.MS_REC)
        attributes("/dev", kernel.ATTR_RDONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV, True)
    named = [path for path in (*plan.writes, *plan.reads) if path.startswith("/dev/") and _special(path)]
    for path in dict.fromkeys([*(f"/dev/{name}" for name in NODES), *named]):
        source = OLD + path
        if os.path.exists(source) and not os.path.isdir(source):
            identity.point(path, False)
            _node(source, path, user)
    if listed:
        if os.path.isdir("/dev/shm"):
            _memory("/dev/shm")
        return
    for name, target in LINKS:
        os.symlink(target, f"/dev/{name}")
    _memory("/dev/shm")


def _node(source: str, path: str, user: int) -> None:
    """A device at its place: as it is or, where not everybody may open it, as one of the child's user."""
    status = os.stat(source)
    if user and not identity.open_to_all(source) and not stat.S_ISREG(status.st_mode):
        os.mknod(NODE, stat.S_IFMT(status.st_mode) | 0o600, status.st_rdev)
        os.chown(NODE, user, user)
        kernel.mount(NODE, path, "", kernel.MS_BIND)
        os.unlink(NODE)
    else:
        kernel.mount(source, path, "", kernel.MS_BIND)


def _proc(plan: Confinement) -> None:
    os.mkdir("/proc", 0o755)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    try:
        kernel.mount("proc", "/proc", "proc", flags)
        attributes("/proc", kernel.ATTR_RDONLY, False)
    except PermissionError:
        # A container that covers parts of its /proc may not have a new one.
        for name in PROC_FILES:
            if os.path.exists(f"{OLD}/proc/{name}"):
                identity.point(f"/proc/{name}", False)
                kernel.mount(f"{OLD}/proc/{name}", f"/proc/{name}", "", kernel.MS_BIND)
                attributes(f"/proc/{name}", kernel.ATTR_RDONLY, False)
    os.mkdir("/sys", 0o755)
    if any(identity.within(path, ("/sys",)) or path == "/" for path in plan.reads):
        kernel.mount(OLD + "/sys", "/sys", "", kernel.MS_BIND | kernel.MS_REC)
        attributes("/sys", kernel.ATTR_RDONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV, True)


def _ways_in_tmp(plan: Confinement) -> list[str]:
    """A /tmp for a plan that names things in it; the folders in it that only lead there, to be closed at the end.

    What a child wrote into one of those would be lost without a word.
    """
    named = {path for path in (*plan.reads, *plan.lists, *plan.writes) if identity.within(path, ("/tmp",))}
    if named:
        _memory("/tmp")
    ways = sorted({"/".join(path.split("/")[:3]) for path in named} - {"/tmp", *named})
    for path in ways:
        identity.point(path, True)
        kernel.mount("tmpfs", path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755,size=1m")
    return ways


def _own_tmp(plan: Confinement) -> None:
    """A /tmp of the child's own where nothing granted lies in it: the plan's temporary folder, else memory."""
    temporary = dict(plan.environment).get("TMPDIR", "")
    if temporary in plan.writes:
        identity.point("/tmp", True)
        kernel.mount(temporary, "/tmp", "", kernel.MS_BIND | kernel.MS_REC)
    else:
        _memory("/tmp")


def _memory(path: str) -> None:
    """A folder in memory that everybody may write."""
    identity.point(path, True)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", path, "tmpfs", flags, f"mode=1777,size={MEMORY}")


def _names(path: str) -> None:
    """The names in a folder of which nothing else may be read, as far as nothing of it was granted."""
    source = OLD + path
    if _special(path) or not os.path.isdir(source):
        return
    identity.point(path, True)
    try:
        names = os.listdir(source)[:MOST_NAMES]
    except PermissionError:
        return  # the agent's user may not list it either
    placeholders(path, [(name, os.path.isdir(f"{source}/{name}")) for name in names])


def placeholders(path: str, names: list[tuple[str, bool]]) -> None:
    """Things with these names, of which nothing can be opened; second: is it a folder?"""
    for name, folder in names:
        place = f"{path.rstrip('/')}/{name}"
        if os.path.lexists(place) or place == OLD:
            continue
        try:
            if folder:
                os.mkdir(place, 0)
            else:
                os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0))
        except OSError as error:
            if error.errno != EROFS:  # the folder came as a whole, and the name is gone since
                raise


def _shut(plan: Confinement, user: int) -> None:
    """Cover what is hidden and was put here with others; nothing can be opened through the cover, nor removed."""
    os.mkdir(SHUT, 0)
    os.close(os.open(SHUT + "-file", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0))
    mask.hold([path for path in plan.hidden if os.path.lexists(path) and not os.path.islink(path)], plan.writes)
    for path in sorted(plan.hidden):
        above = [other for other in plan.hidden if other != path]
        if identity.within(path, above) or not os.path.lexists(path) or os.path.islink(path):
            continue
        named = [one for one in (*plan.reads, *plan.writes) if one != path and identity.within(one, (path,))]
        if named:
            _only(path, named, plan, user)
        else:
            kernel.mount(SHUT if os.path.isdir(path) else SHUT + "-file", path, "", kernel.MS_BIND)
        attributes(path, kernel.ATTR_RDONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV, False)
    os.rmdir(SHUT)
    os.unlink(SHUT + "-file")


def _only(folder: str, named: list[str], plan: Confinement, user: int) -> None:
    """Cover a closed folder by one that holds nothing but what was granted by its own name."""
    kernel.mount("tmpfs", folder, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0711,size=1m")
    for path in dict.fromkeys(named):
        writable = path in plan.writes
        _bind(path, writable, user if writable or identity.wants_showing(path, plan) else 0)
