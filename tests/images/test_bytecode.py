"""Byte code that is kept between builds: what decides the key, and what an entry that was damaged is worth."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from images import bytecode
from images.bytecode import Bytecode


@pytest.fixture
def python(tmp_path: Path) -> Path:
    path = tmp_path / "python3"
    path.write_bytes(b"a Python")
    return path


def made(folder: Path | None, python: Path, program: str = "compile", first: bytes = b"first") -> Bytecode:
    return Bytecode(folder, python, program, first)


def test_what_is_kept_is_taken_by_the_next_build(tmp_path: Path, python: Path) -> None:
    made(tmp_path / "kept", python).keep("usr/lib/a.py", b"source", b"code")
    assert made(tmp_path / "kept", python).taken("usr/lib/a.py", b"source") == b"code"


def test_another_source_place_python_compiler_or_first_source_is_another_entry(tmp_path: Path, python: Path) -> None:
    kept = tmp_path / "kept"
    made(kept, python).keep("a.py", b"source", b"code")
    assert made(kept, python).taken("a.py", b"source ") is None
    assert made(kept, python).taken("b.py", b"source") is None
    assert made(kept, python, program="compile otherwise").taken("a.py", b"source") is None
    assert made(kept, python, first=b"another").taken("a.py", b"source") is None
    python.write_bytes(b"another Python")
    assert made(kept, python).taken("a.py", b"source") is None


def test_a_damaged_entry_is_none_and_is_written_anew(tmp_path: Path, python: Path) -> None:
    before = made(tmp_path / "kept", python)
    before.keep("a.py", b"source", b"code")
    (entry,) = (path for path in (tmp_path / "kept").rglob("*") if path.is_file())
    for damage in (entry.read_bytes()[:-1], b"", entry.read_bytes() + b"x"):
        entry.write_bytes(damage)
        assert before.taken("a.py", b"source") is None
    before.keep("a.py", b"source", b"code")
    assert before.taken("a.py", b"source") == b"code"


def test_what_was_used_last_stays_and_the_rest_goes(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    before = made(folder, python)
    for number, name in enumerate(("old.py", "asked for.py", "new.py")):
        before.keep(name, b"source", b"c" * 1000)
        (last,) = {path for path in folder.rglob("*") if path.is_file() and path.stat().st_mtime > 1000}
        os.utime(last, (number, number))
    (folder / "what a killed build left").write_bytes(b"half")
    os.utime(folder / "what a killed build left", (0, 0))
    before.tidy()
    assert sum(path.is_file() for path in folder.rglob("*")) == 4, "there is room for all"
    assert before.taken("asked for.py", b"source")
    monkeypatch.setattr(bytecode, "LARGEST", 2 * (1000 + bytecode.MARK))
    before.tidy()
    assert before.taken("old.py", b"source") is None
    assert before.taken("asked for.py", b"source") and before.taken("new.py", b"source")
    assert sum(path.is_file() for path in folder.rglob("*")) == 2


def test_without_a_folder_nothing_is_taken_or_kept(tmp_path: Path, python: Path) -> None:
    before = made(None, python)
    before.keep("a.py", b"source", b"code")
    before.tidy()
    assert before.taken("a.py", b"source") is None


def test_a_folder_that_takes_nothing_stops_nobody(tmp_path: Path, python: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    before = made(tmp_path / "file", python)
    before.keep("a.py", b"source", b"code")
    before.tidy()
    assert before.taken("a.py", b"source") is None


def test_what_was_used_last_stays_though_it_was_made_first(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = made(tmp_path / "kept", python)
    for name in ("old.py", "new.py"):
        kept.keep(name, b"source", b"code")
    for entry in (tmp_path / "kept").rglob("*"):
        os.utime(entry, (1000, 1000))
    kept.taken("old.py", b"source")
    monkeypatch.setattr(bytecode, "LARGEST", bytecode.MARK + 4)
    kept.tidy()
    assert kept.taken("old.py", b"source") == b"code" and kept.taken("new.py", b"source") is None
