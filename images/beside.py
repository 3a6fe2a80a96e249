"""What lies beside an image and says what it should be: its block map, the manifest of its build, the signature.

Rules:
1. Names: X.img.zst and X.img have their map in X.img.bmap (or X.bmap); manifest.json and manifest.sig are in the same
   folder, or in that of a map that was named: so a card is held against the build that it came from.
2. A signature counts when a key that was named by --key made it. Without one the answer is no, unless `unsigned` is
   said. The hashes of a manifest that is there are compared in any case: they tell damage, signed or not.
3. An image is the manifest's when the manifest has the hash of its file, or the hash of a map whose hashes hold for it.
   A map that a signed manifest does not list is refused: what it leaves out would not be written.
"""

from __future__ import annotations

from pathlib import Path

from edge.card import manifest
from edge.card.manifest import Key, Manifest
from edge.faults import CardFault
from edge.record import Record
from images import bmap
from images.bmap import Map
from images.hashes import sha256_of

_IGNORE = "--unsigned without --key ignores it"


class Beside(Record):
    """What is known of an image. `of` None: no block map. `words`: what to tell about its origin."""

    of: Map | None
    manifest: Manifest | None
    signer: Key | None
    words: tuple[str, ...]


def look(image: Path, named: Path | None, keys: list[Key], unsigned: bool) -> Beside:
    """Everything beside an image, checked by the rules; CardFault for what is missing, wrong or not trusted."""
    map_path = named or find_map(image)
    of = bmap.load(map_path) if map_path else None
    told, signer, words = _manifest(_folder(image, named), keys, unsigned)
    if told is not None:
        words += _compared(told, image, map_path, signer is not None)
    return Beside(of, told, signer, tuple(words))


def _folder(image: Path, named: Path | None) -> Path:
    """Where the manifest is: beside the image, else beside a map that was named."""
    if named is None or (image.parent / "manifest.json").is_file():
        return image.parent
    return named.parent


def find_map(image: Path) -> Path | None:
    """The map beside an image, if there is one."""
    plain = image.with_suffix("") if image.suffix == ".zst" else image
    names = (plain.with_name(plain.name + ".bmap"), plain.with_suffix(".bmap"))
    return next((path for path in names if path.is_file()), None)


def _manifest(folder: Path, keys: list[Key], unsigned: bool) -> tuple[Manifest | None, Key | None, list[str]]:
    text_path, signature_path = folder / "manifest.json", folder / "manifest.sig"
    if not text_path.is_file():
        _must(
            unsigned,
            f"no manifest.json lies in {folder}: nothing says who made this image",
            "--bmap FILE where the image's map and manifest are",
        )
        return None, None, ["no manifest: nothing says who made this image"]
    text = _bytes(text_path, manifest.LARGEST)
    if not signature_path.is_file():
        _must(unsigned, f"{text_path} is not signed: no manifest.sig lies beside it")
        return manifest.read(text), None, ["the manifest is not signed"]
    signature = _bytes(signature_path, 1024)
    if not keys:
        named = signature[:16].decode("ascii", "replace")
        _must(
            unsigned, f"{text_path} is signed with the key {named}, and no key was named to check it", "--key NAME.pub"
        )
        return manifest.read(text), None, [f"the signature (key {named}) was not checked"]
    try:
        read, key = manifest.signed(text, signature, keys)
    except CardFault as fault:
        raise CardFault(f"{text_path}: {fault.sentence}", fault.fix) from fault
    return read, key, [f"{read.product} {read.version}, signed by {key.name} ({key.id})"]


def _must(unsigned: bool, sentence: str, fix: str = "") -> None:
    if not unsigned:
        raise CardFault(sentence, f"{fix + ', or ' if fix else ''}--unsigned to take it all the same")


def _compared(told: Manifest, image: Path, map_path: Path | None, signed: bool) -> list[str]:
    """Hold the files against the manifest (rule 3)."""
    words = []
    # A card is no file: what it holds is held against the map.
    files = [path for path in (image, map_path) if path is not None and path.is_file()]
    for path in files:
        listed = told.files.get(path.name)
        if listed is None:
            words.append(f"{path.name} is not listed in the manifest")
        elif listed.size != path.stat().st_size or listed.sha256 != sha256_of(path):
            raise CardFault(f"{path.name} is not the file of its manifest: it is damaged or another", "take it anew")
    if signed and len(words) == len(files):
        raise CardFault(f"the manifest beside {image.name} is signed, but is of other files", _IGNORE)
    if signed and map_path is not None and map_path.name not in told.files:
        raise CardFault(f"{map_path.name} is not the block map of the signed manifest beside {image.name}", _IGNORE)
    return words


def _bytes(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise CardFault(f"{path} could not be read: {(error.strerror or 'unknown').lower()}") from error
    if len(data) > limit:
        raise CardFault(f"{path} is larger than such a file can be ({limit} bytes)")
    return data
