"""The pins of Raspberry Pi headers as data: what each is, which GPIO line is behind it, what else it can be.

Rules this file keeps:
1. Pure data and look-ups. A line of the header is known by its BCM number, which on every Raspberry Pi is its offset at
   the header's chip; names are what kernels gave it at one time or another.
2. Nothing here is true of another board: whoever asks says which header it is (identity.py knows), or has a line name.

Source of the facts: Raspberry Pi documentation, "GPIO and the 40-pin header"; BCM2835 ARM Peripherals, table 6-31; the
first board's P1 (revision codes 0002 and 0003) had other lines at pins 3, 5 and 13. Line names: the device trees.
"""

from __future__ import annotations

from edge.record import Record

FULL, SHORT, FIRST = "40", "26", "26 of the first board"
HEADERS = (FULL, SHORT, FIRST)
LAST = 27  # the last BCM number that a 40-pin header has

# One word a pin, in order: a BCM number, or what it is.
_PINS = (
    "3V3 5V 2 5V 3 GND 4 14 GND 15 17 18 27 GND 22 23 3V3 24 10 GND 9 25 11 8 GND 7 "
    "0 1 5 GND 6 12 13 GND 19 16 26 20 GND 21"
)
_FIRST = {3: "0", 5: "1", 13: "21"}
# BCM number -> what the pin can be instead, the usual one first.
_OTHERS = {
    **{0: "ID EEPROM SDA|I2C0 SDA", 1: "ID EEPROM SCL|I2C0 SCL", 2: "I2C1 SDA", 3: "I2C1 SCL", 4: "GPCLK0|1-wire"},
    **{5: "GPCLK1", 6: "GPCLK2", 7: "SPI0 CE1", 8: "SPI0 CE0", 9: "SPI0 MISO", 10: "SPI0 MOSI", 11: "SPI0 SCLK"},
    **{12: "PWM", 13: "PWM", 14: "UART TXD", 15: "UART RXD", 16: "SPI1 CE2|UART CTS", 17: "SPI1 CE1|UART RTS"},
    **{18: "PCM CLK|PWM|SPI1 CE0", 19: "PCM FS|PWM|SPI1 MISO", 20: "PCM DIN|SPI1 MOSI", 21: "PCM DOUT|SPI1 SCLK"},
}
# Names other than GPIOn under which kernels list a line.
_NAMES = {
    **{"ID_SDA": 0, "ID_SD": 0, "SDA0": 0, "ID_SCL": 1, "ID_SC": 1, "SCL0": 1, "SDA1": 2, "SDA": 2, "SCL1": 3},
    **{"SCL": 3, "GPIO_GCLK": 4, "GPCLK0": 4, "SPI_CE1_N": 7, "SPI_CE0_N": 8, "SPI_MISO": 9, "SPI_MOSI": 10},
    **{"SPI_SCLK": 11, "TXD0": 14, "TXD1": 14, "TXD": 14, "RXD0": 15, "RXD1": 15, "RXD": 15},
}


class Pin(Record):
    """A pin of a header. `number`: the physical one, from 1. `name`: GPIO17, 3V3, 5V or GND. `bcm`: -1 for power."""

    number: int
    name: str
    bcm: int = -1
    others: tuple[str, ...] = ()


def pins(header: str = FULL) -> tuple[Pin, ...]:
    """The pins of a header in order: 40, 26, or none for a header that is not known."""
    if header not in HEADERS:
        return ()
    words = _PINS.split()[: 40 if header == FULL else 26]
    return tuple([_pin(at, _FIRST.get(at, word) if header == FIRST else word) for at, word in enumerate(words, 1)])


def _pin(number: int, word: str) -> Pin:
    if not word.isdecimal():
        return Pin(number, word)
    bcm = int(word)
    return Pin(number, f"GPIO{bcm}", bcm, tuple(_OTHERS[bcm].split("|")) if bcm in _OTHERS else ())


def bcm(line: str) -> int:
    """The BCM number that a line's name (`GPIO17`, `BCM17`, `17`, `SDA1`) means, -1 when it means none."""
    name = line.strip().upper()
    if name in _NAMES:
        return _NAMES[name]
    for start in ("GPIO", "BCM"):
        if name.startswith(start):
            name = name[len(start) :]
            break
    if not (name.isascii() and name.isdecimal() and len(name) <= 2):
        return -1
    number = int(name)
    return number if str(number) == name and number <= 57 else -1


def physical(line: str, header: str = FULL) -> int:
    """The physical pin of a line, 0 when the header has none with it."""
    number = bcm(line)
    return next((pin.number for pin in pins(header) if pin.bcm == number >= 0), 0)


def placed(where: str) -> tuple[str, str]:
    """The line and the chip of a place in words: `GPIO17`, `GPIO17 of LABEL`, `line 3 of LABEL`; "" for none.

    `channel 0 of pwmchip0` is no line.
    """
    line, _, chip = where.partition(" of ")
    line = line[len("line ") :] if line.startswith("line ") else line
    return ("", "") if not line or line.startswith("channel ") else (line, chip)
