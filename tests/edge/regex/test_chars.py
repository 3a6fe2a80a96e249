"""Sets of characters: case families, classes and what is apart, held against Python's own tables."""

from __future__ import annotations

import os
import random
import re
import sys

from edge import regex
from edge.regex.chars import ASCII, ESCAPES, KINDS, LINE_FEED, Chars, chars, one, span, variants

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
# Every character that has another case, and some that have none.
CASED = [chr(code) for code in range(0x250 if not SOAK else 0x1F000) if chr(code).lower() != chr(code).upper()]
CASED += [*"\u0345\u03b8\u03d1\u03f4\u1c80\u1c88\ua64a\u1e9e\u2126\u212a\u212b\ufb05\u0416\u0531\u10d0\u13a0"]


def test_a_case_family_is_the_one_of_re() -> None:
    wrong = []
    for char in CASED:
        family = variants(char)
        assert char in family
        search = re.compile(re.escape(char), re.IGNORECASE)
        wrong += [(char, other) for other in family if not search.fullmatch(other)]
        wrong += [(char, other) for other in family if variants(other) != family]
        others = {char.lower(), char.upper(), char.title(), char.swapcase()} - set(family)
        wrong += [(char, other) for other in others if len(other) == 1 and search.fullmatch(other)]
    print(f"{len(CASED)} characters")
    assert not wrong
    assert variants("1") == "1" and variants("\udcff") == "\udcff"


def test_the_classes_are_those_of_re_but_for_the_line_feed() -> None:
    step = 1 if SOAK else 97
    codes = [*range(0x300), *range(0x300, sys.maxunicode, step)]
    for letter, item in ESCAPES.items():
        theirs = re.compile(f"\\{letter}").match
        ours = chars((item,))
        wrong = [code for code in codes if code != 10 and ours.holds(chr(code)) != bool(theirs(chr(code)))]
        assert not wrong, (letter, wrong[:9])
        assert not ours.holds("\n")


def test_sets_that_are_said_to_be_apart_share_no_character() -> None:
    rng, apart = random.Random(3), 0
    some = [chr(code) for code in (*range(128), *range(0xA0, 0x180), 0x212A, 0x660, 0x2003, 0xDCFF, 0x4E00, 0x1F600)]
    items = [
        *ESCAPES.values(),
        *(span(low, low + wide) for low in (48, 65, 97, 0xE9, 0x2000, 0x660) for wide in (0, 9)),
    ]

    def made() -> Chars:
        return chars(rng.sample(items, rng.randrange(1, 3)), rng.random() < 0.3, rng.random() < 0.3)

    for _ in range(1_500):
        first, second = made(), made()
        if first.apart(second):
            apart += 1
            assert not any(first.holds(char) and second.holds(char) for char in some), (first, second)
    assert apart > 50


def test_no_set_holds_the_line_feed() -> None:
    for made in (Chars(ASCII), Chars(0, negated=True), chars((span(0, 0x10FFFF),)), one("\n")):
        assert not made.mask & LINE_FEED and not made.holds("\n")


def test_every_kind_can_be_asked_about_any_character() -> None:
    for ask in KINDS.values():
        assert {ask(char) for char in ("\udcff", "\U0010ffff", "é", "\u0660", "\u2003")} <= {True, False}


def test_a_search_without_regard_to_case_knows_the_whole_family() -> None:
    for text, line in [("k", "\u212a"), ("S", "\u017f"), ("ω", "Ω"), ("[à-ü]", "É"), ("ß", "ẞ"), ("^[^é]$", "e")]:
        engine = regex.compile(text, ignore_case=True)
        for size in (0, 1 << 20):
            engine.prepare(size)
            assert engine.matches(line.encode()), text
            assert list(engine.lines(b"zz\n" + line.encode() + b"\nzz")) == [3], text
    assert not regex.compile("^[^é]$", ignore_case=True).matches("É".encode())
