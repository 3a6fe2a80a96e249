"""Searching buffers: offsets, spans, plans, literals, bounds, threads, and the same lines as grep's."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading

import pytest

from edge import regex
from edge.faults import BudgetFault
from edge.regex import machine
from edge.regex.regex import LONG_LINE, PAYS, Regex
from edge.regex.scan import BLOCK
from tests.support import patterns

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
# One of each way through a buffer.
WAYS = ["needle", "^needle", "needle$", "^needle$", "needle|nodule", "ne+dle", r"\d+ms", "x.*needle", "(ab|b)*q$", ""]


def naive(engine: Regex, data: bytes) -> list[int]:
    """Line by line, by the automaton of the whole pattern alone."""
    starts, at = [], 0
    for line in data.split(b"\n")[: -1 if data.endswith(b"\n") or not data else None]:
        if engine.find(line) is not None:
            starts.append(at)
        at += len(line) + 1
    return starts


def log(rng: random.Random, count: int) -> bytes:
    """Lines with and without what the WAYS look for, plain and not, short and long."""
    words = [
        "x",
        "needle",
        "nodule",
        "12ms",
        "abbq",
        "é",
        "\U0001f600",
        "\udcff",
        "plain words of a log",
        "y" * 300,
        "",
    ]
    lines = [" ".join(rng.choices(words, k=rng.randrange(4))) for _ in range(count)]
    return "\n".join(lines).encode("utf-8", "surrogateescape") + rng.choice((b"", b"\n", b"\nneedle"))


@pytest.mark.parametrize("pattern", WAYS)
@pytest.mark.parametrize("fold", [False, True])
def test_every_way_through_a_buffer_finds_the_same_lines(pattern: str, fold: bool) -> None:
    rng = random.Random(pattern)
    engine = regex.compile(pattern, ignore_case=fold)
    for count in (1, 5, 40, 1500):
        data = log(rng, count)
        want = naive(engine, data)
        assert list(engine.lines(data)) == want
        assert list(engine.by_automaton(data)) == want
        start, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        assert list(engine.lines(data, start, end)) == [at for at in want if start <= at < end]
        plain = bytes(byte for byte in data if byte < 128)
        assert list(engine.lines(plain)) == naive(engine, plain)


def test_offsets_are_bytes_whatever_stands_before() -> None:
    lines = ["é needle", "nothing", "\U0001f600 ÄÖ", "\udcfe needle é", "needle"]
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    for pattern in ("needle", "ne+dle", "(e|n)+dle", "n.*(e|x)+$"):
        found = [data[at:].split(b"\n")[0] for at in regex.compile(pattern).lines(data * 1 + b"\n")]
        assert all(b"needle" in line for line in found), pattern
        assert len(found) in (2, 3)


def test_a_line_longer_than_a_block_is_one_line() -> None:
    for size in (BLOCK * 3, LONG_LINE + BLOCK):
        for pattern, hit in [
            ("^(ab)*c$", "ab" * (size // 2) + "c"),
            ("é+x$", "é" * (size // 2) + "x"),
            ("q.*[yz]", "q" * size + "z"),
        ]:
            engine = regex.compile(pattern)
            data = f"a\n{hit}\nb\n".encode()
            assert list(engine.lines(data)) == list(engine.by_automaton(data)) == [2]
            assert engine.matches(hit.encode())
            assert list(engine.lines(data.replace(hit.encode(), hit[:-1].encode() + b"\x00"))) == []


@pytest.mark.parametrize(
    ("pattern", "data", "at", "wanted"),
    [
        ("abcd|c", b"xabcdx", 0, (1, 5)),
        ("a|ab|abc", b"zabcz", 0, (1, 4)),
        ("b+", b"abbb\nb", 0, (1, 4)),
        ("b+", b"abbb\nb", 2, (2, 4)),
        ("b+", b"abbb\nb", 4, (5, 6)),
        ("^b", b"bb\nb", 1, (3, 4)),
        ("^b", b"abb", 1, None),
        (r"\bb", b"ab b", 1, (3, 4)),
        ("x*", b"abc", 1, (1, 1)),
        ("c$", b"abc\nc", 0, (2, 3)),
        ("é.", "aéü".encode(), 0, (1, 5)),
        ("a", b"", 0, None),
        ("", b"", 0, (0, 0)),
        ("a.b", b"a\nb a-b", 0, (4, 7)),
        ("b*?c", b"abbc", 0, (1, 4)),
    ],
)
def test_find_gives_the_leftmost_longest_span(
    pattern: str, data: bytes, at: int, wanted: tuple[int, int] | None
) -> None:
    assert regex.compile(pattern).find(data, at) == wanted


def test_all_spans_of_a_line_can_be_had_one_after_the_other() -> None:
    engine, line, at, found = regex.compile(r"\d+"), b"a1 22 b333", 0, []
    while (span := engine.find(line, at)) is not None:
        found.append(line[slice(*span)])
        at = span[1]
    assert found == [b"1", b"22", b"333"]
    assert engine.find(b"a1 22", 0, 1) is None


@pytest.mark.parametrize(
    ("pattern", "plan", "needle"),
    [
        ("error", "literal", b"error"),
        ("^error$", "literal", b"error"),
        ("foo|bar", "literal", b""),
        ("", "literal", b""),
        ("^.*error.*$", "literal", b"error"),
        ("(a+)+$", "literal", b"a"),
        (r"def \w+_handler\(", "dfa", b"_handler("),
        (r"\d+\.\d+", "re", b"."),
        (r"[0-9]{3}-[A-Z]+_", "re", b"-"),
        (r"usb [0-9]+ found", "re", b" found"),
        ("d(ab|c)+(e|f)*$", "dfa", b"d"),
        ("x(.*a){3}", "dfa", b"x"),
        ("[ab]c[de]", "literal", b"c"),
        (r"\bword\b", "re", b"word"),
        ("ERROR.*timeout", "literal", b"ERROR"),
        ("naïve", "literal", "naïve".encode()),
    ],
)
def test_the_plan_and_the_literal_are_told(pattern: str, plan: str, needle: bytes) -> None:
    engine = regex.compile(pattern)
    assert (engine.plan, engine.needle) == (plan, needle)


def test_without_regard_to_case_a_literal_is_one_that_has_no_case() -> None:
    engine = regex.compile("Fehler 404", ignore_case=True)
    assert engine.needle.strip() == b"404"
    assert list(engine.lines("FEHLER 404\nfehler 40\nfehler 404 ü\n".encode())) == [0, 21]
    assert regex.compile("Kelvin", ignore_case=True).matches("\u212aelvin".encode())


def test_a_byte_that_is_no_utf8_is_one_character() -> None:
    for pattern, line, wanted in [
        ("^.$", b"\xff", True),
        ("^..$", b"\xe2\x82", True),
        ("^[^a]$", b"\xc3", True),
        ("^\\w$", b"\xc3", False),
        ("^\u00c3$", b"\xc3", False),
        ("\udcc3", b"a\xc3b", True),
        ("\udca9", "é".encode(), False),
        ("^.$", "é".encode(), True),
    ]:
        engine = regex.compile(pattern)
        for ready in (0, PAYS):
            engine.prepare(ready)
            assert engine.matches(line) is wanted, (pattern, line)
            assert list(engine.lines(line)) == [0] * wanted, (pattern, line)


def test_the_automaton_keeps_no_more_states_than_it_may() -> None:
    rng = random.Random(7)
    engine = regex.compile("^(a|b)*a(a|b){40}c")
    data = "".join(rng.choice("ab") for _ in range(4 * machine.MOST_STATES)).encode()
    assert not engine.matches(data)
    assert 1 < len(engine.machine.states) <= machine.MOST_STATES
    assert engine.matches(data + b"a" * 41 + b"c")
    wide = regex.compile("^(a|b)*x")
    text = "".join(map(chr, range(0x4E00, 0x4E00 + machine.MOST_LINKS + 500)))
    assert not wide.matches(text.encode()) and not regex.compile("(.|y)q+z").matches(("q" + text).encode())
    assert wide.machine.links <= machine.MOST_LINKS


def test_the_caller_can_stop_a_search() -> None:
    asked = []

    def late() -> bool:
        asked.append(None)
        return len(asked) > 3

    data = b"some words of a line\n" * (BLOCK // 2)
    for pattern in ("[u-z]+ line", "line", ""):
        asked.clear()
        with pytest.raises(BudgetFault, match="time is used up"):
            for _ in regex.compile(pattern).lines(data, late=late):
                pass
        assert len(asked) == 4
    assert len(list(regex.compile("line").lines(data, late=lambda: False))) == BLOCK // 2


def test_threads_share_one_pattern() -> None:
    rng = random.Random(5)
    engine = regex.compile("^(a|b)*a(a|b){12}c|(x|yy)+z")
    texts = [
        "\n".join("".join(rng.choices("abcxyz", [9, 9, 1, 3, 3, 1], k=60)) for _ in range(150)).encode()
        for _ in range(4)
    ]
    want = [list(regex.compile("^(a|b)*a(a|b){12}c|(x|yy)+z").by_automaton(text)) for text in texts]
    got: list[list[list[int]]] = [[] for _ in texts]

    def run(number: int) -> None:
        for _ in range(4):
            got[number].append(list(engine.lines(texts[number])))
            engine.machine.flush()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [[lines] * 4 for lines in want]
    assert sum(map(len, want)) > 20


SHARED = (
    *"aaabbbc01_ -",
    ".",
    ".",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[^a-c]",
    "[]a]",
    "[a-]",
    r"\w",
    r"\W",
    r"\.",
    "[[:digit:]]",
)


@pytest.mark.skipif(shutil.which("grep") is None, reason="there is no grep to compare with")
@pytest.mark.parametrize("option", ["", "i", "w"])
def test_the_same_lines_as_grep(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "ATOMS", SHARED)
    monkeypatch.setattr(patterns, "EDGES", ("^", "$", r"\b"))
    monkeypatch.setattr(patterns, "REPEATS", ("*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,1}"))
    monkeypatch.setattr(patterns, "LETTERS", tuple("aaaaabbbbc01_ -.AB"))
    rng, rounds, matched = random.Random(f"grep{option}"), 700 if SOAK else 100, 0
    for _ in range(rounds):
        pattern = patterns.pattern(rng).replace("(?:", "(")
        lines = [patterns.line(rng) for _ in range(25)]
        data = "".join(f"{line}\n" for line in lines).encode()
        argv = ["grep", "-anE" + option, "-e", pattern]
        told = subprocess.run(argv, input=data, capture_output=True, env={**os.environ, "LC_ALL": "C"})
        assert told.returncode < 2, told.stderr
        want = [int(line.split(b":")[0]) - 1 for line in told.stdout.splitlines()]
        engine = regex.compile(pattern, ignore_case=option == "i", words=option == "w")
        got = [data.count(b"\n", 0, at) for at in engine.lines(data)]
        assert got == want, (pattern, lines)
        matched += len(want)
    print(f"{rounds} patterns with -E{option}, {matched} lines; 0 differences")
    assert rounds * 2 < matched < rounds * 24
