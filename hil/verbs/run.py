"""`hil run NAME`: a board in this terminal, with its card kept, for `hil set` and `hil watch` in a second one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.faults import UsageFault
from hil import card as cards
from hil import opening, resources
from hil.drivers import qemu
from hil.drivers.desk import Desk
from hil.live import card, terminal
from hil.live.control import Session
from hil.live.counter import Counter
from hil.live.place import Place
from hil.protocols import Bench
from hil.resources import Board

ABOUT = """\
Starts a board and makes this terminal its serial console; Ctrl-] leaves, and takes the power of an emulated board away.
Such a one has a card made from the image of `make images`, which is kept: the next run goes on from it."""


def main(words: list[str]) -> int:
    """Run it until the person leaves or the board ends; 0."""
    told = _parser().parse_args(words)
    board = resources.named(told.board)
    if not sys.stdin.isatty():
        raise UsageFault(f"the console of {board.name} needs a terminal to be shown at", "run it in one")
    place = Place(board.name, told.board)
    with place.held(), _bench(board, place, told) as bench, place.listening() as door:
        session = Session(bench)
        if board.switched:
            bench.power_on()
        if "parts" in board.has:
            card.warmed(board, bench.parts)
        _say(*hints(board, told.board))
        counter = Counter(door, session)
        keys, screen = sys.stdin.fileno(), sys.stdout.fileno()
        try:
            with terminal.raw(keys, screen):
                why = terminal.carry(bench.console.link, session, counter, keys, screen)
        finally:
            counter.close()
        _say(f"{board.name}: {'the power was taken away' if why == terminal.LEFT and board.emulator else why}")
    return 0


@contextmanager
def _bench(board: Board, place: Place, told: argparse.Namespace) -> Iterator[Bench]:
    """The wires to a board on a desk, or an emulated board with its card."""
    if board.emulator is None:
        if told.card or told.fresh or told.provision:
            raise UsageFault(f"the card of {board.name} is not made here", "leave out --card, --fresh and --provision")
        with Desk(board) as desk:
            yield desk
        return
    qemu.version()
    path = told.card.absolute() if told.card else place.card
    _inserted(board, path, told)
    with opening.machine(board, path) as machine:
        yield machine


def _inserted(board: Board, path: Path, told: argparse.Namespace) -> None:
    """A card at that path, with a word of where it comes from."""
    image = cards.image(board.product)
    if told.fresh or not path.exists():
        _say(f"making the card {_short(path)}" + (f" from {image.name}" if image else ""))
        card.made(board, path, told.provision)
        return
    if told.provision:
        raise UsageFault(f"{path} was made already, with what is wired to it", "--fresh makes it anew")
    old = image is not None and not card.of_now(board, path)
    _say(f"going on from the card {_short(path)}" + ("; the image is another one by now (--fresh)" if old else ""))


def _short(path: Path) -> Path:
    """As a person writes it who is in this folder."""
    return path.relative_to(Path.cwd()) if Path.cwd() in path.parents else path


def hints(board: Board, name: str) -> list[str]:
    """What a person needs to know before the console is theirs; `name` is the board's on a command line."""
    login = board.login
    found = [f"{board.title}. The first start of a card takes longest; then log in:"]
    found += [f"  {login.operator}, password {login.operator_password}: the agent's prompt"]
    found += [f"  {login.user}, password {login.password}: a shell"]
    sets = [f"python3 -m hil set {name} {part} 31.5" for part in list(board.parts)[:1] if "parts" in board.has]
    sets += [f"python3 -m hil set {name} {card.DOOR} high"] if "lines" in board.has else []
    found += ["In a second terminal:", *(f"  {one}" for one in [*sets, f"python3 -m hil watch {name}"])]
    left = "as if the plug were pulled" if board.emulator else "and the board goes on"
    return [*found, f"Ctrl-] (or Ctrl-5) leaves, {left}."]


def _say(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hil run", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", metavar="NAME|FILE.toml", help=f"one of {', '.join(resources.names())}, or a file")
    parser.add_argument("--card", type=Path, metavar="FILE", help="the card; default: .cache/hil/NAME/card.img")
    parser.add_argument("--fresh", action="store_true", help="make the card anew")
    parser.add_argument("--provision", type=Path, metavar="FILE", help="a provision.toml in place of the usual one")
    return parser
