from __future__ import annotations

import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

from edge.faults import CardFault
from hil import modules
from hil.modules import Kernel
from images import pool
from images import product as products
from images.archive import Found
from images.pool import Wanted

TRIXIE = Kernel("6.12.118+deb13-arm64", "trixie", "arm64")
BOOKWORM = Kernel("6.1.0-50-armmp", "bookworm", "armhf")


def test_a_source_is_named_by_its_series() -> None:
    assert (TRIXIE.series, BOOKWORM.series) == ("6.12", "6.1")


@pytest.mark.parametrize("product", ["pi-arm64", "pi-armv7"])
def test_the_kernels_of_the_lab_benches_have_a_compiler(product: str) -> None:
    assert products.load(product).arch in modules.CROSS


def test_what_was_built_is_not_built_again(tmp_path: Path) -> None:
    folder = tmp_path / "modules" / TRIXIE.release
    folder.mkdir(parents=True)
    for name in modules.DRIVERS:
        (folder / f"{name}.ko").write_bytes(b"module")
    said: list[str] = []
    assert [path.name for path in modules.built(TRIXIE, said.append, tmp_path)] == ["i2c-virtio.ko", "gpio-virtio.ko"]
    assert said == []


def test_the_second_of_two_runs_finds_what_the_first_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def build(wanted: Kernel, packages: Path, folder: Path) -> None:
        made.append(folder)
        folder.mkdir(parents=True)
        for name in modules.DRIVERS:
            (folder / f"{name}.ko").write_bytes(b"module")

    monkeypatch.setattr(modules, "_build", build)
    with ThreadPoolExecutor(2) as runs:
        found = list(runs.map(lambda _: modules.built(TRIXIE, cache=tmp_path), range(2)))
    assert found[0] == found[1] and made == [tmp_path / "modules" / TRIXIE.release]


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


@pytest.mark.parametrize(
    ("wanted", "line", "program"),
    [(TRIXIE, "6.12.118+deb13", "modpost.real-lsb-64"), (BOOKWORM, "6.1", "modpost.real-lsb-32")],
)
def test_headers_are_made_to_work_where_they_lie(wanted: Kernel, line: str, program: str, tmp_path: Path) -> None:
    headers = tmp_path / f"usr/src/linux-headers-{wanted.release}"
    scripts = tmp_path / f"usr/lib/linux-kbuild-{line}/scripts/mod"
    for folder in (headers, scripts):
        folder.mkdir(parents=True)
    (headers / "Makefile").write_text("include /usr/src/linux-headers-common/Makefile\n")
    (scripts / "modpost").write_bytes(b"\x7fELF")
    assert modules._settled(tmp_path, wanted) == headers
    assert (headers / "Makefile").read_text() == f"include {tmp_path}/usr/src/linux-headers-common/Makefile\n"
    assert (scripts / "modpost").read_text().splitlines()[1].split()[-2:] == [f"{scripts}/{program}", '"$@"']


class Archived:
    """An archive of Debian's that has what it is asked for, and the packages of headers with it."""

    asked: ClassVar[list[tuple[str, str, list[str]]]] = []

    def __init__(self, suite: str, arch: str, folder: Path) -> None:
        self.suite, self.arch = suite, arch

    def update(self) -> None:
        """Nothing is old here."""

    def resolve(self, names: list[str]) -> list[Found]:
        self.asked.append((self.suite, self.arch, names))
        own = ["linux-headers-6.1.0-50-common", "linux-kbuild-6.1", "gcc-12"] if self.arch == "armhf" else ["libgcc-s1"]
        return [self._found(name) for name in (*names, *own)]

    def _found(self, name: str) -> Found:
        package, _, version = name.partition("=")
        place = f"pool/main/l/linux/{package}_1_{self.arch}.deb"
        fields = {"Package": package, "Version": version or "6.1.176-1", "Filename": place, "Size": "9", "SHA256": "AB"}
        return Found(fields, "debian", "main")


def test_all_that_is_fetched_is_of_the_kernels_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wanted: list[Wanted] = []
    monkeypatch.setattr(modules, "Archive", Archived)
    monkeypatch.setattr(Archived, "asked", [])
    monkeypatch.setenv("DEBIAN_MIRROR", "http://mirror.example/debian")
    monkeypatch.setattr(pool, "download", lambda files, cache: wanted.extend(files) or {})
    modules._fetched(BOOKWORM, tmp_path)
    assert Archived.asked == [
        ("bookworm", "armhf", ["linux-headers-6.1.0-50-armmp"]),
        ("bookworm", "amd64", ["linux-source-6.1=6.1.176-1", "linux-kbuild-6.1=6.1.176-1", "libc6"]),
    ]
    assert [(one.file, one.sha256) for one in wanted] == [
        ("linux-headers-6.1.0-50-armmp_1_armhf.deb", "ab"),
        ("linux-headers-6.1.0-50-common_1_armhf.deb", "ab"),
        ("linux-source-6.1_1_amd64.deb", "ab"),
        ("linux-kbuild-6.1_1_amd64.deb", "ab"),
        ("libc6_1_amd64.deb", "ab"),
    ]
    assert wanted[0].address == f"http://mirror.example/debian/pool/main/l/linux/{wanted[0].file}"
