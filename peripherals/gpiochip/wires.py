"""What a chip model is made of: lines with their wires, chips, requests; what a kernel tells of them and refuses.

Rules this file keeps:
1. Nothing here is locked: the model that owns it does that.
2. Levels are those of the wire (true is high), values are logical.
3. What the kernel refuses stands in its gpiolib-cdev.c: contradictions of flags are EINVAL.
"""

from __future__ import annotations

import errno
import os
from time import monotonic_ns

from edge.peripherals.gpiochip import uapi
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.gpiochip.stock import Stock

DIRECTIONS = uapi.INPUT | uapi.OUTPUT
EDGES = uapi.RISING | uapi.FALLING
DRIVES = uapi.OPEN_DRAIN | uapi.OPEN_SOURCE
BIASES = uapi.PULL_UP | uapi.PULL_DOWN | uapi.BIAS_OFF
KNOWN = DIRECTIONS | EDGES | DRIVES | BIASES | uapi.ACTIVE_LOW
CALLS = {
    uapi.GET_CHIPINFO: "GET_CHIPINFO",
    uapi.GET_LINEINFO: "GET_LINEINFO",
    uapi.GET_LINE: "GET_LINE",
    uapi.SET_CONFIG: "SET_CONFIG",
    uapi.GET_VALUES: "GET_VALUES",
    uapi.SET_VALUES: "SET_VALUES",
}
HISTORY = 1000  # changes of one line that are remembered
FIONREAD = 0x541B  # bytes that can be read, ioctl_tty(2); for pipes too


class Done(Record):
    """One call as it was asked: its name, chip path, line (-1: the chip), flags, value (None: none), errno or 0."""

    what: str
    chip: str
    line: int = -1
    flags: int = 0
    value: bool | None = None
    debounce: float = 0.0
    error: int = 0


class Line:
    """A line of a chip: what the kernel remembers of it and what its wire does."""

    def __init__(self, name: str, consumer: str, bias: str, output: bool) -> None:
        self.name = name
        self.consumer = consumer
        self.bias = bias
        self.shown_output = self.driving = output
        self.driven = False
        self.flags = 0
        self.pull: bool | None = None
        self.stuck: bool | None = None
        self.held: Held | None = None
        self.level = self.now()
        self.history = [(monotonic_ns(), self.level)]

    def now(self) -> bool:
        """The level of the wire by everything that acts on it."""
        if self.stuck is not None:
            return self.stuck
        lets_go = self.flags & (uapi.OPEN_DRAIN if self.driven else uapi.OPEN_SOURCE)
        if self.driving and not lets_go:
            return self.driven
        return self.pull if self.pull is not None else self.bias == "up"

    def follow(self) -> bool:
        """Let the wire follow what acts on it; True when it changed."""
        level = self.now()
        changed = level != self.level
        if changed:
            self.level = level
            self.history.append((monotonic_ns(), level))
            if len(self.history) > 2 * HISTORY:
                del self.history[:-HISTORY]
        return changed


class Chip:
    """A chip that is plugged in."""

    def __init__(self, stock: Stock) -> None:
        self.stock = stock
        self.path = f"/dev/{stock.name}"
        self.gone = False
        self.lines = [Line(line.name, line.consumer, line.bias, line.output) for line in stock.lines]


