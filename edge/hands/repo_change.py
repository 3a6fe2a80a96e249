"""What changes a repository: add, commit, a new branch, checkout.

Rules:
1. Only objects, refs, their logs, the index and the named files of the work tree are written; never settings or
   hooks, and nothing is run. Objects come first, then what refers to them.
2. The index is changed under git's own lock. What was written in the same moment as the index before is marked, so that
   git reads it again (racy-git.txt).
3. Nothing that is kept nowhere else is replaced or removed.
4. A merge, rebase or pick that is under way is git's to end.
"""

from __future__ import annotations

import time

from edge.faults import ToolFault
from edge.hands import repo_history, repo_index, repo_status, repo_trees, repo_write
from edge.hands.open import said
from edge.hands.repo_index import INTENT, Item
from edge.hands.repo_names import is_path, is_ref, shown
from edge.hands.repo_objects import LINK, MODULE, Person
from edge.hands.repo_pack import MOST
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands.repo_folder import Lock
    from edge.hands.repo_index import Index
    from edge.hands.repo_objects import CommitInfo
    from edge.hands.repo_open import Repository
    from edge.hands.repo_trees import Change

_NOBODY = "Fieldhand <fieldhand>"
_UNDER_WAY = (b"MERGE_HEAD", b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"rebase-merge", b"rebase-apply", b"BISECT_LOG")


def now(name: str) -> Person:
    seconds = int(time.time())
    return Person(name, seconds, time.localtime(seconds).tm_gmtoff)


def who(repository: Repository) -> Person:
    """Who moves refs: the user of the settings."""
    return now(repository.settings.user or _NOBODY)


def settled(repository: Repository, index: Index) -> None:
    """ToolFault while a merge or the like is open (rule 4)."""
    for name in _UNDER_WAY:
        try:
            repository.git.status(name)
        except OSError:
            continue
        raise ToolFault(f"{name.decode()}: something is under way in the repository", "git ends or aborts it")
    if any(stage for _, stage in index):
        raise ToolFault("a merge left conflicts in the index", "resolve the files and add them")


def converted(repository: Repository, index: Index) -> str:
    """What to say of line ends. ToolFault where filters change what is kept."""
    filters, ends = repository.converting(index)
    if filters:
        raise ToolFault(filters, "git itself has to do this")
    return f"{ends}: bytes are kept as they are here" if ends else ""


def keep(repository: Repository, lock: Lock, index: Index) -> None:
    """Write the index (rule 2). What was recorded newer than the index before it was not looked at since."""
    stamp = repository.stamp // 10**9  # git as it is built by default compares whole seconds
    items = []
    for key, item in index.items():
        known = repository.fresh.get(key[0]) == item
        items.append((key, item if known or item.times[2] < stamp else replace(item, size=0)))
    lock.done(repo_index.text(items))


# --- add ---


def add(repository: Repository, paths: list[bytes]) -> Mapping[str, Any]:
    """Take files, as they are now, into the index: `added` paths, `removed`, `skipped` sentences."""
    with repository.git.lock(b"index") as lock:
        index = repository.index()
        note = converted(repository, index)
        skipped: list[str] = []
        added: list[bytes] = []
        removed: list[bytes] = []
        closed = 0
        for path in _meant(repository, index, paths):
            repository.late()
            if repository.closed(path):
                closed += 1
                continue
            status = repo_status.status_of(repository, path)
            if status is None:
                _take_out(index, path)
                removed.append(path)
            elif status.st_mode & 0o170000 in (0o100000, LINK):
                if _take_in(repository, index, path, bool(note)):
                    added.append(path)
            elif (path, 0) not in index:
                skipped.append(f"{shown(path)} is no file")
        if closed:
            skipped.append(f"{closed} left out: keys or private; name one to ask for it")
        if added or removed:
            keep(repository, lock, index)
    return {"added": added, "removed": removed, "skipped": skipped, "notes": [note] * bool(note)}


def _meant(repository: Repository, index: Index, paths: list[bytes]) -> list[bytes]:
    """The paths that an add stands for, sorted."""
    walk = repo_status.Walk(repository, index)
    found: set[bytes] = set()
    for path in paths:
        status = repo_status.status_of(repository, path) if path else repository.work.status(b".git")
        known = [one for one, _ in index if repo_trees.chosen([path] if path else [], one)]
        found.update(known)
        if status is not None and status.st_mode & 0o170000 == 0o040000:
            found.update(one for one in walk.found(True, path) if not one.endswith(b"/"))
        elif status is not None:
            if not known and walk.left_out(path):
                raise ToolFault(f"{shown(path)} is left out by .gitignore", "nothing was added")
            found.add(path)
        elif not known:
            raise ToolFault(f"{shown(path)} is neither in the work tree nor in the index", "nothing was added")
    return sorted(one for one in found if is_path(one))


