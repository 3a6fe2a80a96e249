"""The index beside the file of what is remembered: which entries may hold a text. It can always be made again.

Rules:
1. It knows where entries stand, never what they say: what is found is read from the file, and counts only if it holds
   what was looked for. So nothing wrong in the index makes a wrong result.
2. What is missing in it would: it is used only if nobody else wrote to it (`stamp`: inode, size and time of change,
   kept in the lock's file), if it was made from this very file (`gen`), and if the last line that it took in stands in
   its place. Else it is thrown away and made anew. So is one of another version, or one that SQLite has doubts about.
3. It is brought up to date when something is looked for, SECONDS at a time at most; until then the file is gone
   through. Where Python has no sqlite3, or that no FTS5 with trigrams (SQLite 3.34), it always is.
4. What is forgotten leaves it before it leaves the file: free pages are overwritten (secure_delete), the runs of FTS5
   merged, so that no run keeps what was deleted (https://www.sqlite.org/fts5.html, 6.6 and 6.9).
"""

from __future__ import annotations

import os

from edge.tape.memory_file import entry_of
from edge.tape.memory_words import searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from edge.tape.memory_file import Book
    from edge.tape.memory_words import Entry

NAME = "index.db"
VERSION = 1
SECONDS = 3.0  # of taking in entries before the file is gone through instead
_SLICE = 1000  # entries between two looks at the clock
_TRIGRAMS = 12  # of one text that are looked up; what is found is compared as a whole
_TAIL = len(b',"crc":"00000000"}\n')
_STAMP = 96  # bytes
_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE entry (n INTEGER PRIMARY KEY, key TEXT UNIQUE, at REAL, place INTEGER, size INTEGER)",
    "CREATE VIRTUAL TABLE word USING fts5(text, content='', detail=none, tokenize='trigram case_sensitive 1')",
    f"PRAGMA user_version = {VERSION}",
)


class Doubt(Exception):
    """The index and the file do not fit; the index has to go."""


