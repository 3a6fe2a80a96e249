"""Lines of the header: what a person or a model calls them, which may be read, which the board has given a name. Pure.

Rules:
1. `17`, `GPIO17`, `BCM17` and `pin 11` are one line; its one name is `GPIO17`. A name that stands in `[gpio] lines` is
   taken as it stands there. A number is never cut: what no header has is a fault.
2. Free to be read are GPIO4 to GPIO27 of the header without 14 and 15, which may be the console. GPIO0 and 1 belong to
   the identity EEPROM of boards on top, 2 and 3 to a bus with pull-ups; from 28 on the lines are the board's own: SD
   card, Wi-Fi, Bluetooth, power. Those only the operator names.
3. A line that an output or a contact is wired to belongs to the guard: it is called by that output or contact.
4. Physical pins are those of the header that this board has (Gpio.header). Where it is not known, or the settings name
   another chip for the lines, none is told and none is understood.
5. At a header a line and its offset are one: `line = 17` of an output is GPIO17. At other chips a number is an offset.

The table is the 40-pin header of Raspberry Pi boards since the B+. The older ones have its first 26 pins, and the first
of all had other lines at three of them (edge/peripherals/boards/header.py).
"""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Gpio, Scene

FULL, FIRST = "40", "26 of the first board"  # as in edge/peripherals/boards/header.py
HEADERS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")  # the chips behind such a header, by their labels
MOST = 57  # the highest line that a chip behind such a header has (BCM2711: 58 lines)
FREE = frozenset(f"GPIO{number}" for number in range(4, 28) if number not in (14, 15))
# The physical pin of GPIO0, GPIO1 ...
PINS = (
    *(27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33),
    *(8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13),
)
# What the lines of rule 2 are for, where they may be driven all the same.
_DUTIES = {
    **dict.fromkeys((0, 1), "belongs to the ID EEPROM of a board on top, which other traffic there can destroy"),
    **dict.fromkeys((2, 3), "is the I2C bus of the header, with pull-up resistors"),
    **dict.fromkeys((14, 15), "is the serial port of the header, often the console"),
}
_FIRST = {3: 0, 5: 1, 13: 21}  # physical pin -> line, where the first board differs
_NAMED = ("gpio", "bcm")
_LINES, _PINS = (*_NAMED, "line"), ("physical pin", "pin", "board", "j8:", "p1-")
_SPELLINGS = (*_LINES, *_PINS)
_LONGEST = 32
FIX = "a line is called as on the header, for example GPIO17, or as the settings name it"


def meant(text: str, scene: Scene) -> str:
    """The one name of the line that `text` means; UsageFault when no header has it, or it is no name."""
    for one in scene.gpio.lines if scene.gpio is not None else ():
        if one == text:
            return one
    plain = text.strip()
    low = plain.lower()
    for one in scene.gpio.lines if scene.gpio is not None else ():
        if one.lower() == low:
            return one
    name = _spelled(plain, low, scene)
    if name:
        return next((one for one in scene.gpio.lines if _same(one, name, scene)), name) if scene.gpio else name
    if not 0 < len(plain) <= _LONGEST or not plain.isprintable():
        raise UsageFault(f"{plain[:40]!a} is no name of a line", FIX)
    return plain


def _spelled(plain: str, low: str, scene: Scene) -> str:
    """`GPIO17` for what says a number of a line or of a pin, "" for all else; UsageFault where no line has it."""
    for prefix in _SPELLINGS:
        if low.startswith(prefix):
            digits = low[len(prefix) :].strip()
            if _is_number(digits):
                named = prefix in _NAMED or _header(scene)
                return _of_pin(digits, scene) if prefix in _PINS else (_of_number if named else _of_offset)(digits)
    if not _is_number(plain.lstrip("-")):
        return ""
    return _of_number(plain) if _header(scene) or plain.startswith("-") else _of_offset(plain)


def _number(name: str) -> int:
    """The number in `GPIO17` or `17`, -1 for other names."""
    digits = name[4:] if name.startswith("GPIO") else name
    return int(digits) if _is_number(digits) and len(digits) < 3 and str(int(digits)) == digits else -1


def _same(one: str, other: str, scene: Scene) -> bool:
    """True for two names of one line (rule 5)."""
    return one.lower() == other.lower() or (_header(scene) != "" and _number(one) == _number(other) >= 0)


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdigit()


def _of_number(digits: str) -> str:
    if digits.startswith("-") or len(digits) > 3 or int(digits) > MOST:
        raise UsageFault(f"there is no line GPIO{digits[:20]}", f"the header has GPIO0 to GPIO{len(PINS) - 1}")
    return f"GPIO{int(digits)}"


