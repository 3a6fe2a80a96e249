"""Which board this is: from its device tree, its revision code, what the processor tells.

Rules this file keeps:
1. Pure: `read` gives the bytes of a file by its path from /, or None; whoever calls decides where / is.
2. What is not told is empty: a model is never guessed from a number of lines.
3. A revision code is believed where it is there; a mainline device tree without one still names its model.

Source of the facts: Raspberry Pi documentation, "Raspberry Pi revision codes".
"""

from __future__ import annotations

from edge.peripherals.boards.header import FIRST, FULL, SHORT
from edge.peripherals.boards.reserved import HEADER_CHIPS
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[str], "bytes | None"]

TREE = "/proc/device-tree"
CHIPS = ("BCM2835", "BCM2836", "BCM2837", "BCM2711", "BCM2712")
LABELS = {"BCM2711": "pinctrl-bcm2711", "BCM2712": "pinctrl-rp1"}
# Bits 4..11 of a new-style code -> what the board is called.
TYPES = {
    **{0x00: "A", 0x01: "B", 0x02: "A+", 0x03: "B+", 0x04: "2 B", 0x06: "CM1", 0x08: "3 B", 0x09: "Zero", 0x0A: "CM3"},
    **{0x0C: "Zero W", 0x0D: "3 B+", 0x0E: "3 A+", 0x10: "CM3+", 0x11: "4 B", 0x12: "Zero 2 W", 0x13: "400"},
    **{0x14: "CM4", 0x15: "CM4S", 0x17: "5", 0x18: "CM5", 0x19: "500", 0x1A: "CM5 Lite"},
}
# Old-style codes: type and MiB.
_OLD = {
    **{0x02: ("B", 256), 0x03: ("B", 256), 0x04: ("B", 256), 0x05: ("B", 256), 0x06: ("B", 256), 0x07: ("A", 256)},
    **{0x08: ("A", 256), 0x09: ("A", 256), 0x0D: ("B", 512), 0x0E: ("B", 512), 0x0F: ("B", 512), 0x10: ("B+", 512)},
    **{0x11: ("CM1", 512), 0x12: ("A+", 256), 0x13: ("B+", 512), 0x14: ("CM1", 512), 0x15: ("A+", 0)},
}
# The device tree's own word for a Raspberry Pi -> type, chip.
_TREES = {
    **{"model-a": ("A", 0), "model-b": ("B", 0), "model-b-rev2": ("B", 0), "model-b-i2c0": ("B", 0)},
    **{"model-a-plus": ("A+", 0), "model-b-plus": ("B+", 0), "compute-module": ("CM1", 0), "model-zero": ("Zero", 0)},
    **{"model-zero-w": ("Zero W", 0), "2-model-b": ("2 B", 1), "2-model-b-rev2": ("2 B", 2), "3-model-b": ("3 B", 2)},
    **{"3-model-b-plus": ("3 B+", 2), "3-model-a-plus": ("3 A+", 2), "model-zero-2-w": ("Zero 2 W", 2)},
    **{"model-zero-2": ("Zero 2 W", 2), "3-compute-module": ("CM3", 2), "4-model-b": ("4 B", 3), "400": ("400", 3)},
    **{"4-compute-module": ("CM4", 3), "4-compute-module-s": ("CM4S", 3), "5-model-b": ("5", 4)},
    **{"5-compute-module": ("CM5", 4), "500": ("500", 4)},
}
# Modules have a header only by the board they sit on: that of CM4 and CM5 carriers is the usual one.
_HEADERS = {"A": SHORT, "B": SHORT, "CM1": "", "CM3": "", "CM3+": "", "CM4S": ""}
# Other boards of the field: the beginning of a word of `compatible` -> family, labels of the chips with their header.
_OTHERS = (
    ("ti,am335x-bone", "BeagleBone", ("gpio-0-31", "gpio-32-63", "gpio-64-95", "gpio-96-127")),
    ("nvidia,p3450", "Jetson Nano", ("tegra-gpio",)),
    ("nvidia,jetson", "Jetson", ("tegra-gpio",)),
    ("xunlong,orangepi", "Orange Pi", ()),
    ("radxa,rock", "Rock", ()),
    ("libretech,", "Libre Computer", ()),
    ("hardkernel,odroid", "Odroid", ()),
    ("friendlyarm,", "NanoPi", ()),
    ("sinovoip,", "Banana Pi", ()),
    ("pine64,", "Pine64", ()),
    ("linux,dummy-virt", "emulated ARM board", ()),
)


