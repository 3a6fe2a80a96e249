"""Chips by label, and who holds a line."""

from __future__ import annotations

import errno
import os
import random

import pytest

from edge.faults import HardwareFault
from edge.peripherals.boards import reserved
from edge.peripherals.gpiochip.chip import HEADERS, Chip, Settings
from edge.peripherals.gpiochip.find import OWN, every, find, holder
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import BOARDS, Line, Stock, board


def stock(number, label, lines=8):
    return Stock(f"gpiochip{number}", label, (Line(),) * lines)


@pytest.mark.parametrize(
    ("name", "label"),
    [("pi-zero", "pinctrl-bcm2835"), ("pi3", "pinctrl-bcm2835"), ("pi5", "pinctrl-rp1"), ("generic", "9030000.pl061")],
)
def test_the_headers_chip_is_found_on_every_board(name, label):
    assert find(Model(name)).label == label


def test_the_number_of_a_chip_plays_no_part():
    rng = random.Random(5)
    for _ in range(20):
        numbers = rng.sample(range(20), 3)
        labels = ["pinctrl-rp1", "gpio-brcmstb@107d508500", "pcf8574"]
        found = find(Model(tuple(stock(*pair) for pair in zip(numbers, labels))))
        assert found.label == "pinctrl-rp1"


def test_a_label_finds_its_chip_beside_the_headers():
    assert find(Model("pi3"), "raspberrypi-exp-gpio").lines == 8


def test_every_other_chip_is_closed_again():
    model = Model("pi5")
    before = len(os.listdir("/proc/self/fd"))
    find(model).close()
    with pytest.raises(HardwareFault):
        find(model, "none")
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("chips", "label", "said"),
    [
        ((), "", "no GPIO chip: there is no /dev/gpiochip"),
        (
            (stock(0, "a"), stock(1, "b", 4)),
            "",
            r"not clear: a \(8 lines\), b \(4 lines\).*chip = .* in the table",
        ),
        ((stock(0, "a"),), "b", "has the label b .*labels here: a"),
        ((stock(0, "a"),), "gpiochip0", "named by label, for their numbers change"),
        ((stock(0, "a"),), "/dev/gpiochip0", "named by label, for their numbers change"),
        ((stock(0, "pcf8574"), stock(1, "pcf8574")), "pcf8574", "2 GPIO chips have the label .*cannot be told apart"),
        ((stock(0, "", 4), stock(1, "b")), "", r"\(none\) \(4 lines\)"),
        ((stock(1, "raspberrypi-exp-gpio"),), "", "the header is not here, only raspberrypi-exp-gpio"),
        ((stock(0, "gpio-brcmstb@1"), stock(1, "gpio-brcmstb@2")), "", "the header is not here"),
    ],
)
def test_what_cannot_be_told_is_said_with_what_there_is(chips, label, said):
    with pytest.raises(HardwareFault, match=said):
        find(Model(chips), label)


def test_a_chip_that_cannot_be_opened_is_no_reason_to_take_another():
    model = Model((stock(0, "a"), stock(1, "b")))
    model.fail("open", errno.EACCES)
    with pytest.raises(HardwareFault, match=r"gpiochip0 cannot be opened: permission denied.*usermod"):
        find(model)
    model.fail("open", errno.EACCES)
    assert find(model, "b").label == "b"


def test_every_gives_the_chips_and_why_others_are_not_there():
    model = Model("pi5")
    model.fail("GET_CHIPINFO", errno.ENODEV, after=1)
    chips, faults = every(model)
    assert [chip.name for chip in chips] == ["gpiochip10", "gpiochip13"]
    assert ["the chip is gone" in str(fault) for fault in faults] == [True]


def test_a_holder_is_named_when_it_gave_a_name():
    model = Model("pi3")
    chip = find(model)
    assert holder(chip.info(17)) == "free"
    chip.request(17, Settings("input"), "pump")
    assert holder(chip.info(17)) == 'held by "pump"'
    chip.request(18, Settings("input"), "")
    assert holder(chip.info(18)) == "held by somebody without a name"


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_the_boards_that_stand_ready_are_whole(name):
    for stocked in board(name):
        found = Chip(Model(name), f"/dev/{stocked.name}")
        assert (found.label, found.lines) == (stocked.label, len(stocked.lines))
        assert [found.info(offset).name for offset in range(found.lines)] == [line.name for line in stocked.lines]
    with pytest.raises(ValueError, match="no model of a board 'x'"):
        board("x")


@pytest.mark.parametrize("name", ["pi-zero", "pi3", "pi3-mainline", "pi5"])
def test_the_header_has_54_lines_and_its_numbers_are_its_offsets(name):
    chip = find(Model(name))
    assert chip.lines == 54
    for number in range(28):
        assert chip.offset_of(f"GPIO{number}") == number
    assert chip.offset_of("ID_SDA") == 0


def test_the_name_of_a_holder_stays_within_its_quotes_and_on_its_line():
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(17, Settings("output"), '\x1b[2J"; do\nit \x9b')
    assert holder(chip.info(17)) == 'held by "?[2J?; do?it ?"'
    chip.request(18, Settings("output"), "\u202e" + "x" * 40)
    assert holder(chip.info(18)) == f'held by "?{"x" * 28}"'


def test_a_chip_of_the_board_itself_is_only_taken_by_its_label():
    chips = (stock(0, "raspberrypi-exp-gpio"), stock(1, "mcp23017"))
    assert find(Model(chips)).label == "mcp23017" and find(Model(chips), "raspberrypi-exp-gpio").lines == 8


def test_the_chips_of_a_header_and_of_the_board_itself_are_those_that_the_board_knows():
    assert sorted(HEADERS) == sorted(reserved.HEADER_CHIPS)
    assert all("chip of the board's own" in reserved.never(label, "0") for label in OWN)
    assert not any(reserved.never(label, "0") for label in HEADERS)
