"""Commits by their names, and the way from one to those before it.

Source: gitrevisions(7), of which a part is known: HEAD, @, branches, tags, remote branches, whole refs, at least four
digits of a name, and behind them ~N, ^N and ^. Rules:
1. The way is gone by date, the newest first, as git does; at most VISITED commits.
2. Paths: a commit at which none of them changed against one of its parents is left out, and only that parent is
   followed (history simplification).
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.hands.repo_names import is_id, shown
from edge.hands.repo_refs import fits
from edge.hands.repo_trees import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.hands.repo_objects import CommitInfo
    from edge.hands.repo_open import Repository

VISITED = 100_000
_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_FORMS = "a branch, a tag, HEAD, a commit, and ~N or ^N behind"


def found(repository: Repository, text: str) -> tuple[bytes, bytes]:
    """Kind and name of the object that a revision means, tags followed to what they stand for."""
    base, steps = _parted(text)
    name = _named(repository, base)
    for mark, number in steps:
        commit = repository.store.commit(peeled(repository, name)[1])
        for _ in range(number if mark == "~" else min(number, 1)):
            repository.late()
            which = number - 1 if mark == "^" else 0
            if len(commit.parents) <= which:
                raise ToolFault(f"{text!r} leads to no commit: {commit.id[:7].decode()} has {_count(commit)}")
            commit = repository.store.commit(commit.parents[which])
        name = commit.id
    return peeled(repository, name)


def commit_of(repository: Repository, text: str) -> CommitInfo:
    kind, name = found(repository, text)
    if kind != b"commit":
        raise ToolFault(f"{text!r} is a {kind.decode()}, no commit")
    return repository.store.commit(name)


def peeled(repository: Repository, name: bytes) -> tuple[bytes, bytes]:
    """The same with tags followed."""
    from edge.hands.repo_form import tag_target

    for _ in range(10):
        kind, content = repository.store.get(name)
        if kind != b"tag":
            return kind, name
        name = tag_target(name, content)
    raise ToolFault(f"the tag {name[:12].decode()} leads to more tags than are followed")


def _count(commit: CommitInfo) -> str:
    return f"{len(commit.parents)} parents" if commit.parents else "no parent"


def _parted(text: str) -> tuple[str, list[tuple[str, int]]]:
    """The name and the steps from it: `main~2^1` -> main, [(~, 2), (^, 1)]."""
    base = text
    steps: list[tuple[str, int]] = []
    while base:
        bare = base.rstrip("0123456789")
        if not bare or bare[-1] not in "~^":
            break
        digits = base[len(bare) :]
        number = int(digits[:6] or 1)
        if number > 10_000:
            raise ToolFault(f"{text!r} goes back too far", "at most 10,000")
        steps.insert(0, (bare[-1], number))
        base = bare[:-1]
    if not base or any(letter in base for letter in "^~:{}") or base.startswith("-"):
        raise ToolFault(f"{text!r} is no revision", f"known: {_FORMS}")
    return base, [step for step in steps if step[1]]


def _named(repository: Repository, base: str) -> bytes:
    if base == "@":
        base = "HEAD"
    if base == "HEAD" or ".." not in base:
        for form in _PLACES:
            ref = form.format(base).encode("utf-8", "surrogateescape")
            if ref == b"HEAD" or fits(ref):
                value = repository.refs.follow(ref)[1]
                if value is not None:
                    return value
    if base == "HEAD":
        raise ToolFault("the repository has no commit yet")
    low = base.lower()
    if 4 <= len(low) <= 40 and not low.strip("0123456789abcdef"):
        if is_id(low.encode()):
            return low.encode()
        some = repository.store.like(low)
        if len(some) == 1:
            return some[0]
        if some:
            raise ToolFault(f"{base} is the beginning of several objects", "give more digits")
    near = ", ".join(shown(name) for name in list(repository.refs.under(b"refs/heads"))[:8])
    raise ToolFault(f"there is no revision {base!r}", f"known: {_FORMS}; branches: {near or 'none'}")


def walk(repository: Repository, start: list[bytes], paths: list[bytes], without: bytes = b"") -> Iterator[CommitInfo]:
    """Commits from `start` back, the newest first; with `paths` only those that changed one. without: see `behind`."""
    from heapq import heappop, heappush

    store = repository.store
    seen = behind(repository, without) if without else set()
    waiting: list[tuple[int, int, CommitInfo]] = []
    number = 0

    def add(name: bytes) -> None:
        nonlocal number
        if name in seen:
            return
        seen.add(name)
        number += 1
        if number > VISITED:
            raise ToolFault(f"more than {VISITED:,} commits were looked at", "name a nearer revision")
        commit = store.commit(name)
        heappush(waiting, (-commit.committer.seconds, number, commit))

    for name in start:
        add(name)
    while waiting:
        repository.late()
        commit = heappop(waiting)[2]
        parents, changed = commit.parents, True
        if paths:
            parents, changed = _simplified(repository, commit, paths)
        for parent in parents:
            add(parent)
        if changed:
            yield commit


def behind(repository: Repository, name: bytes) -> set[bytes]:
    """A commit and all before it."""
    seen = {name}
    waiting = [name]
    while waiting:
        repository.late()
        for parent in repository.store.commit(waiting.pop()).parents:
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
        if len(seen) > VISITED:
            raise ToolFault(f"more than {VISITED:,} commits were looked at", "name a nearer revision")
    return seen


def _simplified(repository: Repository, commit: CommitInfo, paths: list[bytes]) -> tuple[tuple[bytes, ...], bool]:
    """The parents to go on with, and whether the commit is one of those wanted (rule 2)."""
    store = repository.store
    here = [at(store, commit.tree, path) for path in paths]
    for parent in commit.parents:
        if here == [at(store, store.commit(parent).tree, path) for path in paths]:
            return (parent,), False
    return commit.parents, bool(commit.parents) or any(here)
