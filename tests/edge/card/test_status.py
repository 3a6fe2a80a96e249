from __future__ import annotations

from pathlib import Path

from edge.card.status import FILE, SIZE, filled, not_started, page, put


def test_headings_and_lines_are_a_page() -> None:
    assert page([("One", ["a", "b"]), ("Empty", []), ("Two", ["c"])]) == "One\n  a\n  b\n\nTwo\n  c\n"


def test_a_page_fills_its_file_with_line_ends_that_notepad_knows() -> None:
    for size in (SIZE, SIZE + 1):
        raw = filled("a\nb\n", size)
        assert len(raw) == size and raw.startswith(b"a\r\nb\r\n") and not raw.replace(b"\r\n", b"").strip(b"ab ")


def test_what_does_not_fit_ends_in_a_line_that_says_so() -> None:
    raw = filled("".join(f"line {number}\n" for number in range(5000)))
    assert len(raw) == SIZE
    rows = raw.decode().strip().split("\r\n")
    assert rows[-1].startswith("... and more") and rows[-2].startswith("line ")
    assert len(filled("x" * 9000, 16)) == 16


def test_it_is_written_where_it_lies(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(not_started())
    node = file.stat().st_ino
    put(str(tmp_path), "hello\n")
    assert file.stat().st_ino == node and file.stat().st_size == SIZE and file.read_bytes().startswith(b"hello\r\n")
    before = file.stat().st_mtime_ns
    put(str(tmp_path), "hello\n")
    assert file.stat().st_mtime_ns == before
    put(str(tmp_path), "hi\n")
    assert file.read_bytes().split() == [b"hi"]


def test_without_one_it_is_made(tmp_path: Path) -> None:
    put(str(tmp_path), "hello\n")
    assert (tmp_path / FILE).stat().st_size == SIZE


def test_the_builders_page_says_that_nothing_happened_yet() -> None:
    assert len(not_started()) == SIZE and b"not started yet" in not_started()
