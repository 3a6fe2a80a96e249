"""`python -m images VERB ...`: build, verify and flash card images, and what belongs to that. See images/frame.py."""

from __future__ import annotations

import sys

from images.frame import Frame, run

# verb -> (module, what it does)
VERBS = {
    "build": ("images.command", "PRODUCT|FILE.toml: make a card's image, its update and papers"),
    "verify": ("images.verify", "IMAGE|CARD|UPDATE: compare every byte with map, manifest and hashes"),
    "flash": ("images.flash", "IMAGE [TARGET]: write a card, read it back; no TARGET: list the disks"),
    "lock": ("images.lock_command", "update|show [PRODUCT ...]: the packages that images are made from"),
    "key": ("images.key_command", "new NAME | show FILE: keys that updates are signed with"),
}
FRAME = Frame(
    name="fieldhand image",
    noun="image",
    verbs=VERBS,
    head="fieldhand image VERB ...    (in a checkout: python3 -m images VERB ...)",
    foot="fieldhand image VERB --help tells the rest; docs/images.md is the guide.",
    full=" (free some space there; --out and, for what is unpacked on the way, TMPDIR name another folder)",
)


def main(words: list[str]) -> int:
    """Run one verb; the exit code."""
    return run(FRAME, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