def _take_out(index: Index, path: bytes) -> None:
    for stage in range(4):
        index.pop((path, stage), None)


def _take_in(repository: Repository, index: Index, path: bytes, ends: bool) -> bool:
    """One file into the index; False when it was there as it is."""
    old = index.get((path, 0))
    if old is not None and old.mode & 0o170000 == MODULE:
        return False
    status = repository.work.status(path)
    mode = repo_status.mode_in(repository, status, old.mode if old else 0o100644)
    try:
        content = repository.work.target(path) if mode == LINK else repository.work.read(path, MOST)
    except OSError as error:
        raise ToolFault(f"{shown(path)} cannot be read: {said(error)}", "nothing was added") from error
    if ends and b"\r\n" in content:
        raise ToolFault(f"{shown(path)} has line ends that git would change", "git itself has to add it")
    entry = (mode, repository.store.put(b"blob", content))
    item = repo_write.item_of(repository, path, entry)
    if item.times != repo_status.times(status):
        raise ToolFault(f"{shown(path)} was changed while it was read", "nothing was added; try again")
    _take_out(index, path)
    parts = path.split(b"/")
    for number in range(1, len(parts)):
        _take_out(index, b"/".join(parts[:number]))
    for key in [one for one in index if one[0].startswith(path + b"/")]:
        del index[key]
    index[path, 0] = repository.fresh[path] = item
    return old is None or (old.mode, old.sha) != entry


# --- commit ---


def commit(repository: Repository, message: str, author: str) -> Mapping[str, Any]:
    """Record the index: `id parents branch subject files`. ToolFault when nothing is staged."""
    index = repository.index()
    settled(repository, index)
    name = author or repository.settings.user
    if not name:
        raise ToolFault("the repository's settings name no user", "give author='Name <mail>'")
    branch, old = repository.refs.head()
    tree = repo_trees.build(repository.store, staged_entries(index))
    before = repository.store.commit(old) if old else None
    changes = repo_trees.compared(repository.store, before.tree if before else None, tree)
    if not changes:
        raise ToolFault("nothing is staged that the last commit does not hold", "add paths first")
    subject = message.split("\n", 1)[0]
    made = write_commit(repository, tree, [old] if old else [], now(name), message)
    person = now(name)
    why = f"commit{'' if old else ' (initial)'}: {subject}"
    repository.refs.move(branch or b"HEAD", old, made, person, why)
    if branch:
        repository.refs.log(b"HEAD", old or b"0" * 40, made, person, why)
    notes = ["not signed, although the settings want it"] if repository.settings.signed else []
    notes += [f"the hook {hook} was not run" for hook in _hooks(repository)]
    return {
        "id": made.decode(),
        "branch": shown(branch.removeprefix(b"refs/heads/")),
        "first": old is None,
        "subject": subject,
        "changes": [(repo_status.letter_of(one[1], one[2]), shown(one[0])) for one in changes],
        "notes": notes,
    }


def _hooks(repository: Repository) -> list[str]:
    found = []
    for hook in ("pre-commit", "commit-msg", "post-commit"):
        try:
            if repository.git.status(b"hooks/" + hook.encode()).st_mode & 0o111:
                found.append(hook)
        except OSError:
            continue
    return found


def staged_entries(index: Index) -> dict[bytes, tuple[int, bytes]]:
    return {
        path: (item.mode, item.sha) for (path, stage), item in index.items() if not stage and not item.more & INTENT
    }


def write_commit(repository: Repository, tree: bytes, parents: list[bytes], person: Person, message: str) -> bytes:
    from edge.hands.repo_form import commit_text

    text = "\n".join([line.rstrip() for line in message.strip("\n").split("\n")]).strip("\n") + "\n"
    return repository.store.put(b"commit", commit_text(tree, parents, person, person, text))


# --- branch and checkout ---


def branch(repository: Repository, name: str) -> Mapping[str, Any]:
    """A new branch where HEAD is: `name id`."""
    if not is_ref(name):
        raise ToolFault(f"{name!r} cannot be the name of a branch", "letters, digits, - and /")
    target = repo_history.commit_of(repository, "HEAD")
    ref = b"refs/heads/" + name.encode()
    for other in repository.refs.under(b"refs/heads"):
        if other == name.encode() or (other + b"/").startswith(name.encode() + b"/"):
            raise ToolFault(f"there is a branch {shown(other)} already", "nothing was changed")
        if (name.encode() + b"/").startswith(other + b"/"):
            raise ToolFault(f"{name} cannot be beside the branch {shown(other)}", "nothing was changed")
    repository.refs.move(ref, None, target.id, who(repository), "branch: Created from HEAD")
    return {"name": name, "id": target.id.decode()}


