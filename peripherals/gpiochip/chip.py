"""One GPIO chip: what it is, what its lines are, and asking for a line.

Rules this file keeps:
1. Looking asks (`GET_CHIPINFO`, `GET_LINEINFO`) and changes nothing, also at lines that others hold.
2. One request is one line. An output is asked for with its value in the same request, so that it never shows another.
3. Names of lines are read once: a chip's names do not change while it is there.
"""

from __future__ import annotations

from edge.peripherals.gpiochip import uapi
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.faults import HardwareFault
    from edge.peripherals.gpiochip.request import Request
    from edge.peripherals.gpiochip.seam import Seam

# The chips behind the 40-pin header of a Raspberry Pi: on these, GPIO17 is line 17, whatever the tree calls it.
HEADERS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
HEADER_LINES = 28


class Settings(Record):
    """How a line is to be held.

    `direction`: input, output, or as-is. `value`: of an output, logical; None asks for off, and keeps what it has when
    a held line is changed. `bias`: "" leaves it, else up, down, off. `edges`: "", rising, falling, both. `debounce`:
    seconds, by the kernel, inputs only. `drive`: "" both ways, drain or source. ValueError for other words.
    """

    direction: str
    value: bool | None = None
    active_low: bool = False
    bias: str = ""
    edges: str = ""
    debounce: float = 0.0
    drive: str = ""

    def check(self) -> None:
        for kind, words in (("direction", uapi.DIRECTION), ("bias", uapi.BIAS), ("edges", uapi.EDGES)):
            if getattr(self, kind) not in words:
                raise ValueError(f"{getattr(self, kind)!r} is no {kind} of a line: {', '.join(filter(None, words))}")
        if self.drive not in uapi.DRIVE:
            raise ValueError(f"{self.drive!r} is no drive of a line: drain, source or nothing")
        if not 0.0 <= self.debounce <= uapi.LONGEST:
            raise ValueError(f"a debounce of {self.debounce!r} s is not between 0 and {uapi.LONGEST:.0f} s")

    @property
    def flags(self) -> int:
        """The kernel's flags for it; contradictions are the kernel's to refuse."""
        words = uapi.DIRECTION[self.direction] | uapi.BIAS[self.bias] | uapi.EDGES[self.edges] | uapi.DRIVE[self.drive]
        return words | (uapi.ACTIVE_LOW if self.active_low else 0)

    def config(self, value: bool) -> bytearray:
        """It as the kernel's struct, an output with `value`."""
        return uapi.config(self.flags, value if self.direction == "output" else None, self.debounce)


class LineInfo(Record):
    """What the kernel knows of a line. `used`: somebody holds it, `consumer` as what. `debounce`: seconds.

    `direction` of a line that nobody holds is what was last asked of it, which the wire need not show any more.
    """

    offset: int
    name: str
    consumer: str
    used: bool
    direction: str
    active_low: bool
    bias: str
    edges: str
    drive: str
    debounce: float


