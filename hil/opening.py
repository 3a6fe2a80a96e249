"""A described board is made a bench: QEMU with a copy of its product's image, or the wires to one on a desk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.card import layout
from edge.faults import CardFault
from hil import card, tree
from hil.drivers.desk import Desk
from hil.drivers.lab import Lab
from hil.drivers.qemu import Machine
from hil.protocols import Bench
from hil.resources import Board


@contextmanager
def opened(board: Board, folder: Path, told: str = "", more: tuple[str, ...] = ()) -> Iterator[Bench]:
    """The bench of a board, off; what it needs of files is in `folder` and goes with it.

    `told`: the provision.toml that an emulated board finds on its card at the first start. `more`: as Machine has it.
    """
    if board.emulator is None:
        with Desk(board) as desk:
            yield desk
        return
    copy = folder / "card.img"
    insert(board, copy)
    if told:
        card.put(copy, layout.CONFIG, "provision.toml", told.encode())
    with machine(board, copy, more=more) as found:
        yield found
    copy.unlink()


def machine(
    board: Board, card: Path, words: tuple[str, ...] = (), more: tuple[str, ...] = (), drive: str = ""
) -> Machine:
    """The emulated board with this card in it; the others as Machine has them."""
    kind = Lab if board.emulated().way == "direct" else Machine
    return kind(board, card, words, more, drive)


def insert(board: Board, copy: Path) -> None:
    """A card with the image of the board's product, and the second serial port in its device tree."""
    found = card.image(board.product)
    if found is None:
        raise CardFault(f"there is no image of {board.product} in {card.images()}", "`make images` builds it")
    card.insert(found, copy)
    if board.emulated().tree:
        tree.open_port(copy, board.emulated())
