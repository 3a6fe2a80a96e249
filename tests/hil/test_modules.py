from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from edge.faults import CardFault
from hil import modules
from hil.modules import Kernel

TRIXIE = Kernel("6.12.118+deb13-arm64", "6.12.118-1", "trixie")
SAYS = (
    b"\0Linux version 6.12.118+deb13-arm64 (debian-kernel@lists.debian.org) (aarch64-linux-gnu-gcc-14 (Debian "
    b"14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44) #1 SMP Debian 6.12.118-1 (2026-11-20)\n\0"
)


def test_a_kernel_says_which_it_is() -> None:
    assert modules.kernel(bytes(99) + SAYS) == TRIXIE
    assert (TRIXIE.line, TRIXIE.series) == ("6.12.118+deb13", "6.12")


@pytest.mark.parametrize(
    "image",
    [b"", b"Linux version 6.12.0-custom (me) #1 SMP", SAYS.replace(b"deb13", b"deb99"), SAYS.replace(b"arm64", b"rpi")],
)
def test_a_kernel_that_is_none_of_debians_is_told(image: bytes) -> None:
    with pytest.raises(CardFault, match="which of Debian's arm64 kernels"):
        modules.kernel(image)


def test_what_was_built_is_not_built_again(tmp_path: Path) -> None:
    folder = tmp_path / "modules" / TRIXIE.release
    folder.mkdir(parents=True)
    for name in modules.DRIVERS:
        (folder / f"{name}.ko").write_bytes(b"module")
    said: list[str] = []
    assert [path.name for path in modules.built(TRIXIE, said.append, tmp_path)] == ["i2c-virtio.ko", "gpio-virtio.ko"]
    assert said == []


def archive(path: Path, names: list[str]) -> None:
    with tarfile.open(path, "w:xz") as whole:
        for name in names:
            member = tarfile.TarInfo(f"linux-source-6.12/{name}")
            member.size = len(name)
            whole.addfile(member, io.BytesIO(name.encode()))


def test_the_sources_of_the_drivers_are_taken_out_of_the_whole(tmp_path: Path) -> None:
    archive(tmp_path / "a.tar.xz", ["Makefile", *reversed(list(modules.DRIVERS.values())), "COPYING"])
    modules._sources(tmp_path / "a.tar.xz", tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.glob("*.c")} == {
        f"{name}.c": path for name, path in modules.DRIVERS.items()
    }


def test_a_source_without_a_driver_is_told(tmp_path: Path) -> None:
    archive(tmp_path / "a.tar.xz", ["Makefile", modules.DRIVERS["i2c-virtio"]])
    with pytest.raises(CardFault, match=r"a.tar.xz has no drivers/gpio/gpio-virtio.c"):
        modules._sources(tmp_path / "a.tar.xz", tmp_path)


def test_headers_are_made_to_work_where_they_lie(tmp_path: Path) -> None:
    headers = tmp_path / "usr/src/linux-headers-6.12.118+deb13-arm64"
    scripts = tmp_path / "usr/lib/linux-kbuild-6.12.118+deb13/scripts/mod"
    for folder in (headers, scripts):
        folder.mkdir(parents=True)
    (headers / "Makefile").write_text("include /usr/src/linux-headers-6.12.118+deb13-common/Makefile\n")
    (scripts / "modpost").write_bytes(b"\x7fELF")
    assert modules._settled(tmp_path, TRIXIE) == headers
    assert (
        headers / "Makefile"
    ).read_text() == f"include {tmp_path}/usr/src/linux-headers-6.12.118+deb13-common/Makefile\n"
    assert (scripts / "modpost").read_text().splitlines()[1].split()[-2:] == [f"{scripts}/modpost.real-lsb-64", '"$@"']
