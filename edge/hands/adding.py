"""Putting something at the end of a file: whole or not at all where it is small, never at the cost of what is there.

Rules:
1. A file of at most _SMALL bytes is written anew (edge/hands/replace.py), so it is whole or not at all.
2. To a larger one it is a write at its end (O_APPEND) and a sync: a fault takes back what was written; power that fails
   in between can leave a part of the new bytes, never harm to the old ones. So a log of a day does not cost a day of
   the card's life.
3. Others who write to the same file at the same time are let through, and the append goes behind what they wrote.
"""

from __future__ import annotations

import os

from edge.faults import ToolFault
from edge.hands.open import said
from edge.hands.replace import NEW, Changed, Spot, locked, replace, stamp, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.replace import Stamp

_END = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SMALL = 256 << 10
_TRIES = 16  # while others write


def add(spot: Spot, content: bytes) -> str:
    """Put `content` at the end of a file (rules 1 and 2), or create it: `new` or `appended to`.

    Another one who writes to the same file is let through first, _TRIES times.
    """
    for _ in range(_TRIES):
        was = _added(spot, content)
        if was:
            return was
    raise ToolFault(f"{spot.shown} is changed by something else all the time", "nothing was changed; try again")


def _added(spot: Spot, content: bytes) -> str:
    """As `add`; "" when something else changed the file meanwhile."""
    from contextlib import suppress

    old = standing(spot)
    if old is None:
        return _unless_changed(spot, content, NEW)
    try:
        descriptor = os.open(spot.name, _END, dir_fd=spot.folder)
    except FileNotFoundError:
        return ""
    try:
        now = os.fstat(descriptor)
        if (now.st_dev, now.st_ino) != (old.st_dev, old.st_ino) or now.st_nlink > 1:
            return ""
        if now.st_size <= _SMALL:
            return "appended to" * bool(_unless_changed(spot, _read(descriptor, now.st_size) + content, stamp(now)))
        spot.still()
        return _lengthened(spot, descriptor, content)
    finally:
        with suppress(OSError):  # what was written was synced: nothing that close(2) says changes that
            os.close(descriptor)


def _lengthened(spot: Spot, descriptor: int, content: bytes) -> str:
    """Write at the end of a large file while nobody can put another one in its place; "" when somebody did."""
    lock = locked(spot.folder)
    try:
        now, named = os.fstat(descriptor), standing(spot)
        if named is None or (now.st_dev, now.st_ino) != (named.st_dev, named.st_ino):
            return ""
        _lengthen(descriptor, content, now.st_size, spot.shown)
    finally:
        if lock >= 0:
            os.close(lock)
    return "appended to"


def _unless_changed(spot: Spot, content: bytes, read: Stamp) -> str:
    """As `replace`; "" when the file is another one than was read."""
    try:
        return replace(spot, content, read)
    except Changed:
        return ""


def _read(descriptor: int, size: int) -> bytes:
    kept = b""
    while len(kept) < size and (block := os.pread(descriptor, size - len(kept), len(kept))):
        kept += block
    return kept


def _lengthen(descriptor: int, content: bytes, size: int, shown: str) -> None:
    view = memoryview(content)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    except OSError as error:
        written = len(content) - len(view)
        from contextlib import suppress

        with suppress(OSError):  # when the card takes nothing back either, the sentence says what is there
            if os.fstat(descriptor).st_size == size + written:  # nobody else wrote behind it
                os.ftruncate(descriptor, size)
                written = 0
        fix = f"{written} of {len(content)} bytes stand at its end" if written else "nothing was changed"
        raise ToolFault(f"{shown} cannot be written: {said(error)}", fix) from error
