"""The folder of a simulated board: `<state>/sim` with its lock, its kept states and its record.

Rules this file keeps:
1. One board per folder: `lock` holds the file `lock` (flock), in which the holder's process id stands for people.
   The lock is the kernel's and goes with the process; the file stays.
2. `state.json` is replaced whole: written beside, fsync, rename, fsync of the folder. Only the holder writes it. Each
   described world has one of its own, `state-NAME.json`.
3. A state that cannot be read is kept aside as `state.json.damaged` (one of them) and never deleted.
4. `world.json` is the description of the world that lived here last, not there after the greenhouse: what is asked
   for while no board runs is about that world.
5. Folders are 0700 and files 0600.
"""

from __future__ import annotations

import posix as os

from edge.peripherals.guard import line
from edge.peripherals.guard.folder import NEW, Folder
from edge.peripherals.guard.journal import sync_folder
from edge.peripherals.sim.worlds import name_of, sim_board

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.peripherals.sim.board import SimBoard

WORLD = "world.json"
LIMIT = 32 * 1024  # bytes of a kept state: the largest world with all of it in some mode takes 20 KiB
LONGEST = 128 * 1024  # bytes of a description: what one argument of a program holds (execve(2))


class Keep(Folder):
    """The open folder of a simulated board. OSError from every method is the card's or the folder's.

    `world`: the description of the board's world, "" for the greenhouse. ValueError: it is no description.
    """

    def __init__(self, path: str, world: str = "") -> None:
        super().__init__(path)
        self.world = world
        self.state = f"state-{name_of(world)}.json" if world else "state.json"

    def load(self) -> Any:
        """The kept values, None when nothing is kept; ValueError with a sentence when they cannot be read."""
        data = _read(f"{self.path}/{self.state}", LIMIT)
        return None if data is None else line.read(data.decode("utf-8"))

    def board(self) -> tuple[SimBoard, list[str]]:
        """The kept board, or a new one, and sentences about what was wrong. For the holder of the lock."""
        try:
            return sim_board(self.world, self.load()), self._note()
        except ValueError as error:
            name = self.aside()
            said = f"the kept state of the simulated board is damaged ({error}): it starts anew, the old one is {name}"
            return sim_board(self.world), [said, *self._note()]

    def save(self, values: dict[str, Any]) -> None:
        """Replace the kept values."""
        self._replace(self.state, line.write(values).encode("ascii") + b"\n")

    def aside(self) -> str:
        """Keep a damaged state aside; the name it has now."""
        os.replace(f"{self.path}/{self.state}", f"{self.path}/{self.state}.damaged")
        return f"{self.state}.damaged"

    def _note(self) -> list[str]:
        """Keep rule 4; a sentence when the card does not take it, which hinders no board."""
        try:
            if self.world and last_world(self.path) != self.world:
                self._replace(WORLD, self.world.encode("ascii"))
            elif not self.world and WORLD in os.listdir(self.path):
                os.unlink(f"{self.path}/{WORLD}")
        except OSError as error:
            return [f"which world lives in {self.path} cannot be kept: {error.strerror}"]
        return []

    def _replace(self, name: str, data: bytes) -> None:
        path = f"{self.path}/{name}"
        fd = os.open(path + ".new", NEW, 0o600)
        try:
            if os.write(fd, data) != len(data):
                raise OSError(28, "the card is full")
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(path + ".new", path)
        sync_folder(self.path)


def last_world(path: str) -> str:
    """The description of the world that lived in a folder last, "" for the greenhouse and where it cannot be read."""
    try:
        data = _read(f"{path}/{WORLD}", LONGEST)
        text = (data or b"").decode("ascii")
        name_of(text)
    except (OSError, ValueError):
        return ""
    return text


def _read(path: str, limit: int) -> bytes | None:
    """A whole small file, None when it is not there; ValueError when it is longer than `limit`."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        data = os.read(fd, limit + 1)
    finally:
        os.close(fd)
    if len(data) > limit:
        raise ValueError(f"it is longer than {limit} bytes")
    return data
