"""What differs between the last commit, the index and the work tree, and what is in none of them.

Rules:
1. A file whose facts are those of the index was not changed, unless it was written in the same moment as the index
   (racy, see git's own racy-git.txt); every other one is read and compared by its SHA-1. Nothing is written.
2. A link is compared by where it points, and not followed. A submodule is not looked into.
3. A folder that holds nothing of the index is one line. What `.gitignore` and `info/exclude` leave out is left out; a
   user's own list of what to ignore is not read.
"""

from __future__ import annotations

import os
from errno import ELOOP, ENOENT, ENOTDIR

from edge.faults import ToolFault
from edge.hands.repo_ignore import ignored, patterns
from edge.hands.repo_index import INTENT, SKIP, VALID
from edge.hands.repo_names import is_name
from edge.hands.repo_objects import LINK, MODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.repo_ignore import Pattern
    from edge.hands.repo_index import Index, Item
    from edge.hands.repo_objects import Entry
    from edge.hands.repo_open import Repository

    Levels = list[tuple[bytes, list[Pattern]]]

_GONE = (ENOENT, ENOTDIR, ELOOP)
_RULES = 256 << 10
_NAMES = 200_000
_UNMERGED = {1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU"}


def staged(head: dict[bytes, Entry], index: Index) -> dict[bytes, str]:
    """Path -> A, M, D or T: the index against the last commit."""
    found = {}
    here = {path for path, _ in index}
    for (path, stage), item in index.items():
        if stage == 0 and not _later(item):
            before = head.get(path)
            letter = letter_of(before, (item.mode, item.sha))
            if letter:
                found[path] = letter
    found.update({path: "D" for path in head if path not in here})
    return found


def _later(item: Item) -> bool:
    """Was it only announced (git add -N)?"""
    return bool(item.more & INTENT)


def letter_of(before: Entry | None, after: Entry | None) -> str:
    """A, M, D, T, or nothing when both are the same."""
    if before == after:
        return ""
    if before is None or after is None:
        return "A" if before is None else "D"
    return "T" if before[0] & 0o170000 != after[0] & 0o170000 else "M"


def unmerged(index: Index) -> dict[bytes, str]:
    """Path -> two letters, of what a merge left open."""
    stages: dict[bytes, int] = {}
    for path, stage in index:
        if stage:
            stages[path] = stages.get(path, 0) | 1 << (stage - 1)
    return {path: _UNMERGED[stage] for path, stage in stages.items()}


def unstaged(repository: Repository, index: Index) -> dict[bytes, str]:
    """Path -> M, D, T, or A of what was only announced: the work tree against the index."""
    found = {}
    for (path, stage), item in index.items():
        if stage:
            continue
        repository.late()
        letter = look(repository, path, item)
        if letter:
            found[path] = letter
    return found


def look(repository: Repository, path: bytes, item: Item) -> str:
    """M, D, T, A or nothing: a path of the work tree against its entry."""
    if item.more & SKIP or item.flags & VALID:  # skip-worktree, assume-valid: git does not look either
        return ""
    status = status_of(repository, path)
    if item.mode & 0o170000 == MODULE:
        return "" if status is not None and status.st_mode & 0o170000 == 0o040000 else "D"
    if status is None or status.st_mode & 0o170000 == 0o040000:
        return "D"
    if _later(item):
        return "A"
    mode = mode_in(repository, status, item.mode)
    if mode & 0o170000 != item.mode & 0o170000:
        return "T"
    if mode != item.mode:
        return "M"
    return "" if _untouched(status, item, repository.stamp) or same(repository, path, item) else "M"


def status_of(repository: Repository, path: bytes) -> os.stat_result | None:
    """What lies at a path; None where nothing does, or behind a link."""
    try:
        return repository.work.status(path)
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise


def mode_in(repository: Repository, status: os.stat_result, before: int) -> int:
    """The mode that an index would have for it; of a file that cannot tell, the one it had."""
    kind = status.st_mode & 0o170000
    if kind == LINK:
        return LINK
    if kind != 0o100000:
        return kind
    if not repository.settings.modes and before & 0o170000 == 0o100000:
        return before
    return 0o100755 if status.st_mode & 0o100 and repository.settings.modes else 0o100644


def times(status: os.stat_result) -> tuple[int, int, int, int]:
    return (
        status.st_ctime_ns // 10**9 & 0xFFFFFFFF,
        status.st_ctime_ns % 10**9,
        status.st_mtime_ns // 10**9 & 0xFFFFFFFF,
        status.st_mtime_ns % 10**9,
    )


def _untouched(status: os.stat_result, item: Item, stamp: int) -> bool:
    racy = status.st_mtime_ns >= stamp
    same_facts = (status.st_size & 0xFFFFFFFF, status.st_ino & 0xFFFFFFFF) == (item.size, item.inode)
    return same_facts and times(status) == item.times and not racy


def same(repository: Repository, path: bytes, item: Item) -> bool:
    """Has the work tree what the entry says?"""
    return digest(repository, path, item.mode) == item.sha


def digest(repository: Repository, path: bytes, mode: int) -> bytes:
    """The name that the content of a path would have as an object; nothing is kept in memory."""
    from hashlib import sha1

    work = repository.work
    if mode & 0o170000 == LINK:
        target = work.target(path)
        return sha1(b"blob %d\0" % len(target) + target, usedforsecurity=False).hexdigest().encode()
    descriptor = work.file(path)
    try:
        size = os.fstat(descriptor).st_size
        found = sha1(b"blob %d\0" % size, usedforsecurity=False)
        while block := os.read(descriptor, 1 << 18):
            found.update(block)
            repository.late()
        return found.hexdigest().encode()
    finally:
        os.close(descriptor)


class Walk:
    """What is in the work tree and not in the index."""

    def __init__(self, repository: Repository, index: Index) -> None:
        self._repository = repository
        self._paths = {path for path, _ in index}
        self._folders: set[bytes] = set()
        for path in self._paths:
            folder = path.rpartition(b"/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition(b"/")[0]
        self._names = 0

    def found(self, whole: bool = False, start: bytes = b"") -> list[bytes]:
        """Paths, sorted; of a folder that holds nothing of the index only the folder, with a slash, unless `whole`."""
        exclude = self._repository.git.perhaps(b"info/exclude", _RULES) or b""
        levels: Levels = [(b"", patterns(exclude))]
        parts = start.split(b"/") if start else []
        for number in range(len(parts)):
            levels = self._with(b"/".join(parts[:number]), levels)
            if ignored(levels, b"/".join(parts[: number + 1]), True):
                return []
        found: list[bytes] = []
        waiting = [(start, levels)]
        while waiting:
            folder, levels = waiting.pop()
            levels = self._with(folder, levels)
            for name, is_folder, plain in self._listed(folder):
                path = folder + b"/" + name if folder else name
                if path in self._paths or not (is_folder or plain) or ignored(levels, path, is_folder):
                    continue
                if not is_folder:
                    found.append(path)
                elif self._nested(path):
                    found.append(path + b"/")
                elif path in self._folders or whole:
                    waiting.append((path, levels))
                elif self._holds(path, levels):
                    found.append(path + b"/")
        return sorted(found)

    def left_out(self, path: bytes) -> bool:
        """Is a path, or a folder above it, left out by the rules?"""
        levels: Levels = [(b"", patterns(self._repository.git.perhaps(b"info/exclude", _RULES) or b""))]
        parts = path.split(b"/")
        for number in range(1, len(parts) + 1):
            levels = self._with(b"/".join(parts[: number - 1]), levels)
            if ignored(levels, b"/".join(parts[:number]), number < len(parts)):
                return True
        return False

    def _listed(self, folder: bytes) -> list[tuple[bytes, bool, bool]]:
        try:
            names = self._repository.work.names(folder)
        except OSError:
            return []  # shut, or gone meanwhile: git says nothing of it either
        self._names += len(names)
        if self._names > _NAMES:
            raise ToolFault(f"the work tree holds more than {_NAMES:,} names", "a .gitignore leaves some out")
        return [one for one in names if is_name(one[0])]

    def _with(self, folder: bytes, levels: Levels) -> Levels:
        """The rules with those of the folder itself."""
        base = folder + b"/" if folder else b""
        try:
            data = self._repository.work.perhaps(base + b".gitignore", _RULES)
        except OSError:
            data = None  # a link or shut: git does not follow it either
        return [*levels, (base, patterns(data))] if data else levels

    def _nested(self, path: bytes) -> bool:
        """Does a folder hold a repository of its own?"""
        return path not in self._folders and status_of(self._repository, path + b"/.git") is not None

    def _holds(self, start: bytes, levels: Levels) -> bool:
        """Does a folder hold anything that is not left out?"""
        waiting = [(start, levels)]
        while waiting:
            folder, levels = waiting.pop()
            levels = self._with(folder, levels)
            for name, is_folder, plain in self._listed(folder):
                path = folder + b"/" + name
                if not (is_folder or plain) or ignored(levels, path, is_folder):
                    continue
                if not is_folder or self._nested(path):
                    return True
                waiting.append((path, levels))
        return False
