"""The folder of a simulated board: `<state>/sim` with its lock, its kept state and its record.

Rules this file keeps:
1. One board per folder: `lock` holds the file `lock` (flock), in which the holder's process id stands for people.
   The lock is the kernel's and goes with the process; the file stays.
2. `state.json` is replaced whole: written beside, fsync, rename, fsync of the folder. Only the holder writes it.
3. A state that cannot be read is kept aside as `state.json.damaged` (one of them) and never deleted.
4. Folders are 0700 and files 0600.
"""

from __future__ import annotations

import fcntl
import os

from edge.faults import HardwareFault
from edge.peripherals.guard import line
from edge.peripherals.guard.journal import sync_folder
from edge.peripherals.sim.board import SimBoard, restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STATE, LOCK, LOG = "state.json", "lock", "board.log"
LIMIT = 16 * 1024


def folder(state: str) -> str:
    """The simulated board's folder below the state folder."""
    return f"{state.rstrip('/') or '/'}/sim"


def make(state: str) -> str:
    """`folder(state)`, made when it is not there. HardwareFault when it cannot be."""
    path = folder(state)
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise unusable(path, error) from error
    return path


def unusable(path: str, error: OSError) -> HardwareFault:
    """The fault of a folder that the simulated board cannot work in."""
    return HardwareFault(
        f"the simulated board cannot use its folder {path}: {error.strerror}",
        "use --state DIR with a folder that can be written",
    )


def in_use(path: str, holder: str) -> HardwareFault:
    """The fault of a folder that another board holds."""
    return HardwareFault(
        f"another simulated board ({holder}) is using {path}",
        "use --state DIR for a second simulated board",
    )


class Keep:
    """The open folder of a simulated board. OSError from every method is the card's or the folder's."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = -1

    def lock(self) -> bool:
        """Take the lock without waiting; False when another process holds it."""
        if self._lock < 0:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._lock = os.open(f"{self.path}/{LOCK}", flags, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, b"%d\n" % os.getpid(), 0)
        return True

    def holder(self) -> str:
        """Who holds the lock, for people: `process 1234`."""
        text = os.pread(self._lock, 32, 0).decode("ascii", "replace").strip()
        return f"process {text}" if text.isdigit() else "an unknown process"

    def load(self) -> Any:
        """The kept values, None when nothing is kept; ValueError with a sentence when they cannot be read."""
        try:
            fd = os.open(f"{self.path}/{STATE}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        try:
            data = os.read(fd, LIMIT + 1)
        finally:
            os.close(fd)
        if len(data) > LIMIT:
            raise ValueError(f"it is longer than {LIMIT} bytes")
        return line.read(data.decode("utf-8"))

    def board(self) -> tuple[SimBoard, list[str]]:
        """The kept board, or a new one, and sentences about what was wrong. For the holder of the lock."""
        try:
            values = self.load()
            return (SimBoard() if values is None else restored(values)), []
        except ValueError as error:
            name = self.aside()
            said = f"the kept state of the simulated board is damaged ({error}): it starts anew, the old one is {name}"
            return SimBoard(), [said]

    def save(self, values: dict[str, Any]) -> None:
        """Replace the kept values."""
        path = f"{self.path}/{STATE}"
        fd = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            text = line.write(values).encode("ascii") + b"\n"
            if os.write(fd, text) != len(text):
                raise OSError(28, "the card is full")
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(path + ".new", path)
        sync_folder(self.path)

    def aside(self) -> str:
        """Keep a damaged state aside; the name it has now."""
        os.replace(f"{self.path}/{STATE}", f"{self.path}/{STATE}.damaged")
        return f"{STATE}.damaged"

    def close(self) -> None:
        """Let the lock go."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
