"""QEMU's side of vhost-user, as far as a guest with one driver needs it: memory, rings, requests and their answers."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hil.vhost import messages
from hil.vhost.server import Server
from hil.vhost.session import Device

GUEST, USER, LENGTH = 0x40000000, 0x7F0000000000, 1 << 20
ENTRIES = 8
RING, BUFFERS = 0x4000, 0x40000  # bytes for a ring; where buffers begin
SECONDS = 60.0
NEXT, WRITE, INDIRECT = 1, 2, 4


def told(kind: int, payload: bytes = b"", flags: int = 1) -> bytes:
    return struct.pack("<III", kind, flags, len(payload)) + payload


class Frontend:
    """Connected, with memory shared and all queues running. Files are pipes, for which every Python has a call."""

    def __init__(self, path: Path, queues: int = 1) -> None:
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.link.settimeout(SECONDS)
        self.link.connect(str(path))
        self.file = os.memfd_create("guest")
        os.ftruncate(self.file, LENGTH)
        self.memory = mmap.mmap(self.file, LENGTH)
        self.kicks = [os.pipe() for _ in range(queues)]
        self.calls = [os.pipe() for _ in range(queues)]
        self.seen = [0] * queues
        self.offered = [0] * queues
        self.say(messages.SET_MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, GUEST, LENGTH, USER, 0), [self.file])
        for queue in range(queues):
            self.start(queue)

    def say(self, kind: int, payload: bytes = b"", files: Sequence[int] = ()) -> None:
        socket.send_fds(self.link, [told(kind, payload)], list(files))

    def ask(self, kind: int, payload: bytes = b"") -> bytes:
        """The payload of the answer."""
        self.say(kind, payload)
        said, _, size = struct.unpack("<III", self._exactly(12))
        assert said == kind
        return self._exactly(size)

    def start(self, queue: int, base: int = 0) -> None:
        at = USER + queue * RING
        self.say(messages.SET_VRING_NUM, struct.pack("<II", queue, ENTRIES))
        self.say(messages.SET_VRING_BASE, struct.pack("<II", queue, base))
        self.say(messages.SET_VRING_ADDR, struct.pack("<IIQQQQ", queue, 0, at, at + 0x2000, at + 0x1000, 0))
        self.say(messages.SET_VRING_CALL, struct.pack("<Q", queue), [self.calls[queue][1]])
        self.say(messages.SET_VRING_KICK, struct.pack("<Q", queue), [self.kicks[queue][0]])
        self.say(messages.SET_VRING_ENABLE, struct.pack("<II", queue, 1))

    def offer(self, queue: int, data: bytes, room: int, indirect: bool = False, kick: bool = True) -> int:
        """Put a request into the ring and kick; where its answer will be."""
        slot = self.offered[queue] % (ENTRIES // 2)
        buffer = BUFFERS + queue * 0x20000 + slot * 0x4000
        self.memory[buffer : buffer + len(data)] = data
        self.memory[buffer + 0x1000 : buffer + 0x1000 + room] = b"\xee" * room
        parts = [(GUEST + buffer, len(data), NEXT, 1), (GUEST + buffer + 0x1000, room, WRITE, 0)]
        if indirect:
            self.memory[buffer + 0x3000 : buffer + 0x3020] = b"".join(struct.pack("<QIHH", *part) for part in parts)
            self.part(queue, slot * 2, GUEST + buffer + 0x3000, 32, INDIRECT, 0)
        else:
            for at, (address, length, flags, _) in enumerate(parts):
                self.part(queue, slot * 2 + at, address, length, flags, slot * 2 + 1)
        self.put(queue, slot * 2, kick)
        return buffer + 0x1000

    def part(self, queue: int, at: int, address: int, length: int, flags: int, following: int) -> None:
        place = queue * RING + at * 16
        self.memory[place : place + 16] = struct.pack("<QIHH", address, length, flags, following)

    def put(self, queue: int, head: int, kick: bool = True) -> None:
        ring = queue * RING + 0x1000
        place = ring + 4 + self.offered[queue] % ENTRIES * 2
        self.memory[place : place + 2] = struct.pack("<H", head)
        self.offered[queue] += 1
        self.memory[ring + 2 : ring + 4] = struct.pack("<H", self.offered[queue] & 0xFFFF)
        if kick:
            os.write(self.kicks[queue][1], bytes(8))

    def answered(self, queue: int, seconds: float = SECONDS) -> int:
        """How many bytes the next answer has, waited for; -1 when none comes."""
        ring = queue * RING + 0x2000
        end = time.monotonic() + seconds
        while struct.unpack("<H", self.memory[ring + 2 : ring + 4])[0] == self.seen[queue] & 0xFFFF:
            if time.monotonic() > end:
                return -1
            select.select([self.calls[queue][0]], [], [], 0.05)
        place = ring + 4 + self.seen[queue] % ENTRIES * 8
        self.seen[queue] += 1
        length: int = struct.unpack("<II", self.memory[place : place + 8])[1]
        return length

    def request(self, queue: int, data: bytes, room: int, indirect: bool = False) -> bytes:
        """The answer to a request."""
        place = self.offer(queue, data, room, indirect)
        length = self.answered(queue)
        assert length >= 0, "no answer came"
        return self.memory[place : place + length]

    def gone(self) -> bool:
        """Whether the other side hangs up."""
        try:
            return not self.link.recv(1)
        except ConnectionError:
            return True

    def close(self) -> None:
        self.link.close()
        self.memory.close()
        for pair in (*self.kicks, *self.calls):
            for file in pair:
                os.close(file)
        os.close(self.file)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.link.recv(size - len(data))
            assert piece, "the other side hung up"
            data += piece
        return data


@contextlib.contextmanager
def talking(folder: Path, device: Device) -> Iterator[tuple[Frontend, Server]]:
    """A device behind its socket, and a guest's front end at it."""
    with Server(folder / "far", device) as server:
        front = Frontend(server.path, device.queues)
        try:
            yield front, server
        finally:
            front.close()
