"""The device tree of a card's slots, changed so that the board has its second serial port.

U-Boot hands the kernel the tree of the slot (images/board/boot.cmd), not the one that it got itself. On a real board
the mini UART has the pins of the console, and the PL011 of a Pi 3 belongs to the radio: the image as shipped is right
not to offer a second port, and only a test's copy of a card is changed. Nothing that is signed or checked at a start
covers the tree.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from edge.card import layout
from hil import card as cards
from hil.resources import Emulator
from images.host import run


def open_port(card: Path, emulator: Emulator, slots: tuple[int, ...] = (layout.SLOT_A,)) -> None:
    """Switch the second serial port on in the tree of those slots."""
    name = f"dtb/{emulator.tree}"
    for slot in slots:
        cards.put(card, slot, name, changed(cards.get(card, slot, name), emulator.okay, emulator.removed))


def changed(tree: bytes, okay: tuple[str, ...], removed: tuple[str, ...]) -> bytes:
    """The tree with nodes switched on and others taken out; CardFault when it has no such node."""
    with tempfile.NamedTemporaryFile(prefix="hil-", suffix=".dtb") as file:
        Path(file.name).write_bytes(tree)
        for node in okay:
            run("fdtput", "-t", "s", file.name, node, "status", "okay")
        for node in removed:
            run("fdtput", "-r", file.name, node)
        return Path(file.name).read_bytes()
