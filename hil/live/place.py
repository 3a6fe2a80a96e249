"""Where a board that a person started keeps its card and is found by `set` and `watch`: a folder of its own.

Rules:
1. The folder is .cache/hil/NAME of the checkout; FIELDHAND_HIL names another one than .cache/hil.
2. Who runs the board holds the lock there, and the kernel lets it go with the process, however that ends. The number in
   it is for people.
3. A socket's address has 107 bytes and a folder's name may have more: the socket is reached through the folder's
   descriptor (unix(7), proc(5)).
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.faults import HardwareFault, UsageFault

ROOT = Path(__file__).resolve().parent.parent.parent
SOCKET = "control"
_SECONDS = 60.0


class Place:
    """The folder of one board. `told`: how it is named on a command line, where that is a file."""

    def __init__(self, name: str, told: str = "") -> None:
        self.name, self.told = name, told or name
        self.folder = Path(os.environ.get("FIELDHAND_HIL") or ROOT / ".cache/hil").absolute() / name

    @property
    def card(self) -> Path:
        return self.folder / "card.img"

    @contextmanager
    def held(self) -> Iterator[Place]:
        """Ours alone; UsageFault while somebody else has it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise UsageFault(
                    f"{self.name} runs already (process {lock.read().strip() or 'unknown'})",
                    f"python3 -m hil watch {self.told} shows it; Ctrl-] at its console ends it",
                ) from None
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield self

    @contextmanager
    def listening(self) -> Iterator[socket.socket]:
        """The socket that others come to, gone afterwards. For who holds the place: what lies there is of the dead."""
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            (self.folder / SOCKET).unlink(missing_ok=True)
            with _reached(self.folder) as address:
                door.bind(address)
            door.listen()
            yield door
        finally:
            door.close()
            (self.folder / SOCKET).unlink(missing_ok=True)

    def connected(self) -> socket.socket:
        """A connection to the board that runs; HardwareFault where none does."""
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        peer.settimeout(_SECONDS)
        try:
            with _reached(self.folder) as address:
                peer.connect(address)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            peer.close()
            raise HardwareFault(f"{self.name} does not run", f"python3 -m hil run {self.told} starts it") from error
        except PermissionError as error:
            peer.close()
            raise HardwareFault(f"{self.folder} belongs to somebody else", "be who runs the board") from error
        return peer


@contextmanager
def _reached(folder: Path) -> Iterator[str]:
    """Rule 3."""
    held = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{held}/{SOCKET}"
    finally:
        os.close(held)
