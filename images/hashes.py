"""The sha256 of a file, as manifests, locks and reports have it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path


def sha256_of(path: Path) -> str:
    """The sha256 of a file in hex, in constant memory."""
    digest = sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
