"""Updates made from a card's own slot: what is changed is in them, all else is the card's; a board would take them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from edge.card import layout, mbr, slots, state
from edge.card.bundle import Bundle
from edge.card.manifest import Key
from edge.faults import CardFault
from hil import card, release
from images import card as cards
from images import fat, host

PROGRAMS = ("mcopy", "mkfs.vfat", "mksquashfs", "unsquashfs", "mke2fs", "debugfs")
pytestmark = pytest.mark.skipif(
    bool(host.missing(PROGRAMS)),
    reason="mtools, dosfstools, squashfs-tools or e2fsprogs is not on this machine",
)
OWNER = release.key("owner")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A card whose slot A holds a small root and a kernel, with a data partition."""
    root, stage = tmp_path / "root", tmp_path / "stage"
    (root / "etc/fieldhand").mkdir(parents=True)
    (root / "etc/fieldhand/release").write_text("PRODUCT=pi-arm64\nVERSION=1.0.0\nARCH=arm64\n")
    (root / "kept").write_text("as it was")
    stage.mkdir()
    (stage / "kernel").write_text("a kernel")
    for name in ("root.sha256", "slot.json"):
        (stage / name).write_text("{}")
    host.run("mksquashfs", str(root), str(stage / "root.sqfs"), "-noappend", "-no-progress", "-all-root")
    part, found = tmp_path / "slot", tmp_path / "card.img"
    begin, count, _ = layout.PARTS[layout.SLOT_A]
    fat.make(part, "SLOT", 1, count, stage, 0)
    with found.open("wb") as file:
        file.truncate(256 << 20)
    spread = ["conv=notrunc,sparse", "bs=1M", "status=none", "oflag=seek_bytes"]
    subprocess.run(["dd", f"if={part}", f"of={found}", f"seek={begin * layout.SECTOR}", *spread], check=True)
    at = layout.PARTS[layout.DATA][0] * layout.SECTOR
    host.run("mke2fs", "-q", "-t", "ext4", "-E", f"offset={at}", str(found), "16m")
    return found


def test_an_update_holds_the_cards_own_slot_with_what_was_changed(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "updates"
    folder.mkdir()
    maker = release.Releases(made, "pi-arm64", folder)
    path = maker.make("2.0.0", OWNER, lambda tree: (tree / "more").write_text("new") and None)
    with path.open("rb") as file:
        bundle = Bundle(file.read, [Key(OWNER.name, OWNER.public)])
        content = b"".join(bundle.pieces())
    assert (bundle.manifest.version, bundle.manifest.product) == ("2.0.0", "pi-arm64")
    (tmp_path / "slot.fat").write_bytes(content.ljust(layout.PARTS[layout.SLOT_A][1] * layout.SECTOR, b"\0"))
    for name in ("kernel", "slot.json", "root.sqfs", "root.sha256"):
        host.run("mcopy", "-i", str(tmp_path / "slot.fat"), f"::{name}", str(tmp_path / name))
    assert (tmp_path / "kernel").read_text() == "a kernel"
    assert json.loads((tmp_path / "slot.json").read_text())["version"] == "2.0.0"
    subprocess.run(["sha256sum", "--quiet", "-c", "root.sha256"], cwd=tmp_path, check=True)
    host.run("unsquashfs", "-q", "-n", "-d", str(tmp_path / "tree"), str(tmp_path / "root.sqfs"))
    told = {name: (tmp_path / "tree" / name).read_text() for name in ("kept", "more", release.VERSION)}
    assert told == {"kept": "as it was", "more": "new", release.VERSION: told[release.VERSION]}
    assert "VERSION=2.0.0\n" in told[release.VERSION] and "1.0.0" not in told[release.VERSION]


def test_two_keys_are_two_and_one_is_the_same_again() -> None:
    assert release.key("owner") == OWNER != release.key("stranger")
    assert release.line(OWNER) == f"{OWNER.public.hex()} owner"


def test_a_file_is_put_onto_the_data_partition_once(made: Path, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1" * 5000)
    card.put_data(made, tmp_path / "one", "two.update")
    at = layout.PARTS[layout.DATA][0] * layout.SECTOR
    assert host.run("debugfs", "-R", "cat two.update", f"{made}?offset={at}") == b"1" * 5000
    for name in ("two.update", "nowhere/three"):
        with pytest.raises(CardFault, match=f"{name} could not be put onto the data partition"):
            card.put_data(made, tmp_path / "one", name)


def test_a_card_is_as_after_its_first_start(tmp_path: Path) -> None:
    flashed = tmp_path / "card.img"
    with flashed.open("wb") as file:
        file.write(mbr.pack(cards.table()))
        file.truncate(256 << 20)
    card.set_state(flashed, state.flashed())
    card.started(flashed)
    with slots.Card(slots.Device(str(flashed))) as found:
        told, entry = found.state(), found.table.part(layout.DATA)
    assert (told.slot, told.prev, told.good, told.data) == ("a", "b", True, "made")
    assert entry is not None and (entry.first + entry.sectors) * layout.SECTOR == 256 << 20
    at = entry.first * layout.SECTOR
    said = host.run("debugfs", "-R", "show_super_stats -h", f"{flashed}?offset={at}")
    assert layout.DATA_LABEL.encode() in said and f"Block count:              {entry.sectors // 8}".encode() in said
