"""What a job in the background wrote: bounded, readable from any character on, as often as wanted.

Rules:
1. Bytes become characters as they come, each stream for itself: what is cut off at the border of two reads waits for
   its rest, what is no UTF-8 becomes U+FFFD. Offsets count these characters, over all that was ever written.
2. Of all that came the first HEAD bytes and the newest TAIL bytes are kept. What is between them is counted, and a read
   from there goes on where there is something again and says so.
3. Only the head goes to a file, and only when it outgrows MEMORY: a flood cannot wear the card. The file has no name:
   it ends with the process, however that ends. At the end of the job the tail goes there too.
4. A file that takes no more is no failure: from then on it is as if the head were full. So it is when less than FREE
   bytes of the card would be left: the record of the agent is on the same card.
"""

from __future__ import annotations

import _thread
import codecs
import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    Data = Union[bytes, bytearray]

HEAD = 8 << 20  # bytes
TAIL = 512 << 10
MEMORY = 64 << 10
FREE = 8 << 20  # bytes
STEP = 32 << 10  # bytes between two places of the head whose characters are counted


class Piece:
    """A part of what was written: `text`, its first character `start` and the one after it `end`.

    `left_out`: so many characters before it were asked for and are not kept.
    """

    __slots__ = ("end", "left_out", "start", "text")

    def __init__(self, text: str, start: int, left_out: int) -> None:
        self.text = text
        self.start = start
        self.end = start + len(text)
        self.left_out = left_out


class Spool:
    """`folder`: where the file is made, "" for none. `length`: characters so far. Threads may share it."""

    def __init__(self, folder: str, head: int = HEAD, tail: int = TAIL) -> None:
        self.length = 0
        self._folder = folder
        self._most, self._newest = head, tail
        self._file = -1
        self._memory = bytearray()  # the head, while it has no file
        self._bytes, self._letters = 0, 0  # of the head
        self._places: tuple[list[int], list[int]] = ([0], [0])  # letters and bytes of the head, about every STEP
        self._full = False
        self._tail = bytearray()
        self._tail_start = 0
        self._tail_size = 0  # in the file, once the job is over
        self._rest = [b"", b""]
        self._lock: Any = _thread.allocate_lock()

    def add(self, stream: int, block: bytes, last: bool = False) -> None:
        """More from stream 0 or 1; `last`: nothing comes after it."""
        with self._lock:
            block = self._rest[stream] + block
            text, used = codecs.utf_8_decode(block, "replace", last)
            self._rest[stream] = block[used:]
            if text:
                self.length += len(text)
                self._keep(text.encode(), len(text))

    def _keep(self, data: bytes, letters: int) -> None:
        if not self._full:
            fits = _border(data, self._most - self._bytes)
            head = data[:fits]
            if head and self._stored(head):
                self._bytes += fits
                self._letters += letters if fits == len(data) else len(head.decode())
                if self._bytes - self._places[1][-1] >= STEP:
                    self._places[0].append(self._letters)
                    self._places[1].append(self._bytes)
                data = data[fits:]
            self._full = bool(data)
            self._tail_start = self._letters
        self._tail += data
        if len(self._tail) > self._newest + MEMORY:
            over = _border(self._tail, len(self._tail) - self._newest)
            self._tail_start += len(self._tail[:over].decode())
            del self._tail[:over]

    def _stored(self, data: bytes) -> bool:
        """Put more behind the head; False when there is no place for it (rule 4)."""
        if self._file < 0 and len(self._memory) + len(data) <= MEMORY:
            self._memory += data
            return True
        try:
            if self._file < 0:
                self._open()
            _spare(self._file, len(data))
            _write(self._file, data, self._bytes)
        except OSError:
            return False
        return True

    def _open(self) -> None:
        """Move the head from memory to a file. OSError, and it stays in memory."""
        made = _nameless(self._folder)
        try:
            _spare(made, len(self._memory))
            _write(made, self._memory, 0)
        except OSError:
            os.close(made)
            raise
        self._file, self._memory = made, bytearray()

    def finish(self) -> None:
        """Nothing more comes: what waits for its rest is written out, and the tail leaves the memory."""
        for stream in (0, 1):
            self.add(stream, b"", True)
        with self._lock:
            if self._tail and self._file >= 0:
                try:
                    _spare(self._file, len(self._tail))
                    _write(self._file, self._tail, self._bytes)
                except OSError:
                    return  # it stays in memory
                self._tail_size, self._tail = len(self._tail), bytearray()

    def close(self) -> None:
        """Let everything go; what is read afterwards is empty."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
            self._file, self.length, self._letters = -1, 0, 0
            self._memory, self._tail = bytearray(), bytearray()

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._bytes + len(self._tail) + self._tail_size

    @property
    def left_out(self) -> int:
        """How many characters are kept no more."""
        return self._tail_start - self._letters

    def read(self, offset: int, limit: int) -> Piece:
        """At most `limit` characters from `offset` on, which is brought into 0..length."""
        with self._lock:
            at = min(max(offset, 0), self.length)
            text = self._head(at, limit) if at < self._letters else ""
            left_out = max(0, self._tail_start - at) if self._full and not text and limit > 0 else 0
            start = at + left_out
            after = start + len(text)
            if self._full and len(text) < limit and after >= self._tail_start:
                text += self._newer(after - self._tail_start, limit - len(text))
            return Piece(text, start, left_out)

    def _head(self, at: int, limit: int) -> str:
        from bisect import bisect_right

        place = bisect_right(self._places[0], at) - 1
        skip, start = at - self._places[0][place], self._places[1][place]
        most = min(self._bytes - start, 4 * (skip + limit))  # no character is longer than 4 bytes
        raw = self._memory[start : start + most] if self._file < 0 else os.pread(self._file, most, start)
        return raw.decode("utf-8", "ignore")[skip : skip + limit]

    def _newer(self, skip: int, limit: int) -> str:
        raw: Data = self._tail
        if self._tail_size:
            raw = os.pread(self._file, self._tail_size, self._bytes)
        return raw.decode("utf-8", "ignore")[skip : skip + limit]


def _border(data: Data, most: int) -> int:
    """Where to cut valid UTF-8 so that at most `most` bytes come before and no character breaks."""
    if most >= len(data):
        return len(data)
    while most > 0 and data[most] & 0xC0 == 0x80:
        most -= 1
    return max(most, 0)


def _nameless(folder: str) -> int:
    """A new file that no name leads to. OSError where none can be made."""
    if not folder:
        raise OSError("there is no folder for it")
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:  # not every file system can
        path = f"{folder}/.spool-{os.urandom(8).hex()}"
        made = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        os.unlink(path)
        return made


def _spare(file: int, size: int) -> None:
    """OSError when FREE bytes of the card would not stay free behind `size` more."""
    free = os.fstatvfs(file)
    if free.f_bavail * free.f_frsize - size < FREE:
        raise OSError(errno.ENOSPC, "the card is nearly full")


def _write(file: int, data: Data, at: int) -> None:
    view = memoryview(data)
    while view:
        done = os.pwrite(file, view, at)
        view, at = view[done:], at + done
