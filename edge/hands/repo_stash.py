"""Changes put aside as git keeps them: a commit of the work tree whose second parent is one of the index.

Rules:
1. What is put aside is in the repository, synced, before a file goes back to what the last commit holds.
2. Only what is in the index is put aside: files that nobody added stay where they are.
3. It comes back only onto files that are still as they were when it was put aside; nothing is merged.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.hands import repo_change, repo_status, repo_trees, repo_write
from edge.hands.repo_names import shown
from edge.hands.repo_objects import LINK, MODULE
from edge.hands.repo_pack import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands.repo_index import Index, Item
    from edge.hands.repo_objects import Entry
    from edge.hands.repo_open import Repository
    from edge.hands.repo_trees import Change

STASH = b"refs/stash"


def entries(repository: Repository) -> list[str]:
    """What is put aside, the newest first."""
    return [line.partition(b"\t")[2].decode("utf-8", "replace") for line in reversed(repository.refs.logged(STASH))]


def push(repository: Repository, message: str) -> Mapping[str, Any]:
    """Put changes aside and go back to the last commit: `changed subject notes`."""
    with repository.git.lock(b"index") as lock:
        index = repository.index()
        repo_change.settled(repository, index)
        note = repo_change.converted(repository, index)
        head = repo_change.head_commit(repository)
        old = repo_trees.flat(repository.store, head.tree, strict=True)
        here = repo_change.staged_entries(index)
        working = _working(repository, index, here)
        names = sorted(
            path for path in {*old, *here, *working} if len({old.get(path), here.get(path), working.get(path)}) > 1
        )
        if not names:
            raise ToolFault("there is nothing to put aside: no file of the index was changed", "stash list shows more")
        _judged(repository, names, {path: old.get(path) for path in names}, working)
        subject = _record(repository, head.id, here, working, message)
        for path in names:  # what is put aside now counts as known, so that going back loses nothing
            _know(repository, index, path, working.get(path))
        changes: list[Change] = [
            (path, working.get(path), old.get(path)) for path in names if working.get(path) != old.get(path)
        ]
        made = repo_change.make(repository, lock, index, changes, "all is in the stash")
        if not changes:
            repo_change.keep(repository, lock, index)
    return {"changed": made, "subject": subject, "notes": [note] * bool(note)}


def _working(repository: Repository, index: Index, here: Mapping[bytes, Entry]) -> dict[bytes, Entry]:
    """The same as the index, as the files of the work tree are now."""
    found = dict(here)
    for path, letter in repo_status.unstaged(repository, index).items():
        item = index[path, 0]
        if item.mode & 0o170000 == MODULE or letter == "A":
            raise ToolFault(f"{shown(path)} is a submodule or was only announced", "nothing was changed; git does that")
        status = repo_status.status_of(repository, path)
        if letter == "D" or status is None:
            if status is not None:
                raise ToolFault(f"a folder stands in the place of {shown(path)}", "nothing was changed")
            del found[path]
            continue
        mode = repo_status.mode_in(repository, status, item.mode)
        content = repository.work.target(path) if mode == LINK else repository.work.read(path, MOST)
        found[path] = (mode, repository.store.put(b"blob", content))
    return found


def _judged(
    repository: Repository, names: list[bytes], old: Mapping[bytes, Entry | None], working: Mapping[bytes, Entry]
) -> None:
    closed = [path for path in names if repository.closed(path)]
    if closed:
        raise ToolFault(f"{repo_write.listed(closed)} may hold keys", "nothing was changed")
    repo_write.allowed(repository, [(path, working.get(path), old.get(path)) for path in names])


def _record(
    repository: Repository, head: bytes, here: Mapping[bytes, Entry], working: Mapping[bytes, Entry], message: str
) -> str:
    """Write the two commits and let `refs/stash` stand for the second; its subject."""
    branch = shown(repository.refs.head()[0].removeprefix(b"refs/heads/")) or "(no branch)"
    first = repository.store.commit(head).message.split("\n", 1)[0]
    base = f"{branch}: {head[:7].decode()} {first}"
    line = message.strip().split("\n", 1)[0]
    subject = f"On {branch}: {line}" if line else f"WIP on {base}"
    who = repo_change.who(repository)
    tree = repo_trees.build(repository.store, here)
    second = repo_change.write_commit(repository, tree, [head], who, f"index on {base}")
    tree = repo_trees.build(repository.store, working)
    made = repo_change.write_commit(repository, tree, [head, second], who, subject)
    repository.refs.move(STASH, repository.refs.follow(STASH)[1], made, who, subject)
    return subject


def _know(repository: Repository, index: Index, path: bytes, entry: Entry | None) -> None:
    """The index of a path as the work tree has it."""
    index.pop((path, 0), None)
    if entry is not None:
        item: Item = repo_write.item_of(repository, path, entry)
        index[path, 0] = repository.fresh[path] = item


def pop(repository: Repository) -> Mapping[str, Any]:
    """Bring back what was put aside last, and forget it there: `changed subject notes`."""
    from edge.record import replace

    with repository.git.lock(b"index") as lock:
        index = repository.index()
        repo_change.settled(repository, index)
        note = repo_change.converted(repository, index)
        kept = repository.refs.follow(STASH)[1]
        if kept is None:
            raise ToolFault("nothing is put aside", "stash push puts changes aside")
        commit = repository.store.commit(kept)
        if len(commit.parents) != 2:
            raise ToolFault("the stash holds files that nobody added, or is none", "git stash pop brings it back")
        base = repository.store.commit(commit.parents[0])
        changes = repo_trees.compared(repository.store, base.tree, commit.tree)
        before = dict(index)
        made = repo_change.make(repository, lock, index, changes, "the stash is still there")
    with repository.git.lock(b"index") as lock:
        # As git does: what is brought back stands in the work tree, and only new files in the index.
        index = repository.index()
        for path, old, new in changes:
            if old is not None and (path, 0) in before and index.get((path, 0)) != before[path, 0]:
                index[path, 0] = replace(before[path, 0], size=0, times=(0, 0, 0, 0))
                if new is not None and before[path, 0].sha == new[1]:
                    index[path, 0] = repo_write.item_of(repository, path, (before[path, 0].mode, new[1]))
        repo_change.keep(repository, lock, index)
    _forget(repository, kept)
    return {"changed": made, "subject": commit.message.split("\n", 1)[0], "notes": [note] * bool(note)}


def _forget(repository: Repository, kept: bytes) -> None:
    """The newest entry of the stash goes."""
    lines = repository.refs.logged(STASH)
    if len(lines) < 2:
        repository.refs.drop(STASH)
        return
    left = lines[:-1]
    with repository.git.lock(STASH) as lock:
        if repository.refs.follow(STASH)[1] != kept:
            raise ToolFault("the stash was changed by something else meanwhile", "all is brought back; look at it")
        repository.git.put(b"logs/" + STASH, b"".join([line + b"\n" for line in left]))
        lock.done(left[-1][41:81] + b"\n")
