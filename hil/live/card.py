"""The card of a board that a person works with: made once from the image, kept, and told what is wired to the board.

Rules:
1. A card is made under another name and then renamed: one whose making was interrupted is none.
2. A kept card is started again as it is; a new one is made where it is asked for, or none is there.
3. What is declared on it: every part that the agent can read by its table, a fan and a contact on lines of the header.
   A file of the person's own takes its place.
"""

from __future__ import annotations

from pathlib import Path

from edge.card import layout
from edge.peripherals.sensors.table import PARTS
from hil import card as cards
from hil import opening
from hil.protocols import Parts
from hil.resources import Board, Part
from images import provisioned

FAN, DOOR = 27, 17
ROOM = 21.0
FILE = "provision.toml"
_BOARD = """\
# What is wired to an emulated board.
[board]
hostname = "{name}"
"""
_SENSOR = """
[sensors.{name}]
i2c = "{part.bus}/{part.address:#x}"
part = "{part.kind}"
label = "air at the board"
"""
_LINES = f"""
[outputs.fan]
line = "GPIO{FAN}"{{chip}}
label = "fan, relay 1"
max_on = 600

[inputs.door]
line = "GPIO{DOOR}"{{chip}}
states = ["closed", "open"]
"""


def wishes(board: Board) -> str:
    """Rule 3, as the board's provision.toml."""
    sensors = [_SENSOR.format(name=name, part=part) for name, part in board.parts.items() if _declared(part)]
    chip = f'\nchip = "{board.guest.chip}"' if board.guest.chip else ""
    lines = _LINES.format(chip=chip) if "lines" in board.has else ""
    return "".join([_BOARD.format(name=board.name), *sensors, lines])


def _declared(part: Part) -> bool:
    return part.kind in PARTS


def warmed(board: Board, parts: Parts) -> None:
    """A room's temperature at every declared thermometer: QEMU's begin at 0 degrees."""
    for name, part in board.parts.items():
        if _declared(part):
            parts.set(name, ROOM)


def made(board: Board, card: Path, own: Path | None) -> None:
    """A new card. CardFault where there is no image, ConfigFault for a file that the board would not take."""
    text = provisioned.taken(own) if own else wishes(board).encode()
    begun = card.with_suffix(".new")
    try:
        opening.insert(board, begun)
        cards.put(begun, layout.CONFIG, FILE, text)
        begun.replace(card)
        _origin(card).write_text(_named(board), "utf-8")
    except OSError as error:
        error.filename = error.filename or str(begun)  # a disk that is full while it is written names no file
        raise
    finally:
        begun.unlink(missing_ok=True)


def of_now(board: Board, card: Path) -> bool:
    """Whether it was made from the image that is there now, as far as is known; a card of unknown origin counts."""
    try:
        return _origin(card).read_text("utf-8") == _named(board)
    except OSError:
        return True


def _origin(card: Path) -> Path:
    return card.with_name(f"{card.name}.from")


def _named(board: Board) -> str:
    """Which image it is, and which build of it."""
    image = cards.image(board.product)
    return f"{image} {image.stat().st_mtime_ns}\n" if image else ""
