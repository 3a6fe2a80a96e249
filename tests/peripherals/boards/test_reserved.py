"""Lines that have another duty, each with the sentence that says which."""

from __future__ import annotations

import pytest

from edge.peripherals.boards.reserved import HEADER_CHIPS, never, reserved


@pytest.mark.parametrize("label", HEADER_CHIPS)
def test_of_a_header_4_to_27_are_free_but_the_console(label: str) -> None:
    free = [number for number in range(54) if not reserved(label, f"GPIO{number}")]
    assert free == [*range(4, 14), *range(16, 28)]
    assert [number for number in range(54) if never(label, f"GPIO{number}")] == list(range(28, 54))


@pytest.mark.parametrize("label", HEADER_CHIPS)
@pytest.mark.parametrize("line", ["SD_CLK_R", "CAM_GPIO0", "WL_ON", "ETH_RST_N", "PWR_LOW_N", "", "HDMI_HPD_N"])
def test_a_line_that_is_not_at_the_header_is_the_boards_own_whatever_its_name(label: str, line: str) -> None:
    assert "not at the header" in never(label, line) and reserved(label, line) == never(label, line)


@pytest.mark.parametrize("label", ["raspberrypi-exp-gpio", "brcmvirt-gpio", "gpio-brcmstb@107d517c00"])
def test_nothing_of_the_chips_beside_the_headers_may_be_had(label: str) -> None:
    assert label in never(label, "GPIO17") and label in reserved(label, "3")


def test_each_duty_is_named() -> None:
    said = {line: reserved("pinctrl-bcm2711", line) for line in ("ID_SDA", "GPIO2", "SCL1", "TXD0", "15")}
    assert "EEPROM" in said["ID_SDA"] and "I2C" in said["GPIO2"] and "I2C" in said["SCL1"]
    assert "serial port" in said["TXD0"] and "serial port" in said["15"]
    assert not any(never("pinctrl-bcm2711", line) for line in said)


@pytest.mark.parametrize(
    "line, reason",
    [
        *(("", "no name"), ("3", "no name"), ("WIFI_EN", "wifi"), ("eth0_phy_rst", "eth"), ("SD_CD", "sd")),
        *(("Blue LED", "led"), ("GPIO_17", ""), ("P9_12", ""), ("PIN_11", ""), ("7J1 Header Pin5", ""), ("SDA2", "")),
    ],
)
def test_of_another_chip_the_name_decides(line: str, reason: str) -> None:
    said = reserved("some-soc-gpio", line)
    assert (reason in said if reason else said == "") and never("some-soc-gpio", line) == ""
