"""The messages of vhost-user: what QEMU says of memory and queues, and what is answered.

Rules:
1. A message is a head of 12 bytes and at most LARGEST bytes; files come beside its first byte. What is longer, torn,
   of another version or has more files than MOST_FILES is a HardwareFault, and the files are closed.
2. The first byte is waited for as long as the caller wants, the rest of a message for REST_SECONDS only.
3. Nothing is believed of a payload but its length: `fields` refuses one that does not fit its form.

Source: docs/interop/vhost-user.rst of QEMU.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from contextlib import ExitStack
from typing import Any

from edge.faults import HardwareFault
from edge.record import Record

GET_FEATURES, SET_FEATURES, SET_OWNER, RESET_OWNER, SET_MEM_TABLE = 1, 2, 3, 4, 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE = 8, 9, 10, 11
SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR = 12, 13, 14
GET_PROTOCOL_FEATURES, SET_PROTOCOL_FEATURES, GET_QUEUE_NUM, SET_VRING_ENABLE = 15, 16, 17, 18
GET_CONFIG, SET_CONFIG = 24, 25

LARGEST = 4096
MOST_FILES = 8
REST_SECONDS = 10.0
_HEAD = struct.Struct("<III")
_VERSION, _VERSION_BITS, _REPLY, _WANTS_REPLY = 1, 0x03, 0x04, 0x08


class Message(Record):
    """One message. `wants`: QEMU asked for a word whether it was done. `files`: descriptors, whose owner is who took
    the message."""

    kind: int
    wants: bool
    payload: bytes
    files: tuple[int, ...] = ()

    def fields(self, form: str) -> tuple[Any, ...]:
        """The numbers of the payload's beginning, as struct has them; HardwareFault when it is shorter."""
        if len(self.payload) < struct.calcsize("<" + form):
            raise HardwareFault(f"a vhost-user message of kind {self.kind} has only {len(self.payload)} bytes")
        return struct.unpack_from("<" + form, self.payload)


def receive(link: socket.socket) -> Message | None:
    """The next message, waited for as the link waits; None when the other side is gone between two messages."""
    files: list[int] = []
    with ExitStack() as undo:
        undo.callback(close, files)
        head = _head(link, files)
        if head is None:
            return None
        kind, flags, size = _HEAD.unpack(head)
        if flags & _VERSION_BITS != _VERSION or size > LARGEST or len(files) > MOST_FILES:
            raise HardwareFault(
                f"a vhost-user message of kind {kind} has flags {flags:#x}, {size} bytes, {len(files)} files"
            )
        message = Message(kind, bool(flags & _WANTS_REPLY), _rest(link, size), tuple(files))
        undo.pop_all()
    return message


def pack(kind: int, payload: bytes) -> bytes:
    """The answer to a message of this kind."""
    return _HEAD.pack(kind, _VERSION | _REPLY, len(payload)) + payload


def close(files: list[int] | tuple[int, ...]) -> None:
    for file in files:
        os.close(file)


def _head(link: socket.socket, files: list[int]) -> bytes | None:
    try:
        data, found, _, _ = socket.recv_fds(link, _HEAD.size, MOST_FILES + 1)
    except OSError as error:
        raise HardwareFault(f"the vhost-user socket failed: {error}") from error
    files += found
    return data + _rest(link, _HEAD.size - len(data)) if data else None


def _rest(link: socket.socket, size: int) -> bytes:
    """Exactly so many bytes that were already begun: rule 2."""
    data = b""
    end = time.monotonic() + REST_SECONDS
    try:
        while len(data) < size:
            link.settimeout(max(0.001, end - time.monotonic()))
            piece = link.recv(size - len(data))
            if not piece:
                raise HardwareFault("the vhost-user socket closed in the middle of a message")
            data += piece
    except OSError as error:
        raise HardwareFault(f"a vhost-user message stopped after {len(data)} of {size} bytes: {error}") from error
    finally:
        link.settimeout(None)
    return data