def _of_offset(digits: str) -> str:
    if len(digits) > 5:
        raise UsageFault(f"there is no line {digits[:20]}", FIX)
    return str(int(digits))


def _of_pin(digits: str, scene: Scene) -> str:
    number = int(digits[:3])
    header = _header(scene)
    if not header:
        raise UsageFault("the header of this board is not known, so no pin is a line", "call it by its name")
    most = 40 if header == FULL else 26
    line = _FIRST.get(number, -1) if header == FIRST else -1
    if line < 0 and number in PINS and number <= most:
        line = PINS.index(number)
    if len(digits) > 3 or line < 0:
        there = 0 < number <= most and len(digits) <= 3
        known = f"pin {number} of the header is power or ground" if there else f"there is no pin {digits[:20]}"
        raise UsageFault(f"{known}: no line is there", FIX)
    return f"GPIO{line}"


def readable(name: str, gpio: Gpio) -> bool:
    """True for what a tool may look at (rule 2)."""
    return name in FREE or name in gpio.lines or name in gpio.lab


def pin(name: str, header: str = FULL) -> int:
    """The physical pin of a line (`GPIO17` or `17`) at a header, 0 when it is at none."""
    number = _number(name)
    if header == FIRST:
        if number in _FIRST.values():
            return next(one for one, line in _FIRST.items() if line == number)
        if number in (2, 3, 27):
            return 0
    found = PINS[number] if header and 0 <= number < len(PINS) else 0
    return found if header == FULL or found <= 26 else 0


def _header(scene: Scene) -> str:
    """The header of the board, "" where it is not known or the settings name a chip that is behind none (rule 4)."""
    gpio = scene.gpio
    if gpio is None:
        return FULL
    return gpio.header if not gpio.chip or gpio.chip in HEADERS else ""


def shown(where: str, scene: Scene) -> str:
    """Where something is wired, with the physical pin: `GPIO17, physical pin 11`."""
    line, of, chip = where.partition(",")[0].partition(" of ")
    if line.startswith("line "):
        line = line[len("line ") :]
    header = scene.gpio.header if of and scene.gpio is not None else _header(scene)
    number = pin(line, header) if not of or chip in HEADERS else 0
    return f"{where}, physical pin {number}" if number and "pin " not in where else where


def called(name: str, scene: Scene) -> str:
    """A line in words: `GPIO17 (physical pin 11)`."""
    number = pin(name, _header(scene))
    return f"{name} (physical pin {number})" if number else name


def duty(name: str, scene: Scene) -> str:
    """What else a line of the header is for (`is the I2C bus of the header ...`), "" for a free one."""
    return _DUTIES.get(_number(name), "") if _header(scene) else ""


def resolve(text: str, scene: Scene) -> tuple[str, str]:
    """What `text` is, and its one name: `sensor` and `output` where it is declared or is the line of one, else `line`.

    A lab line is a `line`, though the guard has an output of its name. UsageFault when no header has it.
    """
    plain = text.strip()
    lab = scene.gpio.lab if scene.gpio is not None else ()
    if plain not in lab:
        for one in scene.sensors:
            if one.name == plain:
                return "sensor", plain
        for output in scene.outputs:
            if output.name == plain:
                return "output", plain
    name = meant(plain, scene)
    if name not in lab:
        low = name.lower()
        told = low[4:] if low.startswith("gpio") else low  # every spelling of the line has this in it
        for one in scene.sensors:
            if one.where and told in one.where.lower() and _wired(one.where, name, scene):
                return "sensor", one.name
        for output in scene.outputs:
            if told in output.where.lower() and _wired(output.where, name, scene):
                return "output", output.name
    return "line", name


def _wired(where: str, name: str, scene: Scene) -> bool:
    """True when `where` (`GPIO17`, `GPIO17 of LABEL`, `line 17`, `GPIO17, physical pin 11`) is this line."""
    line, of, chip = where.partition(",")[0].partition(" of ")
    if of and not _lines_of_tools(chip, scene):
        return False
    return _same(line[len("line ") :] if line.startswith("line ") else line, name, scene)


def _lines_of_tools(chip: str, scene: Scene) -> bool:
    """True for the label of the chip whose lines tools look at; "" in the settings is the header's."""
    wanted = scene.gpio.chip if scene.gpio is not None else ""
    return chip == wanted or (not wanted and _header(scene) != "" and chip in HEADERS)
