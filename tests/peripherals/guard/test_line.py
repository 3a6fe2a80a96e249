"""The guard's own JSON against the library's."""

from __future__ import annotations

import json
import random

import pytest

from edge.peripherals.guard import line
from tests.support.boards import rounds

MARKS = '{}[]",:\\u0123456789eE+-.truefalsn \t\n\x00x'


def pairs(found):
    if len(dict(found)) != len(found):
        raise ValueError("a name stands twice")
    return dict(found)


def refuse(word):
    raise ValueError(word)


def strict(text):
    """The library's reading with what rule 2 of line.py adds to it."""
    value = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    json.dumps(value, allow_nan=False)
    return value


def outcome(read, text):
    try:
        return "value", read(text)
    except ValueError:
        return "refused", None


def a_value(dice, depth):
    kind = dice.randrange(8 if depth else 6)
    if kind == 0:
        return dice.choice((True, False, None))
    if kind == 1:
        return dice.randrange(-(10**18), 10**18) // 10 ** dice.randrange(18)
    if kind == 2:
        return dice.uniform(-1, 1) * 10.0 ** dice.randrange(-300, 300)
    if kind < 6:
        codes = (dice.randrange(128), dice.randrange(0xD7FF), dice.randrange(0x10000, 0x10FFFF), 34, 92)
        return "".join(chr(dice.choice(codes)) for _ in range(dice.randrange(8)))
    if kind == 6:
        return [a_value(dice, depth - 1) for _ in range(dice.randrange(4))]
    return {f"n{number}": a_value(dice, depth - 1) for number in range(dice.randrange(4))}


def test_what_is_written_is_read_back_by_both():
    dice = random.Random(5)
    for _ in range(rounds(20_000)):
        value = a_value(dice, 4)
        text = line.write(value)
        assert text.isascii() and "\n" not in text
        assert json.loads(text) == value == line.read(text)
        assert line.read(json.dumps(value, ensure_ascii=False, indent=1)) == value


def test_damaged_text_is_read_as_the_library_reads_it():
    dice = random.Random(6)
    accepted = 0
    for _ in range(rounds(100_000)):
        text = list(json.dumps(a_value(dice, 4), ensure_ascii=bool(dice.randrange(2))))
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(text) + 1)
            text[at : at + dice.randrange(2)] = dice.choice(MARKS) if dice.randrange(3) else ""
        damaged = "".join(text)
        expected = outcome(strict, damaged)
        accepted += expected[0] == "value"
        assert outcome(line.read, damaged) == expected, damaged
    print(f"{accepted} of them were still JSON")
    assert accepted


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1,}',
        '{"a":1 "b":2}',
        "{1:2}",
        '{"a":1,"a":2}',
        "[1,]",
        "[1 2]",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "1e999",
        "NaN",
        "Infinity",
        "-Infinity",
        "tru",
        '"a',
        '"\\q"',
        '"\\u12g4"',
        '"\x07"',
        "1 2",
        "[[[[[[[1]]]]]]]",
        pytest.param("1" + "0" * 400, id="beyond every float"),
        "'a'",
    ],
)
def test_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        line.read(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"bytes", {1, 2}, object()])
def test_has_no_json_form(value):
    with pytest.raises(ValueError, match="no JSON form"):
        line.write(value)


def test_reads_to_its_depth_and_no_deeper():
    assert line.read("[" * line.DEPTH + "]" * line.DEPTH)
    with pytest.raises(ValueError, match="deeper"):
        line.read("[" * 4000)
