"""`hil test NAME [WORDS]`: the tests of boards (tests/hil) on this board, with further words for pytest."""

from __future__ import annotations

import argparse
import os
import sys

from edge.faults import UsageFault
from hil import resources
from hil.live.place import ROOT

ABOUT = """\
Runs those tests of tests/hil that ask for a bench, on this board. A test that needs what the board lacks is skipped and
says so. What stands behind NAME goes to pytest: hil test mine.toml -k temperature -x"""


def main(words: list[str]) -> int:
    """pytest takes this process over: signals, terminal and exit code are its own."""
    parser = argparse.ArgumentParser(
        "hil test", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", metavar="NAME|FILE.toml")
    told, rest = parser.parse_known_args(words)
    resources.named(told.board)
    board = os.path.abspath(told.board) if "/" in told.board or told.board.endswith(".toml") else told.board
    try:
        import pytest  # noqa: F401  # asked for before this process is given away
    except ImportError as error:
        raise UsageFault(
            "pytest is not installed", "make ready, then .cache/venv-3.X/bin/python -m hil test"
        ) from error
    os.chdir(ROOT)
    os.execv(sys.executable, command(board, rest))


def command(board: str, rest: list[str]) -> list[str]:
    """The words of the process."""
    return [sys.executable, "-m", "pytest", "-m", "emulated", "tests/hil", "--board", board, "-rs", *rest]
