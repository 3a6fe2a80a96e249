"""Searching in bytes, and by classes of bytes, finds what the automaton finds."""

from __future__ import annotations

import os
import random

import pytest

from edge import regex
from edge.regex.classes import classes
from edge.regex.quick import Quick, in_bytes
from edge.regex.regex import PAYS_CLASSES
from tests.support import patterns

ROUNDS = 2_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 200
LETTERS = ("a", "b", "x", "0", "7", "_", "-", " ", ".", "A", "é", "\u017f", "\u212a", "温", "\udcff", "\udc80", "٣")
PARTS = (
    *("[0-9]", r"\d", r"\w", r"\s", r"\S", r"\W", "[a-z]", "[A-Z]", "[a-f0-9]", "[_-]", "[^a]", ".", "a", "é", "[éx]"),
    *("温", r"\b", "^", "$", "[[:alpha:]]", "[^[:digit:]]", "(a|7)", "(ab|0_)", "(x[0-9])"),
)


def buffer(rng: random.Random) -> bytes:
    """Lines of few letters, plain or not, some of them bytes that are no UTF-8."""
    letters = LETTERS[:10] if rng.random() < 0.3 else LETTERS
    lines = ["".join(rng.choices(letters, k=rng.randrange(14))) for _ in range(rng.randrange(1, 60))]
    return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n" * rng.randrange(2)


def made(rng: random.Random) -> str:
    """A pattern of a few sets, with counts."""
    ends = ("", "", "", "+", "*", "?", "{2}", "{1,3}", "{3,}")
    parts = [rng.choice(PARTS) for _ in range(rng.randrange(1, 5))]
    return "".join(part if part in ("^", "$", r"\b") else part + rng.choice(ends) for part in parts)


@pytest.mark.soak
@pytest.mark.parametrize("fold", [False, True])
def test_all_ways_through_bytes_find_the_lines_of_the_automaton(fold: bool) -> None:
    rng = random.Random(71 + fold)
    rough = exact = classed = matched = 0
    for number in range(ROUNDS):
        text = made(rng) if number % 4 else patterns.pattern(rng)
        engine = regex.compile(text, ignore_case=fold, words=number % 7 == 3)
        engine.prepare(PAYS_CLASSES + 1)
        for _ in range(4):
            data = buffer(rng)
            want = list(engine.by_automaton(data))
            assert list(engine.lines(data)) == want, (text, data)
            matched += len(want)
        if engine.quick:
            rough += engine.quick.rough is not None
            exact += engine.quick.exact
        classed += any(engine.classes.values())
    print(f"{ROUNDS} patterns: {rough} in bytes, {exact} of them exact, {classed} by classes; {matched} lines matched")
    assert min(rough, exact, classed) > ROUNDS // 20


@pytest.mark.soak
def test_what_classes_leave_out_matches_nothing() -> None:
    rng = random.Random(73)
    passed = kept = 0
    for _ in range(ROUNDS):
        engine = regex.compile(made(rng))
        for plain in (True, False):
            found = classes(engine.small, plain)
            if found is None:
                continue
            table, texts = found
            for line in buffer(rng).split(b"\n"):
                if plain and not line.isascii():
                    continue
                if any(text in line.translate(table) for text in texts):
                    kept += 1
                else:
                    passed += 1
                    assert not engine.matches(line), (engine.tree, line)
    print(f"{passed} lines were passed over, {kept} were not")
    assert passed > ROUNDS and kept > ROUNDS


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("[0-9]{3}[_-][a-z]", (b"000_e",)),
        ("([0-9]+[_-])+([a-z]+[(])+", (b"0_e",)),
        ("[a-z]+", None),
        (r"\d{3}\s\w+", (b"000 ",)),
    ],
)
def test_the_texts_of_classes(pattern: str, texts: tuple[bytes, ...] | None) -> None:
    found = classes(regex.compile(pattern).small, True)
    assert (found and found[1]) == texts


def test_a_line_feed_is_in_no_class() -> None:
    found = classes(regex.compile("[0-9]{3}[^a]").small, True)
    assert found is not None
    assert [code for code, to in enumerate(found[0]) if to == 10] == [10]


def test_a_set_beyond_ascii_takes_its_bytes() -> None:
    quick = Quick(regex.compile("x.é[0-9]").small)
    assert not quick.exact
    for line in ("x温é7", "xaé7", "x\U0001f600é7"):
        assert quick.rough is None or quick.rough(line.encode(), 0, len(line.encode()))
    assert in_bytes(regex.compile("ab[0-9]").small) == regex.compile("ab[0-9]").small
