"""What was deleted and is still there: a bounded folder at the top of each root.

Rules:
1. `NAME` goes to `.fieldhand-trash/NUMBER/NAME` by one rename; file_move brings it back. Numbers grow, no clock counts.
2. The trash holds at most MOST_BYTES and MOST_ENTRIES; the oldest go first, and the result says how many. What is
   larger than all of it does not go there.
3. It is no link and nobody else's: it is made with 0700 and opened without following.
4. What else lies in it is nobody's slot: it is not counted, not dropped, and no reason to refuse.
5. It is the hand's own tool, like a temp file: a call needs no grant for it. Searches pass over it by its name.
"""

from __future__ import annotations

import os

from edge.call import TRASH
from edge.faults import ToolFault
from edge.hands.open import rename_new
from edge.hands.replace import confirm, locked
from edge.hands.walk import Count, remove, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = TRASH
MOST_BYTES = 64 << 20
MOST_ENTRIES = 10_000
_DIGITS = 18  # of a slot's number: nobody deletes so often
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOREVER = "forever=true deletes it"


def put(root: int, folder: int, name: str, count: Count, shown: str, late: Callable[[], None]) -> tuple[str, int]:
    """Move `name` of the open `folder` into the trash below `root`: its path from the root, how many were dropped."""
    if count.bytes > MOST_BYTES or count.entries > MOST_ENTRIES:
        raise ToolFault(
            f"{shown} is more than the trash keeps ({MOST_BYTES >> 20} MiB, {MOST_ENTRIES:,} entries)",
            f"nothing was deleted; {_FOREVER}",
        )
    trash = _opened(root)
    lock = locked(trash)  # two agents would take the same number
    try:
        slots = _slots(trash)
        dropped = _make_room(trash, slots, count, late)
        slot = f"{(slots[-1] if slots else 0) + 1:06}"
        if len(slot) > _DIGITS:
            raise ToolFault(f"the slots of {NAME} are used up", f"nothing was deleted; delete {NAME} itself, for good")
        os.mkdir(slot, 0o700, dir_fd=trash)
        here, done = os.open(slot, _FOLDER, dir_fd=trash), False
        try:
            _rename(folder, name, here, shown)
            done = True
            for descriptor in (here, trash, folder):
                confirm(descriptor, f"{shown} is in the trash at {NAME}/{slot}/{name}")
        finally:
            os.close(here)
            if not done:
                os.rmdir(slot, dir_fd=trash)
    finally:
        if lock >= 0:
            os.close(lock)
        os.close(trash)
    return f"{NAME}/{slot}/{name}", dropped


def _rename(folder: int, name: str, here: int, shown: str) -> None:
    from errno import EINVAL, ENOSYS, EXDEV

    try:
        rename_new(folder, name, name, here)
    except OSError as error:
        if error.errno == EXDEV:
            raise ToolFault(
                f"{shown} lies on another card than the trash", f"nothing was deleted; {_FOREVER}"
            ) from error
        if error.errno not in (EINVAL, ENOSYS):
            raise
        os.rename(name, name, src_dir_fd=folder, dst_dir_fd=here)  # the slot is new and empty


def _opened(root: int) -> int:
    """The trash, made when there is none and on the card before anything goes into it."""
    try:
        os.mkdir(NAME, 0o700, dir_fd=root)
        made = os.open(".", _FOLDER, dir_fd=root)
        try:
            confirm(made, f"{NAME} was made")
        finally:
            os.close(made)
    except FileExistsError:
        pass  # it is there, or something else is: the next step tells
    try:
        return os.open(NAME, _FOLDER, dir_fd=root)
    except OSError as error:
        raise ToolFault(f"{NAME} is no folder that can be used", f"nothing was deleted; {_FOREVER}") from error


def _slots(trash: int) -> list[int]:
    """The numbers of the slots: of names that are written as they are written here."""
    names = [name for name in os.listdir(trash) if name.isdecimal() and name.isascii() and len(name) <= _DIGITS]
    return sorted(int(name) for name in names if f"{int(name):06}" == name)


def _make_room(trash: int, slots: list[int], count: Count, late: Callable[[], None]) -> int:
    """Drop empty slots, and the oldest until there is room; how many of these."""
    sizes = {slot: _size(trash, slot, late) for slot in slots}
    room_bytes = MOST_BYTES - count.bytes - sum(size for size, _ in sizes.values())
    room_entries = MOST_ENTRIES - count.entries - sum(entries for _, entries in sizes.values())
    dropped = 0
    for slot in slots:
        size, entries = sizes[slot]
        full = room_bytes < 0 or room_entries < 0
        if entries and not full:
            continue
        remove(trash, f"{slot:06}", late)
        room_bytes += size
        room_entries += entries
        dropped += bool(entries)
    return dropped


def _size(trash: int, slot: int, late: Callable[[], None]) -> tuple[int, int]:
    count = Count()
    for entry in walk(trash, f"{slot:06}", late):
        count.add(entry)
    return count.bytes, count.entries - 1
