"""What the agent remembers beyond a conversation: keys with texts, found again by words or by time.

Rules:
1. The file (memory_file.py) is the truth; the index (memory_index.py) only makes looking for something fast. Both ways
   of looking find the same: all entries with all words; where there are none, those with some of them.
2. At most `most` bytes. When they are full, older versions go first, then the oldest of the categories `daily` and
   `conversation`, and that is said. `core`, and what somebody gave a category of his own, never goes by itself.
3. A seventh of the room and more is free after that: a full memory must not write all of itself for each new line.
4. What is forgotten is on the card no more when that is told: not in the file, in the index, nor in a torn end that
   was kept aside. What a card keeps of deleted files is out of reach from here.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.record import Record
from edge.tape.disk import Disk
from edge.tape.memory_file import Book, entry_of, key_mark, line_of, trouble
from edge.tape.memory_index import Doubt, Index, discard
from edge.tape.memory_words import Entry, composed, needles, pieces, ranked, searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 32 << 20  # bytes of the file
LEAST = 128 << 10  # bytes of a file from which on an index is worth its writes to the card
RANKED = 300  # entries that are put in order; of more that fit, the newest
PASSING = ("conversation", "daily")
FOREVER = 1e18
_HEAD = 96  # bytes of the first line, and a few


class Stored(Record):
    """What storing did: the entry, whether its key was there before, how many entries were dropped for room."""

    entry: Entry
    replaced: bool
    dropped: int = 0


class Found(Record):
    """Entries, the best first. `some`: none has all the words, these have some of them. `more`: not all are given."""

    entries: tuple[Entry, ...]
    some: bool = False
    more: bool = False


class Memory:
    """The memory in the folder `folder`. Every call opens it, locked, and lets it go; ToolFault when that fails."""

    def __init__(
        self, folder: str, disk: Disk | None = None, most: int = MOST, indexed: bool = True, least: int = LEAST
    ) -> None:
        self._folder = folder
        self._disk = disk or Disk()
        self._most = most
        self._indexed = indexed
        self._least = least

    def store(self, key: str, content: str, category: str, source: str = "") -> Stored:
        """Remember `content` under `key`, in the place of what was there. ToolFault: then it is as it was."""
        entry = Entry(0, composed(key), content, category, self._disk.wall(), source)
        book = self._book(True)
        assert book is not None
        try:
            there = bool(book.find(key_mark(entry.key)))
            dropped = self._room(book, entry)
            return Stored(book.append(entry), there, dropped)
        except OSError as error:
            raise trouble("it could not be stored", error) from error
        finally:
            book.close()

    def recall(self, query: str = "", limit: int = 5, since: float = 0.0, until: float = FOREVER) -> Found:
        """The best entries for `query`, without one the newest; from `since` to before `until` (seconds since 1970).

        ToolFault when `query` has nothing that can be looked for.
        """
        words = needles(query)
        if query and not words:
            raise ToolFault("the query has neither letters nor digits", "leave it out for the newest entries")
        book = self._book(False)
        if book is None:
            return Found(())
        try:
            return self._by_index(book, query, limit, since, until) or _looked(_Scan(book), query, limit, since, until)
        except OSError as error:
            raise trouble("the memory cannot be read", error) from error
        finally:
            book.close()

    def forget(self, key: str) -> int:
        """Remove a key and all its versions (rule 4); how many lines went. ToolFault when there is none."""
        book = self._book(True)
        assert book is not None
        try:
            key = composed(key)
            mark = key_mark(key)
            count = len(book.find(mark))
            if not count:
                raise ToolFault(f"nothing is remembered under {key!r}", _near(book, key))
            self._without(book, mark, key)
            return count
        except OSError as error:
            raise trouble("it could not be forgotten", error) from error
        finally:
            book.close()

    def _book(self, make: bool) -> Book | None:
        return Book.open(self._disk, self._folder, make)

    # --- looking for something ---

    def _by_index(self, book: Book, query: str, limit: int, since: float, until: float) -> Found | None:
        """By the index; None when there is none that can be relied on now."""
        timed = since > 0 or until < FOREVER
        if not self._indexed or book.size < self._least or not (query or timed):
            return None
        index = Index.open(book)
        if index is None:
            return None
        import sqlite3

        try:
            return _looked(index, query, limit, since, until) if index.catch_up() else None
        except (sqlite3.Error, Doubt):
            index.close()
            discard(book)
            return None
        finally:
            index.close()

    # --- room ---

    def _room(self, book: Book, entry: Entry) -> int:
        """Make room for one more line where there is none; how many entries went (rules 2 and 3)."""
        wanted = len(line_of(entry)) + 24  # its number is not known yet
        if book.size + wanted <= self._most:
            return 0
        sizes = {one.key: (one.n, len(line_of(one)), one.category) for one in book.newest()}
        older = sizes.pop(entry.key, (0, 0, ""))[0]  # stays until the new one is on the card
        total = wanted + _HEAD + sum(size for _, size, _ in sizes.values())
        aim = self._most - self._most // 7
        gone = 0
        for key, (_, size, _) in sorted(
            [item for item in sizes.items() if item[1][2] in PASSING], key=lambda item: item[1][0]
        ):
            if total <= aim:
                break
            total, gone = total - size, gone + 1
            del sizes[key]
        if total > aim:
            raise ToolFault(
                f"the memory is full: what is kept for good fills {total} of {self._most} bytes",
                "forget something, or store it under daily",
            )
        kept = {older, *[n for n, _, _ in sizes.values()]}
        discard(book)
        book.rewrite(lambda line: _number(line) in kept)
        return gone

    # --- forgetting ---

    def _without(self, book: Book, mark: bytes, key: str) -> None:
        index = Index.open(book) if self._indexed and book.size >= self._least else None
        if index is None:
            discard(book)
            _rewritten(book, mark)
            return
        import sqlite3

        try:
            if not index.catch_up():
                raise Doubt
            index.forget(key)
            index.moved(_rewritten(book, mark))
        except (sqlite3.Error, Doubt):
            index.close()
            discard(book)
            _rewritten(book, mark)
        finally:
            index.close()


class _Scan:
    """Looking without an index: through the file, once for all words and once more for some of them."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def newest(self, since: float, until: float) -> Iterator[Entry]:
        return (entry for entry in self._book.newest() if since <= entry.at < until)

    def holding(self, wanted: Sequence[str], since: float, until: float) -> Iterator[Entry]:
        for entry in self.newest(since, until):
            text = searchable(entry.key, entry.content)
            if all(word in text for word in wanted):
                yield entry

    def some(self, parts: Sequence[str], since: float, until: float, each: int) -> list[Entry]:
        left = dict.fromkeys(parts, each)
        found: list[Entry] = []
        for entry in self.newest(since, until):
            text = searchable(entry.key, entry.content)
            held = [part for part in left if part in text]
            found += [entry] * bool(held)
            for part in held:
                left[part] -= 1
                if not left[part]:
                    del left[part]
            if not left:
                break
        return found


