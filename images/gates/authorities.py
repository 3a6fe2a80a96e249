"""The root trusts somebody: certificates are there, in the bundle and in the folder, and most of them still hold."""

from __future__ import annotations

import datetime
from pathlib import Path

from edge.faults import CardFault
from images import certificates, rooted, x509

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target

LEAST = 100


def check(tree: Path, _product: Target, now: datetime.datetime | None = None) -> list[str]:
    """A sentence for each thing that would leave `ssl` without certificates."""
    bundle = rooted.find(tree, certificates.BUNDLE)
    try:
        found = x509.certificates(bundle.read_bytes()) if bundle else []
        ends = [x509.not_after(der) for der in found]
        wrong = _folder(tree, found)
    except CardFault as fault:
        return [str(fault)]
    if len(found) <= LEAST:
        wrong.append(f"the bundle has {len(found)} certificates, more than {LEAST} are wanted")
    over = sum(end < (now or datetime.datetime.now(datetime.timezone.utc)) for end in ends)
    if over * 2 > len(found):
        wrong.append(f"{over} of {len(found)} certificates are out of date")
    for name in certificates.LINKS:
        if rooted.find(tree, name) is None:
            wrong.append(f"{name}, where OpenSSL looks, is not there")
    return wrong


def _folder(tree: Path, bundle: list[bytes]) -> list[str]:
    """Whether the folder has the certificates of the bundle, each under the name it is looked up by."""
    held = []
    wrong = []
    for name in certificates.hashed(tree):
        path = rooted.find(tree, f"{certificates.FOLDER}/{name}")
        ders = x509.certificates(path.read_bytes()) if path else []
        if len(ders) != 1 or x509.subject_hash(ders[0]) != name[:8]:
            wrong.append(f"{certificates.FOLDER}/{name} is not the certificate it is looked up as")
        held += ders
    if sorted(held) != sorted(bundle):
        wrong.append(f"the folder has {len(held)} certificates and the bundle {len(bundle)}, not the same")
    return wrong
