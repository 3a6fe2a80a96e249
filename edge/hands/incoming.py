"""A file that comes from afar, piece by piece: in constant memory, whole or not at all, gone on with later.

Rules:
1. What has come stands in a file of the same folder until all of it is there. Its name says for which file it is, from
   where, and of which version (RFC 9110 section 8.8: a strong ETag, or Last-Modified where that lies a minute before
   Date). So no two versions are ever mixed, and nothing else has to be kept. Without a version nothing is kept.
2. Each STRIDE bytes are on the card before more is written. Where power failed (`.run`), only whole strides count;
   where a transfer ended in order (`.part`), all of it counts.
3. At most MOST bytes come, and FREE bytes of the card stay free. Who sends more, or says so, gets nothing written.
4. When all has come the file takes its name as every file here does (edge/hands/replace.py).
5. One transfer to a name at a time: the file that grows is locked.
6. The result has the sum of what stands on the card. A large file that went on may leave no time to read it again:
   then there is none, and the file is whole nevertheless.
"""

from __future__ import annotations

import os

from edge.faults import Refused, ToolFault
from edge.hands.open import said
from edge.hands.replace import adopt, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from edge.hands.replace import Spot

    T = TypeVar("T")

    More = Callable[[int], bytes]

MOST = 1 << 30  # bytes
FREE = 8 << 20  # bytes
STRIDE = 1 << 20  # bytes
PIECE = 1 << 16  # bytes
_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MINUTE = 60


class Changed(Exception):
    """What is afar is no longer what a part is of. Never leaves the hands."""


