"""What each piece of the syntax means, and what is refused, as tables."""

from __future__ import annotations

import pytest

from edge import regex
from edge.faults import ToolFault
from edge.regex.parse import DEEPEST, MOST_REPEATS, MOST_TEXT
from edge.regex.program import MOST_PLACES

# Pattern, a line that matches, a line that does not.
MEANS = [
    (".", "x", ""),
    ("a.c", "abc", "ac"),
    ("^b", "bc", "ab"),
    ("b$", "ab", "ba"),
    ("^$", "", "x"),
    ("ab*c", "ac", "ab"),
    ("ab+c", "abbc", "ac"),
    ("^ab?c$", "abc", "abbc"),
    ("[abc]x", "bx", "dx"),
    ("^[^abc]$", "d", "a"),
    ("[a-cx]y", "by", "dy"),
    ("[]a]b", "]b", "[b"),
    ("[^]a]b", "cb", "]b"),
    ("^[a-]$", "-", "b"),
    ("^[-a]$", "-", "b"),
    ("^[+--]$", ",", "."),
    (r"^[\]\\]+$", "]\\", "["),
    (r"^[\d.]+$", "1.2", "1,2"),
    (r"^[^\w]$", "-", "w"),
    (r"^[\x41-\x43]$", "B", "D"),
    (r"^[\n\ta]$", "\t", "n"),
    (r"^[\b]$", "\b", "b"),
    ("(ab)+c", "ababc", "bac"),
    ("(?:ab|cd)e", "cde", "ade"),
    ("ab|cd", "xcd", "ad"),
    ("a||b", "", None),
    ("()", "", None),
    (r"^\d+$", "12", "1a"),
    (r"^\D$", "x", "1"),
    (r"^\w+$", "a_1é", "a-1"),
    (r"^\W$", "-", "é"),
    (r"a\sb", "a\tb", "ab"),
    (r"^\S$", "x", " "),
    (r"\bfoo\b", "a foo.", "afoo"),
    (r"\Boo", "foo", "oo"),
    (r"\bé", "x é", "xé"),
    (r"a\tb", "a\tb", "atb"),
    (r"\r$", "ab\r", "ab"),
    (r"\x41\u00e9", "Aé", "Ae"),
    (r"\U0001f600", "\U0001f600", "x"),
    (r"\.\*\+\?\(\)\[\]\{\}\^\$\|\\\/\-\"", '.*+?()[]{}^$|\\/-"', "x"),
    ("^a{2}$", "aa", "aaa"),
    ("^a{2,}$", "aaaa", "a"),
    ("^a{,2}$", "", "aaa"),
    ("^a{1,2}$", "aa", "aaa"),
    ("^a{0}$", "", "a"),
    ("a{x", "a{x", "aa"),
    ("a{1,x}", "a{1,x}", "aa"),
    ("a{}", "a{}", "a"),
    ("{x}", "{x}", "x"),
    ("^a*?b", "aab", "ac"),
    ("^a+?b??$", "aab", "bb"),
    ("^a{1,2}?$", "aa", "aaa"),
    ("^a?{3}$", "aa", "aaaa"),
    ("^a+*$", "", "b"),
    ("(?i)straße", "STRAßE", "STRASSE"),
    ("(?i)^[k-m]$", "\u212a", "n"),
    ("^[[:alpha:]]+$", "abé", "a1"),
    ("^[[:digit:][:space:]]+$", "1 2", "1a2"),
    ("^[^[:upper:]]$", "a", "A"),
    ("^[[:punct:]_]+$", "!?_", "a"),
    ("^[[:xdigit:]]+$", "09afAF", "g"),
    ("^[[:alnum:]]$", "7", "_"),
    ("^[[:word:]]$", "_", "-"),
    ("^[[:cntrl:]]$", "\x01", " "),
    ("^[[:graph:]]$", "x", " "),
    ("^[[:print:]]$", " ", "\x01"),
    ("^[[:blank:]]$", "\t", "\r"),
    ("^[[:lower:]]$", "é", "É"),
    ("^.$", "é", "ab"),
    ("^.$", "\udcff", "\udcff\udcff"),
    ("^[^a]{2}$", "\udcff\udcfe", "é"),
    ("a^b", None, "ab"),
    ("a$b", None, "ab"),
    ("(^a|b$)", "xb", "xa b "),
    ("", "", None),
    ("x*", "y", None),
]


def encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(("pattern", "yes", "no"), MEANS, ids=[repr(row[0]) for row in MEANS])
def test_a_pattern_matches_one_line_and_not_the_other(pattern: str, yes: str | None, no: str | None) -> None:
    engine = regex.compile(pattern)
    for compiled in (False, True):
        if compiled:
            engine.prepare(1 << 20)
        if yes is not None:
            assert engine.matches(encoded(yes)) and engine.find(encoded(yes)) is not None
        if no is not None:
            assert not engine.matches(encoded(no)) and engine.find(encoded(no)) is None


# Pattern, what the sentence names, where: the character from 1.
REFUSED = [
    (r"(a)\1", r"\\1 \(a back-reference\)", 4),
    ("a(?=b)", r"\(\?= \(look-ahead\)", 2),
    ("a(?!b)", r"\(\?! \(look-ahead\)", 2),
    ("(?<=a)b", r"\(\?<= \(look-behind\)", 1),
    ("(?<!a)b", r"\(\?<! \(look-behind\)", 1),
    ("(?P<n>a)", r"\(\?P< \(a named group\)", 1),
    ("(?<n>a)", r"\(\?< \(a named group\)", 1),
    ("(?P=n)", r"\(\?P= \(a back-reference\)", 1),
    ("x(?>a)", r"\(\?> \(an atomic group\)", 2),
    ("(a)?(?(1)b)", r"\(\?\( \(a conditional\)", 5),
    ("(?#note)a", r"\(\?# \(a comment\)", 1),
    ("(?s)a", r"\(\?s\) \(an inline flag\)", 1),
    ("a(?i)b", r"\(\?i\) \(an inline flag\)", 2),
    ("(?i:a)", r"\(\?i: \(an inline flag\)", 1),
    ("(?R)", r"\(\?R \(a recursive call\)", 1),
    ("ab*+c", r"\*\+ \(a possessive repeat\)", 3),
    ("ab{2}+c", r"\{2\}\+ \(a possessive repeat\)", 3),
    (r"\pL", r"\\p \(a Unicode property\)", 1),
    (r"[\pL]", r"\\p \(a Unicode property\)", 2),
    (r"a\012", r"\\0 \(an octal escape\)", 2),
    (r"a\n", r"\\n \(a line feed\)", 2),
    ("a\nb", r"a line feed \(lines are searched one by one\)", 2),
    (r"\x0a", r"\\x0a \(a line feed\)", 1),
    (r"\Afoo", r"\\A \(the start of the text\)", 1),
    (r"\<foo", r"\\< \(not clear\)", 1),
    (r"\y", r"\\y \(an escape that is not known\)", 1),
    (r"\x4", r"\\x without 2 hexadecimal digits", 1),
    (r"\u00g0", r"\\u without 4 hexadecimal digits", 1),
    (r"\Uffffffff", r"\\U without 8 hexadecimal digits", 1),
    ("a\\", "a backslash with nothing after it", 2),
    ("*a", r"\* with nothing to repeat", 1),
    ("a|+b", r"\+ with nothing to repeat", 3),
    ("(?:?)", r"\? with nothing to repeat", 4),
    ("{2}", r"\{ with nothing to repeat", 1),
    ("^*", "a repeat with nothing to repeat", 2),
    (r"\b+", "a repeat with nothing to repeat", 3),
    ("(a", r"a \( without its \)", 1),
    ("a)", r"a \) without its \(", 2),
    ("[a", r"a \[ without its \]", 1),
    ("[]", r"a \[ without its \]", 1),
    ("[z-a]", "the range z-a, whose ends do not fit", 2),
    (r"[a-\d]", r"the range a-\\d, whose ends do not fit", 2),
    (r"[\d-z]", "a range that begins with a class", 2),
    ("[[:foo:]]", r"\[:'foo':\], which is no class", 2),
    ("[:alpha:]", r"\[:alpha:\] outside of brackets", 1),
    ("[[.a.]]", r"\[\. \(a collating element\)", 2),
    ("[[=a=]]", r"\[= \(a collating element\)", 2),
    ("a{3,2}", r"\{3,2\}, whose ends are the wrong way round", 2),
    ("(?", r"\(\?, which is no group that is known", 1),
]


