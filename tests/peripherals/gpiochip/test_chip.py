"""A chip and its lines: looking, names, asking for one."""

from __future__ import annotations

import errno

import pytest

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import Chip, LineInfo, Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line, Stock


@pytest.fixture
def model():
    return Model("pi3")


@pytest.fixture
def chip(model):
    return find(model)


def test_a_line_is_what_it_was_asked_to_be(chip):
    asked = Settings("input", active_low=True, bias="up", edges="both", debounce=0.01)
    chip.request(17, asked, "door")
    assert chip.info(17) == LineInfo(17, "GPIO17", "door", True, "input", True, "up", "both", "", 0.01)


def test_the_direction_of_a_free_line_is_what_was_last_asked_of_it():
    model = Model("pi3", release="input")
    chip = find(model)
    chip.request(17, Settings("output", True), "pump").close()
    assert model.outside(chip.path, 17) is False
    assert chip.info(17).direction == "output"
    held = chip.request(17, Settings("as-is"), "pump")
    assert chip.info(17).direction == "input"
    held.close()


def test_names_are_read_once(model, chip):
    chip.offset_of("SDA0")
    asked = len(model.record)
    assert chip.offset_of("SCL0") == 45
    assert len(model.record) == asked


def test_a_line_of_the_header_is_found_by_one_look(model, chip):
    asked = len(model.record)
    assert chip.offset_of("GPIO17") == 17
    assert [(done.what, done.line) for done in model.record[asked:]] == [("GET_LINEINFO", 17)]


def test_on_a_header_a_name_elsewhere_comes_before_the_number():
    lines = tuple(Line("GPIO3" if number == 5 else f"X{number}") for number in range(28))
    chip = find(Model((Stock("gpiochip0", "pinctrl-rp1", lines),)))
    assert (chip.offset_of("GPIO3"), chip.offset_of("GPIO5")) == (5, 5)


def test_two_lines_of_one_name_are_told_by_their_offsets():
    chip = find(Model((Stock("gpiochip0", "x", (Line("A"), Line("RELAY"), Line("RELAY"))),)))
    with pytest.raises(HardwareFault, match="2 lines named RELAY: 1 and 2"):
        chip.offset_of("RELAY")
    assert chip.offset_of("2") == 2


def test_on_a_header_gpio_numbers_are_lines_whatever_the_tree_calls_them(chip):
    mainline = find(Model("pi3-mainline"))
    assert (mainline.offset_of("GPIO4"), mainline.offset_of("GPIO_GCLK")) == (4, 4)
    for wrong in ("GPIO28", "GPIO017", "GPIO", "GPIO²", "gpio4"):
        with pytest.raises(HardwareFault, match="has no line"):
            mainline.offset_of(wrong)
    with pytest.raises(HardwareFault, match="has no line GPIO4"):
        find(Model("generic")).offset_of("GPIO4")


@pytest.mark.parametrize("line", ["54", "273", "99999999999999999999", "-1", "1.0", " 1", "", "¹", "17 "])
def test_what_is_no_line_is_never_taken_for_one(chip, line):
    with pytest.raises(HardwareFault, match="has no line"):
        chip.offset_of(line)


def test_another_spelling_is_offered(chip):
    with pytest.raises(HardwareFault, match="it is called GPIO17 there"):
        chip.offset_of("gpio17")


@pytest.mark.parametrize("offset", [-1, 54, 1 << 31, 1 << 40])
def test_an_offset_that_is_not_there_is_refused_before_it_is_packed(chip, offset):
    with pytest.raises(HardwareFault, match="0 to 53"):
        chip.info(offset)
    with pytest.raises(HardwareFault, match="0 to 53"):
        chip.request(offset, Settings("input"), "fieldhand")


@pytest.mark.parametrize(
    "words",
    [
        {"direction": "out"},
        {"direction": ""},
        {"direction": "input", "bias": "pull-up"},
        {"direction": "input", "edges": "any"},
        {"direction": "output", "drive": "push"},
        {"direction": "input", "debounce": -1.0},
        {"direction": "input", "debounce": float("nan")},
        {"direction": "input", "debounce": 5000.0},
    ],
    ids=str,
)
def test_settings_of_unknown_words_do_not_exist(words):
    with pytest.raises(ValueError, match=r"is no|is not between"):
        Settings(**words)


def test_a_line_of_the_kernels_own_is_refused_with_its_holder():
    chip = find(Model("pi5"))
    with pytest.raises(HardwareFault, match=r'ETH_RST_N \(line 32 of pinctrl-rp1\) is held by "phy-reset"') as caught:
        chip.request(32, Settings("output", True), "fieldhand")
    assert caught.value.errno == errno.EBUSY


def test_a_chip_without_interrupts_says_that_it_gives_no_edges(model):
    chip = Chip(model, "/dev/gpiochip1")
    with pytest.raises(HardwareFault, match="gives no edges: its chip has no interrupts"):
        chip.request(0, Settings("input", edges="both"), "fieldhand")
    chip.request(0, Settings("input"), "fieldhand")


def test_nothing_stays_open_behind_a_chip_that_does_not_answer(model):
    model.fail("GET_CHIPINFO", errno.EIO)
    with pytest.raises(HardwareFault, match="does not answer as a GPIO chip"):
        Chip(model, "/dev/gpiochip0")
    assert model._open == {}


def test_closing_twice_is_closing_once(chip):
    held = chip.request(17, Settings("input"), "fieldhand")
    held.close()
    held.close()
    chip.close()
    chip.close()
    assert held.fd == -1
