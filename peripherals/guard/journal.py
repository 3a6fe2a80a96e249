"""The board's own record: what each output did, written by the process that did it.

Rules this file keeps:
1. One JSON line per transition: board (s), wall (s since 1970, a hint: the clock may be wrong), name, state, level (0
   to 1), why, call (its id; unique within its run), run (what its owner called its run: the tape; not there when it has
   no name), kind (not there of a transition: fault, cleared, override), and of a real board boot (what names this boot
   of the machine). Board time of a real board is the monotonic clock: within one boot it orders everything, and counts.
2. `add` writes at once, so that a reader sees it; `sync` puts it on the card and is called after replies are out. A
   card may take seconds for that, and a write then waits for what others put there: `aside`, threads wait for both, and
   whoever keeps leases waits PATIENCE for a line and no longer.
3. Bounded: a record over LIMIT bytes becomes `<name>.1` (the one before is dropped) and a new one begins.
4. A card that is full or gone never stops the guard. `trouble` is the sentence to show, and each line is tried anew.
5. A torn last line stays torn: the next one begins on a line of its own, and readers leave out what they cannot read.
"""

from __future__ import annotations

import posix as os

from edge.peripherals.guard import line
from edge.peripherals.guard.aside import Aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from edge.peripherals.guard.protocol import Transition

NAME = "board.jsonl"
LIMIT = 256 * 1024
PATIENCE = 0.02  # seconds: less than what is forgiven of any deadline
KIND, PLAIN = 0o170000, 0o100000  # of a file, in its mode (inode(7))
TAIL = 16 * 1024
FIELDS = {"board": (int, float), "name": (str,), "state": (bool,), "why": (str,), "call": (str,)}


class Journal:
    """Appends to `<folder>/board.jsonl`; an empty folder name keeps nothing. `boot`, `aside`: rules 1 and 2."""

    def __init__(self, folder: str, boot: str = "", limit: int = LIMIT, aside: bool = False) -> None:
        self.path = f"{folder}/{NAME}" if folder else ""
        self.boot = boot
        self.limit = limit
        self.trouble = ""
        self._fd = -1
        self._size = 0
        self._torn = False
        self._dirty = self._new = False
        self._aside, self._busy = Aside() if aside else None, False

    def add(self, note: Transition, wall: float) -> None:
        """Write one transition."""
        if not self.path:
            return
        fields = {"board": round(note.at, 3), "wall": round(wall, 3), "name": note.name, "state": note.state}
        if note.level is not None:
            fields["level"] = round(note.level, 4)
        fields.update(why=note.why, call=note.call)
        more = {"run": note.owner, "kind": note.kind, "boot": self.boot}
        fields.update({name: value for name, value in more.items() if value})
        text = line.write(fields).encode("ascii") + b"\n"
        if self._aside is None:
            self._add(text)
        elif not self._aside.give(lambda: self._add(text), PATIENCE):
            self.trouble = f"the board's record {self.path} takes nothing any more: lines are lost"

    def _add(self, text: bytes) -> None:
        try:
            self._write(text)
            self.trouble = ""
        except OSError as error:
            self.trouble = f"the board's record {self.path} cannot be written: {error.strerror}"

    def sync(self) -> None:
        """Put what was added on the card, or have that done. What comes meanwhile is for the next call."""
        if not self._dirty or self._busy:
            return
        self._dirty = False
        if self._aside is not None and self._started():
            return
        self._put(self._fd)

    def close(self) -> None:
        """Put on the card what is not there yet, waiting for it, and close the record."""
        if self._aside is not None:
            self._aside.wait()
        if self._dirty:
            self._dirty = False
            self._put(self._fd)
        self._let_go()

    def _let_go(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _started(self) -> bool:
        """Have a thread put it on the card; False when there can be none."""
        from _thread import start_new_thread

        try:
            fd = os.dup(self._fd)
        except OSError:
            return False
        self._busy = True
        try:
            start_new_thread(self._put_aside, (fd,))
        except RuntimeError:
            os.close(fd)
            self._busy = False
        return self._busy

    def _put_aside(self, fd: int) -> None:
        try:
            self._put(fd)
        finally:
            os.close(fd)
            self._busy = False

    def _put(self, fd: int) -> None:
        try:
            os.fsync(fd)
            if self._new:
                self._new = False
                sync_folder(self.path.rpartition("/")[0])
        except OSError as error:
            self.trouble = f"the board's record {self.path} cannot be put on the card: {error.strerror}"

    def _write(self, text: bytes) -> None:
        if self._fd >= 0 and self._size + len(text) > self.limit:
            self._dirty = False
            self._put(self._fd)
            self._let_go()
            os.replace(self.path, self.path + ".1")
        if self._fd < 0:
            self._open()
        if self._torn:
            text = b"\n" + text
        self._dirty = True
        written = os.write(self._fd, text)
        self._dirty = True  # a `sync` that came while this one waited did not have it
        self._size += written
        self._torn = written != len(text)
        if self._torn:
            raise OSError(28, "the card is full")

    def _open(self) -> None:
        """Open for appending; a new file's name is put on the card with what is in it."""
        from edge.peripherals.guard.folder import SURE

        self._fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | SURE, 0o600)
        found = os.fstat(self._fd)
        if found.st_mode & KIND != PLAIN:
            self._let_go()
            raise OSError(22, "it is no plain file")
        self._size = found.st_size
        self._torn = self._size > 0 and os.pread(self._fd, 1, self._size - 1) != b"\n"
        self._new = self._new or not self._size


def sync_folder(path: str) -> None:
    """Put the names in a folder on the card."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def last(folder: str, count: int) -> list[dict[str, Any]]:
    """The last `count` transitions kept in `folder`, oldest first; fewer when there are fewer. `run` may be "".

    Reads at most the last 16 KiB of the record and of the one before it. Lines that cannot be read are left out.
    """
    found: list[dict[str, Any]] = []
    for name in (NAME, NAME + ".1"):
        if len(found) < count:
            found = _lines(f"{folder}/{name}")[-(count - len(found)) :] + found
    return found


def _lines(path: str) -> list[dict[str, Any]]:
    return list(read(tail(path, TAIL)))


def read(data: bytes, names: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """The transitions in a piece of a record, one by one; of these names only when there are some."""
    wanted = [line.write({"name": name})[1:-1].encode("ascii") for name in names]
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) % (len(data) + 1)  # -1, none: the end of all
        text, at = data[at:end], end + 1
        if wanted and not any(name in text for name in wanted):
            continue
        try:
            fields = line.read(text.decode("ascii", "replace"))
        except ValueError:
            continue  # rule 5: a torn line, or the half of one at the start of the tail
        if isinstance(fields, dict) and all(type(fields.get(name)) in types for name, types in FIELDS.items()):
            fields["run"] = run if isinstance(run := fields.get("run"), str) else ""
            if not wanted or fields["name"] in names:
                yield fields


def tail(path: str, most: int) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return b""
    try:
        size = os.fstat(fd).st_size
        return os.pread(fd, most, max(0, size - most))
    finally:
        os.close(fd)
