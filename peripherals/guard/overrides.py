"""What people want of an output, said by files: `<folder>/override/NAME` with the word safe, on or off.

Rules this file keeps:
1. A file that is there overrides the agents; taking it away lifts that. What cannot be read or is another word is
   `safe`: whoever put a file there wants the agents' hands off.
2. A file whose name is no output's means nothing, and is told once.
3. The folder is made when the guard starts, so that in a hurry one word is one command. It may be missing all the
   same (a full card): then nobody wants anything. Nothing here raises.
4. When the guard's whole folder is gone (its card was unmounted) nobody has lifted anything: what was said goes on.
"""

from __future__ import annotations

import posix as os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "override"
WORDS = ("safe", "on", "off")
MOST = 8  # files that mean nothing and are told


class Overrides:
    """Looks at the folder of one guard. `notes` are sentences about what means nothing there."""

    def __init__(self, folder: str, outputs: Iterable[str]) -> None:
        self._path = f"{folder}/{NAME}"
        self.sign = f"{folder}/lock" if not gone(f"{folder}/lock") else folder  # what shows that it is the same folder
        self._outputs = frozenset(outputs)
        self._seen: dict[str, str] = {}
        self.notes: tuple[str, ...] = ()

    def lay(self) -> None:
        """Make the folder, for the guard's user alone, when it is not there; rule 3."""
        try:
            os.mkdir(self._path, 0o700)
        except OSError:
            return

    def look(self) -> list[tuple[str, str]]:
        """What changed since the last look: (output, word), "" when its override was lifted."""
        found = self._found()
        changed = [(name, word) for name, word in found.items() if self._seen.get(name) != word]
        changed += [(name, "") for name in self._seen if name not in found]
        self._seen = found
        return changed

    def _found(self) -> dict[str, str]:
        try:
            names = sorted(os.listdir(self._path))
        except FileNotFoundError:
            if self._seen and gone(self.sign):
                self.notes = (f"{self._path} is gone with its folder: what people said by hand there goes on",)
                return self._seen
            self.notes = ()
            return {}
        except OSError as error:
            self.notes = (f"the overrides in {self._path} cannot be read: {error.strerror}",)
            return self._seen
        strange = [name for name in names if name not in self._outputs][:MOST]
        self.notes = tuple(f"{self._path}/{name[:40]} overrides nothing: no output has that name" for name in strange)
        return {name: _word(f"{self._path}/{name}") for name in names if name in self._outputs}


def gone(path: str) -> bool:
    """True when there is nothing of that name; what cannot be looked at is not gone."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _word(path: str) -> str:
    """The word in a file; rule 1."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return WORDS[0]
    try:
        word = os.read(fd, 32).decode("ascii", "replace").strip().lower()
    except OSError:
        return WORDS[0]
    finally:
        os.close(fd)
    return word if word in WORDS else WORDS[0]
