"""One conversation with QEMU: its messages, and the queues that they set up for a device.

Rules:
1. A message changes the state or is refused by a HardwareFault, which ends the conversation; nothing is half done.
2. A ring runs between its kick file and GET_VRING_BASE, while it is enabled (VHOST_USER_F_PROTOCOL_FEATURES: it begins
   disabled). What was offered before is looked for when it begins.
3. Every request of the guest goes to the device in the order of its ring; what the device holds back it answers later.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import threading
from typing import Protocol

from edge.faults import HardwareFault
from hil.vhost import memory, messages
from hil.vhost.messages import Message
from hil.vhost.queues import MOST, Request, Ring

VERSION_1, HAS_PROTOCOL, OWN_TABLES = 1 << 32, 1 << 30, 1 << 28
REPLY_ACK, CONFIG = 1 << 3, 1 << 9
NO_FILE, INDEX = 0x100, 0xFF
_FILED = (messages.SET_MEM_TABLE, messages.SET_VRING_KICK, messages.SET_VRING_CALL)


class Device(Protocol):
    """What the guest finds. `features`: of its kind; `queues`: how many it has."""

    features: int
    queues: int

    def config(self) -> bytes:
        """Its configuration space, b"" when it has none."""

    def reset(self) -> None:
        """The guest let go of it: everything the guest had set is as at power-on."""

    def take(self, queue: int, request: Request) -> None:
        """A request of the guest, answered now or later."""


class Session:
    """`run` until QEMU is gone or `stop` (a file) becomes readable."""

    def __init__(self, link: socket.socket, device: Device) -> None:
        self._link, self._device = link, device
        self._lock = threading.RLock()
        self._memory = memory.Memory()
        self._rings = [Ring(self._memory, self._lock) for _ in range(device.queues)]
        self._acts = {
            messages.GET_FEATURES: self._features,
            messages.SET_MEM_TABLE: self._table,
            messages.SET_VRING_NUM: self._size,
            messages.SET_VRING_ADDR: self._address,
            messages.SET_VRING_BASE: self._base,
            messages.GET_VRING_BASE: self._stop,
            messages.SET_VRING_KICK: self._kick,
            messages.SET_VRING_CALL: self._call,
            messages.SET_VRING_ENABLE: self._enable,
            messages.GET_PROTOCOL_FEATURES: self._protocol,
            messages.GET_QUEUE_NUM: self._queues,
            messages.GET_CONFIG: self._config,
        }

    def run(self, stop: int) -> None:
        try:
            while self._turn(stop):
                pass
        finally:
            self._close()

    def _turn(self, stop: int) -> bool:
        """What came, a message or the guest's kicks; False when it is over."""
        kicks = [ring.kick for ring in self._rings if ring.live]
        ready, _, _ = select.select([stop, self._link, *kicks], [], [])
        if stop in ready or (self._link in ready and not self._message()):
            return False
        for number, ring in enumerate(self._rings):
            if ring.live and ring.kick in ready:
                ring.hear()
                self._serve(number)
        return True

    def _message(self) -> bool:
        told = messages.receive(self._link)
        if told is None:
            return False
        if told.kind not in _FILED:
            messages.close(told.files)
        act = self._acts.get(told.kind)  # what is not there changes nothing here: features that were taken, the owner
        with self._lock:
            answer = act(told) if act else None
        if told.kind == messages.GET_VRING_BASE:
            self._device.reset()
        if told.kind in (messages.SET_VRING_KICK, messages.SET_VRING_ENABLE):
            self._begun()
        if answer is None and told.wants:
            answer = struct.pack("<Q", 0)
        if answer is not None:
            self._say(told.kind, answer)
        return True

    def _say(self, kind: int, answer: bytes) -> None:
        try:
            self._link.sendall(messages.pack(kind, answer))
        except OSError as error:
            raise HardwareFault(f"QEMU takes no answer any more: {error}") from error

    def _begun(self) -> None:
        """Rule 2: what was offered before a ring began."""
        for number in range(len(self._rings)):
            self._serve(number)

    def _serve(self, number: int) -> None:
        """All that the guest has offered, which hears of the answers at the end."""
        ring = self._rings[number]
        with self._lock:
            requests = list(ring.requests())
        with ring.together():
            for request in requests:
                self._device.take(number, request)

    def _close(self) -> None:
        with self._lock:
            for ring in self._rings:
                ring.stop()
            self._memory.close()
        self._device.reset()

    # --- what QEMU says; an answer is bytes, None is none ---

    def _features(self, _told: Message) -> bytes:
        return struct.pack("<Q", VERSION_1 | HAS_PROTOCOL | OWN_TABLES | self._device.features)

    def _protocol(self, _told: Message) -> bytes:
        return struct.pack("<Q", REPLY_ACK | (CONFIG if self._device.config() else 0))

    def _queues(self, _told: Message) -> bytes:
        return struct.pack("<Q", self._device.queues)

    def _config(self, told: Message) -> bytes:
        place, size, flags = told.fields("III")
        known = self._device.config()[place : place + size]
        return struct.pack("<III", place, size, flags) + known.ljust(min(size, messages.LARGEST), b"\0")

    def _table(self, told: Message) -> None:
        self._memory.take(memory.mapped(told))

    def _size(self, told: Message) -> None:
        index, count = told.fields("II")
        if not 0 < count <= MOST:
            raise HardwareFault(f"QEMU wants a ring of {count} entries")
        self._ring(index).size = count

    def _address(self, told: Message) -> None:
        index, _flags, tables, used, offered = told.fields("IIQQQ")
        places = (self._memory.of_user(address) for address in (tables, used, offered))
        self._ring(index).place(*places)

    def _base(self, told: Message) -> None:
        index, base = told.fields("II")
        self._ring(index).next = base & 0xFFFF

    def _stop(self, told: Message) -> bytes:
        (index,) = told.fields("I")
        ring = self._ring(index)
        ring.stop()
        return struct.pack("<II", index, ring.next)

    def _kick(self, told: Message) -> None:
        ring, file = self._filed(told)
        ring.kick = _instead(ring.kick, file)

    def _call(self, told: Message) -> None:
        ring, file = self._filed(told)
        ring.call = _instead(ring.call, file)

    def _enable(self, told: Message) -> None:
        index, on = told.fields("II")
        self._ring(index).enabled = bool(on)

    def _ring(self, index: int) -> Ring:
        if index >= len(self._rings):
            raise HardwareFault(f"QEMU names queue {index}, the device has {len(self._rings)}")
        return self._rings[index]

    def _filed(self, told: Message) -> tuple[Ring, int]:
        """The ring and the file of a message that brings one, or -1."""
        try:
            (word,) = told.fields("Q")
            if len(told.files) != (0 if word & NO_FILE else 1):
                raise HardwareFault(f"a vhost-user message of kind {told.kind} came with {len(told.files)} files")
            return self._ring(word & INDEX), (*told.files, -1)[0]
        except HardwareFault:
            messages.close(told.files)
            raise


def _instead(old: int, new: int) -> int:
    """A file in place of another. It never makes us wait: who gave it may not read it."""
    if old >= 0:
        os.close(old)
    if new >= 0:
        os.set_blocking(new, False)
    return new
