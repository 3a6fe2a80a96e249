from __future__ import annotations

import math
import os
import random
from typing import Any

import pytest

from edge import toml
from edge.faults import ConfigFault

ROUNDS = 60_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 6_000

try:
    import tomllib as full
except ImportError:  # Python below 3.11; pytest brings tomli there
    full = pytest.importorskip("tomli", reason="neither tomllib nor tomli is here to compare with")

SEEDS = (
    'mode = "guarded"\nboard = "sim" # here\n\n[model]\nname = "chat:x"\nseconds = 1.5e2\nretries = 3\nstream = true\n',
    '[a]\nx = \'it is "so"\'\n[a.b]\ny = [1, 2.5, "z", true,]\n[ c . d ]\nn = -0\nm = +1.0E-3\n',
    "# only\r\nkey = false\r\n\r\n[t]\r\n\tkey-1 = []\r\nk_2 = [ 'a' , \"b\" ]   # c\r\n",
    '[x.y.z]\nk = 1\n[x]\nk = "später ü"\n[x.y]\n1 = 0\nlong = 123456789012345678\n',
)
PIECES = (
    "[",
    "]",
    "[[",
    "=",
    '"',
    "'",
    "#",
    "\n",
    "\r\n",
    "\r",
    ",",
    ".",
    " ",
    "\t",
    "a",
    "0",
    "1",
    "_",
    "-",
    "+",
    "e",
)
PIECES += (
    "true",
    "inf",
    "nan",
    '""',
    "''",
    '"""',
    "\\",
    "\\n",
    "1979-05-27",
    "0x1",
    "{a = 1}",
    "\x00",
    "\x7f",
    "\u00a0",
)
PIECES += ("[a]\n", "x = 1\n", "[x.y]\n", "key = 2\n", "ü", "\u2028", "\x85", "\x1c", "\ufeff")


def mutate(chance: random.Random, text: str) -> str:
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at, end = chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + chance.randrange(1, 4) :]
        elif kind == 2:
            text = text[:at] + text[at : at + 30] + text[at:]
        else:
            other = chance.choice(SEEDS)
            text = text[:at] + other[end:]
    return text


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and list(ours) == list(theirs) and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    equal = ours == theirs and type(ours) is type(theirs)
    return equal and (not isinstance(ours, float) or math.copysign(1, ours) == math.copysign(1, theirs))


@pytest.mark.soak
def test_what_is_read_here_is_what_tomllib_reads(capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(11)
    taken = refused = 0
    for _ in range(ROUNDS):
        text = mutate(chance, chance.choice(SEEDS))
        found = toml.read(text)
        if found is None:
            refused += 1
            continue
        taken += 1
        assert same(found[0], full.loads(text)), text
    with capsys.disabled():
        print(f"\n{ROUNDS} mutated files: {taken} read here, {refused} left to tomllib, 0 differences")
    assert taken > ROUNDS // 20


def test_the_everyday_file_is_read_with_the_line_of_every_key() -> None:
    found = toml.read(SEEDS[0])
    assert found == (
        {
            "mode": "guarded",
            "board": "sim",
            "model": {"name": "chat:x", "seconds": 150.0, "retries": 3, "stream": True},
        },
        {
            "mode": 1,
            "board": 2,
            "model": 4,
            "model.name": 5,
            "model.seconds": 6,
            "model.retries": 7,
            "model.stream": 8,
        },
    )
    assert toml.read("") == ({}, {}) and toml.read("\r\n# x") == ({}, {})


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\na = 2",
        "[a]\n[a]",
        "a = 1\n[a]",
        "[a]\nb = 1\n[a.b]",
        "[a.b]\n[a]",
        'a = "x\x01"',
        "# \x00",
        "a = 1\r",
        "a = 1 b",
        "a = ",
        "a",
        "= 1",
        "[a",
        "[]",
        "[a.]",
        "[[a]]",
        "a.b = 1",
        '"a" = 1',
        'a = "x\\n"',
        'a = """x"""',
        "a = '''x'''",
        'a = "x',
        "a = 1_000",
        "a = 0x10",
        "a = 01",
        "a = 1.",
        "a = .5",
        "a = 1e",
        "a = inf",
        "a = nan",
        "a = 1979-05-27",
        "a = 1234567890123456789",
        "a = True",
        "a = {b = 1}",
        "a = [[1]]",
        "a = [1\n]",
        "a = [1,,2]",
        "a = [,]",
        "ä = 1",
        "a = \u0661",
        "\ufeffa = 1",
    ],
)
def test_everything_else_is_left_to_the_full_reader(text: str) -> None:
    assert toml.read(text) is None


def test_the_full_reader_takes_over_and_lines_are_still_known() -> None:
    data, lines = toml.load('a = 1\nb = "x\\ty"\n[t]\nlist = [\n  1,\n]\n[u.v]\n"k" = 0x10\n', "c.toml")
    assert data == {"a": 1, "b": "x\ty", "t": {"list": [1]}, "u": {"v": {"k": 16}}}
    assert {key: lines[key] for key in ("a", "b", "t.list", "u.v.k")} == {"a": 1, "b": 2, "t.list": 4, "u.v.k": 8}


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("x = { a = 1 }", "a \\[table\\] with its keys below it"),
        ("x.y = 1", "a \\[table\\] with its keys below it"),
        ('x = """', "one text without escapes"),
        ("x = [", "a list in one line"),
        ("[[x]]", "a \\[table\\] of plain words"),
        ("x = 1979-05-27", "key = "),
    ],
)
def test_without_a_full_reader_the_fault_says_what_to_write(
    line: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toml, "_library", lambda: None)  # as on Python 3.9 and 3.10 without tomli
    with pytest.raises(ConfigFault, match=f"c.toml:3: .*install tomli, or write line 3 as {advice}") as caught:
        toml.load("a = 1\n\n" + line, "c.toml")
    assert caught.value.where == "c.toml:3"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a = 1\na = 2\n", "c:2"),
        ("a = 1\n[b]\n[b]\n", "c:3"),
        ('a = "x\x01"\n', "c:1"),
        ('\n\na = "x', "c:3"),
        ("a = 1\n\ufeff", "c:2"),
    ],
)
def test_what_is_no_toml_is_a_fault_with_its_line(text: str, where: str) -> None:
    with pytest.raises(ConfigFault, match="not TOML: ") as caught:
        toml.load(text, "c")
    assert caught.value.where == where


@pytest.mark.parametrize("text", ['a = 1\nb = "x\n', "a = 1\nb = 'x\nc = 2\n", 'a = 1\nb = ["x\n"]\n', 'a = 1\nb = "x'])
def test_a_quotation_mark_that_is_missing_is_told(text: str) -> None:
    with pytest.raises(ConfigFault, match="not TOML: a quotation mark is missing") as caught:
        toml.load(text, "c")
    assert caught.value.where == "c:2"


def test_deep_lists_are_a_fault() -> None:
    with pytest.raises(ConfigFault):
        toml.load("a = " + "[" * 50_000, "c")
