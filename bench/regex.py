"""What a search costs from the text of a pattern to the lines that match, on inputs of 20,000 bytes.

The anchor is a search for plain text there, by the same engine. Against it stand twelve patterns on which engines that
go back and try again take seconds to centuries, each with an input that makes it hard: what the pattern must hold is
in the input. Nothing is kept from one search to the next, but what `re` keeps of patterns it has compiled.

The rows of the automaton alone have no target: a million bytes of a log, so that MB/s is 1,000,000 by the figure.
"""

from __future__ import annotations

import time

from bench.harness import Broken, Target
from edge import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness import Measure

TITLE = "The regex engine: hard patterns on 20,000 bytes"
UNIT = "us"
ROUNDS = 15
WARM = True
SIZE = 20_000
TIMES = 5

MAIL = r"^([a-z0-9])(([\-.]|[_]+)?([a-z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$"
# Pattern, input, how many lines match.
HARD = (
    ("(a+)+$", "a" * (SIZE - 1) + "!", 0),
    ("(a|aa)+$", "a" * (SIZE - 1) + "!", 0),
    ("(a|a)*b", "b\n" + "a" * (SIZE - 2), 1),
    ("(.*a){20}", "b" * (SIZE - 19) + "a" * 19, 0),
    ("(a|b)*a(a|b){60}c", "c" + "ab" * (SIZE // 2 - 1), 0),
    (r"\s+$", " " * (SIZE - 1) + "x", 0),
    (".*.*.*=.*", "x" * (SIZE - 2) + "\n=", 1),
    ("(x+x+)+y", "y" + "x" * (SIZE - 1), 0),
    ("a?{30}a{30}", ("a" * 29 + "b") * (SIZE // 30), 0),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * SIZE, 0),
    (MAIL, "a" * (SIZE - 2) + "@a", 0),
    ("^(.*?,){11}P", "1,P" + "," * (SIZE - 3), 0),
)
LITERAL = "a search for plain text"
LOG = b"Nov 30 05:47:55 board kernel: usb 1-1.2: new high-speed USB device number 5 using dwc_otg\n" * 11_111
TARGETS = {text: (Target(ratio=50),) for text, _, _ in HARD}


def search(pattern: str, data: bytes, wanted: int) -> Callable[[], float]:
    """A measure of whole searches: the mean of a few, in us of processor time."""

    def measure() -> float:
        started = time.process_time()
        for _ in range(TIMES):
            found = sum(1 for _ in regex.compile(pattern).lines(data))
        taken = time.process_time() - started
        if found != wanted:
            raise Broken(f"{pattern} matched in {found} lines, not {wanted}")
        return taken / TIMES * 1e6

    return measure


def automaton(pattern: str) -> Callable[[], float]:
    """A measure of the automaton on the log, whatever way the engine would go; in us."""

    def measure() -> float:
        engine = regex.compile(pattern)
        started = time.process_time()
        found = sum(1 for _ in engine.by_automaton(LOG))
        taken = time.process_time() - started
        if found:
            raise Broken(f"{pattern} matched in {found} lines of the log, not in none")
        return taken * 1e6

    return measure


def rows() -> list[tuple[str, Measure]]:
    """The anchor, the hard patterns, the automaton apart."""
    hard = [(text, search(text, data.encode(), wanted)) for text, data, wanted in HARD]
    apart = [(f"automaton alone, 1 MB: {text}", automaton(text)) for text in ("[0-9]+x", r"\b(a|b)+[^ ]*q\b")]
    return [(LITERAL, search("temperature", b"a" * SIZE, 0)), *hard, *apart]
