"""What the tape asks of the operating system, in one place.

Rules:
1. The tape reaches files and clocks through a Disk alone, so that a simulated power cut and a sweep of
   faults run over the real code.
2. A Disk raises OSError as the system does. Whoever calls it says what could not be done, with `cannot`.
3. `wall` is a hint: boards without a clock chip start in the past. Order is by sequence.
"""

from __future__ import annotations

import os
import time
from errno import EACCES, EINVAL, EIO, ELOOP, ENOSPC, EPERM, EROFS, EWOULDBLOCK

from edge.faults import TapeFault

WRITER = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
READER = os.O_RDONLY | os.O_CLOEXEC
# A reader that asks whether a tape is live holds the lock for an instant; a writer waits that long.
GLANCES = 5
GLANCE = 0.02

_FIXES = {
    ENOSPC: "make room on the card, or name another folder with --state",
    EROFS: "the file system is read-only: name another folder with --state",
    EACCES: "give this user write permission there, or name another folder with --state",
    EPERM: "give this user write permission there, or name another folder with --state",
    EIO: "the card may be failing: see dmesg, and name another folder with --state",
}


class Disk:
    """The real thing. Doubles override what they watch or break. Times are seconds, sizes are bytes."""

    open = staticmethod(os.open)
    close = staticmethod(os.close)
    write = staticmethod(os.write)
    pread = staticmethod(os.pread)
    pwrite = staticmethod(os.pwrite)
    fsync = staticmethod(os.fsync)
    fdatasync = staticmethod(os.fdatasync)
    ftruncate = staticmethod(os.ftruncate)
    mkdir = staticmethod(os.mkdir)
    unlink = staticmethod(os.unlink)
    rename = staticmethod(os.rename)
    mono = staticmethod(time.monotonic)
    wall = staticmethod(time.time)

    def size(self, fd: int) -> int:
        """The length of an open file."""
        return os.fstat(fd).st_size

    def links(self, fd: int) -> int:
        """How many names an open file has; 0 when it was deleted."""
        return os.fstat(fd).st_nlink

    def sync_folder(self, path: str) -> None:
        """Put the names in a folder on the card. A file system that has no such thing (EINVAL) is let pass."""
        fd = self.open(path, READER | os.O_DIRECTORY)
        try:
            self.fsync(fd)
        except OSError as error:
            if error.errno != EINVAL:
                raise
        finally:
            self.close(fd)

    def lock(self, fd: int) -> bool:
        """Take the one writer's lock of an open tape; False when another process keeps it."""
        for glance in range(GLANCES):
            if _free(fd):
                return True
            if glance < GLANCES - 1:
                time.sleep(GLANCE)
        return False

    def hold(self, fd: int, seconds: float) -> bool:
        """Take a lock that others hold for a moment at a time; False when it does not come free in `seconds`."""
        end = 0.0
        while True:
            if _free(fd):
                return True
            now = time.monotonic()
            end = end or now + seconds
            if now > end:
                return False
            time.sleep(0.001)

    def free(self, fd: int) -> None:
        """Give up the lock that `hold` took."""
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_UN)


def _free(fd: int) -> bool:
    """Take the lock of an open file if nobody else has it."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno != EWOULDBLOCK:
            raise
        return False
    return True


def boot_id() -> str:
    """The first 8 hex digits of the kernel's boot id (random(4)); zeros where there is none."""
    found = small_file("/proc/sys/kernel/random/boot_id").decode("ascii", "replace")[:8]
    return found if len(found) == 8 and all(c in "0123456789abcdef" for c in found) else "00000000"


def regular(path: str) -> int:
    """The file at `path` opened for reading, never waiting for a pipe. OSError when it is no regular file."""
    try:
        fd = os.open(path, READER | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == ELOOP:
            raise OSError(ELOOP, "it is a link, and a tape is none") from error
        raise
    if os.fstat(fd).st_mode & 0o170000 != 0o100000:  # S_IFMT, S_IFREG
        os.close(fd)
        raise OSError(EINVAL, "it is not a regular file")
    return fd


def held(path: str) -> bool:
    """True when a living process has the tape at `path` open for writing. OSError when it cannot be opened."""
    import fcntl

    fd = regular(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno == EWOULDBLOCK
    finally:
        os.close(fd)
    return False


def holder(fd: int) -> int:
    """The process that holds the lock of an open file, by /proc/locks (proc(5)); 0 when that cannot be known."""
    inode = str(os.fstat(fd).st_ino)
    found = set()
    for line in small_file("/proc/locks").decode("ascii", "replace").splitlines():
        # `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`; a waiting one has `->` in the second place.
        words = line.split()
        if len(words) == 8 and words[1] == "FLOCK" and words[5].rpartition(":")[2] == inode:
            found.add(words[4])
    only = found.pop() if len(found) == 1 else ""
    return int(only) if only.isdigit() else 0


def folder(disk: Disk, path: str) -> None:
    """Make a folder (mode 0700) with what is missing above it, so that a power cut cannot take it away again.

    Before a new folder is made, the names of all above it are put on the card: whoever made those may have
    been killed before that, or may not have cared. So a folder that is there has all names above it on the card.
    """
    if os.path.isdir(path):
        return
    above = over = os.path.dirname(path)
    folder(disk, above)
    while over != os.path.dirname(over):
        sync_name(disk, over)
        over = os.path.dirname(over)
    try:
        disk.mkdir(path, 0o700)
    except FileExistsError:
        # Another start made it in this instant.
        sync_name(disk, path)
        return
    disk.sync_folder(above)


def sync_name(disk: Disk, path: str) -> None:
    """Put the name of a folder that was there already on the card, as far as this user may."""
    try:
        disk.sync_folder(os.path.dirname(path))
    except OSError as error:
        # Where this user may not look, or nobody may write, the name is older than the tape.
        if error.errno not in (EACCES, EPERM, EROFS):
            raise


def whole(disk: Disk, fd: int, count: int, offset: int) -> bytes:
    """`count` bytes from `offset`, also when they come in parts; fewer only where the file ends."""
    block = disk.pread(fd, count, offset)
    while len(block) < count and (more := disk.pread(fd, count - len(block), offset + len(block))):
        block += more
    return block


def cannot(what: str, error: OSError) -> TapeFault:
    """The sentence for what the system refused: `what` ends with the thing it was refused for."""
    return TapeFault(f"{what}: {error.strerror or error}", _FIXES.get(error.errno or 0, ""))


def small_file(path: str) -> bytes:
    """The first 64 KiB of a file under /proc (which gives a page at a time); nothing when it cannot be read."""
    try:
        fd = os.open(path, READER)
    except OSError:
        return b""
    found = b""
    try:
        while len(found) < 65536 and (part := os.read(fd, 65536 - len(found))):
            found += part
        return found
    except OSError:
        return b""
    finally:
        os.close(fd)
