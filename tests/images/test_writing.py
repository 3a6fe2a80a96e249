from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import bmap, writing
from images.progress import Progress
from images.source import Image
from images.target import Target

SIZE = 5 << 20
SOAK = os.environ.get("FIELDHAND_SOAK") == "1"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> tuple[Image, bmap.Map]:
    """An image of 5 MiB with a hole, and a map that leaves the hole out and reaches over the first MiB."""
    path = tmp_path_factory.mktemp("image") / "x.img"
    path.write_bytes(random.Random(5).randbytes(2 << 20) + bytes(1 << 20) + random.Random(6).randbytes(2 << 20))
    ranges = (bmap.Range(0, 511), bmap.Range(768, 1279))
    return Image(path), bmap.Map(SIZE, 4096, ranges)


class Card(Target):
    """A target on a plain file that goes wrong when a test says so: cut off, lying, pulled out."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(b"\xa5" * SIZE)
        super().__init__(os.open(path, os.O_RDWR), "the card", SIZE)
        self.writes: list[tuple[int, int]] = []
        self.cut_at = -1
        self.fails = 0
        self.lies_at = -1

    def write(self, offset: int, data: bytes) -> None:
        if len(self.writes) == self.cut_at:
            raise KeyboardInterrupt
        if self.fails and len(self.writes) >= 2:
            raise self._failed("writing", offset, OSError(self.fails, os.strerror(self.fails)))
        self.writes.append((offset, len(data)))
        if offset <= self.lies_at < offset + len(data):
            at = self.lies_at - offset
            data = data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]
        super().write(offset, data)


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path / "card")


def content(card: Card) -> bytes:
    return os.pread(card.handle, SIZE, 0)


def write(image: tuple[Image, bmap.Map], card: Card) -> None:
    writing.write(*image, card, Progress(None))


def test_what_is_mapped_is_on_the_card_and_the_rest_stays(image: tuple[Image, bmap.Map], card: Card) -> None:
    write(image, card)
    data, wanted = content(card), image[0].path.read_bytes()
    assert data[: 2 << 20] == wanted[: 2 << 20] and data[3 << 20 :] == wanted[3 << 20 :]
    assert data[2 << 20 : 3 << 20] == b"\xa5" * (1 << 20)


def test_the_first_mib_is_wiped_first_and_written_last_and_its_first_block_at_the_very_end(
    image: tuple[Image, bmap.Map], card: Card
) -> None:
    write(image, card)
    assert card.writes[0] == (0, bmap.HEAD)
    assert card.writes[-2:] == [(4096, bmap.HEAD - 4096), (0, 4096)]
    assert all(offset >= bmap.HEAD for offset, _ in card.writes[1:-2])
    assert all(offset % 4096 == 0 for offset, _ in card.writes)


def test_a_flash_that_is_cut_at_any_write_leaves_no_partition_table(image: tuple[Image, bmap.Map], card: Card) -> None:
    write(image, card)
    count = len(card.writes)
    for cut in range(count):
        card.writes.clear()
        super(Card, card).write(0, b"\xa5" * SIZE)
        card.cut_at = cut
        with pytest.raises(KeyboardInterrupt):
            write(image, card)
        card.cut_at = -1
        assert content(card)[:4096] in ((b"\xa5" * 4096,) if cut == 0 else (bytes(4096),)), cut
    print(f"cut at each of {count} writes")


def test_a_byte_that_the_card_did_not_keep_is_told_with_its_place(image: tuple[Image, bmap.Map], card: Card) -> None:
    chance = random.Random(9)
    places = [0, 510, 4095, 4096, bmap.HEAD - 1, bmap.HEAD, (2 << 20) - 1, 3 << 20, SIZE - 1]
    places += [chance.choice((0, 3 << 20)) + chance.randrange(2 << 20) for _ in range(40 if SOAK else 4)]
    for place in places:
        card.writes.clear()
        card.lies_at = place
        with pytest.raises(CardFault, match=f"the card is bad: byte {place} was written and is not read back"):
            write(image, card)
        card.lies_at = -1
        assert content(card)[510:512] != image[0].path.read_bytes()[510:512]
    print(f"{len(places)} flipped bits found")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.EIO, "failed while writing at byte .*input/output error.*try another reader"),
        (errno.ENODEV, "is gone: it was pulled out while writing at byte"),
        (errno.ENXIO, "is gone"),
        (errno.ENOSPC, "has no room left"),
    ],
)
def test_an_error_of_the_device_is_a_sentence_and_the_card_is_told_unfinished(
    image: tuple[Image, bmap.Map], card: Card, number: int, told: str
) -> None:
    card.fails = number
    with pytest.raises(CardFault, match=told) as caught:
        write(image, card)
    assert "not finished and cannot be started from" in str(caught.value)


def test_a_damaged_image_is_told_before_the_target_is_touched(tmp_path: Path, card: Card) -> None:
    path = tmp_path / "y.img"
    path.write_bytes(b"y" * SIZE)
    of = bmap.of(path)
    path.write_bytes(b"y" * (SIZE - 1) + b"z")
    with pytest.raises(CardFault, match="is damaged"):
        writing.write(Image(path), of, card, Progress(None))
    assert card.writes == [] and content(card) == b"\xa5" * SIZE


def test_an_image_smaller_than_its_head_is_written_whole(tmp_path: Path, card: Card) -> None:
    path = tmp_path / "small.img"
    path.write_bytes(b"s" * 10_000)
    writing.write(Image(path), bmap.of(path), card, Progress(None))
    assert content(card)[:10_001] == b"s" * 10_000 + b"\xa5"
