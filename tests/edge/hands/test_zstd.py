"""Zstandard frames: some that the reference encoder made, what an installed library makes, and broken ones."""

from __future__ import annotations

import base64
import os
import random

import pytest

from edge.hands.zstd import unpack

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"


def numbers(seed: int, count: int, below: int) -> list[int]:
    """The same numbers on every Python: a linear congruential generator."""
    found = []
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        found.append((seed >> 16) % below)
    return found


def words(seed: int, count: int) -> bytes:
    return b" ".join(b"w%d" % number for number in numbers(seed, count, 90))


def skewed(seed: int, count: int) -> bytes:
    return bytes(min(a, b) * min(c, 3) % 251 for a, b, c in zip(*[iter(numbers(seed, 3 * count, 40))] * 3))


# name, plain text, frame; each uses another part of the format
FRAMES: list[tuple[str, bytes, str]] = [
    (
        "raw",
        bytes(numbers(1, 60, 256)),
        "KLUv/SA84QEAxn6Ba0v74vtU9r3ffBzhhwG/Md5Wcg9HZ2aHWaqIPFnqVhN70oWh2DxUVS83rmVb2gJ5mMzjGnaOX9mZ",
    ),
    (
        "a run",
        b"a" * 5000,
        "KLUv/WCIEk0AABBhYQEAg9MDLA==",
    ),
    (
        "one stream of literals",
        skewed(3, 220),
        "KLUv/SDcVQUAwo0pHGBJ6witmxj3QuQEVyAF4uB6Cqr37gv3RgMKwqedjt6Kx4eSkQYlGA0drq0/DsDRiHcDUjV3qnTTpKI216B8"
        "aUFxCBKDPNeEJWtchCQcsX+gQSbqreI15RfqcctK+D1kLKhGtTPk5OmXD3SpE6etUok702EJ9ECjEqngm+XAAysqFJghm4SIY+Wo"
        "3Qh5yzPfjHOUk7jgiJw7RmPB3jdCmYKLr+8MAQA=",
    ),
    (
        "four streams of literals",
        skewed(4, 700),
        "KLUv/WC8AfUPAMarfiEgT/MoBTUCl8s6ti+qZvoi8Y/7TTVfp31fS9i961GcmgJ1AHUAdACXxfrcLeqX67pxlhy6JDu9VktpbPmw"
        "MwkLuvJXLKx6hrqALcI9q9blARuq2+g6m3V0vEZ7iolv8GVS8gehfgM6QqqTz86HuiTgyEhu+nlm3uvlrZxC0SJ/kQl5U0Bz0sFE"
        "QN3+tBa00L667PnoiYFdz4ZkYwHMNxP/eCwzTPTIqtNN5VpXQbMJkxWochQ9JkLl+tqQDltxRi4DUg0IVLzmFKjsU8KVlXKUFrq/"
        "KfKaO8ve849d03M95pinkRT9OV8qRjRhfZL641Xj/vaFWGhfSrMWhqb0JoG6YHOcj2warRT0NCpJaplLbAc2O9Wl79WQ2yrEvCOZ"
        "zXwYWGsKhp6jnzSuRXIzC/CZUHsUOqUgBv5dm3SbOmIOV+Q41n6HzM6ZMtWSDGcRQg0qimyrNRg76AutQe3AGSO2pV025pgjSTEX"
        "HZ0kGEkdKSnIlPVMWUfX/UDU/91sXlsYEMlnAhg/HhxOEyVC8WpsEmVKiSyBQIvM8EFEObP5suo9pajUxqH4zKacvAEADfByTIIf"
        "QcXY24EzmYwr1a5TxOZAipRYMSpBpNWGJ4ONDK9n9frl4FyYRZzLGMdMmlw/Gq0itKrGLJrcGCKfM/evp/a4+euJW9llAA==",
    ),
    (
        "sequences",
        words(5, 150),
        "KLUv/WRFAZ0HANYSJQvQPQBAUIQU4UDCWyAAIAAhAM27SHfqJsotvDK37AbelBtxeGGuUFyiO3IvruE9vCUHzbk30624dutSgV0k"
        "qRtzAa/Vtbt46y5U3LALdEuuyAF3rhDOLYq5dbFg2zW5R9doIaQZu4QXwYAMwi7qyj0bGTlSt25e0j2SM7O4N3SBNjy5NTfxOroQ"
        "UvVh4aUAObqJQQEuKCACQpyqPRD8HL8I4srgev1usXEyGzMVFlbdjT0efS5GuKBL6BbBg8Lm80qOfHzgINivehtacikECRY/XsKZ"
        "OA6EZia1abvVfCE1k81ZfcHEGcqJH19LvlLhAT1i6Qk=",
    ),
    (
        "two blocks",
        b"x" * 140000 + words(7, 30),
        "KLUv/aBWIwIAVAAAEHh4AQD7/znAAlUCAFJGDg7ApcWuKvaWQit787uWE+GWxM4CJMYeLTBrYsU23AZbsq1aqQVkicZ2ake2xgap"
        "WUFLtzd23NIcBAQAnmoUN4f9MghuwQMh",
    ),
    (
        "a line again and again",
        b"error: cannot open /dev/ttyUSB0: " * 30,
        "KLUv/WDeAlUBABQCZXJyb3I6IGNhbm5vdCBvcGVuIC9kZXYvdHR5VVNCMDogAQDRTSr1BA==",
    ),
]


@pytest.mark.parametrize(("name", "plain", "frame"), FRAMES, ids=[name for name, _, _ in FRAMES])
def test_a_frame_is_unpacked_as_far_as_is_wanted(name: str, plain: bytes, frame: str) -> None:
    raw = base64.b64decode(frame)
    assert unpack(raw, 1 << 20) == plain
    for most in (1, 7, 100, 199, 8192):
        assert unpack(raw, most) == plain[:most]


def test_what_the_library_packs_is_unpacked() -> None:
    library = pytest.importorskip("zstandard", reason="the library zstandard is not installed")
    for seed in range(2000 if SOAK else 100):
        plain = (words(seed, seed * 7 % 900), skewed(seed, seed * 13 % 3000))[seed % 2]
        for level in (-5, 3, 19):
            frame = library.ZstdCompressor(level=level, write_checksum=bool(seed % 3)).compress(plain)
            assert unpack(frame, 1 << 20) == plain


@pytest.mark.parametrize(
    "frame",
    [b"", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe" + bytes(20), b"\x28\xb5\x2f\xfd\x01" + bytes(20), b"x" * 100],
)
def test_what_is_no_frame_is_none(frame: bytes) -> None:
    assert unpack(frame, 100) is None


def test_a_frame_cut_off_anywhere_gives_none_or_what_came_before() -> None:
    for _, plain, frame in FRAMES:
        raw = base64.b64decode(frame)
        for size in range(0, len(raw), 3):
            assert unpack(raw[:size], 2000) in (None, plain[:2000])


@pytest.mark.soak
def test_broken_frames_never_raise_or_grow() -> None:
    chance = random.Random(11)
    rounds = 20_000 if SOAK else 1000
    for _ in range(rounds):
        raw = bytearray(base64.b64decode(chance.choice(FRAMES)[2]))
        for _ in range(chance.randrange(1, 6)):
            raw[chance.randrange(4, len(raw))] = chance.randrange(256)
        assert len(unpack(bytes(raw), 4096) or b"") <= 4096
    print(f"{rounds} broken frames")
