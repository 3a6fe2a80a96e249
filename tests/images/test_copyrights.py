from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import CardFault
from images import copyrights
from images.copyrights import Terms
from tests.support.packages import DEP5, deb


def test_the_terms_of_a_package_are_its_copyright_file(tmp_path: Path) -> None:
    path = deb(tmp_path / "a_1_all.deb", "Package: a\n", {"usr/share/doc/a/copyright": b"mine\n", "usr/bin/a": b"x"})
    assert copyrights.terms(path, "ab", tmp_path / "cache") == Terms("mine\n", "", {})


def test_what_was_read_is_kept_by_the_hash_of_the_package(tmp_path: Path) -> None:
    path = deb(tmp_path / "a_1_all.deb", "Package: a\n", {"usr/share/doc/a/copyright": b"mine\n"})
    first = copyrights.terms(path, "ab", tmp_path / "cache")
    path.unlink()
    assert copyrights.terms(path, "ab", tmp_path / "cache") == first
    (tmp_path / "cache" / "ab.json").write_text("{")
    with pytest.raises((OSError, CardFault)):
        copyrights.terms(path, "ab", tmp_path / "cache")


def test_a_folder_that_is_a_link_leads_to_the_terms_of_another_package(tmp_path: Path) -> None:
    path = deb(tmp_path / "b_1_all.deb", "Package: b\n", {}, {"usr/share/doc/b": "a"})
    found = {"b": copyrights.terms(path, "b", tmp_path), "a": Terms("of a", "", {})}
    assert found["b"] == Terms("", "a", {})
    assert copyrights.text_of("b", found) == "of a"
    assert copyrights.text_of("b", {"b": found["b"]}) == ""
    assert copyrights.text_of("b", {"b": Terms("", "c", {}), "c": Terms("", "b", {})}) == ""


def test_common_licences_are_read_with_the_names_that_are_links(tmp_path: Path) -> None:
    files = {"usr/share/common-licenses/GPL-3": b"three\n", "usr/share/doc/base-files/copyright": b"x\n"}
    path = deb(tmp_path / "base-files_1_all.deb", "Package: x\n", files, {"usr/share/common-licenses/GPL": "GPL-3"})
    assert copyrights.terms(path, "c", tmp_path).common == {"GPL": "three\n", "GPL-3": "three\n"}


LINES = [
    ("GPL-2+", ("GPL-2+",)),
    ("GPL-2+ and/or Expat", ("Expat", "GPL-2+")),
    ("GPL-2 or BSD-3-clause, and ISC", ("BSD-3-clause", "GPL-2", "ISC")),
    ("GPL-2.0+ OR MIT", ("GPL-2.0+", "MIT")),
    ("(GPL-2.0 WITH Linux-syscall-note) OR MIT", ("GPL-2.0", "MIT")),
    ("GPL-3+ with autoconf exception", ("GPL-3+",)),
]


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_short_names_are_read_from_machine_readable_files(line: str, wanted: tuple[str, ...]) -> None:
    assert copyrights.names_in(DEP5.format(licence=line)) == wanted


def test_nothing_is_guessed_from_other_files() -> None:
    assert copyrights.names_in("This package is free.\n\nLicense: GPL\n") == ()
    assert copyrights.names_in("") == ()


def test_references_to_common_licences_are_found() -> None:
    folder = "/usr/share/common-licenses"
    text = f"see {folder}/GPL-2.\nand `{folder}/LGPL-2.1', {folder}/No"
    assert copyrights.referred(text, {"GPL-2": "", "LGPL-2.1": "", "BSD": ""}) == ["GPL-2", "LGPL-2.1"]


def test_a_folder_that_takes_nothing_stops_nobody(tmp_path: Path) -> None:
    made = deb(tmp_path / "x_1_all.deb", "Package: x\n", {"usr/share/doc/x/copyright": b"free"})
    (tmp_path / "file").write_text("")
    assert copyrights.terms(made, "0" * 64, tmp_path / "file/cache").text == "free"
    assert copyrights.terms(made, "0" * 64, tmp_path / "cache").text == "free"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["0" * 64 + ".json"]
