"""How files of the work tree are changed for a repository: each judged by the gate, each replaced whole.

Rules:
1. A path is written only when it may stand in a work tree, when nothing on its way is a link, and when the gate says of
   it what it says of any file of the workspace: a hook, a key, the agent's own, what is run by itself is refused.
2. All paths of a change are looked at before the first is written.
3. A link is made only when it leads to a place inside of the work tree, and outside of its repository.
4. What stands where something new would be put is never replaced.
"""

from __future__ import annotations

import os

from edge.call import Effect, Grant
from edge.faults import Refused, ToolFault
from edge.gate.paths import place
from edge.hands import repo_status
from edge.hands.open import said
from edge.hands.replace import Spot, replace
from edge.hands.repo_index import Item
from edge.hands.repo_names import is_path, shown
from edge.hands.repo_objects import LINK, MODULE
from edge.hands.way import Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from edge.hands.repo_index import Index
    from edge.hands.repo_objects import Entry
    from edge.hands.repo_open import Repository
    from edge.hands.repo_trees import Change

_USUAL = "write.workspace"
_SHOWN = 5


def listed(paths: Iterable[bytes]) -> str:
    """Some paths for a sentence."""
    some = [shown(path) for path in paths]
    return ", ".join(some[:_SHOWN]) + (f" and {len(some) - _SHOWN} more" if len(some) > _SHOWN else "")


def allowed(repository: Repository, changes: Iterable[Change]) -> None:
    """Refused or ToolFault when one of these changes of the work tree may not be made (rules 1 and 3)."""
    for path, before, after in changes:
        repository.late()
        kinds = {entry[0] & 0o170000 for entry in (before, after) if entry}
        if MODULE in kinds:
            raise ToolFault(f"{shown(path)} is a submodule, which would change", "nothing was changed; git does that")
        if after and after[0] == LINK:
            _leads(path, repository.store.of(b"blob", after[1]))
        elif after:
            repository.store.of(b"blob", after[1])
        judge(repository, path)


def judge(repository: Repository, path: bytes) -> None:
    """Refused unless the gate lets this file of the work tree be changed as any other of the workspace."""
    holder = repository.holder
    decision = holder.world.judge(holder.call, Effect("write", f"file:{_full(repository, path)}"))
    if decision.verdict != "allow" and (decision.verdict, decision.rule) != ("ask", _USUAL):
        raise Refused(f"{decision.sentence}; nothing was changed", decision.rule, "the operator can do it with git")


def _full(repository: Repository, path: bytes) -> str:
    return f"{repository.full}/{path.decode('utf-8', 'surrogateescape')}"


def _leads(path: bytes, target: bytes) -> None:
    parts = path.split(b"/")[:-1]
    for part in target.split(b"/"):
        if part == b".." and parts:
            parts.pop()
        elif part == b".." or target.startswith(b"/"):
            raise ToolFault(f"{shown(path)} is a link to {shown(target)!r}, outside", "nothing was changed")
        elif part not in (b"", b"."):
            parts.append(part)
    if not target or (parts and not is_path(b"/".join(parts))):
        raise ToolFault(f"{shown(path)} is a link to {shown(target)!r}", "nothing was changed")


def unlost(repository: Repository, index: Index, changes: list[Change]) -> list[Change]:
    """Those of the changes that are still to be made. ToolFault when one would lose something that is kept nowhere."""
    wanted: list[Change] = []
    lost: list[bytes] = []
    gone = {path for path, _, after in changes if after is None}
    for path, before, after in changes:
        repository.late()
        item = index.get((path, 0))
        here = (item.mode, item.sha) if item else None
        if here == after and here != before:
            continue  # what would be made stands in the index already: its file stays as it is
        if (
            any((path, stage) in index for stage in (1, 2, 3))
            or here != before
            or (_taken(repository, path, gone) if item is None else not _kept(repository, path, item))
        ):
            lost.append(path)
        else:
            wanted.append((path, before, after))
    if lost:
        raise ToolFault(
            f"changes would be lost: {listed(lost)}", "nothing was changed; commit them, or stash push first"
        )
    return wanted


