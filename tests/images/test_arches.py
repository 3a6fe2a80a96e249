"""Architectures are data; one that nobody builds for is told with those that somebody does."""

from __future__ import annotations

import pytest

from edge.faults import CardFault
from images import arches


def test_an_unknown_architecture_is_told() -> None:
    with pytest.raises(CardFault, match=r"riscv64.*armel, armhf, arm64"):
        arches.named("riscv64")


def test_the_least_board_of_armel_has_no_thumb_2_and_that_of_armhf_no_v8() -> None:
    armel, armhf = arches.named("armel"), arches.named("armhf")
    assert 8 not in armel.runs and 10 not in armel.runs and 9 in armel.runs
    assert 10 in armhf.runs and 14 not in armhf.runs
    assert (armel.hard, armhf.hard) == (False, True)
