"""Patterns of names against a slow and obvious reference, and what no pattern may cost."""

from __future__ import annotations

import os
import random
import time

import pytest

from edge.faults import UsageFault
from edge.tools.glob_names import ALTERNATIVES, Glob, expanded, filtering, literal
from tests.support.slow_glob import alternatives, path_fits

ROUNDS = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000
PIECES = (
    "a",
    "b",
    ".",
    "*",
    "?",
    "[ab]",
    "[!a]",
    "[^b.]",
    "[a-c]",
    "*.",
    ".c",
    "-",
    "ä",
    "[]a]",
    "{a,b}",
    "{,c}",
    "{a,{b,c}}",
)
LETTERS = "abc.-ä"


def fits(glob: Glob, path: str) -> bool:
    """Is this path matched, were the walk to come by it?"""
    where, _, name = path.rpartition("/")
    if glob.start:
        if not path.startswith(glob.start + "/"):
            return False
        where = where[len(glob.start) + 1 :]
    parts = where.split("/") if where else []
    for depth, part in enumerate(parts):
        if not glob.everywhere and not glob.enter("".join(f"{one}/" for one in parts[:depth]), [part]):
            return False
    if not glob.hidden and any(part[0] == "." for part in parts):
        return False
    if glob.depth and len(parts) >= glob.depth:
        return False
    return bool(name.endswith(glob.suffix) and glob.keep(f"{where}/" if where else "", [name]))


def test_every_pattern_matches_what_the_reference_matches() -> None:
    chance = random.Random(48)
    matched = 0
    for _ in range(ROUNDS):
        parts = ["".join(chance.choices(PIECES, k=chance.randrange(1, 4))) for _ in range(chance.randrange(1, 4))]
        parts = ["**" if chance.random() < 0.2 else part for part in parts]
        pattern = "/".join(parts)
        if any(part in ("", ".", "..") for one in alternatives(pattern) for part in one.split("/")):
            continue
        hidden = chance.random() < 0.3
        glob = Glob(pattern, hidden)
        for _ in range(6):
            names = ["".join(chance.choices(LETTERS, k=chance.randrange(1, 4))) for _ in range(chance.randrange(1, 4))]
            if {".", ".."} & set(names):
                continue
            wanted = any(path_fits(tuple(names), tuple(one.split("/")), hidden) for one in alternatives(pattern))
            assert fits(glob, "/".join(names)) == wanted, (pattern, names, hidden)
            matched += wanted
    print(f"{ROUNDS} patterns, {matched} matches")
    assert matched > ROUNDS // 10


@pytest.mark.parametrize(
    ("pattern", "name", "wanted"),
    [
        (r"\*", "*", True),
        (r"\*", "a", False),
        (r"a\[b", "a[b", True),
        ("[a", "[a", True),
        ("[!a", "[!a", True),
        ("a]", "a]", True),
        ("[]]", "]", True),
        ("[!]]", "]", False),
        ("[a-]", "-", True),
        ("[[:digit:]]", "7", True),
        ("[[:digit:]]", "d", False),
        ("[![:space:]]", "x", True),
        (r"[\]]", "]", True),
        ("{a}", "{a}", True),
        ("{a", "{a", True),
        ("a}", "a}", True),
        ("x{,y}", "x", True),
        ("A", "a", False),
        ("a**b", "axxb", True),
        ("*\udcff", "a\udcff", True),
        ("[\n]", "\n", True),
    ],
)
def test_letters_brackets_braces(pattern: str, name: str, wanted: bool) -> None:
    assert fits(Glob(pattern), name) is wanted


def test_the_letters_that_all_alternatives_share_are_the_start() -> None:
    for pattern, start in (
        ("src/lib/*.py", "src/lib"),
        ("src/{a,b}/*.py", "src"),
        ("{src,lib}/*.py", ""),
        ("a/b", "a"),
        (r"a\*/x*", "a*"),
        ("**/*.py", ""),
        ("./a//b/*", "a/b"),
        ("/etc/*.conf", "etc"),
    ):
        assert Glob(pattern).start == start, pattern
    assert Glob("/etc/*").absolute and not Glob("etc/*").absolute
    assert Glob("**/*.py").suffix == ".py" and Glob("**/*.{py,pyi}").suffix == ""
    assert literal(r"a\*") == "a*" and literal("a*") is None and literal("[a]") is None and literal("[a") == "[a"


@pytest.mark.parametrize("pattern", ["..", "../a", "a/../b", "/", ".", "{a,..}/b", "{/a,b}", "[z-a]x*"])
def test_what_is_no_pattern_is_a_sentence(pattern: str) -> None:
    with pytest.raises(UsageFault):
        Glob(pattern)


def test_braces_are_bounded() -> None:
    assert len(expanded("{" + ",".join(map(str, range(ALTERNATIVES))) + "}")) == ALTERNATIVES
    for pattern in (
        "{" + ",".join(map(str, range(ALTERNATIVES + 1))) + "}",
        "{a,b}" * 300,
        "{a," * 300 + "b" + "}" * 300,
    ):
        with pytest.raises(UsageFault, match="braces"):
            expanded(pattern)


@pytest.mark.parametrize(
    "pattern", ["*a" * 30 + "*b", "?*" * 40 + "b", "*" * 200 + "b", "[a]*" * 40 + "b", "**/a/" * 40 + "b"]
)
def test_no_pattern_makes_a_match_long(pattern: str) -> None:
    glob = Glob(pattern)
    name = "a" * 255
    begin = time.process_time()
    for _ in range(3):
        assert not fits(glob, name)
        assert not fits(glob, "a/" * 60 + name)
    assert time.process_time() - begin < 10


def test_a_filter_without_a_slash_is_of_names_in_every_folder() -> None:
    assert filtering("*.py")("a/b/", ["x.py", "y.c", ".z.py"]) == ["x.py", ".z.py"]
    assert filtering("a/*.py")("a/", ["x.py"]) == ["x.py"]
    assert filtering("a/*.py")("b/", ["x.py"]) == []
