"""Manifests, keys and updates made for a test."""

from __future__ import annotations

import hashlib
from typing import Any

from edge.card import bundle, ed25519, manifest
from edge.card.manifest import Key, Manifest, Slot
from edge.record import replace

SEED = hashlib.sha256(b"a key for tests").digest()
KEY = Key("tests", ed25519.public_key(SEED))
OTHER = Key("others", ed25519.public_key(hashlib.sha256(b"another key").digest()))
ROOT = "ab" * 32


def content(size: int = 20 * 4096, salt: bytes = b"slot") -> bytes:
    """The content of a slot: any bytes, the same ones every time."""
    made = b"".join(hashlib.sha256(salt + number.to_bytes(8, "big")).digest() for number in range(size // 32 + 1))
    return made[:size]


def described(slot: bytes, **changes: Any) -> Manifest:
    """The manifest of a slot's content, for the product pi-test on arm."""
    made = Manifest(
        product="pi-test",
        version="2.0",
        arch="armel",
        suite="bookworm",
        machines=("raspi0",),
        epoch=1_700_000_000,
        data_schema=1,
        slot=Slot(len(slot), hashlib.sha256(slot).hexdigest(), ROOT),
        files={},
    )
    return replace(made, **changes)


def update(slot: bytes, seed: bytes = SEED, **changes: Any) -> bytes:
    """A whole update."""
    text = manifest.pack(described(slot, **changes))
    return b"".join(bundle.pack(text, manifest.sign(text, seed), [slot], len(slot), 1_700_000_000))
