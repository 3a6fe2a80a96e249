"""`hil boards`: which boards there are, what each can do and what not, and what is missing here to start it."""

from __future__ import annotations

import argparse
import time

from edge.faults import HardwareFault
from edge.text import fold
from hil import card, resources
from hil.drivers import qemu
from hil.resources import Board

ABOUT = """\
Every board that is described in hil/boards, or the named ones: what it can do, what it lacks and why, and whether its
image and QEMU are here."""
_WIDTH, _INDENT = 100, " " * 17


def main(words: list[str]) -> int:
    """Print the table; 0."""
    parser = argparse.ArgumentParser(
        "hil boards", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("boards", metavar="NAME|FILE.toml", nargs="*")
    told = parser.parse_args(words)
    for name in told.boards or resources.names():
        print("\n".join(row(resources.named(name))) + "\n")
    print(emulator())
    return 0


def row(board: Board) -> list[str]:
    """One board."""
    found = [f"{board.name:<9} {board.title}", _line("has", ", ".join(board.has))]
    found += [_line("lacks" if not at else "", f"{one}: {why}") for at, (one, why) in enumerate(board.lacks.items())]
    parts = [f"{name} ({part.kind} on bus {part.bus} at {part.address:#x})" for name, part in board.parts.items()]
    found += [_line("parts", ", ".join(parts))] if parts else []
    return [*found, _line("image", image(board)) if board.emulator else _line("desk", desk(board))]


def image(board: Board) -> str:
    """Which image it starts from, or how to get one."""
    found = card.image(board.product)
    if found is None:
        return f"none of {board.product} in {card.images()}: `make images` builds it"
    return f"{found.name}, built {time.strftime('%Y-%m-%d %H:%M', time.localtime(found.stat().st_mtime))}"


def desk(board: Board) -> str:
    """Where its console is."""
    return f"its console is {board.console.device}" if board.console else ""


def emulator() -> str:
    """QEMU's version, or how to get it."""
    try:
        return qemu.version()
    except HardwareFault as fault:
        return str(fault)


def _line(name: str, text: str) -> str:
    return fold(f"          {name:<6} {text}", _WIDTH, _INDENT)
