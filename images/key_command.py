"""`image key new NAME`, `image key show FILE`."""

from __future__ import annotations

import argparse
from pathlib import Path

from images import keys

ABOUT = """\
NAME.key signs images and updates: keep it off the machines that run them, and keep a copy. NAME.pub goes into the
images (`build --trust NAME.pub`, or beside NAME.key) and onto boards that shall take updates signed with it."""


def main(words: list[str]) -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser("fieldhand image key", description=ABOUT)
    below = parser.add_subparsers(dest="what", required=True, metavar="new|show")
    new = below.add_parser("new", help="make NAME.key (mode 600) and NAME.pub")
    new.add_argument("name", metavar="NAME|PATH/NAME")
    new.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="the folder (default: here)")
    show = below.add_parser("show", help="the id, public key and name of a key")
    show.add_argument("file", type=Path, metavar="NAME.key|NAME.pub")
    told = parser.parse_args(words)
    if told.what == "new":
        secret, public = keys.new(*keys.placed(told.name, told.out))
        print(f"{secret}: keep it secret, and a copy of it safe\n{public}: for images and boards")
        return 0
    print(shown(told.file))
    return 0


def shown(path: Path) -> str:
    """Id, public key and name of a key file."""
    if path.suffix == ".key":
        key = keys.load(path)
        return f"{key.id} {key.public.hex()} {key.name}"
    public = keys.load_public(path)
    return f"{public.id} {public.public.hex()} {public.name}"