class Held:
    """A request: its descriptors (`fd` the holder's, `writer` ours), and what it wants to hear."""

    def __init__(self, chip: Chip, offset: int, room: int) -> None:
        self.chip = chip
        self.offset = offset
        self.line = chip.lines[offset]
        self.fd, self.writer = os.pipe2(os.O_CLOEXEC)
        self.room = room
        self.debounce = 0.0
        self.settled = False  # the level that debounce lets through
        self.turn = 0  # settings it had, so that what waits for an earlier one knows it was overtaken
        self.settling = -1  # the settings under which a thread waits for the level to stay
        self.due = 0.0  # when it has stayed for long enough, time.monotonic()
        self.seqno = 0

    def hear(self, level: bool) -> None:
        """An edge to `level`, told when the holder asked for such edges."""
        active = level != bool(self.line.flags & uapi.ACTIVE_LOW)
        if self.line.flags & (uapi.RISING if active else uapi.FALLING):
            self._tell(active)

    def _tell(self, rising: bool) -> None:
        """Put one event where the holder reads it; the oldest goes when there is no room."""
        from fcntl import ioctl

        self.seqno += 1
        event = bytearray(uapi.EVENT_SIZE)
        kind = uapi.RISING_EDGE if rising else uapi.FALLING_EDGE
        fields = ((0, 8, monotonic_ns()), (8, 4, kind), (12, 4, self.offset), (16, 4, self.seqno), (20, 4, self.seqno))
        for at, size, value in fields:
            uapi.put(event, at, size, value)
        unread = bytearray(4)
        ioctl(self.fd, FIONREAD, unread, True)
        if uapi.get(unread, 0, 4) >= self.room * uapi.EVENT_SIZE:
            self._drop()
        os.write(self.writer, event)

    def _drop(self) -> bool:
        """Drop the oldest event; False when its holder read everything just now."""
        # Opened anew, for whether the holder's own descriptor waits is the holder's to say.
        spare = os.open(f"/proc/self/fd/{self.fd}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return bool(os.read(spare, uapi.EVENT_SIZE))
        except BlockingIOError:
            return False
        finally:
            os.close(spare)

    def end(self) -> None:
        """Close our side: the holder's descriptor hangs up."""
        os.close(self.writer)
        self.writer = -1


def refuse(number: int) -> None:
    """OSError with the number, nothing for 0."""
    if number:
        raise OSError(number, os.strerror(number))


def told_chip(chip: Chip, data: bytearray) -> None:
    """Answer GET_CHIPINFO."""
    for at, text in ((0, chip.stock.name), (uapi.NAME, chip.stock.label)):
        _put_text(data, at, text)
    uapi.put(data, 2 * uapi.NAME, 4, len(chip.lines))


def told_line(chip: Chip, data: bytearray) -> None:
    """Answer GET_LINEINFO."""
    offset = uapi.get(data, uapi.OFFSET_AT, 4)
    refuse(errno.EINVAL if offset >= len(chip.lines) or any(data[uapi.INFO_SIZE - 16 :]) else 0)
    line = chip.lines[offset]
    data[:] = uapi.info(offset)
    _put_text(data, 0, line.name)
    _put_text(data, uapi.NAME, line.consumer)
    flags = line.flags | (uapi.OUTPUT if line.shown_output else uapi.INPUT)
    uapi.put(data, uapi.FLAGS_AT, 8, flags | (uapi.USED if line.consumer else 0))
    if line.held and line.held.debounce:
        uapi.put(data, uapi.NUM_AT, 4, 1)
        uapi.put(data, uapi.INFO_ATTR_AT, 4, uapi.DEBOUNCE)
        uapi.put(data, uapi.INFO_ATTR_AT + 8, 4, round(line.held.debounce * 1e6))


def _put_text(data: bytearray, at: int, text: str) -> None:
    shown = text.encode()[: uapi.NAME - 1]
    data[at : at + uapi.NAME] = shown + bytes(uapi.NAME - len(shown))


def asked(what: str, chip: str, line: int, data: bytearray) -> Done:
    """A call in words."""
    if what == "GET_LINEINFO":
        return Done(what, chip, uapi.get(data, uapi.OFFSET_AT, 4))
    if what == "SET_VALUES":
        return Done(what, chip, line, value=bool(uapi.get(data, 0, 8) & 1))
    if what not in ("GET_LINE", "SET_CONFIG"):
        return Done(what, chip, line)
    at = uapi.CONFIG_AT if what == "GET_LINE" else 0
    config = Config(data, at)
    return Done(what, chip, uapi.get(data, 0, 4) if at else line, config.flags, config.value, config.debounce)


class Config:
    """`struct gpio_v2_line_config` for one line: `flags`, `value` (None: none given), `debounce` in seconds."""

    def __init__(self, data: bytearray, at: int = 0) -> None:
        self.flags = uapi.get(data, at, 8)
        self.value: bool | None = None
        self.debounce = 0.0
        self.count = uapi.get(data, at + 8, 4)
        self.padded = any(data[at + 12 : at + uapi.ATTR_AT])
        for index in reversed(range(min(self.count, uapi.ATTRS))):  # the first of several has precedence
            here = at + uapi.ATTR_AT + index * uapi.ATTR_SIZE
            if uapi.get(data, here + uapi.MASK_AT, 8) & 1:
                self._take(uapi.get(data, here, 4), uapi.get(data, here + 8, 8), uapi.get(data, here + 8, 4))

    def _take(self, kind: int, long: int, short: int) -> None:
        if kind == uapi.FLAGS:
            self.flags = long
        elif kind == uapi.VALUES:
            self.value = bool(long & 1)
        elif kind == uapi.DEBOUNCE:
            self.debounce = short / 1e6

    def check(self) -> None:
        """OSError EINVAL when the kernel would not take it."""
        flags = self.flags
        refuse(errno.EINVAL if self.count > uapi.ATTRS or self.padded or flags & ~KNOWN else 0)
        wrong = (
            flags & DIRECTIONS == DIRECTIONS
            or (flags & EDGES and not flags & uapi.INPUT)
            or flags & DRIVES == DRIVES
            or (flags & DRIVES and not flags & uapi.OUTPUT)
            or (flags & BIASES and not flags & DIRECTIONS)
            or flags & BIASES not in (0, uapi.PULL_UP, uapi.PULL_DOWN, uapi.BIAS_OFF)
            or (self.debounce and not flags & uapi.INPUT)
        )
        refuse(errno.EINVAL if wrong else 0)
