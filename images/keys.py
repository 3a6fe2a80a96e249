"""Keys that updates are signed with: made, read, shown. Two small text files.

    NAME.key    the seed of an Ed25519 key, 64 hex digits; mode 600; never on a card
    NAME.pub    the public key, 64 hex digits, then a space and the name; goes into images and onto boards

Rules:
1. A key is never overwritten: who loses it can update no board any more that trusts it alone.
2. The secret file is made with mode 600 from its first byte, and refused when others can read it.
3. The id of a key is the first 16 hex digits of the sha256 of its public key.
"""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack, suppress
from pathlib import Path

from edge.card import ed25519, manifest
from edge.faults import CardFault, UsageFault
from edge.record import Record


class Key(Record):
    """A signing key: its name, seed and public key (32 bytes each)."""

    name: str
    seed: bytes
    public: bytes

    @property
    def id(self) -> str:
        """What a signature names it by."""
        return manifest.key_id(self.public)


def new(name: str, folder: Path) -> tuple[Path, Path]:
    """Make a key: the paths of NAME.key and NAME.pub. UsageFault when one of them is there or the name is odd."""
    if not manifest.is_word(name):
        raise UsageFault(f"{name!r} is no name of a key", "letters, digits and -_.+~, at most 64")
    if not folder.is_dir():
        raise UsageFault(f"there is no folder {folder} for the key", "make it first, with mode 700")
    secret, public = folder / f"{name}.key", folder / f"{name}.pub"
    for path in (secret, public):
        if path.exists() or path.is_symlink():
            raise UsageFault(f"{path} is there already", "a key is never overwritten: take another name or folder")
    seed = secrets.token_bytes(32)
    with ExitStack() as half:
        _write(secret, f"{seed.hex()}\n", 0o600)
        half.callback(_gone, secret)
        _write(public, f"{ed25519.public_key(seed).hex()} {name}\n", 0o644)
        half.pop_all()
    return secret, public


def _gone(path: Path) -> None:
    """What was begun and not ended leaves nothing."""
    with suppress(FileNotFoundError):
        path.unlink()


def placed(named: str, folder: Path) -> tuple[str, Path]:
    """Name and folder of a key as a person names it: NAME, PATH/NAME, with or without the ending .key or .pub."""
    path = Path(named)
    name = path.name if path.suffix not in (".key", ".pub") else path.stem
    return ("" if named.endswith("/") else name), folder / path.parent


def _write(path: Path, text: str, mode: int) -> None:
    """A new file with this text, on the disk; none when that fails."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with ExitStack() as half:
            half.callback(_gone, path)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            half.pop_all()
    except OSError as error:
        raise CardFault(f"{path} could not be made: {(error.strerror or 'unknown').lower()}") from error


def load(path: Path) -> Key:
    """The signing key of NAME.key; CardFault when it cannot be read, is no key or is open to others."""
    text = _text(path).strip()
    if not manifest.is_digest(text):
        raise CardFault(f"{path} is no signing key", "64 hex digits, as `image key new NAME` writes them")
    if path.stat().st_mode & 0o077:
        raise CardFault(f"others than you can read {path}", f"chmod 600 {path}")
    seed = bytes.fromhex(text)
    return Key(path.stem, seed, ed25519.public_key(seed))


def load_public(path: Path) -> manifest.Key:
    """The public key of NAME.pub; CardFault when it cannot be read or is none."""
    text = _text(path)
    if len(text.split()) == 1:
        text = f"{text.strip()} {path.stem}"
    return manifest.read_key(text, path.name)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(4096).decode("ascii", "replace")
    except OSError as error:
        raise CardFault(f"{path} could not be read: {(error.strerror or 'unknown').lower()}") from error
