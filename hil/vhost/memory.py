"""The guest's memory as QEMU shares it, by the guest's addresses. Every access is inside of one region, or a fault.

Rules:
1. Files are closed when they are mapped; `close` lets go of everything.
2. A region that is larger than its file, not aligned or empty is a HardwareFault, and nothing of that table is kept.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Sequence
from contextlib import ExitStack

from edge.faults import HardwareFault
from edge.record import Record
from hil.vhost.messages import Message, close

MOST = 8
_TABLE, _REGION = struct.Struct("<II"), struct.Struct("<QQQQ")


class Region(Record):
    """`guest`: its address in the guest; `user`: in QEMU, by which queues are named; `data`: its bytes."""

    guest: int
    user: int
    size: int
    data: mmap.mmap


class Memory:
    """The regions of one table."""

    def __init__(self, regions: Sequence[Region] = ()) -> None:
        self._regions = tuple(regions)

    def read(self, address: int, count: int) -> bytes:
        region = self._holding(address, count)
        place = address - region.guest
        return region.data[place : place + count]

    def write(self, address: int, data: bytes) -> None:
        region = self._holding(address, len(data))
        place = address - region.guest
        region.data[place : place + len(data)] = data

    def number(self, address: int, form: str) -> int:
        """One number, as struct has it (little endian)."""
        found: int = struct.unpack("<" + form, self.read(address, struct.calcsize("<" + form)))[0]
        return found

    def of_user(self, address: int) -> int:
        """The guest's address of one of QEMU's; HardwareFault when it is in no region."""
        for region in self._regions:
            if region.user <= address < region.user + region.size:
                return region.guest + address - region.user
        raise HardwareFault(f"{address:#x} is no address of the memory that QEMU shares")

    def take(self, other: Memory) -> None:
        """The regions of another table in place of these."""
        self.close()
        self._regions, other._regions = other._regions, ()

    def close(self) -> None:
        for region in self._regions:
            region.data.close()
        self._regions = ()

    def _holding(self, address: int, count: int) -> Region:
        for region in self._regions:
            if region.guest <= address and address + count <= region.guest + region.size:
                return region
        raise HardwareFault(f"{count} bytes at {address:#x} are not in one region of the guest's memory")


def mapped(told: Message) -> Memory:
    """The memory of a SET_MEM_TABLE."""
    try:
        count, _ = told.fields("II")
        if count > MOST or count != len(told.files) or len(told.payload) < _TABLE.size + count * _REGION.size:
            raise HardwareFault(
                f"a table of {count} regions came with {len(told.files)} files, {len(told.payload)} bytes"
            )
        rows = [_REGION.unpack_from(told.payload, _TABLE.size + at * _REGION.size) for at in range(count)]
        with ExitStack() as undo:
            regions = []
            for (guest, size, user, place), file in zip(rows, told.files):
                regions.append(Region(guest, user, size, _map(file, size, place)))
                undo.callback(regions[-1].data.close)
            undo.pop_all()
        return Memory(regions)
    finally:
        close(told.files)


def _map(file: int, size: int, place: int) -> mmap.mmap:
    try:
        if not 0 < size <= os.fstat(file).st_size - place:
            raise ValueError("it is not in its file")
        return mmap.mmap(file, size, offset=place)
    except (OSError, ValueError, OverflowError) as error:
        raise HardwareFault(f"{size} bytes of the guest's memory cannot be mapped: {error}") from error
