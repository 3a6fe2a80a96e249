"""A library that somebody needs and nobody finds fails the build; who needs it is told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from images.gates import needed
from tests.support import elves

ARMEL = SimpleNamespace(arch="armel", python="3.11")
TRIPLE = "usr/lib/arm-linux-gnueabi"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    put(top, f"{TRIPLE}/libc.so.6", elves.make(needed=("ld-linux.so.3",)))
    put(top, f"{TRIPLE}/ld-linux.so.3", elves.make())
    (top / "lib").symlink_to("usr/lib")
    (top / "usr/lib/ld-linux.so.3").symlink_to("arm-linux-gnueabi/ld-linux.so.3")
    put(top, "usr/bin/tool", elves.make(needed=("libc.so.6",), interpreter="/lib/ld-linux.so.3"))
    return top


def put(top: Path, name: str, data: bytes) -> None:
    (top / name).parent.mkdir(parents=True, exist_ok=True)
    (top / name).write_bytes(data)


def test_a_closed_tree_passes(tree: Path) -> None:
    assert needed.check(tree, ARMEL) == []


def test_what_is_missing_is_told_with_who_needs_it(tree: Path) -> None:
    put(tree, f"{TRIPLE}/libssl.so.3", elves.make(needed=("libzstd.so.1", "libc.so.6")))
    assert needed.check(tree, ARMEL) == [f"libzstd.so.1 is not there, {TRIPLE}/libssl.so.3 needs it"]
    put(tree, "usr/bin/other", elves.make(needed=("libzstd.so.1",)))
    assert needed.check(tree, ARMEL) == ["libzstd.so.1 is not there, usr/bin/other and 1 more need it"]
    put(tree, f"{TRIPLE}/libzstd.so.1", elves.make())
    assert needed.check(tree, ARMEL) == []


def test_a_library_behind_a_broken_link_or_outside_the_search_is_not_there(tree: Path) -> None:
    put(tree, "usr/bin/user", elves.make(needed=("liba.so.1", "libb.so.1")))
    (tree / TRIPLE / "liba.so.1").symlink_to("liba.so.1.0")
    put(tree, "usr/lib/private/libb.so.1", elves.make())
    assert [line.split()[0] for line in needed.check(tree, ARMEL)] == ["liba.so.1", "libb.so.1"]


def test_a_library_of_another_processor_is_passed_over(tree: Path) -> None:
    put(tree, "usr/bin/user", elves.make(needed=("liba.so.1",)))
    put(tree, f"{TRIPLE}/liba.so.1", elves.make(bits=64, machine=183))
    assert len(needed.check(tree, ARMEL)) == 1
    put(tree, "usr/lib/liba.so.1", elves.make())
    assert needed.check(tree, ARMEL) == []


@pytest.mark.parametrize("field", ["rpath", "runpath"])
@pytest.mark.parametrize("place", ["$ORIGIN/../private", "/opt:/usr/private", "${ORIGIN}/../private"])
def test_folders_that_a_file_names_are_searched(tree: Path, field: str, place: str) -> None:
    put(tree, "usr/private/liba.so.1", elves.make())
    put(tree, "usr/bin/user", elves.make(needed=("liba.so.1",), **{field: place}))
    assert needed.check(tree, ARMEL) == []


def test_a_loader_that_is_missing_is_told(tree: Path) -> None:
    put(tree, "usr/bin/hard", elves.make(needed=("libc.so.6",), interpreter="/lib/ld-linux-armhf.so.3"))
    assert needed.check(tree, ARMEL) == ["/lib/ld-linux-armhf.so.3 is not there, usr/bin/hard needs it"]
