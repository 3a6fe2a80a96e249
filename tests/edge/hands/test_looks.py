"""What a file is by its first bytes."""

from __future__ import annotations

import gzip
import sqlite3
import sys
from pathlib import Path

import pytest

from edge.hands.looks import HEAD, binary, codec, decoded, is_latin


def test_real_files_of_known_kinds_are_told(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "d.db").execute("create table t (x)").connection.close()
    made = {
        gzip.compress(b"x"): "gzip data",
        (tmp_path / "d.db").read_bytes()[:HEAD]: "an SQLite database",
        Path(sys.executable).read_bytes()[:HEAD]: "an ELF program or library",
        b"\x89PNG\r\n\x1a\n" + bytes(20): "a PNG image",
        bytes(257) + b"ustar" + bytes(40): "a tar archive",
    }
    assert {binary(head): what for head, what in made.items()} == {what: what for what in made.values()}


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"plain\n",
        "Grüße ☀ 日本\n".encode(),
        b"\x1b[31mred\x1b[0m log line\r\n",
        b"page\x0cbreak\n",
        "\ufeffwide\n".encode("utf-16-le"),
        b"before the power failed\n" + bytes(2000) + b"after it\n",
        bytes(HEAD),
    ],
)
def test_what_a_person_could_read_is_text(head: bytes) -> None:
    assert binary(head) == ""


def test_bytes_of_no_kind_are_binary_and_words_of_the_kernel_are_not() -> None:
    assert binary(bytes(range(256)) * 8) == "data of no known kind"
    words = b"a\0bc\0d\0e\0f\0"
    assert binary(words) and not binary(words, kernel=True)
    assert binary(b"\0\1\2\3\0\0\7", kernel=True)


def test_marks_of_encodings_are_known() -> None:
    marks = {"x".encode("utf-8-sig"): "utf-8-sig", b"\xff\xfex\0": "utf-16-le", b"\xfe\xff\0x": "utf-16-be"}
    assert {codec(head) for head in marks} == set(marks.values())
    assert codec(b"\xff\xfe\0\0x\0\0\0") == codec(b"x") == ""


def test_latin_1_is_read_where_it_is_sure_and_nothing_is_claimed_where_not() -> None:
    assert decoded("Größe 5 °C\n".encode("latin-1")) == ("Größe 5 °C\n", ("no UTF-8: read as Latin-1",))
    for raw in (b"a\xff\xfeb", b"text \x93quoted\x94 here and on", "é and more text".encode() + b"\xff"):
        assert not is_latin(raw)
        text, said = decoded(raw)
        assert "\ufffd" in text and "no UTF-8" in said[0]
    assert decoded("é".encode()) == ("é", ())
    assert decoded(b"a\0\0b", ("first",)) == ("ab", ("first", "NUL bytes left out"))
