"""A FAT from a folder: what its files are dated, whatever the time of the build."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from images import fat, host

pytestmark = pytest.mark.skipif(bool(host.missing(["mcopy", "mkfs.vfat"])), reason="mtools or dosfstools is absent")
SECTORS = 70_000  # the least that is FAT32 with one sector a cluster, and some


@pytest.mark.parametrize(("epoch", "year"), [(-5, 1980), (0, 1980), (1_800_000_000, 2027), (4_000_000_000, 2038)])
def test_no_file_has_a_year_that_a_board_cannot_read(epoch: int, year: int, tmp_path: Path) -> None:
    stage, image = tmp_path / "stage", tmp_path / "fat"
    stage.mkdir()
    (stage / "ROOT").write_text("a root")
    fat.make(image, "SLOT", 1, SECTORS, stage, epoch)
    # The entry of a file: its name in 11 bytes, at 24 the date of the last change, years from bit 9 (FAT32 spec).
    (date,) = struct.unpack_from("<H", image.read_bytes().split(b"ROOT       ", 1)[1], 24 - 11)
    assert 1980 + (date >> 9) == year
    back = subprocess.run(["mcopy", "-n", "-i", str(image), "::ROOT", "-"], capture_output=True, check=True)
    assert back.stdout == b"a root"
