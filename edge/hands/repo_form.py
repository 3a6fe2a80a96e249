"""What stands inside of commits, trees and tags, read and written by dulwich from bytes that were bounded.

Rules:
1. dulwich is given bytes and gives values; it opens nothing here.
2. Whatever it raises for bytes that are no object is one sentence.
3. Text is decoded with replacement; names of files stay bytes.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.hands.repo_names import is_id
from edge.hands.repo_objects import CommitInfo, Person, library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")

_PARENTS = 1000
# What dulwich raises for broken objects beside its own family, which begins at ValueError or stands here.
_BROKEN = (ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, OverflowError)


def _read(name: bytes, act: Callable[[], T]) -> T:
    errors = __import__("dulwich.errors", fromlist=["FileFormatException"])
    try:
        return act()
    except (errors.FileFormatException, errors.ChecksumMismatch, *_BROKEN) as error:
        raise ToolFault(f"the object {name.decode()} of the repository is broken", "git fsck tells more") from error


def commit(name: bytes, content: bytes) -> CommitInfo:
    """What the text of a commit says."""
    kinds = library()

    def act() -> CommitInfo:
        found = kinds.Commit.from_string(content)
        parents = tuple(found.parents)
        if not is_id(found.tree) or not all(map(is_id, parents)) or len(parents) > _PARENTS:
            raise ValueError("a name")
        author = Person(_text(found.author), _time(found.author_time), _time(found.author_timezone))
        committer = Person(_text(found.committer), _time(found.commit_time), _time(found.commit_timezone))
        return CommitInfo(name, found.tree, parents, author, committer, _text(found.message or b""))

    return _read(name, act)


def tag_target(name: bytes, content: bytes) -> bytes:
    """The name of the object that a tag stands for."""
    kinds = library()

    def act() -> bytes:
        target: bytes = kinds.Tag.from_string(content).object[1]
        if not is_id(target):
            raise ValueError("a name")
        return target

    return _read(name, act)


def tree(name: bytes, content: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Name, mode and object of each entry, in their order."""
    kinds = library()

    def act() -> list[tuple[bytes, int, bytes]]:
        found = [(one.path, one.mode, one.sha) for one in kinds.Tree.from_string(content).iteritems()]
        if any(not path or b"/" in path for path, _, _ in found):
            raise ValueError("a name that is a path")
        return found

    return iter(_read(name, act))


def tree_text(entries: Iterable[tuple[bytes, int, bytes]]) -> bytes:
    """The text of a tree."""
    made = library().Tree()
    for name, mode, object_name in entries:
        made.add(name, mode, object_name)
    text: bytes = made.as_raw_string()
    return text


def commit_text(tree_name: bytes, parents: Iterable[bytes], author: Person, committer: Person, message: str) -> bytes:
    """The text of a new commit, in UTF-8."""
    made: Any = library().Commit()
    made.tree, made.parents = tree_name, list(parents)
    made.author, made.author_time, made.author_timezone = author.name.encode(), author.seconds, author.zone
    made.committer, made.commit_time = committer.name.encode(), committer.seconds
    made.commit_timezone = committer.zone
    made.message = message.encode("utf-8", "replace")
    text: bytes = made.as_raw_string()
    return text


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _time(value: int) -> int:
    """A number of seconds that calendars know."""
    return max(-(1 << 40), min(int(value), 1 << 40))
