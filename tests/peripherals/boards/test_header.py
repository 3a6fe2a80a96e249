"""The header's pins: where each line is, whatever it is called."""

from __future__ import annotations

import pytest

from edge.peripherals.boards import header
from edge.peripherals.boards.header import FIRST, FULL, SHORT, bcm, physical, pins


def test_the_full_header_has_every_line_once_and_power_where_it_is() -> None:
    found = pins()
    assert [pin.number for pin in found] == list(range(1, 41))
    assert sorted(pin.bcm for pin in found if pin.bcm >= 0) == list(range(28))
    power = {name: [pin.number for pin in found if pin.name == name] for name in ("3V3", "5V", "GND")}
    assert power == {"3V3": [1, 17], "5V": [2, 4], "GND": [6, 9, 14, 20, 25, 30, 34, 39]}


@pytest.mark.parametrize(
    "line, number",
    [
        *(("GPIO17", 11), ("GPIO4", 7), ("GPIO2", 3), ("GPIO21", 40), ("GPIO26", 37), ("GPIO18", 12), ("GPIO7", 26)),
        *(("ID_SDA", 27), ("SDA1", 3), ("GPIO_GCLK", 7), ("TXD1", 8), ("SPI_CE0_N", 24), ("17", 11), ("bcm17", 11)),
    ],
)
def test_a_line_is_found_by_each_of_its_names(line: str, number: int) -> None:
    assert physical(line) == number


@pytest.mark.parametrize(
    "line", ["GPIO28", "GPIO273", "", "GPIO", "GPIO017", "-1", "SD_CLK", "GPIO1.5", "\u0661", "17x"]
)
def test_what_is_no_line_of_the_header_has_no_pin(line: str) -> None:
    assert physical(line) == 0


def test_the_old_headers_are_the_first_pins_and_the_first_board_is_different_in_three() -> None:
    assert pins(SHORT) == pins(FULL)[:26]
    other = [(new.number, old.bcm, new.bcm) for old, new in zip(pins(FIRST), pins(SHORT)) if old != new]
    assert other == [(3, 0, 2), (5, 1, 3), (13, 21, 27)]
    assert physical("GPIO27", FIRST) == 0 and physical("GPIO21", FIRST) == 13
    assert pins("") == () and physical("GPIO17", "") == 0


def test_a_number_is_never_cut_to_fit() -> None:
    assert [bcm(str(number)) for number in (17, 57, 58, 99, 273)] == [17, 57, -1, -1, -1]


def test_other_functions() -> None:
    by_line = {pin.bcm: pin.others for pin in pins()}
    assert by_line[2] == ("I2C1 SDA",) and "SPI1 CE0" in by_line[18] and by_line[17] == ("SPI1 CE1", "UART RTS")
    assert header.LAST == 27
