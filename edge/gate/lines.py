"""Lines of the header: what a person or a model calls them, which may be read, which the board has given a name. Pure.

Rules:
1. `17`, `GPIO17`, `BCM17` and `pin 11` are one line; its one name is `GPIO17`. A name that stands in `[gpio] lines` is
   taken as it stands there. A number is never cut: what no header has is a fault.
2. Free to be read are GPIO4 to GPIO27 of the header without 14 and 15, which may be the console. GPIO0 and 1 belong to
   the identity EEPROM of boards on top, 2 and 3 to a bus with pull-ups; from 28 on the lines are the board's own: SD
   card, Wi-Fi, Bluetooth, power. Those only the operator names.
3. A line that an output or a contact is wired to belongs to the guard: it is called by that output or contact.
4. Physical pins are those of a Raspberry Pi's header: where the settings name another chip for the lines, none is told
   and none is understood.

The table is the 40-pin header of Raspberry Pi boards since the B+ (the first 26 pins are those of the older ones).
"""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Gpio, Scene

HEADERS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")  # the chips behind such a header, by their labels
MOST = 57  # the highest line that a chip behind such a header has (BCM2711: 58 lines)
FREE = frozenset(f"GPIO{number}" for number in range(4, 28) if number not in (14, 15))
# The physical pin of GPIO0, GPIO1 ...
PINS = (
    *(27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33),
    *(8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13),
)
_PREFIXES = ("gpio", "bcm", "pin", "board", "j8:")
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
    for prefix in _PREFIXES:
        if low.startswith(prefix):
            digits = low[len(prefix) :].strip()
            if _is_number(digits):
                return _of_pin(digits, scene) if prefix in ("pin", "board", "j8:") else _of_number(digits)
    if _is_number(plain.lstrip("-")):
        return _of_number(plain)
    if not 0 < len(plain) <= _LONGEST or not plain.isprintable():
        raise UsageFault(f"{plain[:40]!a} is no name of a line", FIX)
    return plain


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdigit()


def _of_number(digits: str) -> str:
    if digits.startswith("-") or len(digits) > 3 or int(digits) > MOST:
        raise UsageFault(f"there is no line GPIO{digits[:20]}", f"the header has GPIO0 to GPIO{len(PINS) - 1}")
    return f"GPIO{int(digits)}"


def _of_pin(digits: str, scene: Scene) -> str:
    number = int(digits[:3])
    if not _has_header(scene):
        raise UsageFault("the header of this board is not known, so no pin is a line", "call it by its name")
    if len(digits) > 3 or number not in PINS:
        known = (
            f"pin {number} of the header is power or ground" if 0 < number <= 40 else f"there is no pin {digits[:20]}"
        )
        raise UsageFault(f"{known}: no line is there", FIX)
    return f"GPIO{PINS.index(number)}"


def readable(name: str, gpio: Gpio) -> bool:
    """True for what a tool may look at (rule 2)."""
    return name in FREE or name in gpio.lines or name in gpio.lab


def pin(name: str) -> int:
    """The physical pin of a header line, 0 when it is none."""
    digits = name[4:] if name.startswith("GPIO") else ""
    number = int(digits) if _is_number(digits) and len(digits) < 3 else -1
    return PINS[number] if 0 <= number < len(PINS) else 0


def _has_header(scene: Scene) -> bool:
    """False where the settings name a chip that is behind no header that is known (rule 4)."""
    return scene.gpio is None or not scene.gpio.chip or scene.gpio.chip in HEADERS


def shown(where: str, scene: Scene) -> str:
    """Where something is wired, with the physical pin: `GPIO17, physical pin 11`."""
    line, of, chip = where.partition(",")[0].partition(" of ")
    number = pin(line) if (chip in HEADERS if of else _has_header(scene)) else 0
    return f"{where}, physical pin {number}" if number and "pin " not in where else where


def called(name: str, scene: Scene) -> str:
    """A line in words: `GPIO17 (physical pin 11)`."""
    number = pin(name) if _has_header(scene) else 0
    return f"{name} (physical pin {number})" if number else name


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
        low, gpio = name.lower(), scene.gpio
        for one in scene.sensors:
            if one.where and _wired(one.where, low, gpio):
                return "sensor", one.name
        for output in scene.outputs:
            if _wired(output.where, low, gpio):
                return "output", output.name
    return "line", name


def _wired(where: str, low: str, gpio: Gpio | None) -> bool:
    """True when `where` (`GPIO17`, `GPIO17 of LABEL`, `GPIO17, physical pin 11`) is this line of the header's chip."""
    if where[: len(low)].lower() != low:
        return False
    name, of, chip = where.partition(" of ")
    if of and (gpio is None or chip.partition(",")[0] != gpio.chip):
        return False
    return name.partition(",")[0].lower() == low
