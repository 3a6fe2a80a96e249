"""The hand on a repository of git: what was granted is read, and changed where `write repo` was granted too.

Rules:
1. No program is run and nothing is fetched or sent. dulwich is given bytes and opens nothing (edge/hands/repo_form.py).
2. Only `.git` of the granted folder is opened, part by part, never through a link (edge/hands/repo_folder.py); what
   lies elsewhere is said. Nothing that a repository holds is believed: sizes, counts, depths, names, time are bounded.
3. Read: the folder. Changed: objects, refs, their logs and the index under `write repo:FOLDER`; files of the work tree
   where they are granted too, each judged by the gate again (edge/hands/repo_write.py).
4. What may hold keys is neither shown nor added unless it was named and granted by itself.
"""

from __future__ import annotations

import time

from edge.faults import Refused, ToolFault
from edge.gate.paths import place
from edge.hands import repo_history, repo_status, repo_trees
from edge.hands.open import said
from edge.hands.repo_names import shown
from edge.hands.repo_objects import LINK, MODULE
from edge.hands.repo_open import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from edge.hands import Holder
    from edge.hands.repo_objects import CommitInfo, Entry
    from edge.hands.repo_trees import Change

    T = TypeVar("T")

_SHARE = 0.9
_BLOB = 1 << 20  # bytes of a file that is compared line by line
_FILES = 2000


