"""Chips as data, for the model: what a kernel shows on boards that people have.

The header's names are those of the Raspberry Pi kernel's device trees; `pi3-mainline` has those of mainline Linux
(arch/arm/boot/dts/broadcom), where several header lines are named by their second function. Pulls at power-on as the
BCM2835 peripherals manual gives them (GPIO0 to 8 up, the other header lines down), and the same on RP1.
"""

from __future__ import annotations

from edge.record import Record


class Line(Record):
    """A line: its name, the kernel's own holder ("" free), its pull at power-on, whether the kernel drives it."""

    name: str = ""
    consumer: str = ""
    bias: str = ""
    output: bool = False


class Stock(Record):
    """A chip: kernel name, label, lines. `pulls`: bias has an effect. `interrupts`: edges can be had."""

    name: str
    label: str
    lines: tuple[Line, ...]
    pulls: bool = True
    interrupts: bool = True


HEADER = "ID_SDA ID_SCL " + " ".join([f"GPIO{number}" for number in range(2, 28)])
MAINLINE = (
    "ID_SDA ID_SCL SDA1 SCL1 GPIO_GCLK GPIO5 GPIO6 SPI_CE1_N SPI_CE0_N SPI_MISO SPI_MOSI SPI_SCLK GPIO12 GPIO13 "
    "TXD1 RXD1 " + " ".join([f"GPIO{number}" for number in range(16, 28)])
)
SD_CARD = "SD_CLK_R SD_CMD_R SD_DATA0_R SD_DATA1_R SD_DATA2_R SD_DATA3_R"
# "-" has no name.
ZERO = f"SDA0 SCL0 - - CAM_GPIO1 - - - - - - - - CAM_GPIO0 - - - - HDMI_HPD_N STATUS_LED_N {SD_CARD}"
THREE = (
    "- LAN_RUN_BOOT CTS0 RTS0 TXD0 RXD0 SD1_CLK SD1_CMD SD1_DATA0 SD1_DATA1 SD1_DATA2 SD1_DATA3 PWM0_OUT PWM1_OUT "
    f"ETH_CLK WIFI_CLK SDA0 SCL0 SMPS_SCL SMPS_SDA {SD_CARD}"
)
FIVE = (
    "PCIE_RP1_WAKE FAN_TACH HOST_SDA HOST_SCL ETH_RST_N - CD0_IO0_MICCLK CD0_IO0_MICDAT0 RP1_PCIE_CLKREQ_N - CD0_SDA "
    "CD0_SCL CD1_SDA CD1_SCL USB_VBUS_EN USB_OC_N RP1_STAT_LED FAN_PWM CD1_IO0_MICCLK 2712_WAKE CD1_IO1_MICDAT1 "
    "EN_MAX_USB_CUR - - - -"
)
EXPANDER = "BT_ON WL_ON STATUS_LED LAN_RUN HDMI_HPD_N CAM_GPIO0 CAM_GPIO1 PWR_LOW_N"


def _lines(names: str, **held: str) -> tuple[Line, ...]:
    """Lines of the names, those of `held` (name -> consumer) driven by the kernel; the first 28 with header pulls."""
    found = []
    for offset, name in enumerate(names.split()):
        consumer = held.get(name.replace("2712", "SOC"), "")
        bias = ("up" if offset < 9 else "down") if offset < 28 else ""
        found.append(Line("" if name == "-" else name, consumer, bias, bool(consumer)))
    return tuple(found)


def board(name: str) -> tuple[Stock, ...]:
    """The chips of a board by its name; ValueError with the names there are when there is none."""
    if name not in BOARDS:
        raise ValueError(f"there is no model of a board {name[:40]!r}: {', '.join(sorted(BOARDS))}")
    return BOARDS[name]


_EXPANDER = Stock("gpiochip1", "raspberrypi-exp-gpio", _lines(EXPANDER, STATUS_LED="ACT"), False, False)
BOARDS = {
    "pi-zero": (Stock("gpiochip0", "pinctrl-bcm2835", _lines(f"{HEADER} {ZERO}", STATUS_LED_N="ACT")),),
    "pi3": (Stock("gpiochip0", "pinctrl-bcm2835", _lines(f"{HEADER} {THREE}")), _EXPANDER),
    "pi3-mainline": (Stock("gpiochip0", "pinctrl-bcm2835", _lines(f"{MAINLINE} {THREE}")), _EXPANDER),
    "pi5": (
        Stock("gpiochip10", "gpio-brcmstb@107d508500", _lines("- " * 32)),
        Stock("gpiochip11", "gpio-brcmstb@107d517c00", _lines("- " * 17)),
        Stock(
            "gpiochip13",
            "pinctrl-rp1",
            _lines(f"{HEADER} {FIVE}", ETH_RST_N="phy-reset", RP1_STAT_LED="PWR", CD0_IO0_MICCLK="cam0_reg"),
        ),
    ),
    "generic": (Stock("gpiochip0", "9030000.pl061", (Line(),) * 8, False),),
}
