"""A card for QEMU: a copy as long as a power of two, files on its FAT partitions, damage where it is wanted alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from edge.card import layout, state
from edge.faults import CardFault
from hil import card
from hil.drivers.qemu import command, plain, wrapped
from hil.resources import having, named

NEEDED = pytest.mark.skipif(
    not (shutil.which("mcopy") and shutil.which("mkfs.vfat", path="/usr/sbin:/sbin:/usr/bin")),
    reason="mtools or dosfstools is not on this machine",
)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An image with one FAT in the place of slot A, sparse, with a boot state."""
    fat, found = tmp_path / "fat", tmp_path / "image.img"
    begin, count, _ = layout.PARTS[layout.SLOT_A]
    with fat.open("wb") as file:
        file.truncate(count * layout.SECTOR)
    subprocess.run(
        ["mkfs.vfat", "-F32", "-s1", str(fat)],
        check=True,
        stdout=subprocess.DEVNULL,
        env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"},
    )
    with found.open("wb") as file:
        file.truncate(layout.IMAGE_SECTORS * layout.SECTOR)
    subprocess.run(
        ["dd", f"if={fat}", f"of={found}", f"seek={begin}", "conv=notrunc,sparse", "status=none"], check=True
    )
    card.set_state(found, state.flashed())
    return found


def slot(image: Path) -> bytes:
    """The first 2 MiB of slot A: its tables and what was put into it."""
    with image.open("rb") as file:
        file.seek(layout.PARTS[layout.SLOT_A][0] * layout.SECTOR)
        return file.read(2 << 20)


@NEEDED
def test_a_card_is_a_longer_copy_and_the_image_stays(image: Path, tmp_path: Path) -> None:
    copy = tmp_path / "card.img"
    card.insert(image, copy)
    assert copy.stat().st_size == 256 << 20
    card.put(copy, layout.SLOT_A, "x.txt", b"one")
    card.put(copy, layout.SLOT_A, "x.txt", b"two")
    assert card.get(copy, layout.SLOT_A, "x.txt") == b"two"
    with pytest.raises(CardFault):
        card.get(image, layout.SLOT_A, "x.txt")


@NEEDED
def test_one_byte_of_a_file_is_spoilt_and_no_other(image: Path) -> None:
    data = bytes(range(256)) * 64
    card.put(image, layout.SLOT_A, "root.sqfs", data)
    before = slot(image)
    card.spoil(image, layout.SLOT_A, "root.sqfs")
    after = card.get(image, layout.SLOT_A, "root.sqfs")
    assert sum(old != new for old, new in zip(data, after)) == 1 and len(after) == len(data)
    differ = [at for at, (old, new) in enumerate(zip(before, slot(image))) if old != new]
    assert len(differ) == 1
    card.flip(image, layout.PARTS[layout.SLOT_A][0] * layout.SECTOR + differ[0])
    assert slot(image) == before


@NEEDED
def test_a_torn_copy_of_the_boot_state_is_made_up_for(image: Path) -> None:
    card.tear(image, 1)
    assert card.boot_state(image) == state.flashed()
    card.tear(image, 2)
    assert card.boot_state(image).why == "lost"


@pytest.mark.parametrize(("length", "wanted"), [(1, 1), (188 << 20, 256 << 20), (256 << 20, 256 << 20)])
def test_the_length_of_a_card_is_the_next_power_of_two(length: int, wanted: int) -> None:
    assert card.size(length) == wanted


@pytest.mark.parametrize("machine", having("loader"))
def test_the_console_is_the_serial_port_that_the_device_tree_names(machine: str, tmp_path: Path) -> None:
    board = named(machine).emulated()
    words = command(named(machine), plain(tmp_path / "card.img"), tmp_path)
    ports = [words[at + 1] for at, word in enumerate(words) if word == "-serial"]
    assert [ports[board.console], ports[board.port]] == ["chardev:console", "chardev:port"] and len(ports) == 2
    assert ("-dtb" in words) == ("-kernel" in words) == (board.way != "bios") and ("-bios" in words) == (
        board.way == "bios"
    )


@pytest.mark.skipif(shutil.which("mkimage") is None, reason="u-boot-tools are not on this machine")
def test_a_wrapped_uboot_is_a_kernel_to_who_reads_the_form(tmp_path: Path) -> None:
    (tmp_path / "wrapped").write_bytes(wrapped(b"u-boot" * 100))
    said = subprocess.run(
        ["mkimage", "-l", str(tmp_path / "wrapped")], capture_output=True, text=True, check=True
    ).stdout
    assert "ARM Linux Kernel Image (uncompressed)" in said and said.count("00008000") == 2 and "600 Bytes" in said
