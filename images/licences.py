"""One text with the terms of everything in an image: Fieldhand, each Debian package, each wheel, the common licences.

Rules:
1. Every package has terms, or the build fails: what may be passed on is passed on with its text.
2. A text stands once; a package with the same words as an earlier one points there.
3. The common licences that copyright files only name by path (usr/share/common-licenses) follow at the end.
4. The same lock gives the same bytes.
"""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path

from edge.faults import CardFault
from images import copyrights, wheels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from images.copyrights import Terms
    from images.lock import Deb, Lock
    from images.product import Product

_RULE = "=" * 100
_OWN = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS")
FIRMWARE = "raspi-firmware"


def collect(
    product: Product,
    locked: Lock,
    debs: Mapping[str, Path],
    texts: Mapping[str, Path],
    wheel_files: Sequence[Path],
    checkout: Path,
) -> str:
    """The whole text. `debs` and `texts` are what pool.fetch and pool.fetch_texts gave, `checkout` has our LICENSE.

    CardFault names every package without terms."""
    found = {
        deb.name: copyrights.terms({**debs, **texts}[deb.name], deb.sha256) for deb in (*locked.debs, *locked.texts)
    }
    common = {name: text for deb in locked.texts for name, text in found[deb.name].common.items()}
    parts = [_part("Fieldhand (all of usr/lib/fieldhand/edge)", (checkout / "LICENSE").read_text("utf-8"))]
    packages = _packages(locked.debs, found)
    parts += packages
    parts += [_part(f"{path.name} (Python library)", wheel_terms(path)) for path in wheel_files]
    named = sorted({name for part in packages for name in copyrights.referred(part, common)})
    parts += [_part(f"usr/share/common-licenses/{name}", common[name]) for name in named]
    head = f"The terms of everything in the card image {product.name} ({product.title})\n"
    return head + "\n" + "\n".join(parts)


def _part(title: str, text: str) -> str:
    return f"{_RULE}\n{title}\n{_RULE}\n\n{text.strip()}\n"


def _packages(debs: Sequence[Deb], found: Mapping[str, Terms]) -> list[str]:
    first: dict[str, str] = {}
    absent, parts = [], []
    for deb in debs:
        text = copyrights.text_of(deb.name, found)
        if not text:
            absent.append(deb.name)
            continue
        before = first.setdefault(hashlib.sha256(text.encode()).hexdigest(), deb.name)
        title = f"{deb.name} {deb.version} (Debian; source {deb.source} {deb.source_version})"
        parts.append(_part(title, text if before == deb.name else f"As {before} above."))
    if absent:
        raise CardFault(f"no terms are known for {', '.join(absent)}", "a package without its licence is not passed on")
    return parts


def wheel_terms(path: Path) -> str:
    """The licence files of a wheel; without any, what its METADATA says about itself."""
    metadata = wheels.read_metadata(path)
    said = [f"{key}: {metadata[key]}" for key in ("Name", "Version", "Author", "Author-email") if metadata[key]]
    said += [f"Licence: {name}" for name in wheels.licences(metadata)]
    with wheels.opened(path) as archive:
        names = [name for name in sorted(archive.namelist()) if _is_licence(name)]
        texts = [archive.read(name).decode("utf-8", "replace").strip() for name in names]
    if not texts and len(said) < 3:
        raise CardFault(f"{path.name} says nothing about its licence", "a library without terms is not passed on")
    return "\n\n".join(["\n".join(said), *texts])


def _is_licence(name: str) -> bool:
    """A licence file of the wheel itself, not of what it may have taken in."""
    folder, _, file = name.rpartition("/")
    top = folder.split("/")[0]
    inside = folder == top or folder.startswith(f"{top}/licenses")
    return top.endswith(".dist-info") and inside and file.upper().startswith(_OWN)


def firmware(locked: Lock, debs: Mapping[str, Path]) -> str:
    """The terms of the boot firmware: they let it be passed on for use with a Raspberry Pi when they go with it."""
    text = copyrights.terms(debs[FIRMWARE], locked.deb(FIRMWARE).sha256).text
    if not text:
        raise CardFault(f"{FIRMWARE} has no copyright file", "its terms must be on the card")
    return text


def packed(text: str) -> bytes:
    """The text as an .xz file; no date, no name, the same bytes each time."""
    return lzma.compress(text.encode(), format=lzma.FORMAT_XZ, preset=6)