@pytest.mark.parametrize(("pattern", "named", "place"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_what_is_not_supported_is_named_with_its_place(pattern: str, named: str, place: int) -> None:
    with pytest.raises(ToolFault, match=f"{named}.* at character {place}\\b"):
        regex.compile(pattern)


def test_several_patterns_match_where_any_of_them_does() -> None:
    engine = regex.compile(["foo", "^b.r$", ""][:2])
    assert list(engine.lines(b"a foo\nbar\nxbar\nfo o\n")) == [0, 6]
    assert list(regex.compile(("a|b", "c")).lines(b"x\nc\nb\n")) == [2, 4]
    with pytest.raises(ToolFault, match="0 patterns"):
        regex.compile([])
    with pytest.raises(ToolFault, match="201 patterns"):
        regex.compile(["a"] * 201)
    assert regex.compile(["a"] * 200).matches(b"a")


def test_fixed_text_stands_for_itself() -> None:
    assert regex.compile("a.(b", fixed=True).find(b"xa.(b") == (1, 5)
    assert not regex.compile("a.(b", fixed=True).matches(b"axx(b")
    assert regex.compile("GRÜN", ignore_case=True, fixed=True).find("gelb grün".encode()) == (5, 10)
    with pytest.raises(ToolFault, match="line feed"):
        regex.compile("a\nb", fixed=True)


@pytest.mark.parametrize(
    ("pattern", "line", "wanted"),
    [
        ("foo", "a foo b", True),
        ("foo", "afoo b", False),
        ("foo", "foo_", False),
        ("foo|food", "food", True),
        ("foo.*", "foobar x", True),
        ("über", "x über y", True),
        ("über", "xüber y", False),
        ("-x", "a -x", True),
        ("-x", "a-x", False),
        ("", "foo", False),
        ("", "a  b", True),
    ],
)
def test_words_have_no_word_character_beside_them(pattern: str, line: str, wanted: bool) -> None:
    engine = regex.compile(pattern, words=True)
    assert engine.matches(line.encode()) is wanted
    engine.prepare(1 << 20)
    assert list(engine.lines(line.encode())) == ([0] if wanted else [])


def test_caps_hold_at_their_number_and_not_under_it() -> None:
    assert regex.compile("a" * (MOST_PLACES - 1)).matches(b"a" * MOST_PLACES)
    assert regex.compile(f"^a{{{MOST_REPEATS}}}$").matches(b"a" * MOST_REPEATS)
    assert regex.compile("(" * DEEPEST + "a" + ")" * DEEPEST).matches(b"a")
    assert regex.compile("a" + "*" * DEEPEST).matches(b"")
    assert regex.compile("[" + "a" * (MOST_TEXT - 2) + "]").matches(b"a")
    for pattern, sentence in [
        ("a" * (MOST_PLACES + 1), f"more than {MOST_PLACES}"),
        ("(a{200}){11}", f"more than {MOST_PLACES}"),
        ("((((a{200}){200}){200}){200}){200}", f"more than {MOST_PLACES}"),
        (f"a{{{MOST_REPEATS + 1}}}", f"more than {MOST_REPEATS} repeats"),
        ("a{1,9999999999999999999999}", f"more than {MOST_REPEATS} repeats"),
        ("(" * (DEEPEST + 1) + "a" + ")" * (DEEPEST + 1), f"more than {DEEPEST} deep"),
        ("a" + "*" * (DEEPEST + 1), f"more than {DEEPEST} repeats one on top"),
        ("(" * MOST_TEXT, f"more than {DEEPEST} deep"),
        ("a" * (MOST_TEXT + 1), f"more than {MOST_TEXT}"),
    ]:
        with pytest.raises(ToolFault, match=sentence):
            regex.compile(pattern)
