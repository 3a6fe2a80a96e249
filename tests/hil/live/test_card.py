"""The card of a board that a person works with: what it is told, and that a half-made one is none."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from edge.card import provision_toml
from edge.faults import CardFault, ConfigFault
from edge.record import replace
from hil.live import card
from hil.resources import Part, named, names


@pytest.mark.parametrize("name", names())
def test_what_a_card_is_told_a_board_would_take(name: str) -> None:
    text = card.wishes(named(name))
    _, wrong = provision_toml.asked(text.encode(), here=False, name="provision.toml")
    assert [str(one) for one in wrong] == []
    assert f'hostname = "{name}"' in text and "[outputs.fan]" in text


def test_parts_that_the_agent_has_a_table_for_are_declared_and_no_others() -> None:
    board = replace(
        named("raspi0"), has=("parts",), parts={"t1": Part("tmp105", 1, 0x49), "m0": Part("lsm303dlhc_mag", 1, 0x1E)}
    )
    text = card.wishes(board)
    assert '[sensors.t1]\ni2c = "1/0x49"\npart = "tmp105"' in text
    assert "m0" not in text and "outputs" not in text


def test_a_chip_that_has_to_be_named_is_named_for_each_line() -> None:
    assert card.wishes(named("virt")).count('chip = "virtio2"') == 2
    assert "chip" not in card.wishes(named("raspi0"))


def test_without_an_image_there_is_no_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIELDHAND_IMAGES", str(tmp_path / "none"))
    with pytest.raises(CardFault, match="there is no image of pi-armv6") as told:
        card.made(named("raspi0"), tmp_path / "card.img", None)
    assert told.value.fix == "`make images` builds it"
    assert list(tmp_path.iterdir()) == []


def test_a_making_that_fails_leaves_the_card_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "card.img"
    kept.write_bytes(b"kept")

    def inserted(_board: object, copy: Path) -> None:
        copy.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(card.opening, "insert", inserted)
    with pytest.raises(KeyboardInterrupt):
        card.made(named("raspi0"), kept, None)
    assert kept.read_bytes() == b"kept" and list(tmp_path.iterdir()) == [kept]


def test_a_disk_that_is_full_is_told_with_the_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def inserted(_board: object, _copy: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(card.opening, "insert", inserted)
    with pytest.raises(OSError, match="No space left") as told:
        card.made(named("raspi0"), tmp_path / "card.img", None)
    assert told.value.filename == str(tmp_path / "card.new")


def test_a_file_of_ones_own_is_checked_before_a_card_is_made(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[board]\nhostname = "-north"\n')
    with pytest.raises(ConfigFault, match=r"own\.toml:2"):
        card.made(named("raspi0"), tmp_path / "card.img", own)


def test_a_card_knows_the_build_that_it_is_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "images/pi-armv6/0.1.0/pi-armv6-0.1.0.img"
    image.parent.mkdir(parents=True)
    image.write_bytes(b"1")
    monkeypatch.setenv("FIELDHAND_IMAGES", str(tmp_path / "images"))
    monkeypatch.setattr(card.opening, "insert", lambda _board, copy: copy.write_bytes(b"made"))
    monkeypatch.setattr(card.cards, "put", lambda *_: None)
    board, kept = named("raspi0"), tmp_path / "card.img"
    card.made(board, kept, None)
    assert kept.read_bytes() == b"made" and card.of_now(board, kept)
    kept.write_bytes(b"used")
    assert card.of_now(board, kept)
    image.touch()
    assert not card.of_now(board, kept) and card.of_now(board, tmp_path / "other.img")
