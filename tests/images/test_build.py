"""A whole build over small packages: what comes out belongs together, holds, and is the same wherever it is made."""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from edge.card import manifest
from edge.faults import CardFault
from images import build, host, report, verify
from images.hashes import sha256_of
from images.progress import Progress
from tests.support import signed, small_builds
from tests.support.small_builds import needs_tools, order

pytestmark = needs_tools
NAMES = ["manifest.json", "manifest.sig", "notes.txt", "pi-armv6-1.0.img.bmap", "pi-armv6-1.0.img.zst"]


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_builds.replaced(monkeypatch, tmp_path / "pool")
    return tmp_path / "out"


@pytest.fixture(scope="module")
def signed_build(tmp_path_factory: pytest.TempPathFactory) -> report.Built:
    """The build of version 1.0 that several tests look at or begin with."""
    folder = tmp_path_factory.mktemp("signed")
    with pytest.MonkeyPatch.context() as patch:
        small_builds.replaced(patch, folder / "pool")
        return made(folder / "out")


@pytest.fixture
def built(signed_build: report.Built, out: Path) -> Path:
    """`out` with a copy of that build in it."""
    shutil.copytree(Path(signed_build.folder).parents[1], out)
    return out


def made(out: Path, **changes: object) -> report.Built:
    return build.build(order(out, **changes), Progress(None))


def held(out: Path) -> dict[str, str]:
    """Every file below a folder with its hash."""
    return {str(path.relative_to(out)): sha256_of(path) for path in sorted(out.rglob("*")) if path.is_file()}


@contextmanager
def elsewhere() -> Iterator[None]:
    """Another umask, time zone and language for a while."""
    before = os.umask(0o077)
    kept = {name: os.environ.get(name) for name in ("TZ", "LANG", "SOURCE_DATE_EPOCH")}
    os.environ.update(TZ="Asia/Kathmandu", LANG="de_DE.UTF-8", SOURCE_DATE_EPOCH="86400")
    time.tzset()
    try:
        yield
    finally:
        os.umask(before)
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        time.tzset()


def test_what_comes_out_is_signed_and_verifies(
    signed_build: report.Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(signed_build.folder)
    assert folder.parts[-3:] == ("out", small_builds.PRODUCT, "1.0")
    assert sorted(held(folder)) == sorted([*NAMES, "pi-armv6-1.0.update"]) == [row.name for row in signed_build.results]
    assert {row.name: row.remark for row in signed_build.results} == held(folder)
    told, key = manifest.signed(
        (folder / "manifest.json").read_bytes(), (folder / "manifest.sig").read_bytes(), [signed.KEY]
    )
    assert (told.product, told.version, key) == ("pi-armv6", "1.0", signed.KEY)
    (tmp_path / "tests.pub").write_text(f"{signed.KEY.public.hex()} tests\n")
    for name in ("pi-armv6-1.0.img.zst", "pi-armv6-1.0.update"):
        assert verify.main([str(folder / name), "--key", str(tmp_path / "tests.pub"), "--no-gates"]) == 0
    assert capsys.readouterr().out.count("not compared: gates\n") == 2


def test_a_builder_that_differs_makes_the_same_bytes_and_another_root_is_another_image(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with elsewhere():
        made(tmp_path / "another folder")
    assert held(built) == held(tmp_path / "another folder")
    small_builds.replaced(monkeypatch, tmp_path / "pool", b"another root")
    made(tmp_path / "third")
    first, third = held(built), held(tmp_path / "third")
    differ = {name for name in first if first[name] != third[name]}
    assert {name.rpartition("/")[2] for name in differ} == {*NAMES, "pi-armv6-1.0.update"} - {"notes.txt"}


def test_versions_have_a_folder_each_and_all_of_them_verify(built: Path, tmp_path: Path) -> None:
    (tmp_path / "tests.pub").write_text(f"{signed.KEY.public.hex()} tests\n")
    made(built, version="1.1")
    for version in ("1.0", "1.1"):
        image = built / "pi-armv6" / version / f"pi-armv6-{version}.img.zst"
        assert verify.main([str(image), "--key", str(tmp_path / "tests.pub"), "--no-gates"]) == 0


def test_without_a_key_there_is_no_update_and_that_is_said(built: Path) -> None:
    assert made(built, key=None).said == (build.UNSIGNED,)
    left = sorted(held(built / "pi-armv6/1.0"))
    assert left == sorted(set(NAMES) - {"manifest.sig"}), "those of the signed build are gone"


def test_a_build_that_fails_leaves_what_was_there(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = held(built)

    def gate(*_: object) -> None:
        raise CardFault("a gate says no")

    monkeypatch.setattr(build.trees, "make", gate)
    with pytest.raises(CardFault, match="a gate says no"):
        made(built)
    small_builds.replaced(monkeypatch, tmp_path / "pool", random.Random(1).randbytes(3 << 20))
    monkeypatch.setattr(build.report, "small_enough", partial(report.small_enough, limit=2 << 20))
    with pytest.raises(CardFault, match="at most 2 MiB are allowed"):
        build.build(order(built), Progress(sys.stderr, live=False))
    assert "all of it" in capsys.readouterr().err, "the table of parts stands before it"
    assert held(built) == before and [path.name for path in built.iterdir()] == ["pi-armv6"]


def test_a_program_that_is_absent_is_told_before_anything_is_made(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "missing", lambda programs: ["squashfs-tools"])
    with pytest.raises(CardFault, match="apt install squashfs-tools"):
        made(out)
    assert not out.exists()


def test_a_kept_folder_is_named_and_holds_tree_and_parts(out: Path) -> None:
    (said,) = made(out, keep=True).said
    assert said.startswith(f"kept: {out}/kept-")
    kept = {path.name for path in Path(said.partition(": ")[2]).iterdir()}
    assert {"root", "slot", "config", "card.img"} <= kept
