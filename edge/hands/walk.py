"""Through everything below a name in an open folder, without following a link and without leaving its file system.

Rules:
1. Each folder is opened by its name in the folder above, never through a link. The way back is `..`, and it leads
   where it came from or the walk ends: so depth costs no descriptors and nothing that moves meanwhile leads astray.
2. What is mounted below is another place, by device or by mount: it is not walked into.
3. What is found is told after what lies below it, so that it can be removed as it comes.
"""

from __future__ import annotations

import os

from edge.call import Effect
from edge.faults import Refused, ToolFault
from edge.gate.paths import is_hook, is_odd, is_startup, place
from edge.gate.secret import closed_in
from edge.hands.open import mount
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from edge.hands import Holder
    from edge.hands.guard import Guard

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST = 200_000  # entries of one walk
_LONG = 1500  # letters of a path below the top that are judged as they are


class Entry(Record):
    """One thing: the open folder it is in, its name there, its path from the top, what it is."""

    folder: int
    name: str
    path: str
    status: os.stat_result

    @property
    def is_folder(self) -> bool:
        return self.status.st_mode & 0o170000 == 0o040000


class Count:
    """How much was found: files (all that is no folder), folders, bytes."""

    __slots__ = ("bytes", "files", "folders")

    def __init__(self) -> None:
        self.files = self.folders = self.bytes = 0

    def add(self, entry: Entry) -> None:
        if entry.is_folder:
            self.folders += 1
        else:
            self.files += 1
            self.bytes += entry.status.st_size

    @property
    def entries(self) -> int:
        return self.files + self.folders


class _Level:
    __slots__ = ("entry", "names")

    def __init__(self, entry: Entry, names: list[str]) -> None:
        self.entry = entry
        self.names = names


def walk(folder: int, name: str, late: Callable[[], None]) -> Iterator[Entry]:
    """`name` in the open `folder` and all below it, the deepest first. OSError as it comes; ToolFault by rule 2.

    late: raises when the walk has to stop. FileNotFoundError when the top is not there.
    """
    top = Entry(folder, name, name, os.stat(name, dir_fd=folder, follow_symlinks=False))
    if not top.is_folder:
        yield top
        return
    here = _enter(folder, top, None)
    try:
        mounted = mount(here)
        levels = [_Level(top, os.listdir(here))]
        seen = 0
        while levels:
            level = levels[-1]
            seen += 1
            if seen % 64 == 0:
                late()
            if seen > _MOST:
                raise ToolFault(f"{name} holds more than {_MOST:,} entries", "take a part of it")
            if not level.names:
                levels.pop()
                above = os.open("..", _FOLDER, dir_fd=here) if levels else os.dup(folder)
                os.close(here)
                here = above
                _same(here, levels[-1].entry if levels else None, name)
                yield Entry(here, level.entry.name, level.entry.path, level.entry.status)
                continue
            entry = _found(here, level.names.pop(), level.entry.path)
            if entry is None:
                continue
            if not entry.is_folder:
                yield entry
                continue
            below = _enter(here, entry, (top.status.st_dev, mounted))
            os.close(here)
            here = below
            levels.append(_Level(entry, os.listdir(here)))
    finally:
        os.close(here)


def remove(folder: int, name: str, late: Callable[[], None]) -> None:
    """Remove `name` and all below it. OSError, ToolFault; then a part is gone."""
    for entry in walk(folder, name, late):
        drop(entry)


def drop(entry: Entry) -> None:
    """Remove one thing that a walk found; a folder is empty by then."""
    if entry.is_folder:
        os.rmdir(entry.name, dir_fd=entry.folder)
    else:
        os.unlink(entry.name, dir_fd=entry.folder)


def _found(folder: int, name: str, above: str) -> Entry | None:
    try:
        return Entry(folder, name, f"{above}/{name}", os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None  # gone meanwhile


def _enter(folder: int, entry: Entry, top: tuple[int, int] | None) -> int:
    below = os.open(entry.name, _FOLDER, dir_fd=folder)
    fine = False
    try:
        _same(below, entry, entry.path)
        if top is not None and (entry.status.st_dev, mount(below)) != top:
            raise ToolFault(f"another file system is mounted at {shown(entry.path)}", "nothing was changed")
        fine = True
    finally:
        if not fine:
            os.close(below)
    return below


def _same(folder: int, entry: Entry | None, path: str) -> None:
    if entry is None:
        return
    now = os.fstat(folder)
    if (now.st_dev, now.st_ino) != (entry.status.st_dev, entry.status.st_ino):
        raise ToolFault(f"{shown(path)} was moved meanwhile", "look at it again")


def shown(path: str) -> str:
    """A path from a card as text for a sentence: what cannot be seen or is no text is written out."""
    return ascii(path)[1:-1] if is_odd(path) else path


class Judge:
    """Asks the gate about what lies below something that was granted, by the names it has or will have.

    A name in a folder that is plain workspace is judged alone, which is what the gate would make of the whole path.
    """

    __slots__ = ("_closed", "_folder", "_guard", "_holder", "_names", "_top", "_word")

    def __init__(self, holder: Holder, guard: Guard, top: str, word: str) -> None:
        self._holder = holder
        self._guard = guard
        self._top = top
        self._word = word
        self._closed = tuple([path.lower() for path in holder.permit.barred])
        self._folder = "?"
        self._names: Callable[[str], bool] | None = None

    def look(self, entry: Entry) -> None:
        """Refused, with the rule, when the gate denies a change of this one. `top` is the full path of the walk's."""
        self._guard.below(entry.status)
        rest = entry.path[entry.path.find("/") :] if "/" in entry.path else ""
        folder, _, name = rest.rpartition("/")
        if rest and folder != self._folder:
            self._folder, self._names = folder, self._of(_plain(self._top, folder))
        if rest and self._names is not None and name.isascii() and name.isprintable() and self._names(name):
            return
        full = _plain(self._top, rest)
        if self._is_plain(full):
            return
        try:
            self._holder.also(Effect("write", f"file:{full}"), held=True)
        except Refused as refused:
            raise Refused(f"{refused.sentence}: nothing was {self._word}", refused.rule) from None

    def _is_plain(self, full: str) -> bool:
        """True when nothing is said of this path but that it lies in the workspace."""
        lower = full.lower()
        closed = any(lower == path or lower.startswith(path + "/") for path in self._closed)
        return not closed and place(full, self._holder.world.scene).change == "workspace"

    def _of(self, folder: str) -> Callable[[str], bool] | None:
        """What tells a name of this folder to be plain; None when each has to be asked about."""
        below = folder.lower() + "/"
        if not self._is_plain(folder) or any(path.startswith(below) for path in self._closed):
            return None
        closed, last = closed_in(folder), folder.rpartition("/")[2]
        return lambda name: not closed(name) and not is_startup(f"{last}/{name}") and not is_hook(name)


def _plain(top: str, rest: str) -> str:
    """A path that can be judged: what is no text or is not seen has no part in what a name means.

    Of one that is too long the last names: those above were judged as the folders that they are.
    """
    if len(rest) > _LONG:
        rest = "/" + "/".join(rest.split("/")[-4:])
    path = top + rest
    return "".join([letter if not is_odd(letter) else "?" for letter in path]) if is_odd(path) else path
