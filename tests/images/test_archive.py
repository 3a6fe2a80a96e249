from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import archive
from tests.support.packages import Repository

pytestmark = pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt is not on this machine")


@pytest.fixture()
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An archive with a program, its library, and security updates for two architectures."""
    made = Repository(tmp_path / "site")
    monkeypatch.setenv("DEBIAN_MIRROR", made.sites["debian"].as_uri())
    monkeypatch.delenv("DEBIAN_SECURITY_MIRROR", raising=False)
    made.offer("bookworm-updates", "armel", "armhf")
    for arch in ("armel", "armhf"):
        made.add("bookworm", arch, "tool", "1.0-1", "Depends: lib (>= 1), gone | other\nRecommends: toy\n")
        made.add("bookworm", arch, "lib", "2.0-1", "Source: libs (2.0-1)\n")
        made.add("bookworm", arch, "other", "1:3-1")
        made.add("bookworm", arch, "toy", "9")
    made.add("bookworm-security", "armhf", "lib", "2.0-1+deb12u1", "Source: libs\n")
    made.publish()
    return made


def look(tmp_path: Path, arch: str) -> archive.Archive:
    folder = tmp_path / f"apt-{arch}"
    folder.mkdir()
    return archive.Archive("bookworm", arch, folder, "trusted=yes")


def test_packages_come_with_what_they_need_from_where_they_lie(repository: Repository, tmp_path: Path) -> None:
    seen = look(tmp_path, "armhf")
    states = {(index.suite, index.component): index.state for index in seen.update()}
    assert states["bookworm", "main"] == states["bookworm-security", "main"] == "read"
    assert states["bookworm-updates", "main"] == states["bookworm", "non-free-firmware"] == "empty"
    found = {one.stanza["Package"]: (one.stanza["Version"], one.archive) for one in seen.resolve(["tool"])}
    assert found == {
        "tool": ("1.0-1", "debian"),
        "lib": ("2.0-1+deb12u1", "debian-security"),
        "other": ("1:3-1", "debian"),
    }
    assert seen.sources() == {"tool": "1.0-1", "libs": "2.0-1+deb12u1", "other": "1:3-1", "toy": "9"}
    assert seen.indexes[0].date == 1795913593


def test_an_architecture_that_is_not_offered_does_not_pass_for_success(repository: Repository, tmp_path: Path) -> None:
    seen = look(tmp_path, "armel")
    states = {(index.suite, index.component): index.state for index in seen.update()}
    assert states["bookworm-security", "main"] == "not offered"
    assert {one.stanza["Version"] for one in seen.resolve(["lib"])} == {"2.0-1"}


def test_a_list_that_is_not_what_was_promised_has_failed(repository: Repository, tmp_path: Path) -> None:
    spoiled = repository.sites["debian-security"] / "dists/bookworm-security/main/binary-armhf/Packages"
    spoiled.write_text(spoiled.read_text() + "\n")
    states = {(index.suite, index.component): index.state for index in look(tmp_path, "armhf").update()}
    assert states["bookworm-security", "main"].startswith("failed: ")
    assert "://" not in states["bookworm-security", "main"]


def test_a_suite_that_cannot_be_read_is_told(repository: Repository, tmp_path: Path) -> None:
    (repository.sites["debian"] / "dists/bookworm/main/binary-armel/Packages").write_text("Package: x\n\n")
    with pytest.raises(CardFault, match="apt could not read bookworm for armel"):
        look(tmp_path, "armel").update()


def test_a_package_that_is_not_there_is_told(repository: Repository, tmp_path: Path) -> None:
    seen = look(tmp_path, "armel")
    seen.update()
    with pytest.raises(CardFault, match=r"apt cannot choose packages of bookworm armel: .*nothing-like-it"):
        seen.resolve(["nothing-like-it"])


def test_release_files_are_read() -> None:
    lists = " ab 12 main/binary-armel/Packages\n ab 3 main/binary-armel/Packages.xz\n"
    text = f"Date: Sun, 29 Nov 2026 00:53:13 UTC\nSHA256:\n{lists}"
    assert archive.release_date(text) == 1795913593
    assert archive.release_date("Suite: x\n") == 0
    assert archive.listed_size(text, "main", "armel") == 12
    assert archive.listed_size(text, "main", "armhf") is None


@pytest.mark.parametrize("date", ["", "soon", "Sun, 31 Feb 2026 25:00:00 UTC"])
def test_a_date_that_is_none_is_told_with_its_words(date: str) -> None:
    with pytest.raises(CardFault, match="a date that is none: "):
        archive.release_date(f"Suite: x\nDate: {date}\n")


def test_a_date_without_a_zone_is_of_utc_wherever_the_builder_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        assert archive.release_date("Date: Thu, 01 Jan 1970 01:00:00 -0000\n") == 3600
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_list_whose_release_file_has_no_sound_date_has_failed(repository: Repository, tmp_path: Path) -> None:
    looked = look(tmp_path, "armhf")
    looked.update()
    (read,) = (looked.folder / "state/lists").glob("*_dists_bookworm_*Release")
    read.write_text(read.read_text().replace(f"Date: {repository.date}", "Date: never"))
    assert looked._index("bookworm", "main", "").state == "failed: its release file has a date that is none: 'never'"
