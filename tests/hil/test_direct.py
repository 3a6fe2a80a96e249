from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from edge.card import state
from edge.faults import CardFault
from hil import card, direct
from images import cpio, slot
from images.initrd import gzipped
from tests.support.sources import ROOT


def test_a_kernel_is_what_it_was_before_it_was_packed() -> None:
    image = b"MZ kernel" * 5000
    assert direct.unpacked(bytes(slot.HEADER) + slot.lzma_alone(image)) == image


@pytest.mark.parametrize(("cut", "why"), [(-10, "cut off"), (slot.HEADER + 4, "cut off")])
def test_a_kernel_that_is_cut_off_is_told(cut: int, why: str) -> None:
    packed = bytes(slot.HEADER) + slot.lzma_alone(bytes(range(256)) * 400)
    with pytest.raises(CardFault, match=why):
        direct.unpacked(packed[:cut])


def test_what_is_no_kernel_is_told() -> None:
    with pytest.raises(CardFault, match="cannot be unpacked"):
        direct.unpacked(bytes(slot.HEADER) + b"\xff" * 100)


@pytest.mark.parametrize("odd", range(4))
def test_drivers_come_behind_the_initramfs_in_their_order(odd: int) -> None:
    first = gzipped(cpio.pack([cpio.file("modules/00-loop.ko", b"loop")], 0)) + bytes(odd)
    whole = direct.extended(first, [("virtio_blk.ko", b"disk"), ("i2c-virtio.ko", b"bus")])
    at = whole.index(b"\x1f\x8b", len(first))
    assert whole.startswith(first) and at % 4 == 0
    found = gzip.decompress(whole[at:])
    assert 0 < found.index(b"modules/90-virtio_blk.ko") < found.index(b"modules/91-i2c-virtio.ko")


def test_the_kernel_hears_what_the_boot_script_would_tell_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "card.img"
    image.write_bytes(bytes(1 << 20))
    card.set_state(image, state.State("b", "a", False, 2, "made", "update"))
    monkeypatch.setattr(card, "get", lambda path, part, name: b"loglevel=4\n" if name == "cmdline.txt" else b"")
    assert direct.words(image) == [
        *("panic=10", "oops=panic", "fieldhand.slot=b", "fieldhand.prev=a", "fieldhand.good=0", "fieldhand.tries=2"),
        *("fieldhand.data=made", "fieldhand.why=update", "loglevel=4"),
    ]
    script = (ROOT / "images/board/boot.cmd").read_text("utf-8")
    told = re.search(r'setenv bootargs "(.*)\$\{words\}"', script)
    assert told and [word.partition("=")[0] for word in told[1].split()] == [
        word.partition("=")[0] for word in direct.words(image)[:-1]
    ]