class Board(Record):
    """What is known of a board. `header`: one of header.HEADERS, "" when its pins are not known.

    `labels`: of the GPIO chips that its header has, none when not known. `mib`: memory as fitted, 0 unknown.
    `carrier`: it is a module, and the header is that of the usual board below it.
    """

    model: str = ""
    family: str = ""
    soc: str = ""
    revision: str = ""
    mib: int = 0
    header: str = ""
    labels: tuple[str, ...] = ()
    carrier: bool = False


def header_of(board: Board, label: str) -> str:
    """The header whose pins are known, "" when none is. `label`: of the chip that was found to have it.

    A board that does not tell who it is, with a chip that only Raspberry Pis have, is taken for one of the 40 pins.
    """
    if board.family:
        return board.header
    return FULL if label in HEADER_CHIPS else ""


def identify(read: Read) -> Board:
    """The board whose files `read` gives."""
    words = _text(read(f"{TREE}/compatible"), most=1024).replace("\0", " ").split()
    code = _revision(read)
    model = _text(read(f"{TREE}/model")).strip("\0 \n") or _cpuinfo(read, "Model")
    name, soc, mib = _by_code(code) if code else ("", "", 0)
    if not name:
        name, soc = _by_tree(words)
    if name:
        return _pi(model, name, soc, mib, code)
    for start, family, labels in _OTHERS:
        if any(word.startswith(start) for word in words):
            return Board(model or family, family, words[-1], labels=labels)
    return Board(model or _product(read), "", words[-1] if words else "")


def _pi(model: str, name: str, soc: str, mib: int, code: int) -> Board:
    header = _HEADERS.get(name, FULL)
    if name == "B" and code & 0xFFFFFF in (2, 3):
        header = FIRST
    label = LABELS.get(soc, "pinctrl-bcm2835")
    revision = f"{code:04x}" if code else ""
    family = f"Raspberry Pi {name}"
    return Board(model or family, family, soc, revision, mib, header, (label,), name.startswith("CM"))


def _by_code(code: int) -> tuple[str, str, int]:
    """Type, chip and MiB of a revision code; empty for one that is not known."""
    if not code >> 23 & 1:
        name, mib = _OLD.get(code & 0xFFFFFF, ("", 0))  # bit 24 and up of an old code tell of overvoltage
        return name, "BCM2835" if name else "", mib
    chip = code >> 12 & 15
    name = TYPES.get(code >> 4 & 0xFF, "")
    return name, CHIPS[chip] if chip < len(CHIPS) else "", 256 << (code >> 20 & 7) if name else 0


def _by_tree(words: list[str]) -> tuple[str, str]:
    for word in words:
        maker, _, kind = word.partition(",")
        if maker == "raspberrypi" and kind in _TREES:
            name, chip = _TREES[kind]
            return name, CHIPS[chip]
    return "", ""


def _revision(read: Read) -> int:
    """The revision code, 0 when there is none: a cell of the device tree (big-endian), else text of /proc/cpuinfo."""
    cell = read(f"{TREE}/system/linux,revision")
    if cell is not None and len(cell) == 4:
        return int.from_bytes(cell, "big")
    try:
        return int(_cpuinfo(read, "Revision"), 16)
    except ValueError:
        return 0


def _cpuinfo(read: Read, name: str) -> str:
    for line in _text(read("/proc/cpuinfo"), most=65536).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def _product(read: Read) -> str:
    """What the firmware of a PC or of a server board calls it."""
    told = [_text(read(f"/sys/class/dmi/id/{name}")).strip() for name in ("sys_vendor", "product_name")]
    return " ".join(filter(None, told))


def _text(data: bytes | None, most: int = 256) -> str:
    return (data or b"")[:most].decode("utf-8", "replace")