def _kept(repository: Repository, path: bytes, item: Item) -> bool:
    """Is the file of an entry as the index has it, or gone, with no folder in its place?"""
    status = repo_status.status_of(repository, path)
    folder = status is not None and status.st_mode & 0o170000 == 0o040000
    return not folder and repo_status.look(repository, path, item) in ("", "D")


def _taken(repository: Repository, path: bytes, gone: set[bytes]) -> bool:
    """Does something that goes not away with this change stand at a path, or on its way?"""
    parts = path.split(b"/")
    for number in range(1, len(parts)):
        above = b"/".join(parts[:number])
        status = repo_status.status_of(repository, above)
        if status is None or above in gone:
            return False
        if status.st_mode & 0o170000 != 0o040000:
            return True
    status = repo_status.status_of(repository, path)
    if status is None:
        return False
    if status.st_mode & 0o170000 != 0o040000:
        return True
    return not any(one.startswith(path + b"/") for one in gone)


def apply(repository: Repository, changes: Iterable[Change]) -> tuple[dict[bytes, Item | None], Exception | None]:
    """Make the changes: path -> its new entry, None where it went; and what ended it early, or None.

    Removals come first, so that a folder can take the place of a file.
    """
    done: dict[bytes, Item | None] = {}
    try:
        for path, _, after in sorted(changes, key=lambda change: (change[2] is not None, change[0])):
            repository.late()
            if after is None:
                _remove(repository, path)
                done[path] = None
            else:
                _write(repository, path, after)
                done[path] = item_of(repository, path, after)
    except (ToolFault, Refused) as fault:
        return done, fault
    except OSError as error:
        return done, ToolFault(f"{shown(path)} cannot be changed: {said(error)}")
    return done, None


def item_of(repository: Repository, path: bytes, entry: Entry) -> Item:
    """The entry of an index for what lies at a path now."""
    status = repository.work.status(path)
    return Item(
        entry[0],
        entry[1],
        repo_status.times(status),
        status.st_dev & 0xFFFFFFFF,
        status.st_ino & 0xFFFFFFFF,
        status.st_uid,
        status.st_gid,
        status.st_size & 0xFFFFFFFF,
    )


def _way(repository: Repository, path: bytes) -> Way:
    holder = repository.holder
    spot = place(_full(repository, path), holder.world.scene)
    return Way(holder, Grant("write", spot.root, spot.path), spot)


def _write(repository: Repository, path: bytes, entry: Entry) -> None:
    content = repository.store.of(b"blob", entry[1])
    _clear(repository, path)
    way_to, text = _way(repository, path), shown(path)
    folder, _ = way_to.made(text)
    try:
        repository.work.still(folder)
        spot = Spot(folder, way_to.name, text, way_to.found, lambda: way_to.still(folder, text))
        if entry[0] == LINK:
            way_to.still(folder, text)
            os.symlink(content, path.rpartition(b"/")[2], dir_fd=folder)
            os.fsync(folder)
            return
        replace(spot, content)
        _mode(folder, way_to.name, entry[0])
    finally:
        os.close(folder)


def _mode(folder: int, name: str, mode: int) -> None:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        old = os.fstat(descriptor).st_mode & 0o777
        wanted = old | (old & 0o444) >> 2 if mode == 0o100755 else old & ~0o111
        if wanted != old:
            os.fchmod(descriptor, wanted)
    finally:
        os.close(descriptor)


def _clear(repository: Repository, path: bytes) -> None:
    """A link that is to become something else goes first, as nothing is written through one."""
    status = repo_status.status_of(repository, path)
    if status is not None and status.st_mode & 0o170000 == LINK:
        _remove(repository, path)


def _remove(repository: Repository, path: bytes) -> None:
    """A file goes, and the folders above it that hold nothing then."""
    if repo_status.status_of(repository, path) is None:
        return
    way_to, text = _way(repository, path), shown(path)
    folder = way_to.folder(text)
    try:
        repository.work.still(folder)
        way_to.still(folder, text)
        os.unlink(way_to.name, dir_fd=folder)
        os.fsync(folder)
    finally:
        os.close(folder)
    above = path.rpartition(b"/")[0]
    while above:
        higher, _, name = above.rpartition(b"/")
        try:
            os.rmdir(name, dir_fd=repository.work.at(higher))
        except OSError:
            return  # something else is in it
        repository.work.forget()
        above = higher
