"""The file of what is remembered: one entry, one line, and the truth about it.

    {"memory":1,"gen":"5f0c9a1e77b2","next":"000000000001","crc":"5c2f10aa"}
    {"n":1,"key":"boiler","category":"core","at":1700000000.123,"source":"","content":"...","crc":"90ab12cd"}

Rules:
1. The last line with a key is its entry; those before it are older versions. A line is whole or it is none: `crc` is
   CRC-32 over the bytes before its own member.
2. A new line is on the card before it is told that it is stored. A write that failed is cut off again.
3. What a power cut left of a line at the end is cut off before the next one, and kept aside in `memory.torn-N`.
4. The file is made, and made shorter, by writing another one and renaming it: at any instant one of both is there,
   whole. Each of them has a `gen` of its own; numbers go on.
5. All is done under a lock between processes and threads, on a file beside it that is never replaced.
6. File and folder are for their owner alone. A file that is newer than this version knows is left alone.
"""

from __future__ import annotations

import os
from binascii import crc32

from edge.compact import decoder, encoders
from edge.faults import ToolFault
from edge.tape import disk as disks
from edge.tape.audit_log import set_aside
from edge.tape.disk import Disk, cannot
from edge.tape.form import BLOCK, backward
from edge.tape.memory_words import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

LINE = 1 << 20  # bytes; no entry comes near
NAME = "memory.jsonl"
WAITS = 10.0  # seconds for another process that is busy with it
_MARK = len(b',"crc":"00000000"}')
_VERSION = 1
_reader: list[Callable[[str], Any]] = []  # made at the first line, and kept


def encode(fields: dict[str, Any]) -> bytes:
    """One line with its checksum and newline."""
    parts, _ = encoders()
    body = "".join(parts(fields, 0))[:-1].encode("utf-8", "backslashreplace")
    return b'%s,"crc":"%08x"}\n' % (body, crc32(body))


def line_of(entry: Entry) -> bytes:
    """The line of an entry; its key stands second, so that it is found by its bytes (`key_mark`)."""
    return encode(
        {
            "n": entry.n,
            "key": entry.key,
            "category": entry.category,
            "at": round(entry.at, 3),
            "source": entry.source,
            "content": entry.content,
        }
    )


def key_mark(key: str) -> bytes:
    """The bytes that stand in every line with this key and in no other: inside a text a quote has a backslash."""
    _, quoted = encoders()
    return b',"key":' + quoted(key).encode("utf-8", "backslashreplace") + b',"category":'


def whole(line: bytes) -> bool:
    """True when a line, without its newline, is as it was written."""
    return line[-_MARK:] == b',"crc":"%08x"}' % crc32(line[:-_MARK])