class Index:
    """The index of an open book. Every method raises sqlite3.Error or Doubt when it cannot be relied on."""

    def __init__(self, book: Book, base: Any) -> None:
        self._book = book
        self._base = base

    @classmethod
    def open(cls, book: Book) -> Index | None:
        """The index as it is or empty; None where there can be none."""
        if not book.gen:
            return None
        try:
            import sqlite3
        except ImportError:
            return None
        path = f"{book.folder}/{NAME}"
        for _ in range(2):
            base = None
            try:
                if _stamp(path) != _kept_stamp(book):
                    discard(book)
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
                base = sqlite3.connect(path, timeout=1.0, isolation_level=None)
                index = cls(book, base)
                index._ready()
                return index
            except (sqlite3.Error, OSError, Doubt):
                if base is not None:
                    base.close()
                if not discard(book):
                    return None
        return None

    def _ready(self) -> None:
        """Make the tables where there are none; Doubt when they are those of something else."""
        base = self._base
        base.execute("PRAGMA secure_delete = ON")
        version = base.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            base.execute("BEGIN")
            for statement in _TABLES:
                base.execute(statement)
            self._note(self._book.gen, 0, b"")
            base.execute("COMMIT")
        elif version != VERSION:
            raise Doubt
        gen, end, tail = self._noted()
        if gen != self._book.gen or end > self._book.size or self._tail(end) != tail:
            raise Doubt

    def _tail(self, end: int) -> bytes:
        return self._book.read(_TAIL, end - _TAIL) if end else b""

    def _noted(self) -> tuple[str, int, bytes]:
        found = dict(self._base.execute("SELECT name, value FROM meta"))
        try:
            return str(found["gen"]), int(found["end"]), bytes(found["tail"])
        except (KeyError, TypeError, ValueError) as error:
            raise Doubt from error

    def _note(self, gen: str, end: int, tail: bytes) -> None:
        rows = [("gen", gen), ("end", end), ("tail", tail)]
        self._base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def close(self) -> None:
        """Let it go, and keep its stamp."""
        self._base.close()
        _keep_stamp(self._book, _stamp(f"{self._book.folder}/{NAME}"))

    def catch_up(self, seconds: float = SECONDS) -> bool:
        """Take in what was stored since; False when that takes longer, and some of it is still missing."""
        _, end, _ = self._noted()
        if end == self._book.size:
            return True
        until = self._book.disk.mono() + seconds
        self._base.execute("BEGIN")
        for count, (offset, line) in enumerate(self._book.lines(end), 1):
            end = offset + len(line) + 1
            entry = entry_of(line)
            if entry is not None:
                self._take(entry, offset, len(line))
            if count % _SLICE == 0 and self._book.disk.mono() > until:
                break
        self._note(self._book.gen, end, self._tail(end))
        self._base.execute("COMMIT")
        return end == self._book.size

    def _take(self, entry: Entry, place: int, size: int) -> None:
        for n, at, length in self._base.execute("SELECT n, place, size FROM entry WHERE key = ?", (entry.key,)):
            self._leave(n, at, length)
        text = searchable(entry.key, entry.content)
        self._base.execute("INSERT INTO word (rowid, text) VALUES (?, ?)", (entry.n, text))
        self._base.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", (entry.n, entry.key, entry.at, place, size))

    def _leave(self, n: int, place: int, size: int) -> None:
        """Take an entry out: FTS5 wants the very text that it was given."""
        old = self._at(n, place, size)
        text = searchable(old.key, old.content)
        self._base.execute("INSERT INTO word (word, rowid, text) VALUES ('delete', ?, ?)", (n, text))
        self._base.execute("DELETE FROM entry WHERE n = ?", (n,))

    def _at(self, n: int, place: int, size: int) -> Entry:
        entry = entry_of(self._book.line(place, size))
        if entry is None or entry.n != n:
            raise Doubt
        return entry

    def holding(self, needles: Sequence[str], since: float, until: float) -> Iterator[Entry]:
        """The entries from `since` to before `until` that hold all needles, the newest first."""
        wanted = dict.fromkeys(part for needle in needles for part in _trigrams(needle))
        rows = self._base.execute(
            "SELECT entry.n, place, size FROM word JOIN entry ON entry.n = word.rowid "
            "WHERE word MATCH ? AND at >= ? AND at < ? ORDER BY word.rowid DESC",
            (" AND ".join(f'"{part}"' for part in wanted), since, until),
        )
        for row in rows:
            entry = self._at(*row)
            text = searchable(entry.key, entry.content)
            if all(needle in text for needle in needles):
                yield entry

    def some(self, parts: Sequence[str], since: float, until: float, each: int) -> list[Entry]:
        """Of each part the newest `each` entries that hold it."""
        found: dict[int, Entry] = {}
        for part in parts:
            for count, entry in enumerate(self.holding((part,), since, until), 1):
                found[entry.n] = entry
                if count == each:
                    break
        return list(found.values())

    def newest(self, since: float, until: float) -> Iterator[Entry]:
        """The entries from `since` to before `until`, the newest first."""
        rows = self._base.execute(
            "SELECT n, place, size FROM entry WHERE at >= ? AND at < ? ORDER BY n DESC", (since, until)
        )
        for row in rows:
            yield self._at(*row)

    def forget(self, key: str) -> None:
        """Take a key out, with all that is left of it (rule 4). The index is up to date."""
        _, end, tail = self._noted()
        self._base.execute("BEGIN")
        for row in self._base.execute("SELECT n, place, size FROM entry WHERE key = ?", (key,)).fetchall():
            self._leave(*row)
        self._base.execute("INSERT INTO word (word) VALUES ('optimize')")
        self._note("", end, tail)  # until the file is without it too
        self._base.execute("COMMIT")

    def moved(self, left: Sequence[tuple[int, int]]) -> None:
        """The file was written anew without the lines `left`; the others moved up."""
        self._base.execute("BEGIN")
        for place, size in reversed(left):
            self._base.execute("UPDATE entry SET place = place - ? WHERE place > ?", (size, place))
        self._note(self._book.gen, self._book.size, self._tail(self._book.size))
        self._base.execute("COMMIT")


def discard(book: Book) -> bool:
    """Throw the index away; False when that is not possible."""
    for name in (NAME, NAME + "-journal", NAME + "-wal", NAME + "-shm"):
        try:
            os.unlink(f"{book.folder}/{name}")
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return _keep_stamp(book, b"")


def _trigrams(needle: str) -> list[str]:
    every = [needle[at : at + 3] for at in range(len(needle) - 2)]
    return every[:: max(1, len(every) // _TRIGRAMS)]


def _stamp(path: str) -> bytes:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return b""
    return b"%d %d %d" % (status.st_ino, status.st_size, status.st_mtime_ns)


def _kept_stamp(book: Book) -> bytes:
    return os.pread(book.lock, _STAMP, 0).rstrip()


def _keep_stamp(book: Book, stamp: bytes) -> bool:
    """Keep it on the card; False when that fails. Without it the index is made anew."""
    if _kept_stamp(book) == stamp:
        return True
    try:
        os.pwrite(book.lock, stamp.ljust(_STAMP), 0)
        os.fdatasync(book.lock)
    except OSError:
        return False
    return True
