"""The initramfs archive: what cpio(1) and busybox read out of it, and that nothing of the builder comes into it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from images import cpio

ITEMS = [
    cpio.file("init", b"#!/bin/sh\n", 0o755),
    cpio.link("bin/sh", "busybox"),
    cpio.file("bin/busybox", bytes(range(256)) * 3, 0o755),
    cpio.node("dev/console", 5, 1),
    cpio.folder("proc"),
    cpio.file("lib/modules/odd", b"abc"),
]


def listed(archive: bytes) -> str:
    """What a reader that is not ours says is in it."""
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("busybox is not on this machine")
    return subprocess.run(
        [busybox, "cpio", "-tv"], input=archive, capture_output=True, check=True, env={"TZ": "UTC"}
    ).stdout.decode()


def test_another_reader_finds_everything_with_its_rights() -> None:
    lines = listed(cpio.pack(ITEMS, 86_400)).splitlines()
    assert [line.split()[-1] for line in lines if " -> " not in line] == [
        "bin", "bin/busybox", "dev", "dev/console", "init", "lib", "lib/modules", "lib/modules/odd", "proc",
    ]  # fmt: skip
    assert any(line.startswith("crw-------") and "1970-01-02" in line for line in lines)
    assert any(line.startswith("-rwxr-xr-x") and line.endswith("init") for line in lines)
    assert any(line.endswith("bin/sh -> busybox") for line in lines)


def test_a_node_carries_its_numbers() -> None:
    archive = cpio.pack([cpio.node("console", 5, 1)], 0)
    fields = [int(archive[6 + 8 * place : 14 + 8 * place], 16) for place in range(13)]
    assert fields[1] == 0o020600 and fields[9:11] == [5, 1] and fields[11] == len("console") + 1


def test_it_is_unpacked_as_it_was_packed(tmp_path: Path) -> None:
    archive = cpio.pack([item for item in ITEMS if not item.device[0]], 0)
    listed(archive)
    subprocess.run(["busybox", "cpio", "-id"], input=archive, cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "bin/busybox").read_bytes() == bytes(range(256)) * 3
    assert (tmp_path / "lib/modules/odd").read_bytes() == b"abc"


def test_the_order_of_the_items_changes_nothing() -> None:
    assert cpio.pack(ITEMS, 5) == cpio.pack(ITEMS[::-1], 5)
    assert len(cpio.pack(ITEMS, 5)) % 512 == 0


@pytest.mark.parametrize("name", ["", "/init", "a/../b", "./a", "a//b", "a/"])
def test_names_that_leave_the_archive_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name inside"):
        cpio.file(name, b"")


def test_a_name_stands_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        cpio.pack([cpio.folder("a"), cpio.file("a", b"")], 0)
