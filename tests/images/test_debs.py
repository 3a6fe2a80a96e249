"""Packages land inside a tree, as a normal user, with links and modes as the board needs them."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import random
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import debs
from tests.support import packages

ROUNDS = 1000 if os.environ.get("FIELDHAND_SOAK") == "1" else 100
PACKERS = {"data.tar": bytes, "data.tar.gz": gzip.compress, "data.tar.xz": lzma.compress}


def entry(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> tuple:
    made = tarfile.TarInfo(name)
    made.size, made.type, made.linkname, made.mode, made.uid = len(data), kind, link, mode, 1234
    return made, data


def deb(path: Path, *entries: tuple, name: str = "data.tar.xz") -> Path:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for made, data in entries:
            archive.addfile(made, io.BytesIO(data))
    pack = PACKERS.get(name, bytes)
    parts = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", name: pack(out.getvalue())}
    path.write_bytes(b"!<arch>\n" + b"".join(packages._member(part, data) for part, data in parts.items()))
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


@pytest.mark.parametrize("name", list(PACKERS))
def test_files_come_out_however_they_were_packed(tmp_path: Path, tree: Path, name: str) -> None:
    made = deb(tmp_path / "x.deb", entry("./etc/a", b"text"), entry("./usr/bin/b", b"run", mode=0o4775), name=name)
    old = os.umask(0o077)
    try:
        assert debs.unpack(made, tree) == ["etc/a", "usr/bin/b"]
    finally:
        os.umask(old)
    assert (tree / "etc/a").read_bytes() == b"text"
    assert [(tree / path).stat().st_mode & 0o7777 for path in ("etc", "etc/a", "usr/bin/b")] == [0o755, 0o644, 0o755]


def test_files_packed_by_zstd_come_out(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("zstd") is None:
        pytest.skip("the program zstd is not installed")
    packed = subprocess.run(["zstd", "-q", "-c"], input=b"", capture_output=True, check=True)
    assert packed.returncode == 0
    monkeypatch.setitem(
        PACKERS,
        "data.tar.zst",
        lambda data: subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout,
    )
    assert debs.unpack(deb(tmp_path / "x.deb", entry("./a", b"text"), name="data.tar.zst"), tree) == ["a"]


def test_old_folders_become_those_of_usr(tmp_path: Path, tree: Path) -> None:
    made = deb(
        tmp_path / "x.deb",
        entry("./lib/t/ld.so.1", b"x"),
        entry("./lib/ld.so", kind=tarfile.SYMTYPE, link="t/ld.so.1"),
        entry("./bin/sh", kind=tarfile.SYMTYPE, link="/bin/busybox"),
        entry("./usr/lib/ssl/certs", kind=tarfile.SYMTYPE, link="/etc/ssl/certs"),
    )
    assert debs.unpack(made, tree) == ["usr/lib/t/ld.so.1", "usr/lib/ld.so", "usr/bin/sh", "usr/lib/ssl/certs"]
    links = [os.readlink(tree / name) for name in ("usr/lib/ld.so", "usr/bin/sh", "usr/lib/ssl/certs")]
    assert links == ["t/ld.so.1", "busybox", "../../../etc/ssl/certs"]


def test_a_hard_link_is_a_file_even_of_what_was_not_wanted(tmp_path: Path, tree: Path) -> None:
    made = deb(tmp_path / "x.deb", entry("./a", b"text"), entry("./b", kind=tarfile.LNKTYPE, link="./a"))
    assert debs.unpack(made, tree, lambda inner: inner != "a") == ["b"]
    assert (tree / "b").read_bytes() == b"text" and not (tree / "a").exists()


def test_a_later_package_wins_a_name(tmp_path: Path, tree: Path) -> None:
    debs.unpack(deb(tmp_path / "x.deb", entry("./a", kind=tarfile.SYMTYPE, link="b")), tree)
    debs.unpack(deb(tmp_path / "y.deb", entry("./a", b"second")), tree)
    assert (tree / "a").read_bytes() == b"second" and not (tree / "b").exists()


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([entry("../a")], "out of the tree"),
        ([entry("./x/../../a")], "out of the tree"),
        ([entry("/etc/a")], "out of the tree"),
        ([entry("./up", kind=tarfile.SYMTYPE, link=".."), entry("./up/a")], "below a link"),
        ([entry("./out", kind=tarfile.SYMTYPE, link="/etc"), entry("./out/a")], "below a link"),
        ([entry("./null", kind=tarfile.CHRTYPE)], "device"),
        ([entry("./pipe", kind=tarfile.FIFOTYPE)], "device"),
        ([entry("./b", kind=tarfile.LNKTYPE, link="./a")], "hard link"),
        ([entry("./a/b", b"x"), entry("./a", b"y")], "folder"),
        ([entry("./out", kind=tarfile.SYMTYPE, link="../../etc/passwd")], "link out leads out of the tree"),
        ([entry("./a/b/out", kind=tarfile.SYMTYPE, link="../../../x")], "link a/b/out leads out of the tree"),
        (
            [entry("./l", kind=tarfile.SYMTYPE, link="."), entry("./out", kind=tarfile.SYMTYPE, link="l/l/l/../../..")],
            "link out leads out of the tree",
        ),
        (
            [entry("./s", kind=tarfile.SYMTYPE, link="s"), entry("./h", kind=tarfile.LNKTYPE, link="./s")],
            "no sound Debian package",
        ),
    ],
)
def test_what_no_package_may_do_is_told(tmp_path: Path, tree: Path, entries: list[tuple], said: str) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(CardFault, match=said) as told:
        debs.unpack(deb(tmp_path / "bad.deb", *entries), tree)
    assert "bad.deb" in str(told.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*before, "bad.deb"])


def test_a_package_that_is_cut_off_or_damaged_is_told(tmp_path: Path, tree: Path) -> None:
    made = deb(tmp_path / "x.deb", entry("./a", os.urandom(3000)), entry("./b", b"y" * 3000))
    data = made.read_bytes()
    chance = random.Random(11)
    for _ in range(ROUNDS):
        made.write_bytes(data[: chance.randrange(len(data) - 1)])
        with pytest.raises(CardFault, match=r"x\.deb"):
            debs.unpack(made, tree)
    print(f"{ROUNDS} cuts")


def test_one_file_is_read_out_of_a_package(tmp_path: Path) -> None:
    made = deb(tmp_path / "x.deb", entry("./lib/a", b"text"), entry("./b", b"other"))
    assert debs.file(made, "usr/lib/a") == b"text"
    with pytest.raises(CardFault, match="no file usr/lib/c"):
        debs.file(made, "usr/lib/c")


def test_a_package_of_debian_unpacks_as_by_debian(tmp_path: Path, tree: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("the program dpkg-deb is not installed")
    source = tmp_path / "source"
    (source / "DEBIAN").mkdir(parents=True)
    (source / "DEBIAN/control").write_text("Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: x\n")
    (source / "usr/share/long").mkdir(parents=True)
    (source / "usr/share/long" / ("n" * 180)).write_bytes(os.urandom(100_000))
    (source / "usr/share/ä b").write_text("odd name")
    (source / "usr/share/link").symlink_to("long")
    subprocess.run(["dpkg-deb", "-b", source, tmp_path / "x.deb"], check=True, capture_output=True)
    subprocess.run(["dpkg-deb", "-x", tmp_path / "x.deb", tmp_path / "theirs"], check=True)
    debs.unpack(tmp_path / "x.deb", tree)
    subprocess.run(["diff", "-r", "--no-dereference", tmp_path / "theirs", tree], check=True)


@pytest.mark.parametrize("name", [*PACKERS, "data.tar.zst"])
def test_what_a_package_unpacks_to_has_a_bound(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == "data.tar.zst":
        if shutil.which("zstd") is None:
            pytest.skip("the program zstd is not installed")
        pack = ["zstd", "-q", "-c"]
        monkeypatch.setitem(
            PACKERS, name, lambda data: subprocess.run(pack, input=data, capture_output=True, check=True).stdout
        )
    made = deb(tmp_path / "x.deb", entry("./a", bytes(8 << 20)), name=name)
    assert debs.unpack(made, tree) == ["a"]
    monkeypatch.setattr(debs, "LARGEST", 4 << 20)
    with pytest.raises(CardFault, match="unpacks to more than 4 MiB"):
        debs.unpack(made, tree)


def test_one_content_under_many_names_is_counted_each_time(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [entry(f"./{number}", kind=tarfile.LNKTYPE, link="./a") for number in range(9)]
    made = deb(tmp_path / "x.deb", entry("./a", bytes(1 << 20)), *links)
    assert len(debs.unpack(made, tree)) == 10
    monkeypatch.setattr(debs, "LARGEST", 4 << 20)
    with pytest.raises(CardFault, match="unpacks to more than 4 MiB"):
        debs.unpack(made, tree)
