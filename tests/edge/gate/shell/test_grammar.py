"""Commands: lists, pipelines, compound commands, functions, here-documents; and which commands a text holds."""

from __future__ import annotations

import pytest

from edge.gate.shell.grammar import Parser
from edge.gate.shell.nodes import Case, For, Function, Group, If, Loop, Simple
from edge.gate.shell.syntax import assigned, first_word, moves, nodes


def programs(text: str) -> list[str]:
    """The program words of all simple commands of `text`, outside of words."""
    found = []
    for item in Parser(text, 0, []).whole():
        for pipe in (item.first, *[pipe for _, pipe in item.rest]):
            for part in pipe.parts:
                found += [first_word(node) for node in nodes(part) if isinstance(node, Simple)]
    return found


TEXTS = [
    ("a; b & c\nd", "a b c d"),
    ("a | b |& c", "a b c"),
    ("a && b || c", "a b c"),
    ("a &&\n\n b |\n c", "a b c"),
    ("{ a; b; }", "a b"),
    ("( a; b )", "a b"),
    ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
    ("while a; do b; done", "a b"),
    ("until a\ndo\nb\ndone", "a b"),
    ("for i in x y; do a; done", "a"),
    ("for i do a; done", "a"),
    ("for i\nin x\ndo a\ndone", "a"),
    ("case x in a) b;; (c|d) e;; *) f; esac", "b e f"),
    ("case x in a) (b); c;; esac", "b c"),
    ("case a in a) ([ -f f ] && touch M);; esac", "[ touch"),
    ("! a", "a"),
    ("a; # b; c\nd", "a d"),
    ("a 2>&1 >f <g", "a"),
    (">f a", "a"),
    ("x=1 y=2 a", "a"),
    ("a\n\n\n", "a"),
    ("", ""),
    ("# nothing", ""),
    ("cat <<A; b\n$(c)\nA\nd", "cat b d"),
    ("cat <<-A <<'B'\n\tx\n\tA\ny\nB\nz", "cat z"),
    ("cat <<A |\nx\nA\nb", "cat b"),
    ("if a; then\ncat <<E\nfi\nE\nfi; b", "a cat b"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_every_command_is_found(text: str, expected: str) -> None:
    assert " ".join(programs(text)) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{ a; }", Group),
        ("(a)", Group),
        ("if a; then b; fi", If),
        ("while a; do b; done", Loop),
        ("for i in a; do b; done", For),
        ("case x in a) b;; esac", Case),
        ("f() { a; }", Function),
        ("f ( ) ( a )", Function),
        ("f()\n{ a; }", Function),
        ("if", None),
    ],
)
def test_compound_commands_are_what_they_are(text: str, kind: type | None) -> None:
    if kind is None:
        assert isinstance(Parser("echo if", 0, []).whole()[0].first.parts[0], Simple)
        return
    assert isinstance(Parser(text, 0, []).whole()[0].first.parts[0], kind)


def test_a_background_list_is_marked() -> None:
    items = Parser("a && b & c", 0, []).whole()
    assert [item.behind for item in items] == [True, False]


def test_here_documents_belong_to_their_redirections_in_order() -> None:
    node = Parser("cat <<A <<'B' >f\none $x\nA\n\ttwo $x\nB\n", 0, []).whole()[0].first.parts[0]
    assert isinstance(node, Simple)
    first, second, third = node.redirects
    assert first.here is not None and second.here is not None
    assert len(first.here.word.parts) > 1 and not first.here.quoted
    assert [part.text for part in second.here.word.parts if hasattr(part, "text")] == ["\ttwo $x\n"]
    assert third.op == ">"


def test_lines_are_given_out_one_after_another_so_that_what_stands_before_a_fault_is_known() -> None:
    parser = Parser("a; b\nc\n'd", 0, [])
    first = parser.lines()
    assert first is not None and len(first) == 2
    second = parser.lines()
    assert second is not None and second[0].first.parts[0].line == 1  # type: ignore[union-attr]


def test_commands_are_counted_wherever_they_stand() -> None:
    parser = Parser("a; b | c; $(d) `e; f`\nif g; then h; fi\ncat <<X\n$(i)\nX\n", 0, [])
    parser.whole()
    assert parser.commands == 11


def test_what_a_command_sets_and_whether_it_moves_is_seen_without_walking_it() -> None:
    node = Parser("while read a b; do c=1; for d in x; do : ${e:=f}; done; done", 0, []).whole()[0].first.parts[0]
    assert set(assigned(node)) == {"a", "b", "c", "d", "e"}
    assert not moves(node)
    assert moves(Parser("for i in a; do cd $i; done", 0, []).whole()[0].first.parts[0])
    assert not moves(Parser("for i in a; do (cd $i; ls); done", 0, []).whole()[0].first.parts[0])
