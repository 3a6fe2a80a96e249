"""A card is put together twice, by builders that differ: the bytes are the same, and all is in its place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edge.card import layout, mbr, state
from edge.faults import CardFault
from images import bundle, card, fat, host
from tests.support.sources import ROOT

TOOLS = ("mkfs.vfat", "mcopy", "mmd", "mksquashfs")
needs_tools = pytest.mark.skipif(bool(host.missing(TOOLS)), reason=f"not here: {', '.join(host.missing(TOOLS))}")
EPOCH = 1_700_000_000
Pair = tuple[Path, dict[str, str], dict[str, str]]

BUILDER = """
import json, os, sys
from pathlib import Path
from images import bundle, card, fat, hashes, squash
from images.progress import Progress
from edge.card import layout

work = Path(sys.argv[1])
tree = work / "tree"
names = ["bin/tool", "etc/shadow", "etc/a", "usr/lib/x/deep/file", "usr/lib/Name with spaces.txt", "etc/z"]
for name in names if sys.argv[2] == "forward" else names[::-1]:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode() * 3000)
(tree / "bin/tool").chmod(0o700)
(tree / "bin/link").symlink_to("tool")
slot = work / "slot"
(slot / "dtb").mkdir(parents=True)
root = squash.make(tree, slot / "root.sqfs", 1700000000, Progress(None))
(slot / "root.sha256").write_text(root + "  root.sqfs")
for name in ("b.dtb", "a.dtb") if sys.argv[2] == "forward" else ("a.dtb", "b.dtb"):
    (slot / "dtb" / name).write_bytes(b"tree " + name.encode())
