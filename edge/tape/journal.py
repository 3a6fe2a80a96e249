"""The tape: what happened, in order, on the card.

Rules:
1. A record is one write of one whole line to a descriptor opened for appending. Either the line is there or
   the tape is put back to where it was.
2. `append(..., sync=True)` returns when the record is on the card. Others are put there together: with the
   next synced one, when GROUP of them wait, or SECONDS after the last sync, looked at when a record comes.
3. After a failed sync nobody knows what is on the card: the tape has failed for good and takes nothing more.
   The same when the file was deleted meanwhile: what is synced then is on no card after the end of the process.
4. One writer, held by a lock on the file. The lock goes with the process, so a killed one leaves none behind.
5. An exception at any instruction, Ctrl-C too, leaves the tape such that the next record stands right.
6. Every way to fail is a TapeFault.
"""

from __future__ import annotations

import _thread
import os

from edge.faults import TapeFault
from edge.tape import disk as disks
from edge.tape.disk import Disk, cannot
from edge.tape.form import encode
from edge.tape.names import new_name, path_of
from edge.tape.repair import Found, repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

GROUP = 20
SECONDS = 5.0


class Tape:
    """One open tape, made by `create` or `open`. Threads may share it; a signal handler must not write to it.

    `name` and `path` say which; `durable` is True; `notice` is what the operator must know of it: nothing.
    """

    durable = True
    notice = ""

    def __init__(self, fd: int, path: str, name: str, found: Found, disk: Disk) -> None:
        self.name = name
        self.path = path
        self._fd = fd
        self._disk = disk
        self._mono, self._wall, self._write = disk.mono, disk.wall, disk.write
        self._boot = disks.boot_id()
        # A file system that counts no names gives 0 from the start.
        self._named = disk.links(fd) > 0
        # One attribute, so that no exception comes between the two (rule 5).
        self._good = (found.seq, found.size)
        self._unsure = False
        self._unsynced = 0
        self._synced = self._mono()
        self._failed = ""
        self._lock: Any = _thread.allocate_lock()

    @classmethod
    def create(cls, folder: str, name: str = "", disk: Disk | None = None) -> Tape:
        """A new tape in the folder of tapes `folder`, which is made when missing.

        TapeFault when it cannot be made; UsageFault when `name` is no name.
        """
        disk = disk or Disk()
        folder = os.path.abspath(folder)
        try:
            disks.folder(disk, folder)
        except OSError as error:
            raise cannot(f"the folder of tapes {folder} cannot be made", error) from error
        name = name or new_name(folder, disk.wall())
        path = path_of(folder, name)
        try:
            fd = disk.open(path, disks.WRITER | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise TapeFault(f"there is a tape {name} already", "resume it, or give another name") from error
        except OSError as error:
            raise cannot(f"the tape {path} cannot be made", error) from error
        made = None
        try:
            made = cls._start(disk, fd, path, name)
            return made
        finally:
            if made is None:
                _remove(disk, path)

    @classmethod
    def open(cls, folder: str, name: str, disk: Disk | None = None) -> Tape:
        """The tape `name` again, its torn end cut off and kept aside, to go on with the next number.

        TapeFault when it is not there, in use, or cannot be repaired; UsageFault when `name` is no name.
        """
        disk = disk or Disk()
        path = path_of(os.path.abspath(folder), name)
        try:
            fd = disk.open(path, disks.WRITER)
        except OSError as error:
            raise cannot(f"the tape {path} cannot be opened for writing", error) from error
        return cls._start(disk, fd, path, name)

    @classmethod
    def _start(cls, disk: Disk, fd: int, path: str, name: str) -> Tape:
        """The tape of a descriptor just opened; the descriptor is closed when that fails."""
        tape = None
        try:
            if not disk.lock(fd):
                raise _in_use(fd, name)
            found = repair(disk, fd, path)
            # For an old tape too: whoever made it may have been killed before this.
            disk.sync_folder(os.path.dirname(path))
            disks.sync_name(disk, os.path.dirname(path))
            tape = cls(fd, path, name, found, disk)
        except TapeFault:
            raise
        except OSError as error:
            raise cannot(f"the tape {path} cannot be opened for writing", error) from error
        finally:
            if tape is None:
                _close(disk, fd)
        if found.cut:
            tape._tell(found)
        return tape

    def _tell(self, found: Found) -> None:
        """Say on the tape what was cut off it."""
        text = f"a torn end of {found.cut} bytes was cut off this tape and is kept in {found.kept_in}"
        try:
            self.append("note", {"text": text, "bytes": found.cut, "file": found.kept_in}, sync=True)
        except TapeFault:
            _close(self._disk, self._fd)
            raise

    @property
    def seq(self) -> int:
        """The number of the last record; 0 before the first."""
        return self._good[0]

    def append(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> int:
        """Write one record; its number. With `sync` it is on the card when this returns.

        TapeFault when it is not kept (then it has no number), or when it was written but could not be put on
        the card (then the tape has failed for good).
        """
        with self._lock:
            return self._append(kind, fields, sync)

    def _append(self, kind: str, fields: Mapping[str, Any], sync: bool) -> int:
        if self._failed or self._fd < 0:
            raise self._refusal()
        seq, size = self._good
        mono = self._mono()
        line = encode(seq + 1, self._boot, mono, self._wall(), kind, fields)
        if self._unsure:
            self._put_back(size)
        self._unsure = True
        try:
            written = self._write(self._fd, line)
        except OSError as error:
            self._put_back(size)
            raise cannot(f"the tape {self.name} cannot be written", error) from error
        if written != len(line):
            self._put_back(size)
            raise TapeFault(
                f"the tape {self.name} cannot be written: only {written} of {len(line)} bytes went in",
                "make room on the card, or name another folder with --state",
            )
        self._good = (seq + 1, size + written)
        self._unsure = False
        self._unsynced += 1
        if sync or self._unsynced >= GROUP or mono - self._synced >= SECONDS:
            self._sync(mono)
        return seq + 1

    def sync(self) -> None:
        """Put all records so far on the card. TapeFault when that fails: then for good (rule 3)."""
        with self._lock:
            if self._failed or self._fd < 0:
                raise self._refusal()
            if self._unsynced:
                self._sync(self._mono())

    def close(self) -> None:
        """Sync, and give up the lock. Closing twice is nothing. TapeFault when the last records may be lost."""
        with self._lock:
            fd, self._fd = self._fd, -1
        if fd < 0:
            return
        try:
            if self._unsynced and not self._failed:
                self._disk.fdatasync(fd)
                if self._is_deleted(fd):
                    raise self._deleted()
        except TapeFault:
            raise
        except OSError as error:
            raise cannot(f"the last records of the tape {self.name} may be lost", error) from error
        finally:
            _close(self._disk, fd)

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """The newest `limit` messages that hold `query` literally, whatever its case: seq, role, content."""
        from edge.tape.recall import search

        return self._asked(lambda: search(self._read, self._good[1], query, limit))

    def around(self, seq: int, context: int) -> list[dict[str, Any]]:
        """The message numbered `seq` with `context` messages before and after; nothing when there is none."""
        from edge.tape.recall import around

        return self._asked(lambda: around(self._read, self._good[1], seq, context))

    def _asked(self, question: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
        if self._fd < 0:
            raise self._refusal()
        try:
            return question()
        except OSError as error:
            raise cannot(f"the tape {self.name} cannot be read", error) from error

    def _read(self, count: int, offset: int) -> bytes:
        return self._disk.pread(self._fd, count, offset)

    def _sync(self, mono: float) -> None:
        try:
            self._disk.fdatasync(self._fd)
            deleted = self._is_deleted(self._fd)
        except OSError as error:
            self._failed = error.strerror or str(error)
            raise cannot(f"records of the tape {self.name} may not be on the card", error) from error
        if deleted:
            self._failed = "it was deleted"
            raise self._deleted()
        self._unsynced = 0
        self._synced = mono

    def _is_deleted(self, fd: int) -> bool:
        return self._named and not self._disk.links(fd)

    def _deleted(self) -> TapeFault:
        return TapeFault(
            f"the tape {self.name} was deleted: its records end with this process",
            f"nothing is in {self.path} any more; start again to begin a new tape",
        )

    def _put_back(self, size: int) -> None:
        """Cut off what a failed or interrupted write may have left."""
        try:
            self._disk.ftruncate(self._fd, size)
        except OSError as error:
            self._failed = error.strerror or str(error)
            raise cannot(f"a half-written record cannot be taken off the tape {self.name}", error) from error
        self._unsure = False

    def _refusal(self) -> TapeFault:
        if self._fd < 0:
            return TapeFault(f"the tape {self.name} is closed")
        why = f"the tape {self.name} takes nothing more since it failed: {self._failed}"
        return TapeFault(why, "start again; the next start keeps what is on the card")


def _close(disk: Disk, fd: int) -> None:
    try:
        disk.close(fd)
    except OSError:
        # The descriptor is gone all the same (close(2)), and what had to be on the card was synced before.
        return


def _remove(disk: Disk, path: str) -> None:
    """Take away the empty file of a tape that could not be started, as far as that goes."""
    try:
        disk.unlink(path)
    except OSError:
        return


def _in_use(fd: int, name: str) -> TapeFault:
    pid = disks.holder(fd)
    who = f"process {pid}" if pid else "another process"
    return TapeFault(f"the tape {name} is being written by {who}", "end that one first, or start a new tape")
