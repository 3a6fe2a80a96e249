"""Updates as files: read once from front to back, and nothing given away before the signature holds."""

from __future__ import annotations

import hashlib
import io
import os
import random
import subprocess
import tarfile
from pathlib import Path

import pytest

from edge.card import bundle, manifest
from edge.card.bundle import Bundle
from edge.faults import CardFault
from tests.support.signed import KEY, OTHER, SEED, content, described, update

ROUNDS = 4000 if os.environ.get("FIELDHAND_SOAK") == "1" else 400
SLOT = content(bundle.PIECE + 3 * 4096)
WHOLE = update(SLOT)


def opened(data: bytes, keys: tuple[manifest.Key, ...] = (KEY,), step: int = 1 << 30) -> Bundle:
    stream = io.BytesIO(data)
    return Bundle(lambda size: stream.read(min(size, step)), keys)


def slot_of(data: bytes, **how: int) -> bytes:
    return b"".join(opened(data, **how).pieces())  # type: ignore[arg-type]


def test_what_was_packed_comes_out_in_pieces_of_any_stream() -> None:
    made = opened(WHOLE)
    assert (made.manifest, made.key) == (described(SLOT), KEY)
    assert [len(piece) for piece in made.pieces()] == [bundle.PIECE, 3 * 4096]
    assert slot_of(WHOLE, step=4099) == SLOT


def test_tar_lists_it_and_what_tar_packs_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.update").write_bytes(WHOLE)
    with tarfile.open(tmp_path / "x.update") as tar:
        assert tar.getnames() == list(bundle.MEMBERS)
        for name in bundle.MEMBERS:
            member = tar.extractfile(name)
            assert member is not None
            (tmp_path / name).write_bytes(member.read())
    assert (tmp_path / "slot.img").read_bytes() == SLOT
    subprocess.run(["tar", "--format=ustar", "-cf", "y.update", *bundle.MEMBERS], cwd=tmp_path, check=True, timeout=60)
    assert slot_of((tmp_path / "y.update").read_bytes()) == SLOT


def test_nothing_of_the_slot_is_read_before_the_signature_holds() -> None:
    stream = io.BytesIO(WHOLE)
    with pytest.raises(CardFault, match="not trusted"):
        Bundle(stream.read, [OTHER])
    assert stream.tell() < 8 * bundle.BLOCK


def test_a_slot_that_differs_from_the_manifest_in_one_bit_is_found() -> None:
    at = WHOLE.index(SLOT[:64]) + len(SLOT) - 1
    torn = WHOLE[:at] + bytes([WHOLE[at] ^ 1]) + WHOLE[at + 1 :]
    with pytest.raises(CardFault, match="changed or damaged"):
        slot_of(torn)


def members(*changed: tuple[str, bytes]) -> bytes:
    """A tar of any members, with an end."""
    text = b"".join(bundle.header(name, len(body)) + body + bytes(-len(body) % 512) for name, body in changed)
    return text + bytes(1024)


TEXT = manifest.pack(described(SLOT))
LINE = manifest.sign(TEXT, SEED)
GOOD = (("manifest.json", TEXT), ("manifest.sig", LINE), ("slot.img", SLOT))
LINKED = WHOLE[:156] + b"2" + WHOLE[157:]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "ends in the middle of manifest.json"),
        (b"\0" * 20000, "no head of a tar file"),
        (b"\x1f\x8b" + bytes(20000), "no head of a tar file"),
        (members(*GOOD[1:]), "where manifest.json should be stands 'manifest.sig'"),
        (members(GOOD[0], GOOD[2]), "where manifest.sig should be stands 'slot.img'"),
        (members(GOOD[0], GOOD[1], ("../slot.img", SLOT)), "where slot.img should be stands '../slot.img'"),
        (members(("manifest.json", b" " * 70000), *GOOD[1:]), "70000 bytes, 65536 are the most"),
        (members(GOOD[0], ("manifest.sig", LINE * 2)), "212 bytes, 106 are the most"),
        (members(GOOD[0], GOOD[1], ("slot.img", SLOT[:-1])), "its manifest says"),
        (members(*GOOD, ("more", b"x")), "behind slot.img"),
        (members(*GOOD)[:-513], "before its end is said"),
        (members(*GOOD)[: -1024 - 100], "middle of slot.img"),
        (WHOLE + b"x", "behind slot.img"),
        (WHOLE + bytes(1 << 16), "behind slot.img"),
        (LINKED, "no head of a tar file"),
        (LINKED[:148] + bundle._sum(LINKED[:512]) + LINKED[156:], "should be stands"),
        (members(GOOD[0])[: 512 + len(TEXT)] + b"y" * 600, "behind manifest.json"),
    ],
)
def test_what_is_no_update_is_refused_with_its_place(data: bytes, sentence: str) -> None:
    with pytest.raises(CardFault) as fault:
        slot_of(data)
    assert sentence in str(fault.value)


def test_zeros_of_a_record_of_tar_are_no_garbage() -> None:
    assert slot_of(WHOLE + bytes(-len(WHOLE) % 10240)) == SLOT


def test_content_of_another_length_than_announced_is_not_packed() -> None:
    with pytest.raises(CardFault, match="7 bytes, and 8 were announced"):
        list(bundle.pack(TEXT, LINE, [b"1234567"], 8))


def test_hostile_updates_end_in_a_sentence_or_in_exactly_the_signed_content() -> None:
    chance = random.Random(77)
    small = content(2 * 4096)
    whole = update(small)
    ended = {"fault": 0, "same": 0}
    for _ in range(ROUNDS):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data)) if chance.random() < 0.5 else chance.randrange(2600) % len(data)
            act = chance.randrange(4)
            if act == 0:
                data[at] = chance.randrange(256)
            elif act == 1:
                del data[at : at + chance.choice((1, 100, 512, 4096))]
            elif act == 2:
                data[at:at] = chance.choice((b"\0", b"7", bytes(512), data[:512]))
            else:
                data[124:136] = chance.choice((b"77777777777\0", b"-0000000001\0", b"\x80" + bytes(11), b"0" * 12))
            data = data or bytearray(b"\0")
        try:
            found = slot_of(bytes(data))
        except CardFault:
            ended["fault"] += 1
        else:
            assert hashlib.sha256(found).digest() == hashlib.sha256(small).digest()
            ended["same"] += 1
    assert ended["fault"] > ROUNDS // 2
    print(f"{ROUNDS} hostile updates: {ended}")
