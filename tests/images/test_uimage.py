"""The headers U-Boot checks are those that its own tool writes, and one flipped bit is found."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import uimage

FORMS = [
    ("kernel", "arm64", "gzip", ["-A", "arm64", "-C", "gzip", "-a", "0x200000", "-e", "0x200000"]),
    ("kernel", "arm", "none", ["-A", "arm", "-C", "none", "-a", "0x2000000", "-e", "0x2000000"]),
    ("ramdisk", "arm", "none", ["-A", "arm", "-C", "none"]),
    ("script", "arm", "none", ["-A", "arm", "-C", "none"]),
]


@pytest.mark.parametrize(("kind", "arch", "packing", "words"), FORMS)
def test_an_image_is_the_one_mkimage_writes(
    kind: str, arch: str, packing: str, words: list[str], tmp_path: Path
) -> None:
    if shutil.which("mkimage") is None:
        pytest.skip("mkimage (u-boot-tools) is not on this machine")
    (tmp_path / "data").write_bytes(b"echo hello\n" * 99)
    subprocess.run(
        ["mkimage", "-T", kind, "-O", "linux", *words, "-n", "six", "-d", "data", "out"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000", "TZ": "UTC"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    head = uimage.Head(arch, kind, packing, "six", 1700000000)
    assert uimage.wrap((tmp_path / "data").read_bytes(), head) == (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("kind", ["kernel", "ramdisk", "script"])
def test_what_was_wrapped_is_unwrapped(kind: str) -> None:
    head = uimage.Head("arm", kind, name="x", time=5)
    assert uimage.unwrap(uimage.wrap(b"data", head) + b"cluster's rest") == (head, b"data")


def test_every_flipped_bit_and_every_cut_is_found() -> None:
    image = uimage.wrap(b"some data", uimage.Head("arm64", "kernel", "gzip"))
    for place in range(len(image) * 8):
        torn = bytearray(image)
        torn[place // 8] ^= 1 << place % 8
        with pytest.raises(CardFault):
            uimage.unwrap(bytes(torn))
    for length in range(len(image)):
        with pytest.raises(CardFault):
            uimage.unwrap(image[:length])
