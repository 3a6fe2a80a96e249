"""Parts that are read over I2C without a driver of the kernel: one row each, from the datasheet.

Rules this file keeps:
1. Data. What a row says how, edge/peripherals/sensors/i2c.py does; a part that needs more than a row gets a new column.
2. A part is told by the settings, never guessed: several have the same addresses and nothing that says who they are.
   What contradicts a part (`fixed`, `zero`) is a fault.
3. No row writes to a part.
"""

from __future__ import annotations

from edge.peripherals.sensors.quantities import TEMPERATURE, Quantity
from edge.record import Record


class Form(Record):
    """How a result stands in its register: right of it `shift` bits of others, then counts of `scale`.

    `zero`: bits that are never set.
    """

    shift: int
    scale: float
    zero: int = 0


class Part(Record):
    """One part. `value` and `config`: register and bytes, most significant byte first, the value in two's complement.

    `wide`: the bit of the configuration with which the result stands as in `extended`. `rest`: the bit with which the
    part converts nothing. `fixed`: bits of it, and what they always are. `cycles`: seconds from one result to the next,
    chosen by the two bits of the configuration from `cycle_at` on where there are several. `low`, `high`: its range.
    """

    quantity: Quantity
    addresses: tuple[int, ...]
    value: tuple[int, int]
    config: tuple[int, int]
    form: Form
    rest: int
    fixed: tuple[int, int]
    low: float
    high: float
    cycles: tuple[float, ...]
    cycle_at: int = 0
    wide: int = 0
    extended: Form | None = None


# 1-wire families that w1_therm reads: DS18S20, DS1822, DS18B20, DS1825, DS28EA00.
FAMILIES = ("10", "22", "28", "3b", "42")
_LM75_ADDRESSES = tuple(range(0x48, 0x50))

PARTS = {
    # TI SNIS153 (LM75B, LM75C): 9 bits, the rest of the register is undefined; conversion 100 ms, at most 300 ms
    "lm75": Part(
        *(TEMPERATURE, _LM75_ADDRESSES, (0x00, 2), (0x01, 1), Form(7, 0.5)),
        *(0x01, (0xE0, 0x00), -55.0, 125.0, (0.3,)),
    ),
    # TI SBOS348 (TMP105), 7.5: 9 to 12 bits, left-justified, the bits below them zero; a conversion 27.5 to 220 ms
    "tmp105": Part(
        *(TEMPERATURE, (0x48, 0x49), (0x00, 2), (0x01, 1), Form(4, 0.0625, 0x000F)),
        *(0x01, (0x80, 0x00), -55.0, 125.0, (0.22,)),
    ),
    # TI SBOS397 (TMP102), 7.5: 12 bits, with EM 13 and a one in the last place; CR: every 4, 1, 0.25, 0.125 s
    "tmp102": Part(
        *(TEMPERATURE, (0x48, 0x49, 0x4A, 0x4B), (0x00, 2), (0x01, 2), Form(4, 0.0625, 0x000F)),
        *(0x0100, (0x6000, 0x6000), -40.0, 125.0, (4.0, 1.0, 0.25, 0.125)),
        cycle_at=6,
        wide=0x0010,
        extended=Form(3, 0.0625, 0x0006),
    ),
}
