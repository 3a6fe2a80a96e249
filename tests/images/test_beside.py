from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from edge.card import ed25519, manifest
from edge.card.manifest import File, Key, Manifest, Slot
from edge.faults import CardFault
from images import beside, bmap
from images.squash import sha256_of

SEED, OTHER = b"\x01" * 32, b"\x02" * 32


def key(seed: bytes = SEED) -> Key:
    return Key("field", ed25519.public_key(seed))


def describe(folder: Path, names: tuple[str, ...], seed: bytes | None = SEED) -> None:
    """A manifest over files of the folder, signed unless the seed is None."""
    files = {name: File((folder / name).stat().st_size, sha256_of(folder / name)) for name in names}
    slot = Slot(0, hashlib.sha256().hexdigest(), hashlib.sha256().hexdigest())
    text = manifest.pack(Manifest("pi-armv6", "1.0", "armel", "bookworm", ("rpi",), 0, 1, slot, files))
    (folder / "manifest.json").write_bytes(text)
    if seed is not None:
        (folder / "manifest.sig").write_bytes(manifest.sign(text, seed))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A build's results: image, map, manifest, signature."""
    path = tmp_path / "x.img.zst"
    plain = tmp_path / "plain"
    plain.write_bytes(b"image" * 5000)
    (tmp_path / "x.img.bmap").write_text(bmap.make(plain))
    path.write_bytes(b"packed")
    describe(tmp_path, ("x.img.zst", "x.img.bmap"))
    return path


def look(image: Path, *keys: Key, unsigned: bool = False, named: Path | None = None) -> beside.Beside:
    return beside.look(image, named, list(keys), unsigned)


def test_a_signed_image_is_taken_with_a_key_that_is_trusted(image: Path) -> None:
    found = look(image, key(OTHER), key())
    assert found.signer == key() and found.of is not None and found.of.size == 25_000
    assert found.words == (f"pi-armv6 1.0, signed by field ({key().id})",)


def test_without_a_key_that_is_trusted_the_answer_is_no(image: Path) -> None:
    with pytest.raises(CardFault, match=r"is signed with the key [0-9a-f]{16}, and no key was named.*--unsigned"):
        look(image)
    with pytest.raises(CardFault, match="which is not trusted here"):
        look(image, key(OTHER))
    assert look(image, unsigned=True).words == (f"the signature (key {key().id}) was not checked",)


def test_a_changed_manifest_and_a_forged_signature_are_refused(image: Path) -> None:
    text = image.with_name("manifest.json")
    text.write_bytes(text.read_bytes().replace(b'"1.0"', b'"1.1"'))
    with pytest.raises(CardFault, match="does not hold"):
        look(image, key())
    describe(image.parent, ("x.img.zst", "x.img.bmap"), OTHER)
    forged = image.with_name("manifest.sig")
    forged.write_bytes(key().id.encode() + forged.read_bytes()[16:])
    with pytest.raises(CardFault, match="does not hold"):
        look(image, key())


def test_what_lies_elsewhere_is_told_how_its_map_is_named(image: Path, tmp_path: Path) -> None:
    lone = tmp_path / "lone" / "card.img"
    lone.parent.mkdir()
    lone.write_bytes(b"x")
    with pytest.raises(CardFault, match=r"no manifest\.json lies in .*--bmap FILE.*--unsigned"):
        look(lone, key())


def test_nothing_and_an_unsigned_manifest_must_be_said(image: Path) -> None:
    image.with_name("manifest.sig").unlink()
    with pytest.raises(CardFault, match="is not signed"):
        look(image, key())
    assert look(image, key(), unsigned=True).words == ("the manifest is not signed",)
    image.with_name("manifest.json").unlink()
    with pytest.raises(CardFault, match=r"no manifest\.json lies in .*--unsigned"):
        look(image, key())
    assert look(image, unsigned=True).signer is None


@pytest.mark.parametrize("name", ["x.img.zst", "x.img.bmap"])
@pytest.mark.parametrize("unsigned", [False, True])
def test_a_file_that_is_not_the_one_of_the_manifest_is_refused_signed_or_not(
    image: Path, name: str, unsigned: bool
) -> None:
    path = image.with_name(name)
    path.write_bytes(path.read_bytes().replace(b"p", b"q", 1))
    with pytest.raises(CardFault, match=r"is not the file of its manifest|its own checksum does not hold"):
        look(image, key(), unsigned=unsigned)


def test_a_manifest_of_other_files_signs_nothing_here(image: Path) -> None:
    moved = image.with_name("y.img.zst")
    image.rename(moved)
    with pytest.raises(CardFault, match="is signed, but is of other files"):
        look(moved, key())
    (image.parent / "x.img.bmap").rename(image.parent / "y.img.bmap")
    with pytest.raises(CardFault, match="is signed, but is of other files"):
        look(moved, key())


def test_a_signed_map_vouches_for_an_unpacked_image(image: Path) -> None:
    describe(image.parent, ("x.img.bmap",))
    plain = image.with_name("x.img")
    plain.write_bytes(b"image" * 5000)
    found = look(plain, key())
    assert found.signer and found.of and "x.img is not listed in the manifest" in found.words


def test_without_a_map_there_is_none_and_a_named_map_goes_first(image: Path) -> None:
    own = image.with_name("own.bmap")
    image.with_name("x.img.bmap").rename(own)
    assert look(image, key()).of is None
    assert look(image, named=own, unsigned=True).of is not None
    with pytest.raises(CardFault, match="could not be read"):
        look(image, key(), named=image.with_name("absent"))


@pytest.mark.parametrize("named", [False, True])
def test_a_map_that_nobody_signed_does_not_say_what_of_a_signed_image_is_written(image: Path, named: bool) -> None:
    image.with_name("x.img.bmap").unlink()
    other = image.with_name("x.bmap")
    other.write_text(bmap.text(bmap.Map(25_000, 4096, (bmap.Range(0, 0),))))
    with pytest.raises(CardFault, match=r"x\.bmap is not the block map of the signed manifest.*without --key"):
        look(image, key(), named=other if named else None)
    assert look(image, unsigned=True).of is not None


def test_a_card_is_held_against_the_build_that_its_named_map_lies_in(image: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    card = other / "card"
    card.write_bytes(b"image" * 5000)
    found = look(card, key(), named=image.with_name("x.img.bmap"))
    assert found.signer == key() and found.manifest is not None
    with pytest.raises(CardFault, match=r"no manifest\.json lies in"):
        look(card, key())
