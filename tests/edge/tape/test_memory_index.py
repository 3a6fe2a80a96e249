"""The index is never the truth: without it, with a stale, damaged or foreign one, the same is found."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from edge.tape.disk import Disk
from edge.tape.memory import Memory
from edge.tape.memory_file import NAME, Book, line_of
from edge.tape.memory_index import Index
from edge.tape.memory_words import Entry
from tests.support import trigrams
from tests.support.tape_disks import QuickDisk

sqlite3 = pytest.importorskip("sqlite3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory of 40 entries with an index that is up to date."""
    kept = memory(tmp_path)
    for number in range(40):
        kept.store(f"k{number}", f"word{number} of the bed", "core")
    assert len(found(tmp_path, "word3 bed")) == 11
    if trigrams.why_not():
        pytest.skip(trigrams.why_not())
    assert (tmp_path / "memory" / "index.db").exists()
    return tmp_path


def memory(folder: Path, indexed: bool = True) -> Memory:
    return Memory(str(folder / "memory"), QuickDisk(), indexed=indexed, least=0)


def found(folder: Path, query: str, indexed: bool = True) -> list[str]:
    return [entry.key for entry in memory(folder, indexed).recall(query, 20).entries]


def same(folder: Path) -> None:
    for query in ("word3", "bed", "word12 snow", "of word39"):
        assert found(folder, query) == found(folder, query, False) != [], query


def database(folder: Path) -> Path:
    return folder / "memory" / "index.db"


def rows(folder: Path) -> int:
    base = sqlite3.connect(database(folder))
    try:
        return int(base.execute("SELECT count(*) FROM entry").fetchone()[0])
    finally:
        base.close()


def _flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    for at in range(100, len(raw), 611):
        raw[at] ^= 0x55
    path.write_bytes(raw)


def _newer(path: Path) -> None:
    base = sqlite3.connect(path)
    base.execute("PRAGMA user_version = 2")
    base.close()


def _emptied(path: Path) -> None:
    base = sqlite3.connect(path)
    base.execute("DELETE FROM entry")
    base.commit()
    base.close()


def _folder(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/null")


HURTS: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"not a database " * 100),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": _flip,
    "newer": _newer,
    "emptied": _emptied,
    "a link": _folder,
    "a journal": lambda path: path.with_name("index.db-journal").write_bytes(b"x" * 600),
}


@pytest.mark.parametrize("hurt", HURTS)
def test_whatever_happened_to_the_index_the_same_is_found_and_it_is_made_anew(folder: Path, hurt: str) -> None:
    HURTS[hurt](database(folder))
    same(folder)
    assert rows(folder) == 40
    memory(folder).store("new", "word3", "core")
    same(folder)


@pytest.mark.parametrize("hurt", HURTS)
def test_whatever_happened_to_the_index_what_is_forgotten_is_gone(folder: Path, hurt: str) -> None:
    HURTS[hurt](database(folder))
    memory(folder).forget("k3")
    assert "k3" not in found(folder, "word3") and b"word3 " not in (folder / "memory" / NAME).read_bytes()
    same(folder)


def test_a_stamp_that_fits_does_not_hide_what_sqlite_finds_damaged(folder: Path) -> None:
    path = database(folder)
    raw = bytearray(path.read_bytes())
    raw[100:4096] = os.urandom(3996)
    path.write_bytes(raw)
    status = path.stat()
    lock = folder / "memory" / "lock"
    lock.write_bytes(b"%d %d %d" % (status.st_ino, status.st_size, status.st_mtime_ns))
    same(folder)
    assert rows(folder) == 40


def test_an_index_of_another_file_is_not_believed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    old = tmp_path_factory.mktemp("old") / NAME
    shutil.copy(folder / "memory" / NAME, old)
    memory(folder).store("k3", "something else", "core")
    memory(folder).store("k99", "word99", "core")
    same(folder)
    shutil.copy(old, folder / "memory" / NAME)  # a backup is put back: the same file, shorter
    assert found(folder, "word3")[0] == "k3" and found(folder, "word99") == []
    memory(folder).store("k50", "word50 x", "core")
    memory(folder).store("k51", "word51 x", "core")
    same(folder)
    assert found(folder, "word51") == ["k51"]
    memory(folder).forget("k50")
    shutil.copy(old, folder / "memory" / NAME)
    same(folder)
    assert found(folder, "word51") == []