fat.make(work / "slot.fat", "EDGESLOT", 0xEDCE0002, layout.PARTS[2][1], slot, 1700000000)
fat.make(work / "config.fat", "EDGECFG", 0xEDCE0001, layout.PARTS[1][1], slot, 1700000000)
card.make(work / "card.img", work / "config.fat", work / "slot.fat")
bundle.slot_content(work / "slot.fat", work / "slot.img")
names = ("slot/root.sqfs", "slot.fat", "slot.img", "card.img")
print(json.dumps({name: hashes.sha256_of(work / name) for name in names}))
"""


def built(folder: Path, order: str, umask: int, **env: str) -> dict[str, str]:
    """Hashes of what a builder with these settings made."""
    folder.mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", BUILDER, folder, order],
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT), **env},
        umask=umask,
        capture_output=True,
        check=True,
        timeout=120,
    )
    found: dict[str, str] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """What two builders made that differ in all they can: a folder, and the hashes of both."""
    folder = tmp_path_factory.mktemp("cards")
    first = built(folder / "a", "forward", 0o022)
    other = {"TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8", "SOURCE_DATE_EPOCH": "7"}
    return folder / "other folder", first, built(folder / "other folder", "back", 0o077, **other)


@needs_tools
def test_builders_that_differ_make_the_same_card(pair: Pair) -> None:
    assert pair[1] == pair[2] and len(pair[1]) == 4


@needs_tools
def test_all_of_a_card_is_in_its_place(pair: Pair) -> None:
    image = pair[0] / "card.img"
    with image.open("rb") as file:
        table = mbr.read(file.read(512))
        blocks = []
        for place in layout.STATE_PLACES:
            file.seek(place * layout.SECTOR)
            blocks.append(file.read(layout.STATE_BYTES))
    assert image.stat().st_size == layout.IMAGE_SECTORS * layout.SECTOR
    assert table == card.table() and state.chosen(*blocks) == state.flashed() and blocks[0] == blocks[1]
    slot = (pair[0] / "slot.fat").read_bytes()
    for number in (layout.SLOT_A, layout.SLOT_B):
        with image.open("rb") as file:
            file.seek(layout.PARTS[number][0] * layout.SECTOR)
            assert file.read(len(slot)) == slot

    listed = host.run("mdir", "-/", "-b", "-i", pair[0] / "slot.fat").decode().split()
    assert sorted(listed) == ["::/dtb/", "::/dtb/a.dtb", "::/dtb/b.dtb", "::/root.sha256", "::/root.sqfs"]
    content = (pair[0] / "slot.img").read_bytes()
    assert len(content) % bundle.ALIGNED == 0 and slot.startswith(content) and not slot[len(content) :].strip(b"\0")


@needs_tools
@pytest.mark.skipif(bool(host.missing(["unsquashfs"])), reason="unsquashfs is not here")
def test_rights_in_the_root_are_those_of_the_table(pair: Pair) -> None:
    lines = host.run("unsquashfs", "-lln", pair[0] / "slot/root.sqfs").decode().splitlines()
    found = {
        line.split("squashfs-root")[-1].split(" -> ")[0]: line.split()[:2] for line in lines if "squashfs-root" in line
    }
    assert found["/bin/tool"] == ["-rwxr-xr-x", "0/0"] and found["/etc/a"] == ["-rw-r--r--", "0/0"]
    assert found["/etc/shadow"] == ["-rw-------", "0/0"] and found["/usr/lib/x"] == ["drwxr-xr-x", "0/0"]
    assert found["/bin/link"][0].startswith("l")


@needs_tools
def test_what_does_not_fit_is_told_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()
    with (tmp_path / "stage/large").open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(CardFault, match="50,000,000 bytes"):
        fat.make(tmp_path / "x.fat", "EDGECFG", 1, layout.PARTS[1][1], tmp_path / "stage", EPOCH)
    with (tmp_path / "stage/large").open("wb") as file:
        file.truncate(layout.PARTS[1][1] * 512 - 4096)
    with pytest.raises(CardFault, match="mcopy"):
        fat.make(tmp_path / "x.fat", "EDGECFG", 1, layout.PARTS[1][1], tmp_path / "stage", EPOCH)


def test_a_part_of_another_length_is_refused(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"x")
    with pytest.raises(CardFault, match="length of partition 1"):
        card.make(tmp_path / "card.img", tmp_path / "short", tmp_path / "short")


def test_how_far_a_card_is_copied_is_told_piece_by_piece(tmp_path: Path) -> None:
    for name, number in (("config", layout.CONFIG), ("slot", layout.SLOT_A)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(layout.PARTS[number][1] * layout.SECTOR)
    heard: list[tuple[int, int]] = []
    card.make(tmp_path / "card.img", tmp_path / "config", tmp_path / "slot", lambda *far: heard.append(far))
    total = sum(layout.PARTS[number][1] * layout.SECTOR for number in (layout.CONFIG, layout.SLOT_A, layout.SLOT_B))
    assert heard == sorted(set(heard)) and heard[-1] == (total, total) and len(heard) > 1000


def test_only_a_fat32_has_a_length_in_use(tmp_path: Path) -> None:
    (tmp_path / "zeros").write_bytes(bytes(4096))
    with pytest.raises(CardFault, match="no FAT32"):
        fat.used(tmp_path / "zeros")


def test_an_absent_program_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(host, "PLACES", str(tmp_path))
    with pytest.raises(CardFault, match="apt install squashfs-tools"):
        host.find("mksquashfs")
    assert host.missing(["mcopy", "mmd", "zstd"]) == ["mtools", "zstd"]


def test_a_program_that_fails_is_told_by_its_last_lines() -> None:
    with pytest.raises(CardFault, match="sh failed with code 3: one / two"):
        host.run("sh", "-c", "echo one >&2; echo two >&2; exit 3")
    with pytest.raises(CardFault, match="out of disk space"):
        host.run("sh", "-c", "echo 'write: No space left on device' >&2; exit 1")
    with pytest.raises(CardFault, match="killed by signal 9"):
        host.run("sh", "-c", "kill -9 $$")
    assert shutil.which("sh")


@pytest.mark.parametrize("path", ["", ":", "{}/none::", None])
def test_a_program_in_the_folder_that_we_are_in_is_never_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str | None
) -> None:
    """An empty part of PATH means the working folder, which may be a stick of somebody else's."""
    (tmp_path / "mksquashfs").write_text("#!/bin/sh\n")
    (tmp_path / "mksquashfs").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(host, "PLACES", str(tmp_path / "none"))
    monkeypatch.delenv("PATH") if path is None else monkeypatch.setenv("PATH", path.format(tmp_path))
    with pytest.raises(CardFault, match="apt install squashfs-tools"):
        host.find("mksquashfs")
    assert host.missing(["mksquashfs"]) == ["squashfs-tools"] and "" not in host.environment()["PATH"].split(":")
