"""What is proved linear and what is not; and that the proof is true of `re` on inputs made to break it."""

from __future__ import annotations

import os
import random
import re
import time

import pytest

from edge import regex
from edge.regex.linear import is_linear, written
from edge.regex.parse import parse
from edge.regex.reduce import reduced
from tests.support import patterns

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
SHORT, LONG = 3_000, 24_000
# Eight times the text may take eight times the time, and four times that on a loud machine; sixty-four is quadratic.
MOST = 8 * 4
# Nothing is measured that takes less: it is no trouble, and clocks are coarse.
NOTICED = 0.0005


@pytest.mark.parametrize(
    ("pattern", "linear"),
    [
        (r"[0-9]{3}-[0-9]{4}", True),
        (r"[0-9]+\.[0-9]+\.[0-9]+", True),
        (r"usb [0-9]+: found", True),
        (r"^[a-z]+ [a-z]+: x", True),
        (r"\b[a-z]+ms\b", False),
        (r"\b[a-z]+-ms\b", True),
        (r"(foo|bar)[0-9]+x", True),
        (r"(a|b)*a(a|b){60}c", True),
        (r"a[^a]*b", False),
        (r"a[^ab]*b", True),
        (r"\w+\s+\d+$", True),
        (r"\s+$", True),
        (r"\s+x$", True),
        (r"x\s+$", True),
        (r"x.*y", False),
        (r"xa*a*y", True),
        (r"xa*b?a*y", False),
        (r"x(ab)*y", False),
        (r"x(ab){3}y", True),
        (r"x(a+b)?y", True),
        (r"^(a+)+$", True),
        (r"^(a|ab)+$", False),
        (r"(x.*a){3}", False),
        (r"x\By", False),
        (r"q(.{1,30}z)", False),
        (r"q[^z]{1,30}z", True),
        (r"a+b+c", True),
        (r"ca+b?a+c", False),
        (r"ab+c+", True),
    ],
)
def test_the_rules_of_the_proof(pattern: str, linear: bool) -> None:
    assert is_linear(reduced(parse(pattern))) is linear


def took(search: re.Pattern[bytes], text: bytes) -> float:
    """The least processor time of a few searches through one line, in seconds."""
    best = 60.0
    for _ in range(3):
        started = time.process_time()
        search.search(text)
        best = min(best, time.process_time() - started)
        if best < NOTICED or best > 0.1:
            break
    return best


def grows(search: re.Pattern[bytes], unit: bytes, end: bytes) -> float:
    """How many times longer a text takes that is LONG / SHORT times as long; 0 when it is too quick to tell."""
    long = took(search, (unit * LONG)[:LONG] + end)
    return 0.0 if long < NOTICED else long / max(took(search, (unit * SHORT)[:SHORT] + end), 1e-6)


def test_a_pattern_that_is_not_proved_can_be_quadratic_so_this_would_be_noticed() -> None:
    assert grows(re.compile(rb"a+b"), b"a", b"") > MOST


def test_what_is_proved_takes_re_time_that_grows_with_the_text() -> None:
    rng, proved, slow = random.Random(13), 0, 0
    for _ in range(4_000 if SOAK else 400):
        tree = reduced(parse(patterns.pattern(rng)))
        if not is_linear(tree):
            continue
        proved += 1
        search = re.compile(written(tree, narrow=True).encode(), re.MULTILINE)
        for _ in range(3):
            unit = "".join(rng.choices("aaabbc01_ -.k", k=rng.choice((1, 1, 2, 3, 5)))).encode()
            growth = grows(search, unit, rng.choice((b"", b"!", b"a", b" ")))
            slow += growth > 0
            assert growth <= MOST, (search.pattern, unit, growth)
    print(f"{proved} patterns proved linear; {slow} texts took long enough to be measured, none grew too fast")
    assert proved > 100


def test_classic_patterns_never_reach_re_unless_they_are_proved() -> None:
    for pattern in ("(a+)+$", "(x+x+)+y", "(.*a){20}", ".*.*.*=.*", r"\s+$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$"):
        engine = regex.compile(pattern)
        engine.prepare(1 << 20)
        if engine.quick is not None:
            search = re.compile(written(engine.small, narrow=True).encode(), re.MULTILINE)
            for unit in (b"a", b"x", b" ", b"ab", b"a "):
                assert grows(search, unit, b"!") <= MOST
