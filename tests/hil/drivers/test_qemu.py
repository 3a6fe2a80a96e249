"""QEMU's process: what keeps a card from being put in is told before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import CardFault
from hil import opening
from hil.resources import named


def test_a_card_that_is_none_of_the_boards_is_told_with_its_name(tmp_path: Path) -> None:
    card = tmp_path / "other.img"
    card.write_bytes(b"no card")
    with pytest.raises(CardFault, match=r"raspi0 does not start from .*other\.img: .*an image of pi-armv6"):
        opening.machine(named("raspi0"), card)
