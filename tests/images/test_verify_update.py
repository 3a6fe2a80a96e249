"""An update is told from an image, said what it is, and every byte of it is compared."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from edge.card import bundle as updates
from edge.card import manifest
from edge.card.manifest import Slot
from edge.faults import UsageFault
from edge.record import replace
from images import bundle, verify
from tests.support import signed, small_cards

pytestmark = small_cards.needs_fat


@pytest.fixture(scope="module")
def slot(small_card: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The content of the small card's slot."""
    path = tmp_path_factory.mktemp("slot") / "slot.img"
    bundle.slot_content(small_card.with_suffix(".parts") / "slot.fat", path)
    return path.read_bytes()


def made(path: Path, small_card: Path, slot: bytes, root: str = "", **changes: str) -> Path:
    """An update of that slot, signed by the key of the tests; and that key's NAME.pub beside it."""
    held = (small_card.with_suffix(".parts") / "slot/root.sha256").read_text().split()[0]
    told = {"product": "pi-armv6", "version": "1.0", **changes}
    described = Slot(len(slot), hashlib.sha256(slot).hexdigest(), root or held)
    text = manifest.pack(replace(signed.described(slot, **told), slot=described))
    path.write_bytes(b"".join(updates.pack(text, manifest.sign(text, signed.SEED), [slot], len(slot))))
    for key in (signed.KEY, signed.OTHER):
        path.with_name(f"{key.name}.pub").write_text(f"{key.public.hex()} {key.name}\n")
    return path


def verified(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    code = verify.main([str(word) for word in words])
    return code, capsys.readouterr().out


def test_a_whole_update_says_who_signed_it_and_what_it_is(
    tmp_path: Path, small_card: Path, slot: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "x.update", small_card, slot)
    code, out = verified(capsys, path, "--key", tmp_path / "tests.pub", "--no-gates")
    assert code == 0
    assert f"signed by tests ({signed.KEY.id})" in out
    assert "pi-armv6 1.0 (armel, bookworm, packages of 2023-11-14), data schema 1, for raspi0" in out
    assert f"ok   slot                 {len(slot)} bytes, as the manifest says" in out
    assert out.endswith("compared (origin, update, slot, file system); not compared: gates\n")


def test_what_signs_it_is_asked_for(
    tmp_path: Path, small_card: Path, slot: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "x.update", small_card, slot)
    code, out = verified(capsys, path)
    assert code == 1 and f"BAD  origin               the signature (key {signed.KEY.id}) was not checked" in out
    code, out = verified(capsys, path, "--key", tmp_path / "others.pub", "--unsigned")
    assert code == 1 and "which is not trusted here" in out
    code, out = verified(capsys, path, "--unsigned", "--no-gates")
    assert code == 0 and "-    origin" in out and "not compared: origin, gates" in out


@pytest.mark.parametrize("part", ["head", "manifest", "slot", "end"])
def test_a_flipped_bit_anywhere_is_found(
    part: str, tmp_path: Path, small_card: Path, slot: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "x.update", small_card, slot)
    at = {"head": 3, "manifest": 700, "slot": path.stat().st_size // 2, "end": path.stat().st_size - 1}[part]
    small_cards.flip(path, at)
    code, out = verified(capsys, path, "--key", tmp_path / "tests.pub", "--no-gates")
    assert code == 1 and "checks failed" in out and ("BAD  slot" in out) == (part in ("slot", "end"))


def test_a_slot_that_is_not_what_its_manifest_says_is_told(
    tmp_path: Path, small_card: Path, slot: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    other = made(tmp_path / "x.update", small_card, slot, version="9.0")
    code, out = verified(capsys, other, "--key", tmp_path / "tests.pub", "--no-gates")
    assert code == 1 and "the slot is pi-armv6 1.0" in out and "not what the manifest says it is" in out
    rooted = made(tmp_path / "y.update", small_card, slot, root="ab" * 32)
    code, out = verified(capsys, rooted, "--key", tmp_path / "tests.pub", "--no-gates")
    assert code == 1 and "the root is not the one of the manifest" in out
    plain = made(tmp_path / "z.update", small_card, b"no FAT" * 1000)
    code, out = verified(capsys, plain, "--key", tmp_path / "tests.pub", "--no-gates")
    assert code == 1 and "BAD  file system" in out and "there is no FAT32 file system" in out


def test_its_name_or_its_begin_makes_it_an_update(
    tmp_path: Path, small_card: Path, slot: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "renamed", small_card, slot)
    assert verified(capsys, path, "--key", tmp_path / "tests.pub", "--no-gates")[0] == 0
    (tmp_path / "y.update").write_bytes(json.dumps("no update").encode() * 100)
    code, out = verified(capsys, tmp_path / "y.update", "--unsigned")
    assert code == 1 and "this is no update" in out
    with pytest.raises(UsageFault, match="--bmap is for images and cards"):
        verify.main([str(path), "--bmap", "none", "--unsigned"])
