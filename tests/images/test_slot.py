"""What stands in a slot: images that U-Boot checks, a kernel that unpacks, an initramfs, and what slot it is."""

from __future__ import annotations

import gzip
import json
import lzma
import shutil
from binascii import crc32
from pathlib import Path

import pytest

from edge.card import state
from edge.faults import CardFault
from images import cpio, host, initrd, product, slot

needs_mkimage = pytest.mark.skipif(bool(host.missing(["mkimage"])), reason="u-boot-tools are not here")
EPOCH = 1_700_000_000


@needs_mkimage
def test_an_image_carries_both_sums_the_time_and_where_it_runs(tmp_path: Path) -> None:
    data = bytes(range(256)) * 9
    slot.wrap(data, tmp_path / "kernel", tmp_path, EPOCH, ("kernel", "arm", "none", slot.AT_KERNEL + slot.HEADER))
    made = (tmp_path / "kernel").read_bytes()
    words = [int.from_bytes(made[at : at + 4], "big") for at in range(0, 28, 4)]
    assert made[slot.HEADER :] == data and words[0] == 0x27051956 and words[2] == EPOCH
    assert words[3:7] == [len(data), 0x06000040, 0x06000040, crc32(data)]
    assert words[1] == crc32(made[:4] + bytes(4) + made[8 : slot.HEADER]) and made[32:].startswith(
        b"fieldhand kernel\0"
    )


def test_the_load_address_is_the_one_of_the_script() -> None:
    text = (product.HERE / "board/boot.cmd").read_text("utf-8")
    assert f"setenv at_kernel {slot.AT_KERNEL:#010x}\n" in text


def test_a_kernel_in_lzma_says_its_length_and_comes_out_whole() -> None:
    data = bytes(5000) + bytes(range(256)) * 20
    packed = slot.lzma_alone(data)
    assert int.from_bytes(packed[5:13], "little") == len(data) and packed[0] == 0x5D
    assert lzma.LZMADecompressor(lzma.FORMAT_ALONE).decompress(packed) == data
    assert slot.lzma_alone(data) == packed


def test_a_slot_says_what_it_is(tmp_path: Path) -> None:
    slot.label(product.load("pi-armv6"), "1.2", 3, "ab" * 32, tmp_path)
    assert json.loads((tmp_path / "slot.json").read_text()) == {
        "arch": "armel", "data_schema": 3, "product": "pi-armv6", "root": "ab" * 32, "version": "1.2",
    }  # fmt: skip
    assert (tmp_path / "root.sha256").read_text() == "ab" * 32 + "  root.sqfs\n"


def test_every_ready_state_goes_to_a_good_slot_that_has_none_behind_it() -> None:
    found = {name: state.read(block) for name, block in initrd.states().items()}
    assert sorted(found) == ["state-a-made", "state-a-new", "state-b-made", "state-b-new"]
    for name, told in found.items():
        _, which, data = name.split("-")
        assert told == state.State(which, which, good=True, tries=0, data=data, why="rotten")


def test_the_initramfs_holds_init_busybox_modules_in_order_and_states(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / initrd.BUSYBOX).write_bytes(b"busybox")
    (tmp_path / "init").write_text("#!/bin/sh\n")
    (tmp_path / "zz.ko").write_bytes(b"first")
    (tmp_path / "aa.ko.xz").write_bytes(lzma.compress(b"second"))
    load = [tmp_path / "zz.ko", tmp_path / "aa.ko.xz"]
    packed = initrd.make(tmp_path, tmp_path / "init", load, EPOCH)
    assert packed == initrd.make(tmp_path, tmp_path / "init", load, EPOCH) and packed[4:8] == bytes(4)
    archive = gzip.decompress(packed)
    assert archive.index(b"modules/00-zz.ko\0") < archive.index(b"modules/01-aa.ko\0")
    assert b"second" in archive and b"state-b-new\0" in archive and b"dev/console\0" in archive
    with pytest.raises(CardFault, match=r"needs absent\.ko: no such file"):
        initrd.make(tmp_path, tmp_path / "init", [tmp_path / "absent.ko"], EPOCH)
    assert cpio.pack([], 0)


@pytest.mark.skipif(not shutil.which("zstd"), reason="zstd is not here")
def test_modules_are_unpacked_whatever_packs_them(tmp_path: Path) -> None:
    data = b"module" * 100
    for name, packed in (
        ("a.ko", data),
        ("a.ko.xz", lzma.compress(data)),
        ("a.ko.gz", gzip.compress(data)),
        ("a.ko.zst", host.run("zstd", "-qc", data=data)),
    ):
        (tmp_path / name).write_bytes(packed)
        assert initrd.plain(tmp_path / name) == data and initrd.stem(tmp_path / name) == "a.ko"