class Chip:
    """An open chip: `path`, `name` (gpiochip0), `label`, `lines` (how many). HardwareFault when it is none."""

    def __init__(self, seam: Seam, path: str) -> None:
        self.path = path
        self._seam = seam
        self._names: dict[str, list[int]] = {}
        try:
            self._fd = seam.open(path)
        except OSError as error:
            raise _fault(error, f"the GPIO chip {path} cannot be opened", "open") from error
        data = bytearray(uapi.CHIP_SIZE)
        try:
            seam.ioctl(self._fd, uapi.GET_CHIPINFO, data)
        except OSError as error:
            self.close()
            raise _fault(error, f"{path} does not answer as a GPIO chip", "chip") from error
        self.name, self.label = uapi.text(data, 0), uapi.text(data, uapi.NAME)
        self.lines = uapi.get(data, 2 * uapi.NAME, 4)

    def __str__(self) -> str:
        return self.label or self.name

    def info(self, offset: int) -> LineInfo:
        """What is known of a line; HardwareFault when there is none at that offset or the chip is gone."""
        data = self._look(offset)
        flags = uapi.get(data, uapi.FLAGS_AT, 8)
        told = flags & uapi.TOLD
        return LineInfo(
            offset=offset,
            name=uapi.text(data, 0),
            consumer=uapi.text(data, uapi.NAME),
            used=bool(flags & uapi.USED),
            direction="output" if flags & uapi.OUTPUT else "input",
            active_low=bool(flags & uapi.ACTIVE_LOW),
            bias=uapi.word(uapi.BIAS, told) if told else "",
            edges=uapi.word(uapi.EDGES, told) if told else "",
            drive=uapi.word(uapi.DRIVE, told) if told else "",
            debounce=_debounce(data),
        )

    def offset_of(self, line: str) -> int:
        """The offset of a line that is told by its name, or by its offset in digits.

        HardwareFault when there is none, or several have that name.
        """
        if line.isascii() and line.isdigit():
            if len(line) < 8 and int(line) < self.lines:
                return int(line)
            raise self._none(line)
        number = self._numbered(line)
        if number >= 0 and uapi.text(self._look(number), 0) == line:
            return number  # one look instead of 54
        found = self.names().get(line) or [number] * (number >= 0)
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._none(line)
        from edge.faults import HardwareFault

        offsets = " and ".join([str(offset) for offset in found])
        raise HardwareFault(f"{self} has {len(found)} lines named {line}: {offsets}", "say which by its offset")

    def names(self) -> dict[str, list[int]]:
        """Name -> offsets, of the lines that have a name; two may have the same."""
        if not self._names:
            for offset in range(self.lines):
                self._names.setdefault(uapi.text(self._look(offset), 0), []).append(offset)
            self._names.pop("", None)
        return self._names

    def request(self, offset: int, settings: Settings, consumer: str, room: int = 0) -> Request:
        """Hold a line. HardwareFault names who holds it already, or why the kernel refuses.

        `consumer`: what others are told of its holder, 31 bytes. `room`: edges the kernel is to hold for a slow reader
        (up to 1024), 0 for 16.
        """
        if not 0 <= offset < self.lines:
            raise self._none(str(offset))
        from edge.peripherals.gpiochip.request import Request

        value = bool(settings.value)
        data = uapi.request(offset, consumer, settings.config(value), room)
        try:
            self._seam.ioctl(self._fd, uapi.GET_LINE, data)
        except OSError as error:
            from edge.peripherals.gpiochip import trouble

            raise trouble.requesting(error, self, offset, settings) from error
        return Request(self._seam, str(self), uapi.get(data, uapi.FD_AT, 4), offset, settings, value)

    def close(self) -> None:
        """Close the chip; lines that were requested stay held."""
        if self._fd >= 0:
            self._seam.close(self._fd)
            self._fd = -1

    def _look(self, offset: int) -> bytearray:
        if not 0 <= offset < self.lines:
            raise self._none(str(offset))
        data = uapi.info(offset)
        try:
            self._seam.ioctl(self._fd, uapi.GET_LINEINFO, data)
        except OSError as error:
            raise _fault(error, f"line {offset} of {self} cannot be looked at", "info") from error
        return data

    def _numbered(self, line: str) -> int:
        """The offset that GPIOn is on a header's chip, -1 for other names and chips."""
        number = line[4:] if line[:4] == "GPIO" and self.label in HEADERS else ""
        fits = number in [str(offset) for offset in range(min(HEADER_LINES, self.lines))]
        return int(number) if fits else -1

    def _none(self, line: str) -> HardwareFault:
        from edge.peripherals.gpiochip import trouble

        return trouble.no_line(self, line[:40])


def _debounce(data: bytearray) -> float:
    """Seconds of debounce among the attributes of a line's info."""
    for index in range(min(uapi.get(data, uapi.NUM_AT, 4), uapi.ATTRS)):
        at = uapi.INFO_ATTR_AT + index * uapi.INFO_ATTR_SIZE
        if uapi.get(data, at, 4) == uapi.DEBOUNCE:
            return uapi.get(data, at + 8, 4) / 1e6
    return 0.0


def _fault(error: OSError, what: str, doing: str) -> HardwareFault:
    from edge.peripherals.gpiochip import trouble

    return trouble.fault(error, what, doing)
