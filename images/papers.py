"""What goes with an image for people and their tools: sbom.json, licences.txt.xz, notes.txt.

Rules:
1. All three come out of the lock and the packages; the same lock and version give the same bytes.
2. The notes name the files that are there when they are written, with their sizes.
"""

from __future__ import annotations

from pathlib import Path

from images import licences, notes, pool, sbom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from images.lock import Lock
    from images.product import Product
    from images.progress import Progress

NAMES = ("licences.txt.xz", "notes.txt", "sbom.json")


def write(
    product: Product,
    locked: Lock,
    version: str,
    debs: Mapping[str, Path],
    wheels: Sequence[Path],
    checkout: Path,
    parts: Sequence[tuple[str, int]],
    into: Path,
    pools: Iterable[Path] = (),
    progress: Progress | None = None,
) -> list[Path]:
    """Write the three into a folder of results. `parts` are what the image is made of, with their bytes."""
    texts = pool.fetch_texts(locked, pools, progress)
    results = [(path.name, path.stat().st_size) for path in sorted(into.iterdir())]
    terms = licences.collect(product, locked, debs, texts, wheels, checkout)
    contents = (
        licences.packed(terms),
        notes.make(product, locked, version, parts, results).encode(),
        sbom.make(product, locked, version).encode(),
    )
    for name, content in zip(NAMES, contents):
        (into / name).write_bytes(content)
    return [into / name for name in NAMES]
