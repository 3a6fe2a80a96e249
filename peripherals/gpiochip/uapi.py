"""The GPIO character device's uAPI v2 as numbers and bytes (linux/gpio.h; Linux 5.10 and later).

Rules this file keeps:
1. Numbers and packing only: nothing is opened, nothing is asked.
2. No struct holds a pointer or a long, so 32 and 64 bit kernels and programs agree on every size and offset.
3. A request is for one line: bit 0 of every mask and of every value is that line.
4. Values are logical: 1 is active, whatever `ACTIVE_LOW` makes of it at the wire.
5. Numbers of ioctls are those of asm-generic/ioctl.h (ARM, x86, RISC-V; not MIPS, PowerPC, SPARC).
"""

from __future__ import annotations

from sys import byteorder

NAME = 32  # bytes of a name, the closing 0 among them (GPIO_MAX_NAME_SIZE)
CHIP_SIZE, INFO_SIZE, REQUEST_SIZE, CONFIG_SIZE, VALUES_SIZE, EVENT_SIZE = 68, 256, 592, 272, 16, 48
ATTRS = 10  # GPIO_V2_LINE_NUM_ATTRS_MAX
MOST = 64  # lines of one request, GPIO_V2_LINES_MAX

_READ, _BOTH = 2, 3


def _number(way: int, number: int, size: int) -> int:
    return way << 30 | size << 16 | 0xB4 << 8 | number


GET_CHIPINFO = _number(_READ, 0x01, CHIP_SIZE)
GET_LINEINFO = _number(_BOTH, 0x05, INFO_SIZE)
GET_LINE = _number(_BOTH, 0x07, REQUEST_SIZE)
SET_CONFIG = _number(_BOTH, 0x0D, CONFIG_SIZE)
GET_VALUES = _number(_BOTH, 0x0E, VALUES_SIZE)
SET_VALUES = _number(_BOTH, 0x0F, VALUES_SIZE)

USED, ACTIVE_LOW, INPUT, OUTPUT, RISING, FALLING = 1, 2, 4, 8, 16, 32
OPEN_DRAIN, OPEN_SOURCE, PULL_UP, PULL_DOWN, BIAS_OFF = 64, 128, 256, 512, 1024
FLAGS, VALUES, DEBOUNCE = 1, 2, 3  # what an attribute is (enum gpio_v2_line_attr_id)
RISING_EDGE, FALLING_EDGE = 1, 2

# Where a field stands. A config within a request, an attribute within a config, its mask within the attribute.
CONSUMER_AT, CONFIG_AT, COUNT_AT, BUFFER_AT, FD_AT = 256, 288, 560, 564, 588
ATTR_AT, ATTR_SIZE, MASK_AT = 32, 24, 16
# Within a line's info.
OFFSET_AT, NUM_AT, FLAGS_AT, INFO_ATTR_AT, INFO_ATTR_SIZE = 64, 68, 72, 80, 16

# Words of ours and their flags; TOLD are those that most lines have none of.
BIAS = {"": 0, "up": PULL_UP, "down": PULL_DOWN, "off": BIAS_OFF}
EDGES = {"": 0, "rising": RISING, "falling": FALLING, "both": RISING | FALLING}
DRIVE = {"": 0, "drain": OPEN_DRAIN, "source": OPEN_SOURCE}
TOLD = PULL_UP | PULL_DOWN | BIAS_OFF | RISING | FALLING | OPEN_DRAIN | OPEN_SOURCE
DIRECTION = {"as-is": 0, "input": INPUT, "output": OUTPUT}

# Bits and mask of the one line of a request.
_OFF, _ON = [value.to_bytes(8, byteorder) + (1).to_bytes(8, byteorder) for value in (0, 1)]

LONGEST = 4294.967295  # seconds of debounce that 32 bits of microseconds hold


def put(data: bytearray, at: int, size: int, value: int) -> None:
    """Write an unsigned number of `size` bytes."""
    data[at : at + size] = value.to_bytes(size, byteorder)


def get(data: bytes | bytearray, at: int, size: int) -> int:
    """Read an unsigned number of `size` bytes."""
    return int.from_bytes(data[at : at + size], byteorder)


def text(data: bytes | bytearray, at: int) -> str:
    """The name that stands at `at`, to its closing 0."""
    return data[at : at + NAME].partition(b"\0")[0].decode("utf-8", "replace")


def config(flags: int, value: bool | None, debounce: float) -> bytearray:
    """`struct gpio_v2_line_config`, 272 bytes. `value`: None for what is no output. `debounce`: seconds, 0 for none."""
    data = bytearray(CONFIG_SIZE)
    if not flags and value is None and not debounce:
        return data  # as it is: a look
    put(data, 0, 8, flags)
    attributes = [] if value is None else [(VALUES, 8, int(value))]
    if debounce:
        attributes.append((DEBOUNCE, 4, max(1, round(debounce * 1e6))))
    for index, (kind, size, held) in enumerate(attributes):
        at = ATTR_AT + index * ATTR_SIZE
        put(data, at, 4, kind)
        put(data, at + 8, size, held)
        put(data, at + MASK_AT, 8, 1)
    put(data, 8, 4, len(attributes))
    return data


def request(offset: int, consumer: str, asked: bytearray, room: int = 0) -> bytearray:
    """`struct gpio_v2_line_request`, 592 bytes, for one line. `asked`: its config.

    The consumer is cut to 31 bytes. `room`: events the kernel is to hold, 0 for its own choice, which is 16.
    """
    data = bytearray(REQUEST_SIZE)
    put(data, 0, 4, offset)
    shown = consumer.encode("utf-8", "replace")
    if len(shown) >= NAME:
        shown = shown[: NAME - 1].decode("utf-8", "ignore").encode("utf-8")
    data[CONSUMER_AT : CONSUMER_AT + len(shown)] = shown
    data[CONFIG_AT : CONFIG_AT + CONFIG_SIZE] = asked
    put(data, COUNT_AT, 4, 1)
    if room:
        put(data, BUFFER_AT, 4, room)
    return data


def values(value: bool = False) -> bytearray:
    """`struct gpio_v2_line_values`, 16 bytes: bits, mask."""
    return bytearray(_ON if value else _OFF)


def info(offset: int) -> bytearray:
    """`struct gpio_v2_line_info`, 256 bytes, as it is asked."""
    data = bytearray(INFO_SIZE)
    put(data, OFFSET_AT, 4, offset)
    return data


def word(words: dict[str, int], flags: int) -> str:
    """Which of the words a line's flags say, the one with most of them; "" when none."""
    fitting = [(flag, said) for said, flag in words.items() if flag and flags & flag == flag]
    return max(fitting)[1] if fitting else ""
