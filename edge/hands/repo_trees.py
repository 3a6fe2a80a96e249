"""Trees of a repository: laid out flat, compared, built from an index.

Rules:
1. No recursion over what a repository says; at most ENTRIES entries of one call, whatever the trees share.
2. `strict` refuses a tree that holds a path which is none (edge/hands/repo_names.py): wanted where it changes files.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.hands.repo_names import DEPTH, is_path, shown
from edge.hands.repo_objects import TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from edge.hands.repo_objects import Entry, Store

    Change = tuple[bytes, "Entry | None", "Entry | None"]

ENTRIES = 200_000


class Budget:
    """How many entries of trees a call has looked at."""

    def __init__(self) -> None:
        self.left = ENTRIES

    def take(self, path: bytes) -> None:
        self.left -= 1
        if self.left < 0:
            raise ToolFault(f"the trees hold more than {ENTRIES:,} entries", "name paths")
        if path.count(b"/") >= DEPTH:
            raise ToolFault(f"a tree is deeper than {DEPTH} folders")


def mode_of(mode: int) -> int:
    """A mode as an index has it: of files only whether they can be run counts."""
    kind = mode & 0o170000
    return (0o100755 if mode & 0o100 else 0o100644) if kind == 0o100000 else kind


def flat(store: Store, tree: bytes, strict: bool = False) -> dict[bytes, Entry]:
    """Path -> (mode, object) of all that is no tree."""
    found: dict[bytes, Entry] = {}
    waiting = [(b"", tree)]
    budget = Budget()
    while waiting:
        base, name = waiting.pop()
        for part, mode, value in store.tree(name):
            path = base + part
            budget.take(path)
            if strict and not is_path(path):
                raise ToolFault(f"a tree of the repository holds {shown(path)!r}, which is no path of a work tree")
            if mode & 0o170000 == TREE:
                waiting.append((path + b"/", value))
            else:
                found[path] = (mode_of(mode), value)
    return found


def compared(store: Store, old: bytes | None, new: bytes | None) -> list[Change]:
    """(path, before, after) of all that differs, sorted; None where it is not. Equal trees are not gone into."""
    found: list[Change] = []
    waiting: list[tuple[bytes, bytes | None, bytes | None]] = [(b"", old, new)]
    budget = Budget()
    while waiting:
        base, left, right = waiting.pop()
        if left == right:
            continue
        sides = [{part: (mode, value) for part, mode, value in store.tree(one)} if one else {} for one in (left, right)]
        for part in sides[0].keys() | sides[1].keys():
            before, after = sides[0].get(part), sides[1].get(part)
            budget.take(base + part)
            if before == after:
                continue
            trees = [one[1] if one and one[0] & 0o170000 == TREE else None for one in (before, after)]
            if trees[0] or trees[1]:
                waiting.append((base + part + b"/", trees[0], trees[1]))
            files = [
                None if tree or not one else (mode_of(one[0]), one[1]) for tree, one in zip(trees, (before, after))
            ]
            if files[0] != files[1]:
                found.append((base + part, files[0], files[1]))
    return sorted(found, key=lambda change: change[0])


def at(store: Store, tree: bytes, path: bytes) -> Entry | None:
    """What a tree has at a path: a file or a tree; None when it has nothing there."""
    entry: Entry = (TREE, tree)
    for part in [one for one in path.split(b"/") if one]:
        if entry[0] & 0o170000 != TREE:
            return None
        found = next(((mode, value) for name, mode, value in store.tree(entry[1]) if name == part), None)
        if found is None:
            return None
        entry = found
    return entry


def build(store: Store, entries: Mapping[bytes, Entry]) -> bytes:
    """The name of the tree that holds these paths; trees that are new are written, the deepest first."""
    folders: dict[bytes, dict[bytes, Entry]] = {b"": {}}
    for path, entry in entries.items():
        folder, _, name = path.rpartition(b"/")
        folders.setdefault(folder, {})[name] = entry
        while folder:
            folder = folder.rpartition(b"/")[0]
            folders.setdefault(folder, {})
    for folder in sorted(folders, key=lambda one: (one.count(b"/") + bool(one), one), reverse=True):
        held = folders[folder]
        written = store.put_tree((name, mode, value) for name, (mode, value) in held.items())
        if not folder:
            return written
        above, _, name = folder.rpartition(b"/")
        if name in folders[above]:
            raise ToolFault(f"{shown(folder)} stands in the index as a file and as a folder", "nothing was committed")
        folders[above][name] = (TREE, written)
    raise AssertionError("the last folder is the top")


def chosen(paths: Iterable[bytes], path: bytes) -> bool:
    """Is `path` one of `paths`, or below one? No paths: everything is."""
    some = tuple(paths)
    return not some or any(not one or path == one or path.startswith(one + b"/") for one in some)
