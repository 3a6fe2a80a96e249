"""`python -m hil VERB ...`: boards without hardware, for people. See images/frame.py."""

from __future__ import annotations

import sys

from images.frame import Frame, run

# verb -> (module, what it does)
VERBS = {
    "boards": ("hil.verbs.boards", "[NAME ...]: which boards there are, what each can do, what is missing here"),
    "run": ("hil.verbs.run", "NAME: start a board and work at its console"),
    "set": ("hil.verbs.set", "NAME WHAT VALUE: a sensor or a line of a board that runs"),
    "watch": ("hil.verbs.watch", "NAME: its lines, sensors and console as they go on"),
    "test": ("hil.verbs.test", "NAME [WORDS FOR PYTEST ...]: the tests of boards, on this one"),
}
FRAME = Frame(
    name="hil",
    noun="hil",
    verbs=VERBS,
    head="python3 -m hil VERB ...    (in a checkout; NAME is a board, or a FILE.toml of your own)",
    foot="python3 -m hil VERB --help tells the rest; docs/hil.md is the guide.",
    full=" (free some space there; --card and, for what is made on the way, TMPDIR name another place)",
)


def main(words: list[str]) -> int:
    """Run one verb; the exit code."""
    return run(FRAME, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