def test_it_takes_in_only_so_long_and_until_then_the_file_is_gone_through(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.tape.memory_index._SLICE", 10)
    database(folder).unlink()
    book = Book.open(Disk(), str(folder / "memory"), True)
    assert book is not None
    index = Index.open(book)
    assert index is not None
    assert [index.catch_up(-1.0) for _ in range(5)] == [False, False, False, False, True]
    index.close()
    book.close()
    same(folder)


def test_without_sqlite_the_file_is_gone_through(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {query: found(folder, query, False) for query in ("word3", "bed", "word12 snow")}
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    database(folder).unlink()
    assert {query: found(folder, query) for query in wanted} == wanted
    memory(folder).store("new", "word3 too", "core")
    assert found(folder, "too") == ["new"]
    memory(folder).forget("new")
    assert found(folder, "too") == [] and not database(folder).exists()


def test_a_database_without_trigrams_is_no_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.tape.memory_index._TABLES", ("CREATE VIRTUAL TABLE word USING nosuch(text)",))
    database(folder).unlink()
    wanted = found(folder, "bed", False)
    assert found(folder, "bed") == wanted and not database(folder).exists()


def test_a_small_memory_needs_no_index(tmp_path: Path) -> None:
    kept = Memory(str(tmp_path / "memory"))
    kept.store("pump", "runs", "core")
    assert kept.recall("runs").entries and not database(tmp_path).exists()


def test_where_nothing_can_be_written_everything_is_found(folder: Path) -> None:
    import subprocess

    if os.geteuid() != 0:
        for path in (folder / "memory").iterdir():
            path.chmod(0o400)
        (folder / "memory").chmod(0o500)
        assert found(folder, "word3")[0] == "k3"
        (folder / "memory").chmod(0o700)
        return
    place = folder / "mounted"
    place.mkdir()
    command = ["mount", "--bind", str(folder / "memory"), str(place)]
    if subprocess.run(command, capture_output=True, timeout=20, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True, timeout=20)
        database(folder).write_bytes(b"damaged")
        kept = Memory(str(place), least=0)
        assert [entry.key for entry in kept.recall("word3").entries][:1] == ["k3"]
        with pytest.raises(Exception, match="read-only"):
            kept.store("x", "y", "core")
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False, timeout=20)


class _Counting(QuickDisk):
    """Counts the bytes that are read."""

    count = 0

    def pread(self, fd: int, count: int, offset: int) -> bytes:  # type: ignore[override]
        self.count += count
        return os.pread(fd, count, offset)


def test_of_very_many_entries_the_index_reads_only_what_fits_and_forgetting_keeps_it(folder: Path) -> None:
    import tracemalloc

    many = 100_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 4_000
    path = folder / "memory" / NAME
    with path.open("ab") as file:
        for n in range(41, 41 + many):
            file.write(line_of(Entry(n, f"key {n}", f"sensor id{n:06}x is at the gate", "core", 1.8e9)))
    disk = _Counting()
    kept = Memory(str(folder / "memory"), disk)
    while kept.recall("sensor", 1).entries and not _up_to_date(folder):
        pass  # it is taken in by parts
    disk.count = 0
    tracemalloc.start()
    assert [entry.key for entry in kept.recall("id000099x").entries] == ["key 99"]
    few, top = disk.count, tracemalloc.get_traced_memory()[1]
    assert few < 100_000 and top < 4 << 20
    assert len(kept.recall("sensor gate").entries) == 5
    assert disk.count < 400_000 and tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()
    kept.forget("key 99")
    disk.count = 0
    assert kept.recall("id000099x").entries == ()
    assert [entry.key for entry in kept.recall("word39").entries] == ["k39"]
    assert disk.count < 200_000
    print(f"memory: {many} entries, {few} bytes read for one, {top} bytes of memory")


def _up_to_date(folder: Path) -> bool:
    base = sqlite3.connect(database(folder))
    try:
        end = base.execute("SELECT value FROM meta WHERE name = 'end'").fetchone()[0]
    finally:
        base.close()
    return bool(end == (folder / "memory" / NAME).stat().st_size)