def _looked(place: Index | _Scan, query: str, limit: int, since: float, until: float) -> Found:
    """What is found at `place`; both kinds of it give the same."""
    if not query:
        got = _first(place.newest(since, until), limit + 1)
        return Found(tuple(got[:limit]), more=len(got) > limit)
    words, parts = needles(query), pieces(query)
    found = _first(place.holding(words, since, until), RANKED)
    some = not found and (len(parts) > 1 or parts != words)
    if some:
        found, words = place.some(parts, since, until, max(20, RANKED // len(parts))), parts
    best = ranked(found, words)
    return Found(tuple(best[:limit]), some and bool(best), len(best) > limit)


def _first(entries: Iterator[Entry], most: int) -> list[Entry]:
    found: list[Entry] = []
    for entry in entries:
        found.append(entry)
        if len(found) == most:
            break
    return found


def _rewritten(book: Book, mark: bytes) -> list[tuple[int, int]]:
    book.clear_torn()
    return book.rewrite(lambda line: mark not in line)


def _number(line: bytes) -> int:
    entry = entry_of(line)
    return entry.n if entry is not None else 0


def _near(book: Book, key: str) -> str:
    """A key that was probably meant. Untrusted words in a key are not repeated."""
    from edge.tape.memory_words import fold

    folded = fold(key)
    for entry in book.newest():
        if fold(entry.key) == folded and not entry.source:
            return f"did you mean {entry.key}?"
    return "memory_recall finds keys"
