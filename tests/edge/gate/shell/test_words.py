"""Words before and after expansion: quotation marks, expansions, splitting, marks for what only shows when it runs."""

from __future__ import annotations

import pytest

from edge.call import Root, Scene
from edge.gate.shell import Reading
from edge.gate.shell.expand import fields, one
from edge.gate.shell.grammar import Parser
from edge.gate.shell.marks import ANY, BELOW, ONE, SPLIT, STAR, TOKEN, VOID, clean, matches, shown
from edge.gate.shell.nodes import ShellFault, Simple
from edge.gate.shell.sink import Sink
from edge.gate.shell.state import State

SCENE = Scene("/w", "/home/pi", (Root("work", "/w"),))


def argv(text: str, odd: list[str] | None = None, **values: str) -> tuple[tuple[str, ...], ...]:
    """The alternatives of the fields of the one word (or words) of `text`, with some variables set."""
    walk = Reading(Sink(SCENE), State(SCENE.cwd, SCENE.home))
    for name, value in values.items():
        walk.state.give(name, (value,), True)
    node = Parser(text, 0, odd if odd is not None else []).whole()[0].first.parts[0]
    assert isinstance(node, Simple)
    found: list[tuple[str, ...]] = [()]
    for word in node.words:
        found = [before + choice for before in found for choice in fields(walk, word)]
    return tuple(found)


PLAIN = [
    ("a b  c", ("a", "b", "c")),
    ("'a b' \"c d\"", ("a b", "c d")),
    ("a'b'\"c\"\\d", ("abcd",)),
    ("''", ("",)),
    ("\\$x '$x' \"\\$x\"", ("$x", "$x", "$x")),
    ("\"a\\nb\" 'a\\nb' a\\nb", ("a\\nb", "a\\nb", "anb")),
    ("a\\\nb", ("ab",)),
    ("a#b #c", ("a#b",)),
    ("~ ~/x '~' a~", ("/home/pi", "/home/pi/x", "~", "a~")),
    ('$HOME "${HOME}"', ("/home/pi", "/home/pi")),
    ("rm${IFS}-rf${IFS}/", ("rm", "-rf", "/")),
    ("$PWD", ("/w",)),
    ('$(echo a b) "$(echo a b)"', ("a", "b", "a b")),
    ("`echo x`y", ("xy",)),
    ("$", ("$",)),
    ("a$", ("a$",)),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_plain_words_become_their_fields(text: str, expected: tuple[str, ...]) -> None:
    assert argv(text) == (expected,)


MARKED = [
    ("$nobody", (VOID + SPLIT,)),
    ('"$nobody"', (VOID,)),
    ("*.log", (STAR + ".log",)),
    ("'*'.log", ("*.log",)),
    ("a?[bc]", ("a" + ONE + ONE,)),
    ("$((1+2))", (TOKEN,)),
    ("$#$?", (TOKEN + TOKEN,)),
    ("${#x}", (TOKEN,)),
    ("$(cat f)", (SPLIT,)),
    ('"$(cat f)"', (ANY,)),
]


@pytest.mark.parametrize(("text", "expected"), MARKED)
def test_what_only_shows_when_it_runs_is_marked(text: str, expected: tuple[str, ...]) -> None:
    assert argv(text) == (expected,)


SET = [
    ("$x", "a b", ("a", "b")),
    ('"$x"', "a b", ("a b",)),
    ("p$x", "a b", ("pa", "b")),
    ("$x", "*", (STAR,)),
    ('"$x"', "*", ("*",)),
    ("${x%.c}.o", "m.c", ("m.o",)),
    ("${x##*/}", "/a/b", ("b",)),
    ("${x%/*}", "/a/b", ("/a",)),
    ("${x%.*}", "a/m.tar", ("a/m",)),
    ("${x#/a}", "/a/b", ("/b",)),
    ("${x:-d}", "v", ("v",)),
    ("${y:-d}", "v", ("d",)),
    ("${x%%[0-9]}", "m1", (SPLIT,)),
]


@pytest.mark.parametrize(("text", "value", "expected"), SET)
def test_variables_give_what_they_hold(text: str, value: str, expected: tuple[str, ...]) -> None:
    assert argv(text, x=value) == (expected,)


def test_what_shells_read_differently_has_an_alternative_for_each() -> None:
    assert set(argv("$'r\\x6d'")) == {("rm",), ("$r\\x6d",)}
    assert set(argv('$"rm"')) == {("rm",), ("$rm",)}
    assert set(argv("{a,b}c")) == {("{a,b}c",), ("ac", "bc")}
    assert set(argv("${x:+y}")) == {(), ("y",)}


ODD = [
    "${x/a/b}",
    "${!x}",
    "${x:1:2}",
    "${x^^}",
    "$[1+1]",
    "a=(b c)",
    "cat <<< x",
    "cat <(ls)",
    "((x))",
    "function f { ls; }",
]


@pytest.mark.parametrize("text", ODD)
def test_what_only_some_shells_know_is_noted(text: str) -> None:
    odd: list[str] = []
    Parser(text, 0, odd).whole()
    assert odd


FAULTS = [
    "'a",
    '"a',
    "`a",
    "$(a",
    "${a",
    "$((1",
    "$((1)",
    "a )",
    "(a",
    "{ a",
    "if a; then b",
    "for",
    "case x in",
    "a | | b",
    "a && ; b",
    "a > ; b",
    ";;",
]


@pytest.mark.parametrize("text", FAULTS)
def test_what_does_not_end_is_a_fault(text: str) -> None:
    with pytest.raises(ShellFault):
        Parser(text, 0, []).whole()


def test_nesting_is_bounded() -> None:
    with pytest.raises(ShellFault, match="deeper than 40"):
        Parser("$(" * 50, 0, []).whole()
    with pytest.raises(ShellFault, match="deeper than 40"):
        Parser("(" * 50, 0, []).whole()
    assert Parser("(" * 15 + "ls" + ")" * 15, 0, []).whole()


def test_values_are_not_split_where_the_shell_does_not() -> None:
    walk = Reading(Sink(SCENE), State("/w", "/home/pi"))
    walk.state.give("x", ("a b",), True)
    node = Parser("y=$x-*", 0, []).whole()[0].first.parts[0]
    assert isinstance(node, Simple) and one(walk, node.assigns[0].word) == ("a b-*",)


def test_marks_are_taken_out_of_a_text_and_written_as_the_shell_would() -> None:
    assert clean(f"a{ANY}b") == "a\ufffdb"
    assert shown(f"logs/{STAR}{ONE}{ANY}") == "logs/*?$..."
    assert clean("plain") == shown("plain") == "plain"


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("sh" + STAR, "shadow", True),
        (STAR + "adow", "shadow", True),
        ("shad" + ONE + "w", "shadow", True),
        ("shad" + ONE, "shadow", False),
        (STAR + "a" + STAR + "w", "shadow", True),
        ("x" + STAR, "shadow", False),
        (BELOW, "shadow", True),
        ("", "", True),
    ],
)
def test_patterns_match_as_the_shell_matches(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern, name) is fits
