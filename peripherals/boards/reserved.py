"""Which GPIO lines are not for whoever likes: the sentence that says why.

Rules this file keeps:
1. Judged by the label of the chip and the name of the line, or its offset in decimal digits; nothing is opened.
2. Two degrees. `never`: the board itself lives on it, nobody may have it. `reserved`: this or a line that has another
   duty unless somebody says otherwise, so that it has to be named to be touched. "" is a line that is free to declare.
3. Of a chip that is not known only names are judged. A line without a name is reserved: nothing says what it drives.

Source of the facts: Raspberry Pi documentation ("GPIO and the 40-pin header"), the boards' device trees.
"""

from __future__ import annotations

from edge.peripherals.boards.header import LAST, bcm

# The chips of Raspberry Pis that have the header, then those that are the board's alone.
HEADER_CHIPS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
_BOARD_CHIPS = ("raspberrypi-exp-gpio", "brcmvirt-gpio", "gpio-brcmstb@")
_BUS = "has a fixed pull-up resistor and is the I2C bus of the header"
_CONSOLE = "is the serial port of the header, often its console: driving it fights the kernel's output"
_EEPROM = "belongs to the ID EEPROM of a HAT: other traffic there can destroy what the EEPROM holds"
_DUTIES = {0: _EEPROM, 1: _EEPROM, 2: _BUS, 3: _BUS, 14: _CONSOLE, 15: _CONSOLE}
# Words in a line's name that say that a board uses it for itself.
_OWN = frozenset(
    (
        *("SD", "SDIO", "SDCARD", "SDMMC", "MMC", "EMMC", "NAND", "NVME", "WIFI", "WLAN", "WL", "BT", "BLUETOOTH"),
        *("ETH", "PHY", "HDMI", "CAM", "CAMERA", "CSI", "DSI", "USB", "HUB", "PMIC", "PCIE", "LAN", "FAN", "RESET"),
        *("RST", "PWR", "POWER", "REGULATOR", "VCC", "BOOT", "JTAG", "LED", "WAKE"),
    )
)


def never(label: str, line: str) -> str:
    """Why nobody may have the line: a sentence part that follows its name; "" when somebody may."""
    if label.startswith(_BOARD_CHIPS):
        return f"is at {label}, the chip of the board's own functions (supply, Wi-Fi, camera, LEDs)"
    if label not in HEADER_CHIPS or 0 <= bcm(line) <= LAST:
        return ""
    if label == "pinctrl-rp1":
        return "is not at the header: on this board it serves fan, camera, Ethernet or USB"
    return "is not at the header: on this board it serves SD card, Wi-Fi, Bluetooth, Ethernet or LEDs"


def reserved(label: str, line: str) -> str:
    """Why the line is not free, as a sentence part that follows its name; "" when it is."""
    forbidden = never(label, line)
    if forbidden:
        return forbidden
    if label in HEADER_CHIPS:
        return _DUTIES.get(bcm(line), "")
    if not line or line.isdecimal():
        return "has no name on this board, so nothing says what it is wired to"
    own = sorted(_OWN.intersection(_words(line)))
    return f"is named for a function of the board itself ({own[0].lower()})" if own else ""


def _words(name: str) -> list[str]:
    """`WIFI_RST2` as WIFI, RST."""
    plain = "".join(letter if letter.isalpha() else " " for letter in name.upper())
    return plain.split()