def decode(line: bytes) -> dict[str, Any] | None:
    """What a line says, without its newline; None when it is damaged."""
    if not whole(line):
        return None
    try:
        found = (_reader or _read())[0](line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _read() -> list[Callable[[str], Any]]:
    _reader.append(decoder())
    return _reader


def entry_of(line: bytes) -> Entry | None:
    """The entry of a line; None when it is damaged or no entry."""
    found = decode(line)
    try:
        return None if found is None else Entry(
            int(found["n"]), str(found["key"]), str(found["content"]), str(found["category"]), float(found["at"]),
            str(found["source"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return None


def trouble(what: str, error: OSError) -> ToolFault:
    """The sentence for what the system refused."""
    fault = cannot(what, error)
    return ToolFault(fault.sentence, fault.fix)


class Book:
    """The file, locked and open. `size`: bytes up to which lines are whole; `gen` is "" when its head is damaged."""

    def __init__(self, disk: Disk, folder: str) -> None:
        self.disk = disk
        self.folder = folder
        self.path = f"{folder}/{NAME}"
        self.gen = ""
        self.size = 0
        self.lock = self.fd = -1
        self._next = 1

    @classmethod
    def open(cls, disk: Disk, folder: str, make: bool) -> Book | None:
        """Open it, for writing if `make`: then it is made or mended. None when there is none. ToolFault."""
        book = cls(disk, folder)
        opened = False
        try:
            opened = book._locked(make) and (book._made() if make else book._readable())
        except OSError as error:
            raise trouble(f"the memory {book.path} cannot be opened", error) from error
        finally:
            if not opened:
                book.close()
        return book if opened else None

    def close(self) -> None:
        for fd in (self.fd, self.lock):
            self._shut(fd)
        self.fd = self.lock = -1

    def _locked(self, make: bool) -> bool:
        """False when nothing was ever stored here."""
        path = f"{self.folder}/lock"
        if make:
            disks.folder(self.disk, self.folder)
        try:
            flags = os.O_RDWR | os.O_CREAT if make else os.O_RDWR
            self.lock = self.disk.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:
            return False
        except OSError:
            if make:
                raise
            self.lock = self.disk.open(path, disks.READER | os.O_NOFOLLOW)  # where nothing can be written
        if not self.disk.hold(self.lock, WAITS):
            raise ToolFault("another process is busy with the memory", "try again in a moment")
        return True

    def _opened(self, flags: int) -> bool:
        try:
            self.fd = self.disk.open(self.path, flags)
        except FileNotFoundError:
            return False
        self.size = self.disk.size(self.fd)
        found = decode(self.read(4096, 0).partition(b"\n")[0]) or {}
        if found.get("memory", 0) != _VERSION and isinstance(found.get("memory"), int):
            raise ToolFault(f"the memory {self.path} is from a newer version of Fieldhand", "update Fieldhand")
        self.gen = str(found.get("gen", ""))
        self._next = int(found["next"]) if str(found.get("next", "")).isdigit() else 1
        return True

    def _readable(self) -> bool:
        """Open for reading: a torn end is passed over. False when there is no file."""
        if not self._opened(disks.READER | os.O_NOFOLLOW):
            return False
        self.size, self._next = self._end()
        return True

    def _made(self) -> bool:
        """Open for writing: made where it is not there, its torn end cut off."""
        self._drop(self.path + ".new")
        if not self._opened(disks.WRITER):
            self._begin(1)
            return True
        end, self._next = self._end()
        if end < self.size:
            set_aside(self.disk, self.fd, self.path, end)
            self.size = end
        if not self.gen:
            self.rewrite(lambda _line: True)
        return True

    def _end(self) -> tuple[int, int]:
        """Where the last whole line ends, and the number of the next entry."""
        for offset, block in backward(self.read, self.size):
            end = block.rfind(b"\n")
            while end >= 0:
                start = block.rfind(b"\n", 0, end) + 1
                found = decode(block[start:end])
                if found is not None:
                    number = found.get("n")
                    return offset + end + 1, max(self._next, number + 1 if isinstance(number, int) else 1)
                end = start - 1
        return self._last()

    def _last(self) -> tuple[int, int]:
        """The same from the front, where the end holds nothing that could be a line."""
        last, number = 0, self._next
        for offset, line in self.lines():
            if whole(line):
                last, entry = offset + len(line) + 1, entry_of(line)
                number = max(number, entry.n + 1 if entry is not None else 1)
        return last, number

    def _begin(self, number: int) -> None:
        """Put a file without entries in the place of what is there."""
        self._next = number
        self.rewrite(lambda _line: False)

    def read(self, count: int, offset: int) -> bytes:
        return disks.whole(self.disk, self.fd, count, offset)

    def line(self, offset: int, length: int) -> bytes:
        """The line there, without its newline; it may be another one than was expected."""
        return self.read(length, offset)

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Offset and bytes of each line from `start` on, without newline; the head is one, damaged ones too."""
        offset, rest = start, b""
        while offset < self.size and (block := self.read(min(BLOCK, self.size - offset), offset)):
            offset += len(block)
            block = rest + block
            at = 0
            while (end := block.find(b"\n", at)) >= 0:
                yield offset - len(block) + at, block[at:end]
                at = end + 1
            rest = block[at:]

    def newest(self) -> Iterator[Entry]:
        """The entries, the newest first, older versions of a key left out."""
        seen: set[str] = set()
        for _, block in backward(self.read, self.size):
            end = block.rfind(b"\n")
            while end >= 0:
                start = block.rfind(b"\n", 0, end) + 1
                entry = entry_of(block[start:end])
                if entry is not None and entry.key not in seen:
                    seen.add(entry.key)
                    yield entry
                end = start - 1

    def find(self, mark: bytes) -> list[tuple[int, int]]:
        """Offset and length, with newline, of each line that holds `mark`."""
        found: list[tuple[int, int]] = []
        for offset, block in backward(self.read, self.size):
            at = block.rfind(mark)
            while at >= 0:
                start = block.rfind(b"\n", 0, at) + 1
                end = block.find(b"\n", at) + 1 or len(block)
                found.append((offset + start, end - start))
                at = block.rfind(mark, 0, start)
        return found[::-1]

    def append(self, entry: Entry) -> Entry:
        """Put an entry on the card, numbered. ToolFault when that fails: then it is not there."""
        entry = Entry(self._next, entry.key, entry.content, entry.category, entry.at, entry.source)
        line = line_of(entry)
        try:
            written = self.disk.write(self.fd, line)
            if written != len(line):
                raise OSError(28, "no space left on device")  # ENOSPC: a card that is nearly full takes a part
            self.disk.fdatasync(self.fd)
        except OSError as error:
            self._cut(error)
            raise trouble("it could not be put on the card, so it is not stored", error) from error
        self.size += written
        self._next += 1
        return entry

    def _cut(self, why: OSError) -> None:
        try:
            self.disk.ftruncate(self.fd, self.size)
        except OSError as error:
            raise trouble(f"storing failed ({why.strerror}), and what of it was written stays", error) from error

    def rewrite(self, keep: Callable[[bytes], bool]) -> list[tuple[int, int]]:
        """Another file with the lines that `keep` wants, in the place of this one (rule 4); what was left out.

        Damaged lines are left out: nobody can say what they hold. OSError: then all is as it was.
        """
        path = self.path + ".new"
        gen = os.urandom(6).hex()
        left: list[tuple[int, int]] = []
        fd = self.disk.open(path, disks.WRITER | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            head = encode({"memory": _VERSION, "gen": gen, "next": f"{self._next:012}"})
            size = self._copy(fd, head, keep, left)
            self.disk.fsync(fd)
            self.disk.rename(path, self.path)
        except OSError:
            self._shut(fd)
            self._drop(path)
            raise
        old, self.fd, self.gen, self.size = self.fd, fd, gen, size
        self._shut(old)
        self.disk.sync_folder(self.folder)
        return left

    def _copy(self, fd: int, head: bytes, keep: Callable[[bytes], bool], left: list[tuple[int, int]]) -> int:
        size, pending = 0, head
        for offset, line in self.lines() if self.fd >= 0 else ():
            if offset == 0 and self.gen:
                continue
            if not whole(line) or not keep(line):
                left.append((offset, len(line) + 1))
                continue
            pending += line + b"\n"
            if len(pending) > BLOCK:
                size, pending = size + self._put(fd, pending), b""
        return size + self._put(fd, pending)

    def _put(self, fd: int, data: bytes) -> int:
        if self.disk.write(fd, data) != len(data):
            raise OSError(28, "no space left on device")
        return len(data)

    def clear_torn(self) -> None:
        """Let go what was kept aside of torn ends. OSError."""
        for name in os.listdir(self.folder):
            if name.startswith("memory.torn-"):
                self._drop(f"{self.folder}/{name}")

    def _shut(self, fd: int) -> None:
        try:
            if fd >= 0:
                self.disk.close(fd)
        except OSError:
            return  # the descriptor is gone all the same (close(2)), and what had to be on the card was synced before

    def _drop(self, path: str) -> None:
        try:
            self.disk.unlink(path)
        except FileNotFoundError:
            return
