"""The engine against Python's `re`, on random patterns.

Where the two differ on purpose: `\\B` holds in an empty line here, as it did nowhere in `re` before Python 3.14; empty
lines are left out where a pattern has it. The engine has no order of preference: a span is the leftmost-longest one,
which is held against every span that `re` can be made to find.
"""

from __future__ import annotations

import os
import random
import re
import warnings

import pytest

from edge import regex
from edge.regex.regex import PAYS
from tests.support import patterns

WHOLE = 200_000
ROUNDS = WHOLE if os.environ.get("FIELDHAND_SOAK") == "1" else WHOLE // 10
LINES = 4


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def offsets(lines: list[str]) -> list[int]:
    """Where each line starts in the buffer of all of them."""
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(encoded(line)) + 1
    return starts


@pytest.mark.soak
@pytest.mark.parametrize("fold", [False, True])
def test_the_same_lines_match_as_with_re(fold: bool) -> None:
    rng = random.Random(41 + fold)
    pool = [patterns.line(rng) for _ in range(ROUNDS // 10)]
    tried = matched = 0
    plans: dict[str, int] = {}
    for number in range(ROUNDS // 2):
        text = patterns.pattern(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            theirs = re.compile(text, re.IGNORECASE if fold else 0)
        ours = regex.compile(text, ignore_case=fold)
        if number % 6 == 1:
            ours.prepare(PAYS)
        lines = rng.choices(pool, k=LINES)
        lines = [line for line in lines if line or r"\B" not in text]
        starts = offsets(lines)
        data = encoded("\n".join(lines) + (rng.choice(("", "\n")) if lines and lines[-1] else "\n" * bool(lines)))
        want = [start for start, line in zip(starts, lines) if theirs.search(line)]
        got = list(ours.lines(data))
        assert got == want, (text, lines, ours.plan)
        if number % 4 == 0:
            single = [start for start, line in zip(starts, lines) if ours.matches(encoded(line))]
            assert single == want, (text, lines, ours.plan)
        assert all(ours.needle in data[start:] for start in want), (text, ours.needle)
        tried += len(lines)
        matched += len(want)
        way = ours.plan + ", by re" * bool(ours.quick)
        plans[way] = plans.get(way, 0) + 1
    print(f"{ROUNDS // 2} patterns, {tried} lines, {matched} matched, fold={fold}: {plans}; 0 differences")
    assert tried // 5 < matched < tried * 9 // 10


def spans(theirs: re.Pattern[str], line: str) -> tuple[int, int] | None:
    """The leftmost-longest span, by asking `re` about every one."""
    for start in range(len(line) + 1):
        for end in range(len(line), start - 1, -1):
            if _exact(theirs, line, start, end):
                return len(encoded(line[:start])), len(encoded(line[:end]))
    return None


def _exact(theirs: re.Pattern[str], line: str, start: int, end: int) -> bool:
    # What stands after `end` must be seen by `$` and `\b`: the pattern is bound to its end by counting what is left.
    return re.compile(f"(?:{theirs.pattern})(?=[\\s\\S]{{{len(line) - end}}}\\Z)").match(line, start) is not None


def test_a_span_is_the_leftmost_longest_one() -> None:
    rng = random.Random(43)
    rounds, found = ROUNDS // 80, 0
    for _ in range(rounds):
        text = patterns.pattern(rng, patterns.Shape(deep=1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            theirs = re.compile(text)
            line = patterns.line(rng, 7) or "a"
            want = spans(theirs, line)
        assert regex.compile(text).find(encoded(line)) == want, (text, line)
        found += want is not None
    print(f"{rounds} patterns, {found} spans; 0 differences")
    assert found > rounds // 5
