"""What an edit changed, in few words."""

from __future__ import annotations

from edge.tools.diffs import diff
from edge.tools.edits import edit


def shown(data: bytes, old: str, new: str, limit: int = 2000) -> str:
    return diff(edit(data, [(old, new)], True, 1, "f")[1][0], limit)


def test_a_changed_line_stands_between_its_neighbours() -> None:
    assert shown(b"1\n2\n3\n4\n5\n", "3", "three") == "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4"


def test_places_apart_are_hunks_and_those_near_are_one() -> None:
    data = b"x\n" + b"-\n" * 9 + b"x\nx\n"
    assert shown(data, "x", "yy") == "@@ -1,2 +1,2 @@\n-x\n+yy\n -\n@@ -10,3 +10,3 @@\n -\n-x\n+yy\n-x\n+yy"


def test_lines_that_come_move_the_numbers_of_later_hunks() -> None:
    data = b"x\n" + b"-\n" * 9 + b"x\n"
    assert shown(data, "x", "a\nb").split("\n")[5] == "@@ -10,2 +11,3 @@"


def test_a_missing_last_newline_is_said() -> None:
    assert (
        shown(b"a", "a", "b") == "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file"
    )


def test_long_lines_many_lines_and_many_places_are_cut_and_that_is_said() -> None:
    text = shown(b"k" + b"x" * 5000 + b"\n", "k", "q")
    assert len(text) < 500 and text.count("...") == 2
    assert "more lines]" in shown(b"k\n", "k", "line\n" * 500, 300)
    text = shown((b"k\n" + b"-\n" * 5) * 50, "k", "q")
    assert text.count("@@ -") == 8 and text.endswith("[42 more places were changed]")
