"""edge/text.py: what leaves `plain` is harmless, what leaves `clip` fits and says what is missing."""

from __future__ import annotations

import os
import random
import time

import pytest

from edge.text import clip, fold, letters, plain, span, visible

ROUNDS = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000
ATOMS = ["a", "Z", "0", ";", "[", "]", "?", "m", " ", "\\", "\n", "\t", "\r", "\x00", "\x07", "\x08", "\x18", "\x1a"]
ATOMS += ["\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b\\", "\x7f", "\x85", "\x90", "\x9b", "\x9c", "\x9d", "é", "温", "😀"]
ATOMS += ["\udc80", "\ud83d", "\u202e", "\u2066", "\u2028", "\ufffd"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (1.5, "1.5 s"), (45, "45 s"), (120, "2 min"), (5400, "1 h 30 min"), (90061, "1 d 1 h")],
)
def test_a_span_is_said_as_people_say_it(seconds: float, said: str) -> None:
    assert span(seconds) == said


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        ("warm, 33.0 °C\n\tok", "warm, 33.0 °C\n\tok"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[38:2::255:0:0mred", "red"),
        ("\x1b[?25l\x1b[2J\x1b[Hhidden", "hidden"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPtmux;\x1b\x1b]52;c;AAAA\x07\x1b\\x", "x"),
        ("\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\k", "k"),
        ("\x9b31mred\x9d0;t\x9cx", "redx"),
        ("\x1b(B\x1b#8\x1b c\x1bMkept", "kept"),
        ("never \x1b]0;ends, but is read", "never 0;ends, but is read"),
        ("cut \x1b]0;off \x1b[31mby a colour", "cut by a colour"),
        ("end\x1b", "end"),
        ("end\x1b[12", "end"),
        ("10 %\r20 %\x08\x08\x7f\x00", "10 %20 %"),
        ("rm \u202egpj.exe\u2069", "rm gpj.exe"),
        ("bad \udc80\ud83d byte", "bad \ufffd\ufffd byte"),
    ],
)
def test_terminal_escapes_and_controls_are_removed(raw: str, left: str) -> None:
    assert plain(raw) == left


def test_what_plain_leaves_is_harmless_whatever_came_in() -> None:
    dice = random.Random(74)
    for _ in range(ROUNDS):
        raw = "".join(dice.choice(ATOMS) for _ in range(dice.randrange(24)))
        left = plain(raw)
        left.encode()
        assert not [c for c in left if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
        assert plain(left) == left
        assert raw.count("温") >= left.count("温")
    print(f"plain: {ROUNDS} random texts")


def test_many_openings_cost_linear_time() -> None:
    begin = time.process_time()
    assert plain("\x1b]" * 200_000) == ""
    assert plain("\x1b]x" * 200_000 + "\x9d") == ""
    assert time.process_time() - begin < 10


def test_a_text_that_fits_is_not_touched() -> None:
    assert clip("a" * 100, 100) == "a" * 100
    assert clip("é" * 50, 100) == "é" * 50


def test_a_cut_keeps_head_and_tail_and_says_how_much_is_missing() -> None:
    text = "head " + "x" * 5000 + " tail"
    cut = clip(text, 500)
    assert len(cut.encode()) <= 500
    assert cut.startswith("head ") and cut.endswith(" tail")
    said = int(cut.split("[... ")[1].split(" bytes cut")[0])
    head, tail = cut.split(f"\n[... {said} bytes cut ...]\n")
    assert len(head) + said + len(tail) == len(text)


def test_a_cut_never_breaks_a_character_and_never_exceeds_the_limit() -> None:
    dice = random.Random(75)
    for _ in range(ROUNDS):
        text = "".join(dice.choice("aé温😀\udc80\n") for _ in range(dice.randrange(120)))
        raw = text.encode("utf-8", "surrogatepass")
        limit = dice.randrange(len(raw) + 9)
        cut = clip(text, limit)
        assert len(cut.encode("utf-8", "surrogatepass")) <= limit
        if "\n[... " in cut:
            head, rest = cut.split("\n[... ", 1)
            said, tail = rest.split(" bytes cut ...]\n", 1)
            assert text.startswith(head) and text.endswith(tail)
            parts = len(head.encode("utf-8", "surrogatepass")) + len(tail.encode("utf-8", "surrogatepass"))
            assert parts + int(said) == len(raw)
        else:
            assert text.startswith(cut)
    print(f"clip: {ROUNDS} random texts")


def test_what_a_person_decides_upon_hides_nothing_and_stays_on_one_line() -> None:
    shown = visible("a\x1b[/../b\nc\u202ed\u200be\u2028f\tg")
    assert shown == "a\\x1b[/../b\\nc\\u202ed\\u200be\\u2028f\\tg"
    assert visible("温室 ünï x") == "温室 ünï x"


def test_what_is_too_long_to_show_says_how_long_it_is() -> None:
    assert visible("x" * 1000, 10) == "xxxxxxxxxx... (1000 characters in all)"
    assert visible("x" * 10, 10) == "x" * 10


def test_lines_are_broken_at_blanks_and_the_later_ones_are_indented() -> None:
    assert fold("  -> one two three four", 12, "     ") == "  -> one two\n     three\n     four"
    assert fold("short", 80) == "short"
    assert fold("", 80) == ""
    assert fold("  keep  blanks", 80) == "  keep  blanks"


def test_a_piece_of_bytes_ends_between_letters_and_is_never_empty() -> None:
    raw = "aé☀😀z".encode()
    for end in range(1, len(raw) + 1):
        whole = letters(raw, end)
        assert end - 3 <= whole <= end and whole > 0 and raw[:whole].decode()
    assert letters("😀".encode(), 2) == 2 and letters(b"caf\xe9", 4) == 3 and letters(b"\x80\x80\x80\x80", 4) == 4