class Repo:
    """One repository in one call. Each method opens it anew. Raises ToolFault and Refused."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._ends = holder.begun + holder.permit.seconds * _SHARE

    # --- looking ---

    def status(self, path: str, paths: Sequence[str] = ()) -> Mapping[str, Any]:
        """`branch head entries notes`; entries: (two letters as git has them, path)."""

        def act(repository: Repository) -> Mapping[str, Any]:
            branch, head = repository.refs.head()
            index = repository.index()
            tree = repo_trees.flat(repository.store, repository.store.commit(head).tree) if head else {}
            first, second = repo_status.staged(tree, index), repo_status.unstaged(repository, index)
            open_ = repo_status.unmerged(index)
            marks = {name: first.get(name, " ") + second.get(name, " ") for name in first.keys() | second.keys()}
            marks.update(open_)
            rows = [(marks[name], name) for name in sorted(marks)]
            rows += [("??", name) for name in repo_status.Walk(repository, index).found()]
            some = _bytes(paths)
            entries = [(mark, shown(name)) for mark, name in rows if repo_trees.chosen(some, name.rstrip(b"/"))]
            filters, ends = repository.converting(index)
            notes = [f"{filters}: files are compared as they are"] * bool(filters)
            notes += [f"{ends}: line ends are compared as they are"] * bool(ends)
            return {**_named(branch, head), "entries": entries, "notes": notes}

        return self._with(path, act)

    def log(self, path: str, revision: str, paths: Sequence[str], limit: int) -> Mapping[str, Any]:
        """`commits` (id time zone author subject parents), `more`: there are others."""

        def act(repository: Repository) -> Mapping[str, Any]:
            without, _, start = revision.rpartition("..")
            if start == "" and not without:
                start = "HEAD"
            first = repo_history.commit_of(repository, start or "HEAD")
            base = repo_history.commit_of(repository, without).id if without else b""
            found: list[Mapping[str, Any]] = []
            for commit in repo_history.walk(repository, [first.id], _bytes(paths), base):
                if len(found) == limit:
                    return {"commits": found, "more": True}
                found.append(_told(commit))
            return {"commits": found, "more": False}

        return self._with(path, act)

    def diff(self, path: str, staged: bool, revision: str, paths: Sequence[str]) -> Mapping[str, Any]:
        """`files` that differ: `path old new before after why`; before, after: bytes, None where there is no text."""

        def act(repository: Repository) -> Mapping[str, Any]:
            changes, works = self._differing(repository, staged, revision, _bytes(paths))
            return _shown(repository, changes, works)

        return self._with(path, act)

    def show(self, path: str, revision: str, paths: Sequence[str]) -> Mapping[str, Any]:
        """A commit: `commit` with its `message`, and `files` against its first parent."""

        def act(repository: Repository) -> Mapping[str, Any]:
            commit = repo_history.commit_of(repository, revision or "HEAD")
            store = repository.store
            before = store.commit(commit.parents[0]).tree if commit.parents else None
            some = _bytes(paths)
            changes = [
                one for one in repo_trees.compared(store, before, commit.tree) if repo_trees.chosen(some, one[0])
            ]
            told = {**_told(commit), "message": commit.message}
            return {"commit": told, **_shown(repository, changes, frozenset())}

        return self._with(path, act)

    def branches(self, path: str) -> Mapping[str, Any]:
        """`branch head`, `branches`: (name, commit, subject), and `linked`: (name, where it lies) of work trees."""

        def act(repository: Repository) -> Mapping[str, Any]:
            rows = []
            for name, value in repository.refs.under(b"refs/heads").items():
                repository.late()
                rows.append((shown(name), value.decode(), _subject(repository, value)))
            return {**_named(*repository.refs.head()), "branches": rows, "linked": _linked(repository)}

        return self._with(path, act)

    def stashes(self, path: str) -> list[str]:
        """What is put aside, the newest first."""
        from edge.hands import repo_stash

        return self._with(path, repo_stash.entries)

    # --- changing ---

    def add(self, path: str, paths: Sequence[str]) -> Mapping[str, Any]:
        """Take files into the index: `added removed skipped notes`."""
        from edge.hands import repo_change

        found = self._with(path, lambda repository: repo_change.add(repository, _bytes(paths)), True)
        return {**found, **{key: [shown(one) for one in found[key]] for key in ("added", "removed")}}

    def commit(self, path: str, message: str, author: str) -> Mapping[str, Any]:
        """Record the index: `id branch first subject changes notes`."""
        from edge.hands import repo_change

        return self._with(path, lambda repository: repo_change.commit(repository, message, author), True)

    def branch(self, path: str, name: str) -> Mapping[str, Any]:
        """A new branch where HEAD is: `name id`."""
        from edge.hands import repo_change

        return self._with(path, lambda repository: repo_change.branch(repository, name), True)

    def switch(self, path: str, name: str) -> Mapping[str, Any]:
        """Go to a branch or commit: `name id detached changed notes`."""
        from edge.hands import repo_change

        return self._with(path, lambda repository: repo_change.switch(repository, name), True)

    def restore(self, path: str, paths: Sequence[str], revision: str) -> Mapping[str, Any]:
        """Bring files back: `changed notes`."""
        from edge.hands import repo_change

        return self._with(path, lambda repository: repo_change.restore(repository, _bytes(paths), revision), True)

    def stash(self, path: str, push: bool, message: str) -> Mapping[str, Any]:
        """Put aside, or bring back: `changed subject notes`."""
        from edge.hands import repo_stash

        def act(repository: Repository) -> Mapping[str, Any]:
            return repo_stash.push(repository, message) if push else repo_stash.pop(repository)

        return self._with(path, act, True)

    # --- what they share ---

    def _with(self, path: str, act: Callable[[Repository], T], changes: bool = False) -> T:
        if changes:
            self._holder.grant("write", "repo", place(path, self._holder.world.scene).full)
        try:
            with Repository(self._holder, path, self.late) as repository:
                return act(repository)
        except Refused:
            raise
        except OSError as error:
            raise ToolFault(f"the repository {path} cannot be used: {said(error)}") from error

    def late(self) -> None:
        """ToolFault when it has to stop now."""
        if self._holder.ending():
            raise ToolFault("stopped because the call was ended")
        if time.monotonic() > self._ends:
            raise ToolFault(f"stopped after {self._holder.permit.seconds * _SHARE:.3g} s", "name paths, or less")

    def _differing(
        self, repository: Repository, staged: bool, revision: str, paths: list[bytes]
    ) -> tuple[list[Change], frozenset[bytes]]:
        """What differs, and the paths whose second side is a file of the work tree."""
        store = repository.store
        if ".." in revision:
            first, _, second = revision.partition("..")
            if second.startswith("."):
                raise ToolFault(f"{revision!r}: three dots are not known", "A..B compares two commits")
            ends = [repo_history.commit_of(repository, one or "HEAD").tree for one in (first, second)]
            changes = repo_trees.compared(store, ends[0], ends[1])
            return [one for one in changes if repo_trees.chosen(paths, one[0])], frozenset()
        index = repository.index()
        here: dict[bytes, Entry] = {path: (i.mode, i.sha) for (path, stage), i in index.items() if stage in (0, 2)}
        _, head = repository.refs.head()
        if revision or staged:
            commit = repo_history.commit_of(repository, revision) if revision else head and store.commit(head)
            before = repo_trees.flat(store, commit.tree) if commit else {}
        else:
            before = here
        works: set[bytes] = set()
        if not staged:
            here = dict(here)
            for path, letter in repo_status.unstaged(repository, index).items():
                works.add(path)
                _now(repository, here, path, letter)
        names = {path for path in {*before, *here} if repo_trees.chosen(paths, path)}
        changes = [(path, before.get(path), here.get(path)) for path in sorted(names)]
        return [one for one in changes if one[1] != one[2]], frozenset(works)


def _now(repository: Repository, here: dict[bytes, Entry], path: bytes, letter: str) -> None:
    """The entry of a path as the work tree has it."""
    status = repo_status.status_of(repository, path)
    if letter == "D" or status is None:
        here.pop(path, None)
        return
    mode = repo_status.mode_in(repository, status, here[path][0])
    here[path] = (mode, repo_status.digest(repository, path, mode))


def _shown(repository: Repository, changes: list[Change], works: frozenset[bytes]) -> Mapping[str, Any]:
    """The files of a difference, and `left`: how many more there are."""

    def files() -> Iterator[Mapping[str, Any]]:
        for path, old, new in changes[:_FILES]:
            repository.late()
            told = {"path": shown(path), "old": old[0] if old else 0, "new": new[0] if new else 0}
            if repository.closed(path):
                yield {**told, "before": None, "after": None, "why": "it may hold keys; name it in paths to ask for it"}
                continue
            before = _content(repository, path, old, False)
            after = _content(repository, path, new, path in works)
            why = next((one for one in (before, after) if isinstance(one, str)), "")
            yield {**told, "before": None if why else before, "after": None if why else after, "why": why}

    return {"files": list(_bounded(files())), "left": max(0, len(changes) - _FILES)}


def _bounded(files: Iterator[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """No more than a few MiB of content are held."""
    held = 0
    for one in files:
        held += len(one["before"] or b"") + len(one["after"] or b"")
        if held > 8 * _BLOB:
            yield {**one, "before": None, "after": None, "why": "what differs is too much to be shown; name paths"}
            continue
        yield one


def _content(repository: Repository, path: bytes, entry: Entry | None, work: bool) -> bytes | str | None:
    """One side of a difference: bytes, None where there is none, or why it is not shown."""
    if entry is None:
        return None
    if entry[0] & 0o170000 == MODULE:
        return b"Subproject commit " + entry[1] + b"\n"
    if not work:
        kind, content = repository.store.get(entry[1])
        if kind != b"blob":
            raise ToolFault(f"{shown(path)} is a {kind.decode()} in the repository, no file", "git fsck tells more")
    elif entry[0] == LINK:
        content = repository.work.target(path)
    elif repository.work.status(path).st_size > _BLOB:
        return "it is too large"
    else:
        content = repository.work.read(path, _BLOB)
    if len(content) > _BLOB:
        return "it is too large"
    return "it is binary" if b"\0" in content[:8000] else content


def _linked(repository: Repository) -> list[tuple[str, str]]:
    """Further work trees as the repository tells of them."""
    try:
        names = [name for name, folder, _ in repository.git.names(b"worktrees") if folder]
    except FileNotFoundError:
        return []
    texts = [(name, repository.git.perhaps(b"worktrees/" + name + b"/gitdir", 4096) or b"") for name in names[:50]]
    return [(shown(name), shown(text.strip())) for name, text in texts]


def _named(branch: bytes, head: bytes | None) -> dict[str, Any]:
    return {"branch": shown(branch.removeprefix(b"refs/heads/")), "head": head.decode() if head else ""}


def _told(commit: CommitInfo) -> dict[str, Any]:
    return {
        "id": commit.id.decode(),
        "time": commit.author.seconds,
        "zone": commit.author.zone,
        "author": commit.author.name,
        "subject": commit.message.lstrip("\n").split("\n", 1)[0],
        "parents": [parent.decode() for parent in commit.parents],
    }


def _subject(repository: Repository, name: bytes) -> str:
    try:
        return repository.store.commit(name).message.split("\n", 1)[0]
    except ToolFault:
        return "(broken)"


def _bytes(paths: Sequence[str]) -> list[bytes]:
    return [path.encode("utf-8", "surrogateescape") for path in paths]
