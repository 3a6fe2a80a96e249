"""What an image is written to: a whole disk, opened so that nobody else uses it, or a plain file.

Rules:
1. A disk is opened with O_EXCL: the kernel says no when it, or a part of it, is mounted or claimed by anybody, in this
   name space or another. What was opened must be the device that was judged.
2. What is read back comes from the card and not from memory: the buffers are flushed and dropped (BLKFLSBUF,
   posix_fadvise), and reading goes around the cache (O_DIRECT) where the file system can do that.
3. An error of the device is a sentence with the place; a card that is gone is told as gone.
4. A file that this program made is removed when writing to it fails; one that was there stays, without a partition
   table.

Sources: open(2), posix_fadvise(2), the kernel's include/uapi/linux/fs.h.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import stat
from contextlib import suppress
from pathlib import Path

from edge.faults import CardFault, UsageFault
from images.disks import Disk, described
from images.machine import Machine
from images.progress import amount, beyond

_BLKFLSBUF = 0x1261
_DIRECT = getattr(os, "O_DIRECT", 0)
_ALIGNED = 4096
_GONE = (errno.ENODEV, errno.ENXIO, errno.ENOMEDIUM, errno.ESTALE)
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


class Target:
    """An open target: `name` for sentences, `size` in bytes."""

    def __init__(self, handle: int, name: str, size: int, made: Path | None = None) -> None:
        self.handle, self.name, self.size, self.made = handle, name, size, made
        self._direct = -1
        self._buffer: mmap.mmap | None = None

    def write(self, offset: int, data: bytes) -> None:
        """Put all of `data` at `offset`; CardFault with the place when the device does not take it."""
        view = memoryview(data)
        while view:
            try:
                count = os.pwrite(self.handle, view, offset)
            except OSError as error:
                raise self._failed("writing", offset, error) from error
            if not count:
                raise CardFault(f"{self.name} takes no more bytes at byte {offset}")
            view, offset = view[count:], offset + count

    def sync(self) -> None:
        """Wait until all that was written is on the card."""
        try:
            os.fdatasync(self.handle)
        except OSError as error:
            raise self._failed("writing", -1, error) from error

    def fresh(self) -> None:
        """From now on reading asks the card itself (rule 2)."""
        self.sync()
        with suppress(OSError):
            fcntl.ioctl(self.handle, _BLKFLSBUF)
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self.handle, 0, 0, os.POSIX_FADV_DONTNEED)
        if self._direct < 0 and _DIRECT:
            # The same open thing by its descriptor: its name could lead elsewhere by now.
            with suppress(OSError):
                self._direct = os.open(f"/proc/self/fd/{self.handle}", os.O_RDONLY | os.O_CLOEXEC | _DIRECT)

    def read(self, offset: int, count: int) -> bytes:
        """`count` bytes at `offset`; fewer at the end of the target. CardFault when the device fails."""
        try:
            found = self._around_cache(offset, count)
            return os.pread(self.handle, count, offset) if found is None else found
        except OSError as error:
            raise self._failed("reading", offset, error) from error

    def _around_cache(self, offset: int, count: int) -> bytes | None:
        """Read by O_DIRECT; None where that cannot be done here (no such file system, no such alignment)."""
        if self._direct < 0 or offset % _ALIGNED or count % _ALIGNED:
            return None
        if self._buffer is None or len(self._buffer) < count:
            self._buffer = mmap.mmap(-1, count)
        try:
            got = os.preadv(self._direct, [memoryview(self._buffer)[:count]], offset)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return None
            raise
        return self._buffer[:got] if got == count else None

    def close(self, failed: bool = False) -> None:
        """Let go of it; what was made here and is not finished goes (rule 4)."""
        for handle in (self._direct, self.handle):
            if handle >= 0:
                with suppress(OSError):
                    os.close(handle)
        self.handle = self._direct = -1
        if failed and self.made is not None:
            self.made.unlink(missing_ok=True)

    def _failed(self, doing: str, offset: int, error: OSError) -> CardFault:
        place = f" at byte {offset} ({amount(offset)})" if offset >= 0 else ""
        if error.errno in _GONE:
            return CardFault(f"{self.name} is gone: it was pulled out while {doing}{place}")
        if error.errno in _FULL:
            return CardFault(f"{self.name} has no room left while {doing}{place}")
        why = (error.strerror or "unknown error").lower()
        return CardFault(f"{self.name} failed while {doing}{place}: {why}", "try another reader, then another card")


def open_disk(machine: Machine, disk: Disk, path: str) -> Target:
    """A disk that images/disks.py let pass (rule 1). UsageFault when it is claimed or not ours to write."""
    name = described(disk)
    handle = _opened(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC, name)
    found = os.fstat(handle)
    number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
    size = os.lseek(handle, 0, os.SEEK_END)
    if machine.named(number) != disk.name or size != disk.size:
        os.close(handle)
        raise UsageFault(f"{path} became another device meanwhile", "look again with: fieldhand image flash IMAGE")
    return Target(handle, disk.node, size)


def open_file(path: str, need: int, source: Path, mode: int = 0o666) -> Target:
    """A plain file of at least `need` bytes, made sparse with `mode` if it is not there. UsageFault with the reason."""
    file = Path(path)
    if file.exists():
        if file.samefile(source):
            raise UsageFault(f"{path} is the image itself")
        size = file.stat().st_size
        if size < need:
            sentence = f"{path} has {amount(size)}, the image has {beyond(need, size)}"
            raise UsageFault(sentence, "name a new file, or another")
        return Target(_same(path, file.stat()), path, size)
    if not file.parent.is_dir():
        raise UsageFault(f"there is no folder {file.parent}")
    handle = _opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, path, mode)
    target = Target(handle, path, need, made=file)
    try:
        os.ftruncate(handle, need)
    except OSError as error:
        target.close(failed=True)
        raise target._failed("making it", -1, error) from error
    return target


def _same(path: str, judged: os.stat_result) -> int:
    """A plain file, opened: it must be the one that was judged, not what its name leads to by now (rule 1)."""
    handle = _opened(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, path)
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or (found.st_dev, found.st_ino) != (judged.st_dev, judged.st_ino):
        os.close(handle)
        raise UsageFault(f"{path} became another file meanwhile")
    return handle


def _opened(path: str, flags: int, name: str, mode: int = 0) -> int:
    try:
        return os.open(path, flags, mode)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise UsageFault(
                f"{name} is in use by something that /proc does not show here (a mount elsewhere)"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM):
            raise UsageFault(f"{name} may not be written by this user", "try again with sudo") from error
        if error.errno in (errno.ENOMEDIUM, errno.ENXIO, errno.ENODEV):
            raise UsageFault(f"{name} has no card in it") from error
        raise UsageFault(f"{name} could not be opened: {(error.strerror or 'unknown').lower()}") from error