class Incoming:
    """A context manager around one transfer to `spot`, whose folder is closed with it.

    `source` is what it comes from, as exact as can be; `size` the bytes that are there already; `kept` those that stay
    for the next time when it was left undone.
    """

    def __init__(self, spot: Spot, source: str, late: Callable[[], None]) -> None:
        self._spot = spot
        self._late = late
        self._name = f".incoming-{_short(spot.name)}-"
        self._source = f"{_short(source)}-"
        self._file = -1
        self._temp = ""
        self._sum: Any = None
        self._old = False
        self._done = False
        self.size = 0
        self.begun = 0
        self.kept = 0

    def __enter__(self) -> Incoming:
        try:
            self._card(self._look)
        except (ToolFault, Refused):
            self.__exit__()
            raise
        self.begun = self.size
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a part for the next time, or nothing."""
        from contextlib import suppress

        try:
            if self._file >= 0:
                with suppress(OSError):  # what cannot be kept is fetched anew; why it ended is on its way already
                    self._leave()
                os.close(self._file)
                self._file = -1
        finally:
            os.close(self._spot.folder)

    def forget(self) -> None:
        """Begin anew: what is afar is another version."""
        self._drop()
        self.begun = 0

    def take(self, status: int, headers: Mapping[str, str], more: More, again: bool) -> Mapping[str, Any]:
        """All of an answer with status 200 or 206, read by `more`: `path bytes sha256 resumed was`.

        again: what comes may be asked for again, so that a part is worth keeping. Changed, ToolFault, OSError.
        """
        version = _version(headers) if again else ""
        name = f"{self._name}{self._source}{_short(version)}" if version else f"{self._name}{os.urandom(8).hex()}"
        if status == 206:
            if self._file < 0 or not self._temp.startswith(f"{name}.") or not _goes_on(headers, self.size):
                raise Changed
        else:
            self.forget()
            self._card(lambda: self._create(name))
        self._card(lambda: self._room(_length(headers)))
        self._write(more, bool(version))
        if status == 206 and self.size != _total(headers):
            self.kept = -1
            raise ToolFault(f"{self._spot.shown} came in a length that its server did not announce", "ask again")
        return self._card(self._finish)

    def _card(self, act: Callable[[], T]) -> T:
        """What `act` brings; what the system says against it becomes a sentence."""
        try:
            return act()
        except Refused:
            raise
        except OSError as error:
            raise ToolFault(f"{self._spot.shown} cannot be written: {said(error)}", "nothing was changed") from error

    # --- the part ---

    def _look(self) -> None:
        self._old = standing(self._spot) is not None
        for name in sorted(os.listdir(self._spot.folder)):
            if name.startswith(self._name) and name.endswith((".part", ".run")):
                self._found(name)

    def _found(self, name: str) -> None:
        """A part that is there: one of the same source is taken up, any other goes."""
        opened = self._locked(name)
        if self._file >= 0 or not name.startswith(self._name + self._source):
            self._remove(name)
            os.close(opened)
            return
        self._file, self._temp = opened, name
        self.size = os.fstat(opened).st_size
        if name.endswith(".run"):
            self.size -= self.size % STRIDE
            os.ftruncate(opened, self.size)
        if not self.size:
            self._drop()

    def _create(self, name: str) -> None:
        self._temp = name + ".run"
        self._file = self._locked(self._temp)
        os.ftruncate(self._file, 0)
        self._sum = _sum()

    def _locked(self, name: str) -> int:
        """A part, opened and locked. ToolFault when another call has it, or something else has its name."""
        import fcntl

        shown = self._spot.shown
        # A new file gets what the umask gives; in the place of a closed one it is closed from the beginning.
        opened = os.open(name, _OPEN, 0o600 if self._old else 0o666, dir_fd=self._spot.folder)
        try:
            status = os.fstat(opened)
            if status.st_mode & 0o170000 != 0o100000 or status.st_nlink != 1 or status.st_uid != os.geteuid():
                raise ToolFault(f"what is called as a part of {shown} is none: {name}", "remove it")
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(opened)
            raise ToolFault(f"{shown} is being fetched by another call", "wait for its end") from error
        except (ToolFault, OSError):
            os.close(opened)
            raise
        return opened

    def _remove(self, name: str) -> None:
        from contextlib import suppress

        with suppress(OSError):  # a folder of that name, or gone already: nothing of ours
            os.unlink(name, dir_fd=self._spot.folder)

    def _drop(self) -> None:
        if self._file >= 0:
            self._remove(self._temp)
            os.close(self._file)
            self._file = -1
        self.size = 0

    def _leave(self) -> None:
        if self._done:
            return
        if not self.size or self.kept < 0:
            self._remove(self._temp)
            self.kept = 0
            return
        os.ftruncate(self._file, self.size)
        os.fsync(self._file)
        if self._temp.endswith(".run"):
            self._rename(self._temp[:-4] + ".part")
        self.kept = self.size

    def _rename(self, name: str) -> None:
        folder = self._spot.folder
        os.rename(self._temp, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
        self._temp = name

    # --- what comes ---

    def _room(self, length: int) -> None:
        """ToolFault, and nothing is kept, when there is or will be too much (rule 3)."""
        shown = self._spot.shown
        free = os.fstatvfs(self._spot.folder)
        left = free.f_bavail * free.f_frsize - FREE
        if self.size + length > MOST:
            what = f"{shown} would have {self.size + length:,} bytes; at most {MOST:,} are saved"
        elif left < length:
            beyond = f"{max(0, left):,} beyond the {FREE:,} that stay free"
            what = f"{shown} needs {length:,} bytes more; the card has {beyond}"
        else:
            return
        self.kept = -1
        raise ToolFault(what, "nothing was changed")

    def _write(self, more: More, again: bool) -> None:
        """All that comes, onto the card. Without `again` a part is worth nothing when it breaks off."""
        self.kept = 0 if again else -1
        self._card(self._begin)
        while True:
            piece = more(min(PIECE, STRIDE - self.size % STRIDE))
            if not piece:
                return
            self._late()
            self._card(lambda: self._append(piece))  # noqa: B023 (called before the next turn)
            if not self.size % STRIDE:
                self._card(lambda: self._room(0))

    def _begin(self) -> None:
        if self._temp.endswith(".part"):
            os.fsync(self._file)
            self._rename(self._temp[:-5] + ".run")
        os.lseek(self._file, self.size, os.SEEK_SET)

    def _append(self, piece: bytes) -> None:
        view = memoryview(piece)
        while view:
            view = view[os.write(self._file, view) :]
        if not self.begun:
            self._sum.update(piece)
        self.size += len(piece)
        if not self.size % STRIDE:
            os.fdatasync(self._file)

    def _finish(self) -> Mapping[str, Any]:
        was = adopt(self._spot, self._temp, self._file)
        self._done = True
        return {
            "path": self._spot.shown,
            "bytes": self.size,
            "sha256": self._digest(),
            "resumed": self.begun,
            "was": was,
        }

    def _digest(self) -> str:
        """The sum of all of it. What was there before is read again, "" when there is no time for that (rule 6)."""
        if not self.begun:
            digest: str = self._sum.hexdigest()
            return digest
        whole, at = _sum(), 0
        while at < self.size:
            try:
                self._late()
                block = os.pread(self._file, PIECE, at)
            except (ToolFault, OSError):
                return ""
            if not block:
                return ""
            whole.update(block)
            at += len(block)
        digest = whole.hexdigest()
        return digest


def _sum() -> Any:
    from hashlib import sha256

    return sha256()


def _short(text: str) -> str:
    """16 hexadecimal digits that stand for a text."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _version(headers: Mapping[str, str]) -> str:
    """What tells this version from every other, "" when nothing does (rule 1)."""
    coding = headers.get("content-encoding", "").strip().lower()
    tag = headers.get("etag", "").strip()
    if tag.startswith('"'):
        return f"{tag} {coding}"
    changed, now = _time(headers.get("last-modified", "")), _time(headers.get("date", ""))
    return f"{changed} {coding}" if changed and now - changed >= _MINUTE else ""


def _time(text: str) -> int:
    """Seconds since 1970 of an HTTP date (RFC 9110 section 5.6.7); 0 for none."""
    from email.utils import mktime_tz, parsedate_tz

    found = parsedate_tz(text)
    try:
        return int(mktime_tz(found)) if found else 0
    except (ValueError, OverflowError):
        return 0


def _length(headers: Mapping[str, str]) -> int:
    """Bytes that an answer announces; 0 when it does not."""
    return max(0, _number(headers.get("content-length", "")))


def _goes_on(headers: Mapping[str, str], size: int) -> bool:
    """True when an answer begins where `size` bytes end and goes to the end (RFC 9110 section 14.4)."""
    unit, _, rest = headers.get("content-range", "").partition(" ")
    first, _, last = rest.partition("/")[0].partition("-")
    return unit == "bytes" and _number(first) == size and 0 < _number(last) + 1 == _total(headers)


def _total(headers: Mapping[str, str]) -> int:
    """The length of all of it that an answer with a part names; -1 when it does not."""
    return _number(headers.get("content-range", "").rpartition("/")[2])


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
