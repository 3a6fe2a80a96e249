"""A look at all chips and lines, which takes none of them."""

from __future__ import annotations

import pytest

from edge.peripherals.boards.survey import LINES, survey
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line as StockLine
from edge.peripherals.gpiochip.stock import Stock


@pytest.mark.parametrize(
    "board, label, count",
    [("pi-zero", "pinctrl-bcm2835", 54), ("pi5", "pinctrl-rp1", 54), ("pi3", "pinctrl-bcm2835", 54)],
)
def test_the_headers_chip_is_known_by_its_label(board: str, label: str, count: int) -> None:
    found = survey(Model(board)).header
    assert found is not None and (found.label, found.count, len(found.lines)) == (label, count, count)
    assert [line.name for line in found.lines[:28]] == [f"GPIO{number}" for number in range(28)]


def test_only_the_two_requests_that_look_are_sent() -> None:
    model = Model("pi5")
    assert not survey(model).faults
    assert {done.what for done in model.record} == {"open", "GET_CHIPINFO", "GET_LINEINFO"}


def test_who_holds_a_line_is_told_and_the_line_stays_his() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    request = chip.request(17, Settings("output", True), "somebody")
    line = survey(model).find("", "GPIO17")
    assert line is not None and (line.held, line.holder, line.direction) == (True, "somebody", "output")
    assert model.outside("pinctrl-bcm2835", 17) is True
    request.close()
    line = survey(model).find("", "GPIO17")
    assert line is not None and (line.held, line.holder) == (False, "")
    chip.close()


def test_a_line_is_found_by_every_name_it_has() -> None:
    found = survey(Model("pi3-mainline"))
    offsets = [getattr(found.find("", name), "offset", None) for name in ("GPIO14", "TXD1", "14", "GPIO4", "GPIO_GCLK")]
    assert offsets == [14, 14, 14, 4, 4]
    assert found.find("pinctrl-bcm2835", "GPIO273") is None and found.find("none", "GPIO17") is None
    assert found.find("raspberrypi-exp-gpio", "STATUS_LED") is not None


def test_two_lines_alike_are_no_answer() -> None:
    model = Model((Stock("gpiochip0", "two", (StockLine("A"), StockLine("A"), StockLine("B"))),))
    found = survey(model)
    assert found.find("two", "A") is None and getattr(found.find("", "B"), "offset", None) == 2
    assert getattr(found.find("two", "1"), "offset", None) == 1


def test_a_chip_that_cannot_be_opened_is_a_sentence_and_the_others_are_seen() -> None:
    model = Model("pi3")
    model.fail("open", 13)
    found = survey(model)
    assert len(found.chips) == 1 and "permission denied" in found.faults[0][0] and "gpio" in found.faults[0][1]


def test_a_chip_that_goes_away_in_the_middle_is_told_with_what_was_seen() -> None:
    model = Model("pi-zero")
    model.fail("GET_LINEINFO", 19, after=10)
    found = survey(model)
    assert len(found.chips[0].lines) == 10 and "gone" in found.faults[0][0]


def test_what_is_looked_at_is_bounded() -> None:
    many = tuple(Stock(f"gpiochip{number}", f"chip{number}", (StockLine(),) * 512) for number in range(6))
    found = survey(Model(many))
    assert sum(1 for _ in found.lines()) == LINES and found.header is None


def test_a_chip_of_the_board_itself_is_no_header_when_the_headers_chip_is_gone() -> None:
    model = Model("pi3")
    model.unplug("pinctrl-bcm2835")
    found = survey(model)
    assert [chip.label for chip in found.chips] == ["raspberrypi-exp-gpio"] and found.header is None
