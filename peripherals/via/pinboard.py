"""What gpiozero is told of the board: its pins, what they may be called, which line of the chip each is.

Rules this file keeps:
1. gpiozero takes a pin's number from the text behind the fourth letter of its name: every pin is called GPIOn.
2. A Raspberry Pi with a revision code is what gpiozero itself knows of that code. One without (a mainline device tree)
   has the header of its model; another board has what its chip lists, in one column.
3. On a Raspberry Pi GPIOn is offset n of the header's chip. Elsewhere GPIOn is the line that has this name, else the
   line at offset n. A line may be asked for by its own name too; lines the board itself lives on are left out.
4. Nothing is requested: lines are only looked at.

Source: gpiozero 2.0.1, pins/pi.py and pins/__init__.py.
"""

from __future__ import annotations

from gpiozero import BoardInfo, HeaderInfo, PinInfo, PinUnknownPi
from gpiozero.compat import frozendict
from gpiozero.pins.pi import PiBoardInfo

from edge.peripherals.boards.header import FULL, HEADERS, pins
from edge.peripherals.boards.identity import identify
from edge.peripherals.boards.reserved import HEADER_CHIPS, never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.peripherals.boards.identity import Board
    from edge.peripherals.gpiochip.chip import Chip

    Read = Callable[[str], "bytes | None"]

_OLD_CODE = 0xFFFF  # what of an old revision code is one: the bits above tell of overvoltage
_NEW_CODE = 0x800000


class FieldBoard(BoardInfo):  # type: ignore[misc]
    """A board that gpiozero does not know."""

    __slots__ = ()

    @property
    def description(self) -> str:
        return str(self.model)


def look(chip: Chip, read: Read) -> tuple[Any, Mapping[str, int]]:
    """The board's description for gpiozero, and the offset of each pin by its name.

    `read` gives the bytes of a file by its path, or None. HardwareFault when the chip cannot be asked.
    """
    board = identify(read)
    if chip.label not in HEADER_CHIPS:
        return _listed(chip, board)
    info = _known(board)
    if info is None:
        here = chip.label in board.labels
        if here and board.header not in HEADERS:
            return _listed(chip, board)
        info = _described(board, chip.label, {_header(board.header if here else FULL)})
    names = [pin.name for header in info.headers.values() for pin in header.pins.values() if "gpio" in pin.interfaces]
    return info, {name: int(name[4:]) for name in names}


def _known(board: Board) -> Any:
    """What gpiozero knows of this revision code; None without one that it knows."""
    code = int(board.revision or "0", 16)
    try:
        return PiBoardInfo.from_revision(code if code & _NEW_CODE else code & _OLD_CODE) if code else None
    except PinUnknownPi:
        return None


def _header(which: str) -> Any:
    """A Raspberry Pi's header by our table, each pin with all the names that gpiozero gives it."""
    name = "J8" if which == FULL else "P1"
    found = pins(which)
    made = {}
    for pin in found:
        row, column = divmod(pin.number - 1, 2)
        functions = {"gpio": pin.name} if pin.bcm >= 0 else {"": pin.name}
        made[pin.number] = PiBoardInfo._make_pin(name, pin.number, row + 1, column + 1, functions)
    return HeaderInfo(name=name, rows=len(found) // 2, columns=2, pins=frozendict(made))


def _listed(chip: Chip, board: Board) -> tuple[Any, Mapping[str, int]]:
    """The lines of a chip, one below the other."""
    lines = {offset: chip.info(offset).name for offset in range(chip.lines)}
    by_offset = chip.label in HEADER_CHIPS  # where other lines have names like the header's
    usable = {
        offset: name
        for offset, name in lines.items()
        if not never(chip.label, str(offset) if by_offset else name or str(offset))
    }
    numbers = _numbers(usable)
    made = {}
    for offset, name in usable.items():
        number = numbers[offset]
        names = {number, str(number), f"GPIO{number}", name} - {""}
        made[offset + 1] = PinInfo(
            number=offset + 1,
            name=f"GPIO{number}",
            names=frozenset(names),
            pull="",
            row=offset + 1,
            col=1,
            interfaces=frozenset({"gpio"}),
        )
    header = HeaderInfo(name=chip.label or chip.name, rows=len(lines), columns=1, pins=frozendict(made))
    return _described(board, chip.label, {header}), {f"GPIO{number}": offset for offset, number in numbers.items()}


def _numbers(lines: Mapping[int, str]) -> dict[int, int]:
    """The n of GPIOn for each offset. Behind the last line stand those whose offset is another line's name."""
    named: dict[int, int] = {}
    for offset, name in lines.items():
        digits = name[4:]
        if name[:4] == "GPIO" and digits.isascii() and digits.isdecimal() and len(digits) <= 4:
            named.setdefault(int(digits), offset)
    numbers = {offset: number for number, offset in named.items()}
    free = max([*lines, *named], default=0) + 1
    for offset in lines:
        if offset not in numbers:
            numbers[offset] = offset if offset not in named else free + offset
    return numbers


def _described(board: Board, label: str, headers: set[Any]) -> Any:
    """gpiozero's record of a board, with 0 and "" for what nobody knows."""
    return FieldBoard(
        revision=board.revision,
        model=board.model or f"board with {label}",
        pcb_revision="",
        released="",
        soc=board.soc,
        manufacturer="",
        memory=board.mib,
        storage="",
        usb=0,
        usb3=0,
        ethernet=0,
        eth_speed=0,
        wifi=False,
        bluetooth=False,
        csi=0,
        dsi=0,
        headers=frozendict({header.name: header for header in headers}),
        board="",
    )
