"""The gates over a root that was built before: nothing of it is believed, and what is not looked at is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.card.layout import SLOT_A
from edge.faults import CardFault
from images import at_rest, contents, host
from tests.support import small_cards


@small_cards.needs_fat
@pytest.mark.parametrize("name", ["/dev/zero", "../../x.toml", "\x1b[2J", "pi-armv6.toml", ["pi-armv6"], 5])
def test_what_an_image_calls_its_product_is_no_path_here(
    monkeypatch: pytest.MonkeyPatch, small_card: Path, name: object
) -> None:
    monkeypatch.setattr(contents, "read_label", lambda inner: {"product": name})
    with small_card.open("rb") as file:

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        (row,) = at_rest.rows(contents.volume(read, SLOT_A), True)
    assert row.state == contents.LEFT and "is not known here" in row.sentence and "\x1b" not in row.sentence


@pytest.mark.skipif(bool(host.missing(["mksquashfs", "unsquashfs"])), reason="squashfs-tools are not installed")
def test_a_root_that_would_fill_this_machine_or_hold_it_up_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, packed = tmp_path / "tree", tmp_path / "root.sqfs"
    tree.mkdir()
    with (tree / "a b").open("wb") as file:
        file.truncate(5_000_000)
    (tree / "link").symlink_to("a b")

    def pack() -> None:
        host.run("mksquashfs", tree, packed, "-noappend", "-quiet", "-no-progress")

    pack()
    at_rest._bounded(packed)
    monkeypatch.setattr(at_rest, "_LARGEST", 4_000_000)
    with pytest.raises(CardFault, match=r"unpacks to 5\.0 MB"):
        at_rest._bounded(packed)
    os.mkfifo(tree / "pipe")
    pack()
    with pytest.raises(CardFault, match="a device, a pipe or a socket"):
        at_rest._bounded(packed)
