"""`image build PRODUCT|FILE.toml`: the command line of the build."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from edge import __version__
from edge.card.manifest import is_word
from edge.faults import UsageFault
from edge.record import replace
from images import build, keys, product, report, twice
from images.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
ABOUT = """\
Makes PRODUCT-VERSION.img.zst with its block map, manifest, SBOM, licences and notes, and with a key the signature
and PRODUCT-VERSION.update. Takes the packages that images/lock/ names: from --pool, from what was fetched before,
else from the Debian mirror (DEBIAN_MIRROR names another). Needs no root. The same lock, checkout, version and keys
make the same bytes."""


def main(words: list[str]) -> int:
    """Run it; the exit code."""
    told = _parser().parse_args(words)
    if not is_word(told.version):
        raise UsageFault(f"{told.version!r} is no version", "letters, digits and -_.+~, at most 64")
    order = build.Order(
        product=product.load(told.product),
        out=told.out.absolute(),
        version=told.version,
        pools=tuple(told.pool),
        key=keys.load(told.key) if told.key else None,
        trust=tuple(keys.load_public(path) for path in told.trust),
        keep=told.keep,
        fresh=told.fresh,
    )
    built = build.build(order, Progress(None if told.quiet else sys.stderr))
    if told.twice:
        built = replace(built, said=(*built.said, twice.again(_words(told), order.out, built.results)))
    print(report.as_json(built) if told.json else report.text(built))
    return 0


def _words(told: argparse.Namespace) -> list[str]:
    """The command line of a second build like this one, from another folder."""
    found = [str(Path(told.product).absolute()) if "/" in told.product or ".toml" in told.product else told.product]
    for option, paths in (("--pool", told.pool), ("--key", [told.key] if told.key else []), ("--trust", told.trust)):
        found += [word for path in paths for word in (option, str(path.absolute()))]
    return [*found, "--version", told.version, *(["--quiet"] if told.quiet else [])]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "fieldhand image build", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("product", metavar="PRODUCT|FILE.toml", help=f"one of {', '.join(product.names())}, or a file")
    parser.add_argument("--out", type=Path, default=ROOT / "dist/images", metavar="DIR", help="default: dist/images")
    parser.add_argument(
        "--pool", type=Path, action="append", default=[], metavar="DIR", help="packages that are here already"
    )
    parser.add_argument("--key", type=Path, metavar="NAME.key", help="sign with it (image key new NAME)")
    parser.add_argument(
        "--trust",
        type=Path,
        action="append",
        default=[],
        metavar="NAME.pub",
        help="boards take its updates, too",
    )
    parser.add_argument("--version", default=__version__, metavar="V", help=f"default: {__version__}")
    parser.add_argument("--twice", action="store_true", help="build again elsewhere and compare every file")
    parser.add_argument("--fresh", action="store_true", help="compile everything, take nothing compiled before")
    parser.add_argument("--json", action="store_true", help="the report as JSON on stdout")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--keep", action="store_true", help="leave the folder with the tree and the parts, and name it")
    return parser
