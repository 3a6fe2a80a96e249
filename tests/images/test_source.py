from __future__ import annotations

import bz2
import gzip
import importlib.util
import lzma
import os
import random
import subprocess
import zipfile
from pathlib import Path

import pytest

from edge.card import bundle
from edge.faults import CardFault
from images import bmap, host
from images.source import Image, joined

needs_zstd = pytest.mark.skipif(bool(host.missing(["zstd"])), reason="no zstd here")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """An image of one and a bit MiB, without a partition table, so that all of it is mapped."""
    path = tmp_path / "x.img"
    path.write_bytes(random.Random(3).randbytes(700_000) + bytes(400_000) + b"end")
    return path


def packed(plain: Path) -> Path:
    path = plain.with_name(plain.name + ".zst")
    subprocess.run([host.find("zstd"), "-q", "-f", str(plain), "-o", str(path)], check=True, timeout=60)
    return path


def all_of(image: Image, of: bmap.Map) -> bytes:
    data = bytearray(of.size)
    for offset, piece in image.pieces(of):
        data[offset : offset + len(piece)] = piece
    return bytes(data)


@needs_zstd
def test_a_packed_image_gives_the_same_bytes_as_the_plain_one(plain: Path) -> None:
    of = bmap.of(plain)
    for path in (plain, packed(plain)):
        image = Image(path)
        assert image.size() == of.size and image.packed == (path.suffix == ".zst")
        assert all_of(image, of) == plain.read_bytes()


def test_only_mapped_ranges_are_given(plain: Path) -> None:
    of = bmap.Map(plain.stat().st_size, 4096, (bmap.Range(1, 2), bmap.Range(200, 268)))
    data = plain.read_bytes()
    found = list(Image(plain).pieces(of))
    assert [(offset, len(piece)) for offset, piece in found] == [(4096, 8192), (819_200, 280_803)]
    assert all(data[offset : offset + len(piece)] == piece for offset, piece in found)


@needs_zstd
def test_a_changed_byte_is_told_with_its_range(plain: Path) -> None:
    of = bmap.of(plain)
    data = bytearray(plain.read_bytes())
    data[300_000] ^= 4
    plain.write_bytes(data)
    for path in (plain, packed(plain)):
        with pytest.raises(CardFault, match="is damaged: bytes 262144 to 524287 are not what its block map says"):
            all_of(Image(path), of)


@needs_zstd
@pytest.mark.parametrize("change", [-1, -500_000, 1])
def test_an_image_of_another_length_than_its_map_is_told(plain: Path, change: int) -> None:
    of = bmap.of(plain)
    data = plain.read_bytes()
    plain.write_bytes(data[:change] if change < 0 else data + b"x")
    for path in (plain, packed(plain)):
        with pytest.raises(CardFault, match=r"ends at byte|goes on behind|is damaged"):
            all_of(Image(path), of)
    # The end may lie where nothing is mapped.
    of = bmap.Map(of.size, 4096, (bmap.Range(0, 9),))
    for path in (plain, packed(plain)):
        with pytest.raises(CardFault, match=r"ends at byte|goes on behind"):
            all_of(Image(path), of)


@needs_zstd
def test_a_packed_image_that_is_cut_or_changed_is_told_by_what_unpacks_it(plain: Path) -> None:
    of = bmap.whole(plain.stat().st_size)
    path = packed(plain)
    data = path.read_bytes()
    for damaged in (data[: len(data) // 2], data[:500_000] + bytes((data[500_000] ^ 255,)) + data[500_001:]):
        path.write_bytes(damaged)
        with pytest.raises(CardFault, match=r"x\.img\.zst could not be unpacked: .+"):
            all_of(Image(path), of)


@pytest.mark.skipif(importlib.util.find_spec("compression") is None, reason="this Python has no zstd of its own")
@needs_zstd
def test_pythons_own_zstd_unpacks_and_tells_damage(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, of = packed(plain), bmap.of(plain)
    monkeypatch.setattr(host, "missing", lambda programs: list(programs))
    assert list(Image(path).pieces(of)) == list(Image(plain).pieces(of))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CardFault, match=r"could not be read|ends at byte"):
        list(Image(path).pieces(of))


@needs_zstd
def test_who_stops_early_leaves_no_program_behind(plain: Path) -> None:
    image = Image(packed(plain))
    with image.opened() as stream:
        assert len(stream.read(10)) == 10
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    if children.exists():
        names = [Path("/proc", pid, "comm").read_text("utf-8").strip() for pid in children.read_text("utf-8").split()]
        assert "zstd" not in names


@needs_zstd
@pytest.mark.parametrize("form", ["plain", "packed"])
def test_it_is_unpacked_into_a_file_up_to_a_bound(plain: Path, tmp_path: Path, form: str) -> None:
    with plain.open("ab") as file:
        file.write(bytes(8 << 20))  # zeros at the end are holes, and part of it all the same
    image, to = Image(plain if form == "plain" else packed(plain)), tmp_path / "whole"
    image.unpack(to, plain.stat().st_size)
    assert to.read_bytes() == plain.read_bytes() and to.stat().st_blocks * 512 < 4 << 20
    with pytest.raises(CardFault, match="unpacks to more than a card image can be"):
        image.unpack(to, plain.stat().st_size - 1)


def test_what_is_no_image_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for path, told in ((tmp_path / "no", "there is no image"), (tmp_path, "is no image file")):
        with pytest.raises(CardFault, match=told):
            Image(path)
    with pytest.raises(CardFault, match="is empty"):
        Image(tmp_path / "empty")


def test_what_is_packed_in_another_way_is_told_and_not_written_as_it_is(tmp_path: Path) -> None:
    made = {
        "x.xz": (lzma.compress(b"image"), "packed by xz"),
        "x.gz": (gzip.compress(b"image"), "packed by gzip"),
        "x.bz2": (bz2.compress(b"image"), "packed by bzip2"),
        "x.update": (b"".join(bundle.pack(b"{}", b"sig", iter([b"slot"]), 4)), "an update"),
    }
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("x.img", "image")
    made["x.zip"] = ((tmp_path / "x.zip").read_bytes(), "a zip archive")
    for name, (data, told) in made.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CardFault, match=f"{told}.*unpack it first"):
            Image(tmp_path / name)


def test_neighbours_are_joined_up_to_multiples_of_the_step() -> None:
    chance = random.Random(11)
    rounds = 200 if os.environ.get("FIELDHAND_SOAK") == "1" else 20
    for _ in range(rounds):
        at, pieces = 0, []
        for _ in range(chance.randrange(1, 30)):
            at += chance.choice((0, 0, 0, 512, 5000))
            pieces.append((at, chance.randbytes(chance.choice((1, 512, 4096, 9000)))))
            at += len(pieces[-1][1])
        found = list(joined(iter(pieces), 8192))
        data, again = bytearray(at), bytearray(at)
        for into, rows in ((data, pieces), (again, found)):
            for offset, piece in rows:
                into[offset : offset + len(piece)] = piece
        assert data == again
        assert all(offset // 8192 == (offset + len(piece) - 1) // 8192 for offset, piece in found)
        assert all(one[0] + len(one[1]) < two[0] or two[0] % 8192 == 0 for one, two in zip(found, found[1:]))
    print(f"{rounds} runs of pieces joined")
