"""The reader of one small file in a FAT32: never an exception, whatever the volume is."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.card.fat import small_file
from tests.support.cards import volume

ROUNDS = 3000 if os.environ.get("FIELDHAND_SOAK") == "1" else 300


def read(data: bytes, name: str = "slot.json", limit: int = 1024) -> bytes | None:
    return small_file(lambda at, size: bytes(data[at : at + size]), name, limit)


def test_a_file_over_two_clusters_is_read_by_its_long_name() -> None:
    text = bytes(range(200)) * 4
    made = bytes(volume(text))
    assert read(made) == read(made, "SLOT.JSON") == text
    assert read(made, "other") is None
    assert read(made, limit=799) is None


def test_what_is_no_fat32_has_no_file() -> None:
    for data in (b"", bytes(512), b"\xff" * 1024, bytes(510) + b"\x55\xaa"):
        assert read(data) is None


def test_a_chain_that_loops_leaves_or_ends_too_early_is_no_file() -> None:
    for after in (3, 4, 1, 0, 99999):
        made = volume(b"x" * 800)
        made[512 + 12 : 512 + 16] = after.to_bytes(4, "little")
        assert read(bytes(made)) in (None, b"x" * 800)
    made = volume(b"x" * 800)
    made[512 + 12 : 512 + 16] = b"\xff\xff\xff\x0f"
    assert read(bytes(made)) is None
    made = volume(b"x" * 800)
    made[512 + 8 : 512 + 12] = b"\x02\0\0\0"  # the folder's chain leads back into itself
    assert read(bytes(made), "other") is None


def test_random_damage_never_raises() -> None:
    chance = random.Random(32)
    found = 0
    for _ in range(ROUNDS):
        made = volume(b"x" * 800)
        for _ in range(chance.randrange(1, 6)):
            made[chance.choice((chance.randrange(64), 512 + chance.randrange(64), 1024 + chance.randrange(64)))] = (
                chance.choice((0, 1, 2, 0x7F, 0xE5, 0xFF, chance.randrange(256)))
            )
        found += read(bytes(made)) is not None
    print(f"{ROUNDS} damaged volumes, the file found in {found}")
    assert 0 < found < ROUNDS


@pytest.mark.skipif(not (shutil.which("mkfs.vfat") and shutil.which("mcopy")), reason="needs dosfstools and mtools")
def test_a_volume_that_other_programs_made_is_read(tmp_path: Path) -> None:
    with (tmp_path / "fat").open("wb") as file:
        file.truncate(34 << 20)
    quiet = {"cwd": tmp_path, "check": True, "capture_output": True, "timeout": 60}
    subprocess.run(["mkfs.vfat", "--invariant", "-F32", "-s1", "fat"], **quiet)  # type: ignore[call-overload]
    names = [f"a file with a long name {number}.dtb" for number in range(20)]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "slot.json").write_bytes(b"y" * 700)
    subprocess.run(["mcopy", "-Qi", "fat", *names, "slot.json", "::/"], **quiet)  # type: ignore[call-overload]
    data = (tmp_path / "fat").read_bytes()
    assert read(data) == b"y" * 700
    assert read(data, "A file with a long name 13.dtb") == b"x"
    assert read(data, "kernel") is None
