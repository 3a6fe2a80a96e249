"""A split virtqueue from the device's side: requests out of the guest's memory, answers into it.

Rules:
1. The guest is not believed: indexes, lengths and the form of a chain are looked at, and what cannot be is a
   HardwareFault. A request has at most LARGEST bytes each way.
2. An answer may be given later, from any thread (an edge of a line). When the ring has stopped meanwhile its requests
   went with it, and the answer is dropped.
3. The guest is interrupted for every answer, wanted or not: to look first would need a barrier that Python has not.
4. The answers to all that was offered by one kick are told together. The I2C driver of Linux 6.1 and 6.12 frees all
   messages of a transfer when it hears that one failed, whether the others came back or not: told one by one, the
   device would write into memory that is somebody else's by now (seen: an oops of kmalloc, stalls).
5. Tables of a request's own (indirect descriptors) are taken: QEMU's rings for I2C have four entries, too few for the
   parts of two messages.

Source: Virtual I/O Device (VIRTIO) 1.2, section 2.7.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from edge.faults import HardwareFault
from hil.vhost.memory import Memory

LARGEST = 1 << 16
MOST = 1024  # entries of a ring
_DESCRIPTOR = struct.Struct("<QIHH")
_NEXT, _WRITE, _INDIRECT = 1, 2, 4
Part = tuple[int, int, int, int]  # address, length, flags, the part that follows


class Request:
    """What the guest asked: `data`, and `room` for an answer."""

    def __init__(self, ring: Ring, head: int, data: bytes, places: list[tuple[int, int]]) -> None:
        self.data = data
        self.room = sum(length for _, length in places)
        self._ring, self._head, self._places = ring, head, places

    def answer(self, data: bytes) -> None:
        """Give it back with `data`, of which no more goes than there is room for."""
        self._ring.give(self._head, self._places, data)


class Ring:
    """One queue. `lock` is the session's: held whenever the guest's memory is used."""

    def __init__(self, memory: Memory, lock: threading.RLock) -> None:
        self._memory, self._lock = memory, lock
        self.size = 0
        self.next = 0
        self.kick = self.call = -1
        self.enabled = False
        self._together, self._ready = False, 0
        self._tables = self._used = self._offered = 0

    def place(self, tables: int, used: int, offered: int) -> None:
        """Where it lies, by the guest's addresses."""
        self._tables, self._used, self._offered = tables, used, offered

    @property
    def live(self) -> bool:
        return self.enabled and self.kick >= 0 and self.size > 0

    def requests(self) -> Iterator[Request]:
        """What the guest has offered and was not yet taken."""
        while self.live and self._waiting():
            head = self._memory.number(self._offered + 4 + 2 * (self.next % self.size), "H")
            self.next = (self.next + 1) & 0xFFFF
            yield self._request(head)

    def give(self, head: int, places: list[tuple[int, int]], data: bytes) -> None:
        with self._lock:
            if not self.live:
                return
            done = self._fill(places, data)
            index = self._memory.number(self._used + 2, "H") + self._ready
            self._memory.write(self._used + 4 + 8 * (index % self.size), struct.pack("<II", head, done))
            self._ready += 1
            if not self._together:
                self._tell()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Rule 4: what is answered meanwhile is told at the end, at once."""
        self._together = True
        try:
            yield
        finally:
            with self._lock:
                self._together = False
                self._tell()

    def _tell(self) -> None:
        if not self.live or not self._ready:
            return
        index = self._memory.number(self._used + 2, "H") + self._ready
        self._memory.write(self._used + 2, struct.pack("<H", index & 0xFFFF))
        self._ready = 0
        if self.call >= 0:
            with suppress(BlockingIOError):  # it is full: the guest was called and did not look yet
                os.write(self.call, struct.pack("<Q", 1))

    def hear(self) -> None:
        """Take the kick away that woke us."""
        if self.live:
            with suppress(BlockingIOError):
                os.read(self.kick, 8)

    def stop(self) -> None:
        """No request is taken or given back any more; the files are closed."""
        for file in {self.kick, self.call} - {-1}:
            os.close(file)
        self.kick = self.call = -1
        self._ready = 0

    def _waiting(self) -> int:
        """How many requests wait; HardwareFault for more than there can be."""
        count = (self._memory.number(self._offered + 2, "H") - self.next) & 0xFFFF
        if count > self.size:
            raise HardwareFault(f"the guest offers {count} requests in a ring of {self.size}")
        return count

    def _request(self, head: int) -> Request:
        data, places, room = b"", [], 0
        for address, length, flags, _ in self._parts(head):
            if flags & _WRITE:
                places.append((address, length))
                room += length
            elif places:
                raise HardwareFault("a request has something to read behind its room")
            else:
                data += self._memory.read(address, min(length, LARGEST + 1))
            if len(data) > LARGEST or room > LARGEST:
                raise HardwareFault(f"a request has more than {LARGEST} bytes")
        return Request(self, head, data, places)

    def _parts(self, head: int) -> Iterator[Part]:
        """The parts of a request: those of the ring's own table, or all in a table of their own."""
        first = self._part(self._tables, self.size, head)
        if not first[2] & _INDIRECT:
            yield from self._chain(self._tables, self.size, head)
        elif first[2] & _NEXT or first[1] % _DESCRIPTOR.size or not 0 < first[1] <= MOST * _DESCRIPTOR.size:
            raise HardwareFault(f"a request has a table of its own of {first[1]} bytes, flags {first[2]:#x}")
        else:
            yield from self._chain(first[0], first[1] // _DESCRIPTOR.size, 0)

    def _chain(self, table: int, size: int, at: int) -> Iterator[Part]:
        for _ in range(size):
            part = self._part(table, size, at)
            if part[2] & _INDIRECT:
                raise HardwareFault("a request has a table inside of its parts")
            yield part
            if not part[2] & _NEXT:
                return
            at = part[3]
        raise HardwareFault(f"a request has more than {size} parts")

    def _part(self, table: int, size: int, at: int) -> Part:
        if at >= size:
            raise HardwareFault(f"a request names part {at} of a table of {size}")
        address, length, flags, following = _DESCRIPTOR.unpack(
            self._memory.read(table + at * _DESCRIPTOR.size, _DESCRIPTOR.size)
        )
        return address, length, flags, following

    def _fill(self, places: list[tuple[int, int]], data: bytes) -> int:
        done = 0
        for address, length in places:
            piece = data[done : done + length]
            self._memory.write(address, piece)
            done += len(piece)
        return done
