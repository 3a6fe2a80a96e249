"""Differences of texts: they lead from one to the other, are as short as they can be, and end in time."""

from __future__ import annotations

import random
import time

from edge.tools.git_lines import hunks, lines_of, spans


def shortest(old: list[bytes], new: list[bytes]) -> int:
    """The least number of lines taken out and put in, by the table of common subsequences."""
    row = [0] * (len(new) + 1)
    for line in old:
        above = row
        row = [0]
        for number, other in enumerate(new):
            row.append(above[number] + 1 if line == other else max(above[number + 1], row[number]))
    return len(old) + len(new) - 2 * row[-1]


def test_every_difference_leads_from_one_to_the_other_by_the_fewest_lines() -> None:
    chance = random.Random(3)
    for _ in range(1500):
        old, new = ([chance.choice((b"a\n", b"b\n", b"c\n")) for _ in range(chance.randrange(14))] for _ in range(2))
        made, at, edits = [], 0, 0
        for first, stop, begin, end in spans(old, new):
            made += old[at:first] + new[begin:end]
            at = stop
            edits += stop - first + end - begin
        assert made + old[at:] == new and edits == shortest(old, new)


def test_hunks_are_those_of_a_unified_difference() -> None:
    old = b"".join(b"%d\n" % number for number in range(30))
    new = old.replace(b"\n5\n", b"\nfive\n").replace(b"\n20\n", b"\n") + b"end"
    rows = "@@ -3,7 +3,7 @@| 2| 3| 4|-5|+five| 6| 7| 8|@@ -18,7 +18,6 @@| 17| 18| 19|-20| 21| 22| 23"
    rows += "|@@ -28,3 +27,4 @@| 27| 28| 29|+end|\\ No newline at end of file|"
    assert b"".join(hunks(old, new)).decode().split("\n") == rows.split("|")
    assert b"".join(hunks(b"", b"x\n")) == b"@@ -0,0 +1 @@\n+x\n" and not list(hunks(old, old))
    assert lines_of(b"a\r\n\nb") == [b"a\r\n", b"\n", b"b"] and lines_of(b"") == []


def test_texts_that_have_nothing_in_common_end_soon() -> None:
    begun = time.process_time()
    old = [b"%d\n" % (number * 7919 % 10007) for number in range(20000)]
    new = [b"%d\n" % (number * 104729 % 10007) for number in range(20000)]
    assert len(spans(old, new)) == 1
    assert time.process_time() - begun < 60
