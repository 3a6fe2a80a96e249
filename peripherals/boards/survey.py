"""All GPIO chips and lines of a board as they are now: a look that takes nothing.

Rules this file keeps:
1. Only GET_CHIPINFO and GET_LINEINFO are sent: no line is requested, so that nothing can change by a look.
2. A chip that cannot be opened, or goes away meanwhile, is a sentence among the others' lines.
3. Bounded: CHIPS chips, LINES lines in all; what is beyond is counted.
4. What is declared is found as whoever takes the line finds it (gpiochip/chip.py), and by no other spelling.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.boards.header import LAST
from edge.peripherals.boards.reserved import HEADER_CHIPS
from edge.peripherals.gpiochip.find import OWN, every
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.peripherals.gpiochip.chip import Chip, LineInfo
    from edge.peripherals.gpiochip.seam import Seam

CHIPS, LINES = 32, 2048


class Line(Record):
    """A line as it was seen. `name`: GPIO17 at a header's chip, else what the kernel calls it. `bcm`: -1 elsewhere.

    `held`: somebody has it, `consumer` as what. `direction`: input or output; of a line that nobody holds it is what
    was last asked of it. `kernel`: what the kernel calls it.
    """

    chip: str
    offset: int
    name: str
    bcm: int
    held: bool
    consumer: str
    direction: str
    active_low: bool = False
    kernel: str = ""

    @property
    def judged(self) -> str:
        """What reserved.py is asked about: at a header's chip the offset, as names come twice there."""
        return self.name if self.name and self.chip not in HEADER_CHIPS else str(self.offset)

    @property
    def holder(self) -> str:
        """Who holds it, as it called itself."""
        return (self.consumer.strip() or "somebody without a name") if self.held else ""


class Seen(Record):
    """A chip as it was seen. `header`: it is the chip of the header. `count`: its lines, also those not looked at."""

    path: str
    name: str
    label: str
    count: int
    header: bool
    lines: tuple[Line, ...] = ()


class Survey(Record):
    """What was seen, and why the rest was not, as sentences with their fixes."""

    chips: tuple[Seen, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()

    @property
    def header(self) -> Seen | None:
        """The chip of the header: of a known one, else the only chip."""
        return next((chip for chip in self.chips if chip.header), None)

    def lines(self) -> Iterator[Line]:
        for chip in self.chips:
            yield from chip.lines

    def find(self, chip: str, line: str) -> Line | None:
        """A line by the label of its chip ("" the header's) and its name or offset; None when there is not just one."""
        seen = [one for one in self.chips if one.label == chip] if chip else [self.header] if self.header else []
        lines = [one for chips in seen for one in chips.lines]
        if line.isascii() and line.isdecimal():
            found = [one for one in lines if one.offset == int(line)]
        else:
            found = [one for one in lines if one.bcm >= 0 and one.name == line] or [
                one for one in lines if one.kernel == line
            ]
        return found[0] if len(found) == 1 else None


def survey(seam: Seam) -> Survey:
    """Look at every chip. What cannot be looked at is told among the faults; nothing is raised."""
    try:
        opened, faults = every(seam)
    except OSError as error:
        return Survey((), ((f"the GPIO chips cannot be listed: {error}", ""),))
    told = [(fault.sentence, fault.fix) for fault in faults]
    label = _header([chip.label for chip in opened])
    found, left = [], LINES
    try:
        for chip in opened[:CHIPS]:
            lines, fault = _lines(chip, left)
            left -= len(lines)
            told += fault
            found.append(Seen(chip.path, chip.name, chip.label, chip.lines, chip.label == label, lines))
    finally:
        for chip in opened:
            chip.close()
    if len(opened) > CHIPS:
        told.append((f"{len(opened) - CHIPS} more GPIO chips were not looked at", ""))
    return Survey(tuple(found), tuple(told))


def look(chips: str) -> Survey:
    """The survey of the chips that a setting names (see gpiochip.seam.of); HardwareFault when there is none."""
    from edge.peripherals.gpiochip.seam import of

    seam = of(chips)
    try:
        return survey(seam)
    finally:
        end = getattr(seam, "end", None)  # a model of chips is a connection
        if end is not None:
            end()


def _header(labels: list[str]) -> str:
    """The label of the header's chip among these, "" when that is not clear."""
    known = [label for label in reversed(HEADER_CHIPS) if label in labels]
    others = [label for label in labels if not label.startswith(OWN)]
    return known[0] if known else others[0] if len(others) == 1 else ""


def _lines(chip: Chip, most: int) -> tuple[tuple[Line, ...], list[tuple[str, str]]]:
    found: list[Line] = []
    for offset in range(min(chip.lines, max(0, most))):
        try:
            found.append(_line(chip.label, chip.info(offset)))
        except HardwareFault as fault:
            return tuple(found), [(fault.sentence, fault.fix)]
    return tuple(found), []


def _line(label: str, info: LineInfo) -> Line:
    at_header = label in HEADER_CHIPS and info.offset <= LAST
    name = f"GPIO{info.offset}" if at_header else info.name
    number = info.offset if at_header else -1
    return Line(label, info.offset, name, number, info.used, info.consumer, info.direction, info.active_low, info.name)
