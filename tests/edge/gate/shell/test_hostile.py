"""Hostile and broken texts: the reader never raises, always says the same, and ends in time."""

from __future__ import annotations

import os
import random
import time

import pytest

from edge.call import Scene
from edge.gate.shell import read
from tests.support.rows import rows
from tests.support.shell_verdict import found, verdict

WHOLE = 40_000  # texts of the long run; a tenth of it otherwise
CASES = [row[1] for name in ("shell.tsv", "field.tsv", "shell_kinds.tsv") for row in rows(name)]
BITS = [
    *(
        "'",
        '"',
        "`",
        "$(",
        ")",
        "${",
        "}",
        "$((",
        "))",
        "\\",
        "\n",
        ";",
        "|",
        "&",
        "&&",
        "<<E\n",
        "<",
        ">",
        "~",
        "*",
        "?",
    ),
    *(
        "[",
        "]",
        "{a,b}",
        "$x",
        "$@",
        "$1",
        '"$@"',
        " ",
        "=",
        "-",
        "--",
        "-rf",
        " /",
        "\t",
        "#",
        "!",
        "$'",
        "\\x41",
        "+",
    ),
    *("eval ", "sh -c ", "xargs ", "find . -exec ", "\0", "\r", "\u202e", "\U0010ff00", "é", "(", "case x in ", "esac"),
    *(
        "if ",
        "fi",
        "for i in ",
        "do ",
        "done",
        "f() ",
        "sudo ",
        "env ",
        "cd ",
        "IFS=x;",
        "set -- ",
        "%",
        "\ud800",
        "\x1b",
    ),
]
SECONDS = 3.0  # of processor time; the slowest takes a sixth of it on an idle machine
SIZE = 100_000


def broken(chance: random.Random) -> str:
    """A case with some pieces put in, cut out, or glued to another."""
    text = chance.choice(CASES)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
        kind, at = chance.random(), chance.randrange(len(text) + 1)
        if kind < 0.5:
            text = text[:at] + chance.choice(BITS) + text[at:]
        elif kind < 0.75:
            text = text[:at] + text[at + chance.randrange(6) :]
        else:
            text = text[:at] + chance.choice(("; ", " ", "\n", " | ", " && ")) + chance.choice(CASES)
    return text


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_broken_texts_are_judged_and_always_alike(seed: int) -> None:
    chance = random.Random(seed)
    count = (WHOLE if os.environ.get("FIELDHAND_SOAK") == "1" else WHOLE // 10) // 3
    said = {"allow": 0, "ask": 0, "deny": 0}
    for _ in range(count):
        text = broken(chance)
        first = found(text)
        assert first == found(text), text
        assert first.effects, text
        said[verdict(text)] += 1
    print(f"seed {seed}: {count} texts, {said}")
    assert min(said.values()) > 0


def test_a_text_cut_anywhere_is_still_judged() -> None:
    for text in CASES[::7]:
        for at in range(len(text)):
            assert found(text[:at]).effects, text[:at]


PIECES = {
    "substitutions": ("$(", ""),
    "parentheses": ("(", ""),
    "quotation marks": ("'\"", ""),
    "backticks": ("`", ""),
    "backslashes": ("\\", ""),
    "dollars": ("$", ""),
    "defaults": ("${x:-", ""),
    "commands": ("a;", ""),
    "pipes": ("a|", "a"),
    "background": ("a&", ""),
    "documents": ("cat <<A;", "\n"),
    "documents in lines": ("cat <<A\nA\n", ""),
    "conditions": ("if a;then ", ""),
    "arms": ("case x in x) ", ""),
    "redirections": (">a ", ""),
    "arithmetic": ("$((", ""),
    "stars": ("*", ""),
    "brackets": ("[a", ""),
    "doubling values": ("x=$x$x;", "ls $x"),
    "growing values": ("x=$x$x$x$x;", ""),
    "braces": ("{a,b}", ""),
    "open braces": ("{", "a,b"),
    "wrappers": ("env ", "ls"),
    "shells": ("sh -c ", ""),
    "trials": ("xargs ", ""),
    "actions": ("-exec find ", ""),
    "words": ("a ", ""),
    "decoded": ("$'a'", ""),
    "functions": ("f(){ f;f|f&};", ""),
    "calls": ("a()", ""),
    "aliases": ("alias a=b\n", ""),
    "devices": ("/dev/x ", ""),
    "lines": ("\n", ""),
    "blanks": (" ", ""),
    "letters": ("é", ""),
    "joins": ("ls \\\n", ""),
    "loops": ("for i in a b c;do ", "ls"),
    "awk": ("{print > ", "'"),
    "sed": ("s/a/b/;", "'"),
}
HEADS = {
    "awk": "awk '",
    "sed": "sed '",
    "words": "rm -rf ",
    "devices": "ls ",
    "actions": "find . ",
    "braces": "echo ",
    "stars": "ls ",
}


@pytest.mark.parametrize("size", [SIZE // 2, SIZE])
@pytest.mark.parametrize("name", list(PIECES))
def test_hostile_texts_end_in_time(name: str, size: int) -> None:
    piece, end = PIECES[name]
    text = HEADS.get(name, "") + piece * (size // len(piece)) + end
    before = time.process_time()
    script = found(text)
    assert time.process_time() - before < SECONDS
    assert script.effects and len(script.effects) < 1000


@pytest.mark.parametrize("name", list(PIECES))
def test_no_limit_hides_what_is_destructive(name: str) -> None:
    piece, _ = PIECES[name]
    if piece in ("'\"", "\\", "\\\\"):
        piece = "a;"
    assert verdict("reboot\n" + HEADS.get(name, "") + piece * (SIZE // len(piece))) == "deny"
    assert verdict("ls\n" * 40_000 + "rm -rf /\n") == "deny"


def test_long_doubling_scripts_stay_small() -> None:
    text = "".join(f"f{number}(){{ f{number + 1};f{number + 1};}}\n" for number in range(200)) + "f0"
    before = time.process_time()
    assert found(text).effects
    assert time.process_time() - before < SECONDS


def test_a_text_is_read_once_for_all_who_ask_and_anew_in_another_folder() -> None:
    here = Scene("/home/pi/one", "/home/pi")
    first = read("rm a", here)
    assert read("rm " + "a", here) is first
    assert read("rm b", here) != first
    there = read("rm a", Scene("/home/pi/two", "/home/pi"))
    assert there != first and any("/home/pi/two/a" in effect.on for effect in there.effects)
