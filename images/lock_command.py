"""`image lock update [PRODUCT ...]`, `image lock show [PRODUCT ...]`."""

from __future__ import annotations

import argparse
import sys

from images import lock, locking, product
from images.progress import Progress, amount


def main(words: list[str]) -> int:
    """Run the verb; the exit code."""
    options = _parser().parse_args(words)
    if options.act == "show":
        for name in options.product or product.names():
            print(shown(name))
        return 0
    progress = Progress(sys.stderr)
    with progress.step("lock"):
        written = locking.update(options.product, options.without, progress.note, progress)
    for path in written:
        print(path)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fieldhand image lock",
        description="Fix the packages that images are made from: ask the archive what is current, write names, "
        "versions and hashes into images/lock/. A build takes exactly these.",
    )
    acts = parser.add_subparsers(dest="act", required=True, metavar="update|show")
    update = acts.add_parser("update", help="ask the archive and write the lock files")
    update.add_argument("product", nargs="*", help="names or TOML files; none: all products of this checkout")
    update.add_argument(
        "--without",
        nargs="+",
        action="extend",
        default=[],
        metavar="SUITE",
        help="go on when this suite's lists cannot be read (bookworm-security); the lock says so",
    )
    show = acts.add_parser("show", help="what is locked")
    show.add_argument("product", nargs="*", help="names or TOML files; none: all products of this checkout")
    return parser


def shown(name: str) -> str:
    """One product's lock in a few lines."""
    one = product.load(name)
    locked = lock.load(one)
    behind = [deb for deb in locked.debs if deb.security != lock.CURRENT]
    size = sum(deb.size for deb in locked.debs)
    lines = [
        f"{one.name}: {one.suite} {one.arch}, Python {one.python}, kernel {lock.release(locked)}",
        f"  {len(locked.debs)} packages, {amount(size)} to fetch; {len(locked.wheels)} wheels; {len(behind)} behind",
    ]
    return "\n".join([*lines, *(f"  {deb.name} {deb.version}: {deb.security}" for deb in behind)])
