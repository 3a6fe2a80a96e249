"""The card itself: its table, its boot state, its slots. Input and output; a block device and a plain file alike.

Rules:
1. A card is one whose MBR has our disk id. Where things are is said by its own table, not by a name or a label.
2. The state is written copy 2 first, synced, then copy 1, synced, then both are read back from the card (state.py,
   rule 3). What was not read back is a HardwareFault.
3. The slot that runs is never written. Another one only while it is held: no mount of it, no other update.
4. Every error of the system becomes a HardwareFault that says what was done to which place.
"""

from __future__ import annotations

import os

from edge.card import boot, layout, mbr
from edge.card import state as states
from edge.card.fat import small_file
from edge.card.places import RUN
from edge.faults import CardFault, HardwareFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TypeVar

    from edge.card.state import State

    T = TypeVar("T")

SLOT_FILE = "slot.json"
SLOT_FILE_BYTES = 4096
WHAT_FOR = (
    "fieldhand update is for a card made by fieldhand image build, which has two slots to start from; "
    "where Fieldhand was installed by pip or a package, update it the same way"
)


class Device:
    """A file or a block device with positioned reads and writes, which are whole or a HardwareFault."""

    def __init__(self, path: str, write: bool = False) -> None:
        self.path = path
        self._fd = self._told("opened", lambda: os.open(path, (os.O_RDWR if write else os.O_RDONLY) | os.O_CLOEXEC))
        self.size = self._told("measured", lambda: os.lseek(self._fd, 0, os.SEEK_END))

    def read(self, at: int, size: int) -> bytes:
        """`size` bytes, fewer only at the end of the device."""
        found = b""
        while len(found) < size:
            place, left = at + len(found), size - len(found)
            piece = self._told(f"read at byte {place}", lambda: os.pread(self._fd, left, place))  # noqa: B023
            if not piece:
                break
            found = found + piece if found else piece
        return found

    def write(self, at: int, data: bytes) -> None:
        """All of `data`; it is on the card only after `sync`."""
        view = memoryview(data)
        while view:
            done = self._told(f"written at byte {at}", lambda: os.pwrite(self._fd, view, at))  # noqa: B023
            view, at = view[done:], at + done

    def sync(self) -> None:
        """All that was written is on the card."""
        self._told("synced", lambda: os.fsync(self._fd))

    def forget(self, at: int, size: int) -> None:
        """What is read here next comes from the card and not from memory; for what is synced."""
        self._told("read back", lambda: os.posix_fadvise(self._fd, at, size, os.POSIX_FADV_DONTNEED))

    def lock(self) -> bool:
        """Hold it against other updates until it is closed; False when one holds it."""
        import fcntl

        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise self._fault("locked", error) from error
        return True

    def close(self) -> None:
        """Close it; the lock is gone."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _told(self, act: str, do: Callable[[], T]) -> T:
        try:
            return do()
        except OSError as error:
            raise self._fault(act, error) from error

    def _fault(self, act: str, error: OSError) -> HardwareFault:
        return HardwareFault(f"{self.path} could not be {act}: {(error.strerror or 'unknown error').lower()}")


class Slot(Record):
    """What a slot's own slot.json says; empty and -1 where it cannot be read."""

    product: str = ""
    version: str = ""
    data_schema: int = -1


