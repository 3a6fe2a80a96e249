"""`hil watch NAME`: lines, parts, console and resets of a board that runs, as they go on.

On a terminal a picture is drawn anew as far as it changed; q and Ctrl-C end it. Elsewhere each change is a line, and
what the console says is left out. Looked at a few times a second: a shorter pulse may be missed.
"""

from __future__ import annotations

import argparse
import select
import sys
import time

from edge.cli.sim_watch import ENDS, Keys, Screen, size
from hil import resources
from hil.live import frame
from hil.live.counter import Caller, Gone
from hil.live.place import Place

EVERY = 0.4  # seconds between two looks


def main(words: list[str]) -> int:
    """Show it until somebody ends it; 0."""
    parser = argparse.ArgumentParser("hil watch", description=__doc__.partition("\n\n")[2])
    parser.add_argument("board", metavar="NAME|FILE.toml")
    parser.add_argument("--once", action="store_true", help="one picture")
    told = parser.parse_args(words)
    with Caller(Place(resources.named(told.board).name, told.board)) as caller:
        try:
            if told.once:
                print("\n".join(frame.lines(caller.ask({"do": "show"}), *size())))
            else:
                (_live if sys.stdout.isatty() else _told)(caller)
        except Gone as gone:
            print(gone)
        except KeyboardInterrupt:
            return 0
    return 0


def _told(caller: Caller) -> None:
    """Each change as a line, until the board ends or nobody reads them any more."""
    before: frame.Facts = {}
    readers = select.poll()
    readers.register(sys.stdout.fileno(), 0)
    while not readers.poll(EVERY * 1000):
        now = frame.facts(caller.ask({"do": "show"}))
        for line in frame.changes(before, now):
            print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)
        before = now
    raise BrokenPipeError


def _live(caller: Caller) -> None:
    keys, screen = Keys(), Screen(sys.stdout)
    try:
        while True:
            width, height = size()
            found = frame.lines(caller.ask({"do": "show"}), width - 1, height - 2)
            screen.show([*found, "q ends"], (width, height))
            sys.stdout.flush()
            typed = keys.wait(EVERY)
            if any(key in ENDS for key in typed):
                return
            if typed:
                screen.forget()
    finally:
        keys.close()
        screen.leave()
