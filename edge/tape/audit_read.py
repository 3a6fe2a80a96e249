"""Reading the audit log without touching it: the records for people, the record behind a receipt.

What is no record is counted and passed over. Whether the records are true is asked of audit_check.py.
"""

from __future__ import annotations

import os

from edge.tape import disk as disks
from edge.tape.audit_form import RECORD, decode, mac_start
from edge.tape.audit_log import line_before, lines, name_of, numbers
from edge.tape.disk import Disk, cannot, whole
from edge.tape.form import BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MARK = b'","mac":"'


def raw(folder: str, newest: int = 0) -> Iterator[tuple[str, int, bytes]]:
    """File name, line number and bytes of each line, the newline included where there is one. TapeFault.

    With `newest`, only as many files as hold that many lines.
    """
    disk = Disk()
    try:
        for file in _enough(folder, newest):
            fd = disks.regular(f"{folder}/{name_of(file)}")
            try:
                for count, (_, line) in enumerate(lines(disk, fd, 0, disk.size(fd)), 1):
                    yield name_of(file), count, line
            finally:
                os.close(fd)
    except OSError as error:
        raise cannot(f"the audit log in {folder} cannot be read", error) from error


def newest(folder: str, count: int) -> list[tuple[str, int, bytes]]:
    """The last `count` lines, as `raw` gives them. TapeFault."""
    from collections import deque

    return list(deque(raw(folder, count), count))


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record of a line that `raw` gave; None when it is none."""
    return decode(line[:-1]) if line[-1:] == b"\n" else None


def records(folder: str) -> Iterator[tuple[str, int, dict[str, Any] | None]]:
    """File name, line number and record of each line, None for one that is no record. TapeFault."""
    for name, count, line in raw(folder):
        yield name, count, record_of(line)


def _enough(folder: str, newest: int) -> list[int]:
    """The newest files that surely have `newest` lines between them, for none is longer than RECORD and a bit."""
    files = numbers(folder)
    room = 0
    for count, file in enumerate(reversed(files), 1):
        room += os.stat(f"{folder}/{name_of(file)}").st_size
        if newest and room > newest * 2 * RECORD:
            return files[-count:]
    return files


def find(folder: str, receipt: str) -> dict[str, Any] | None:
    """The record of the success that `receipt` was given for; None when there is none. TapeFault."""
    start = mac_start(receipt)
    if not start:
        return None
    disk = Disk()
    try:
        for file in reversed(numbers(folder)):
            fd = disks.regular(f"{folder}/{name_of(file)}")
            try:
                found = _find(disk, fd, MARK + start.encode())
            finally:
                os.close(fd)
            if found is not None:
                return found
    except OSError as error:
        raise cannot(f"the audit log in {folder} cannot be read", error) from error
    return None


def _find(disk: Disk, fd: int, wanted: bytes) -> dict[str, Any] | None:
    """The success whose line holds `wanted` where its mac stands."""
    end = disk.size(fd)
    rest = b""
    while end > 0:
        start = max(0, end - BLOCK)
        block = whole(disk, fd, end - start, start) + rest
        at = block.rfind(wanted)
        while at >= 0:
            close = start + at + len(MARK) + 64 + 3
            line = line_before(disk, fd, close)
            record = decode(line[:-1])
            if record is not None and record["kind"] == "outcome" and record.get("receipt") is True:
                return record
            at = block.rfind(wanted, 0, at)
        rest = block[: len(wanted)]
        end = start
    return None