class Card:
    """A card on an open device, which it closes. CardFault when it has not our disk id."""

    def __init__(self, device: Device) -> None:
        self.device = device
        table = mbr.read(device.read(0, mbr.SIZE))
        if table is None or table.disk_id != layout.DISK_ID:
            device.close()
            raise CardFault(f"{device.path} is no card of ours", WHAT_FOR)
        self.table = table

    def __enter__(self) -> Card:
        return self

    def __exit__(self, *_: object) -> None:
        self.device.close()

    # --- the boot state ---

    def copies(self) -> tuple[State | None, State | None]:
        """Both copies of the state as they stand there, None for a torn one."""
        first, second = (self._copy(place) for place in layout.STATE_PLACES)
        return states.read(first), states.read(second)

    def state(self) -> State:
        """The state a start would go by."""
        first, second = self.copies()
        return first or second or states.State()

    def keep(self, state: State) -> None:
        """Write the state to both places (rule 2)."""
        block = states.pack(state)
        for place in reversed(layout.STATE_PLACES):
            self.device.write(place * layout.SECTOR, block)
            self.device.sync()
        for place in layout.STATE_PLACES:
            self.device.forget(place * layout.SECTOR, layout.STATE_BYTES)
            if self._copy(place) != block:
                raise HardwareFault(
                    f"{self.device.path} did not keep the boot state at sector {place}", "the card is worn out"
                )

    def _copy(self, place: int) -> bytes:
        return self.device.read(place * layout.SECTOR, layout.STATE_BYTES)

    # --- slots ---

    def place(self, slot: str) -> tuple[int, int]:
        """Where a slot is: its first byte and its size in bytes. CardFault when the table has none."""
        entry = self.table.part(layout.SLOTS[slot])
        if entry is None or (entry.first + entry.sectors) * layout.SECTOR > self.device.size:
            raise CardFault(f"{self.device.path} has no whole slot {slot}", "flash the card again")
        return entry.first * layout.SECTOR, entry.sectors * layout.SECTOR

    def slot(self, slot: str) -> Slot:
        """What is in a slot, by its slot.json."""
        import json

        at, size = self.place(slot)
        text = small_file(lambda start, length: self._inside(at, size, start, length), SLOT_FILE, SLOT_FILE_BYTES)
        try:
            found = json.loads((text or b"").decode("utf-8"))
            made = Slot(str(found["product"])[:64], str(found["version"])[:64], int(found["data_schema"]))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return Slot()
        return made

    def _inside(self, at: int, size: int, start: int, length: int) -> bytes:
        return self.device.read(at + start, max(0, min(length, size - start)))

    def held(self, slot: str, running: str) -> AbstractContextManager[None]:
        """Hold a slot for writing. CardFault when it runs, is mounted, or another update is under way (rule 3)."""
        from contextlib import contextmanager

        @contextmanager
        def holding() -> Iterator[None]:
            if slot == running:
                raise CardFault(f"slot {slot} is the one that runs; it is never written")
            self.alone()
            claim = self._claim(slot)
            try:
                yield
            finally:
                if claim >= 0:
                    os.close(claim)

        return holding()

    def alone(self) -> None:
        """Hold the card's state until it is closed, so that nothing between a look and a change of it is lost.

        CardFault when somebody holds it.
        """
        if not self.device.lock():
            raise CardFault("another update of this card is under way", "wait for its end")

    def _claim(self, slot: str) -> int:
        """The slot's partition for us alone, as the kernel grants it (open(2), O_EXCL); -1 where it has no node."""
        if os.stat(self.device.path).st_mode & 0o170000 != 0o060000:
            return -1
        node = layout.device(self.device.path, layout.SLOTS[slot])
        try:
            return os.open(node, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
        except OSError as error:
            why = (error.strerror or "unknown error").lower()
            raise CardFault(f"slot {slot} ({node}) cannot be held: {why}", "unmount it, then try again") from error


# --- which card this board runs from ---


def running(root: str = "") -> str:
    """The slot that runs, by the kernel's command line; "" where no slot runs."""
    words = _text(f"{root}/proc/cmdline").split()
    told = [word.partition("=")[2] for word in words if word.startswith("fieldhand.slot=")]
    return told[-1] if told and told[-1] in states.SLOTS else ""


def disk(root: str = "") -> str:
    """The node of the disk this board runs from. CardFault when there is none of ours, or more than one to choose from.

    The initramfs wrote down which disk it took; else every disk is looked at. `root` stands before every path.
    """
    told = boot.facts(root + RUN).get("DISK", "")
    if told.startswith("/dev/") and _is_ours(root + told):
        return root + told
    nodes = [f"{root}/dev/{name}" for name in _disks(f"{root}/sys/block")]
    found = [node for node in nodes if _is_ours(node)]
    if len(found) > 1:
        raise CardFault(
            f"there are several cards of ours: {', '.join(found)}", "take all but the one this runs from out"
        )
    if not found:
        raise CardFault("this board runs from no card of ours", WHAT_FOR)
    return found[0]


def here(root: str = "", write: bool = False) -> tuple[Card, str]:
    """The card this board runs from, and the slot that runs. CardFault where it runs from none, HardwareFault."""
    slot = running(root)
    if not slot:
        raise CardFault("this system was not started from a slot of a card", WHAT_FOR)
    return Card(Device(disk(root), write)), slot


def _text(path: str) -> str:
    """A small text of the system; "" when it is not there."""
    from edge.tape.disk import small_file as small

    return small(path).decode("utf-8", "replace")


def _disks(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [name for name in names if not name.startswith(("loop", "ram", "zram")) and "boot" not in name]


def _is_ours(node: str) -> bool:
    try:
        device = Device(node)
    except HardwareFault:
        return False
    try:
        table = mbr.read(device.read(0, mbr.SIZE))
    except HardwareFault:
        return False
    finally:
        device.close()
    return table is not None and table.disk_id == layout.DISK_ID
