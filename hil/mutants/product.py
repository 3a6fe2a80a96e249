"""The card of a mutant: the built image with one file of the agent broken, and nothing else different.

The image must be of this checkout as far as that file goes: its byte code holds a hash of the source it was made of
(PEP 552), which is compared.
"""

from __future__ import annotations

import _imp
import tempfile
from pathlib import Path

from edge.faults import CardFault, UsageFault
from hil import card, release
from hil.mutants import Mutant
from images import agent, arches, compiled
from images import product as products

ROOT = Path(__file__).resolve().parent.parent.parent


def broken(mutant: Mutant, text: str) -> str:
    """The source with the mutant's swaps. UsageFault when one of its texts does not stand there exactly once."""
    for old, new in mutant.swaps:
        if text.count(old) != 1 or old == new:
            there = f"{old.strip()!r} is there {text.count(old)} times, not once"
            raise UsageFault(f"the mutant {mutant.name} fits {mutant.file} no more: {there}", "write the mutant anew")
        text = text.replace(old, new)
    return text


def image(mutant: Mutant, folder: Path, checkout: Path = ROOT) -> Path:
    """Make a folder of images that holds the mutant's card alone, as FIELDHAND_IMAGES takes it."""
    found = card.image(mutant.product)
    if found is None:
        raise CardFault(f"there is no image of {mutant.product} in {card.images()}", "make images")
    made = folder / mutant.product / mutant.name / "card.img"
    made.parent.mkdir(parents=True)
    card.insert(found, made)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        maker = release.Releases(made, mutant.product, Path(scratch))
        maker.put(made, lambda tree: _break(mutant, tree, checkout))
    return folder


def _break(mutant: Mutant, tree: Path, checkout: Path) -> None:
    if not mutant.swaps:
        return
    source = (checkout / mutant.file).read_bytes()
    code = tree / agent.LIBRARY / f"{mutant.file}c"
    if not made_of(code, source):
        raise CardFault(f"the image of {mutant.product} was built from another {mutant.file}", "make images")
    code.unlink()
    code.with_suffix(".py").write_text(broken(mutant, source.decode("utf-8")), "utf-8")
    product = products.load(mutant.product)
    compiled.compile_all(tree, arches.named(product.arch), product.python, (agent.LIBRARY,), lambda done, all_: None)


def made_of(code: Path, source: bytes) -> bool:
    """Whether byte code with a hash in it was made of this source, by whichever Python."""
    head = code.read_bytes()[:16]
    return head[4] & 1 == 1 and _imp.source_hash(int.from_bytes(head[:4], "little"), source) == head[8:]