def switch(repository: Repository, name: str) -> Mapping[str, Any]:
    """Go to a branch, or to a commit without one: `name id detached changed notes`."""
    target = repo_history.commit_of(repository, name)
    old_branch, old = repository.refs.head()
    ref = b"refs/heads/" + name.encode("utf-8", "surrogateescape")
    is_branch = is_ref(name) and repository.refs.follow(ref)[1] == target.id
    with repository.git.lock(b"index") as lock:
        index = repository.index()
        settled(repository, index)
        note = converted(repository, index)
        tree = repository.store.commit(old).tree if old else None
        changes = repo_trees.compared(repository.store, tree, target.tree)
        made = make(repository, lock, index, changes, f"{name} was not reached")
    before = shown(old_branch.removeprefix(b"refs/heads/")) or (old or b"")[:40].decode()
    repository.refs.attach(
        ref if is_branch else b"", old, target.id, who(repository), f"checkout: moving from {before} to {name}"
    )
    return {
        "name": name,
        "id": target.id.decode(),
        "detached": not is_branch,
        "changed": made,
        "notes": [note] * bool(note),
    }


def make(repository: Repository, lock: Lock, index: Index, changes: list[Change], failed: str) -> int:
    """Change the work tree and the index, nothing or all that can be: the number of files. Rule 3 holds."""
    for path, _, _ in changes:
        if not is_path(path):
            raise ToolFault(f"{shown(path)!r} is no path of a work tree", "nothing was changed")
    wanted = repo_write.unlost(repository, index, changes)
    repo_write.allowed(repository, wanted)
    done, fault = repo_write.apply(repository, wanted)
    recorded(repository, index, done)
    if done:
        keep(repository, lock, index)
    if fault is not None:
        how = f"{len(done)} of {len(wanted)} files are changed; {failed}" if done else "nothing was changed"
        raise ToolFault(str(fault), how) from fault
    return len(done)


def recorded(repository: Repository, index: Index, done: Mapping[bytes, Item | None]) -> None:
    """The index with what was done to files."""
    for path, item in done.items():
        if item is None:
            index.pop((path, 0), None)
        else:
            index[path, 0] = repository.fresh[path] = item


def restore(repository: Repository, paths: list[bytes], revision: str) -> Mapping[str, Any]:
    """Bring files back from the index, or from a commit, where nothing is lost by it: `changed notes`."""
    with repository.git.lock(b"index") as lock:
        index = repository.index()
        settled(repository, index)
        note = converted(repository, index)
        entries = staged_entries(index)
        if revision:
            found = repo_history.commit_of(repository, revision)
            wanted = repo_trees.flat(repository.store, found.tree)
        else:
            wanted = entries
        chosen = {path: entry for path, entry in wanted.items() if repo_trees.chosen(paths, path)}
        for path in paths:
            if not any(repo_trees.chosen([path] if path else [], one) for one in chosen):
                raise ToolFault(f"{shown(path)} is not in {revision or 'the index'}", "nothing was changed")
        _kept_somewhere(repository, {path: entries.get(path) for path in chosen}, revision)
        changes: list[Change] = [
            (path, entries.get(path), entry)
            for path, entry in chosen.items()
            if entry != entries.get(path) or _differs(repository, index, path)
        ]
        made = make(repository, lock, index, changes, "the rest is as it was")
    return {"changed": made, "notes": [note] * bool(note)}


def _differs(repository: Repository, index: Index, path: bytes) -> bool:
    return bool(repo_status.look(repository, path, index[path, 0]))


def _kept_somewhere(repository: Repository, here: Mapping[bytes, Any], revision: str) -> None:
    """ToolFault when the index holds something at these paths that the last commit does not, and would lose it."""
    if not revision:
        return
    _, old = repository.refs.head()
    head = repo_trees.flat(repository.store, repository.store.commit(old).tree) if old else {}
    lost = [path for path, entry in here.items() if entry is not None and head.get(path) != entry]
    if lost:
        raise ToolFault(f"staged changes would be lost: {repo_write.listed(lost)}", "commit them, or stash push first")


def head_commit(repository: Repository) -> CommitInfo:
    _, old = repository.refs.head()
    if old is None:
        raise ToolFault("the repository has no commit yet", "commit something first")
    return repository.store.commit(old)
