"""`hil set NAME WHAT VALUE`: what a sensor of a board that runs measures, how it behaves, what a line is held at."""

from __future__ import annotations

import argparse

from hil import resources
from hil.live.counter import Caller
from hil.live.place import Place

ABOUT = """\
WHAT is a part of the board (t0; m0.mag-x where it measures several) with a number, or with a way of failing where the
board has faults (nak; ok mends it); or a line (17, GPIO17) with high, low or release."""


def main(words: list[str]) -> int:
    """Set it and say what is so now; 0."""
    parser = argparse.ArgumentParser("hil set", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", metavar="NAME|FILE.toml")
    parser.add_argument("what", metavar="WHAT")
    parser.add_argument("value", metavar="VALUE")
    told = parser.parse_args(_signed(words))
    with Caller(Place(resources.named(told.board).name, told.board)) as caller:
        print(caller.ask({"do": "set", "name": told.what, "value": told.value})["said"])
    return 0


def _signed(words: list[str]) -> list[str]:
    """A value below zero is no option."""
    return ["--", *words] if len(words) == 3 and words[2][:1] == "-" else words
