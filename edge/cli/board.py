"""Which board this run works with: the simulated greenhouse, another simulated world, the real one, one of a file.

Rules:
1. `sim` is the greenhouse, `sim:NAME` another world that comes with Fieldhand, `auto` the board Fieldhand runs on with
   what the settings declare, all else a board file (TOML): with `[sim]` a world of one's own, else outputs and inputs
   as in the settings.
2. A real board whose guard runs as a service is reached through its socket; where none listens, this run starts a
   guard of its own. A socket that is there and does not answer is a fault: two guards would be two owners.
3. The greenhouse is chosen without this file (edge/cli/settle.py): it stands before the prompt.
"""

from __future__ import annotations

import os

from edge.faults import ConfigFault, HardwareFault
from edge.peripherals.guard.owned import Owned
from edge.peripherals.guard.owned import text as owned_text
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Gpio, Port, Sensor, Source
    from edge.config import Settings
    from edge.config_board import Declared
    from edge.peripherals.guard.client import Board

SERVICE = "/run/fieldhand/guard.sock"
FIX = "sim, sim:NAME, auto, or the path of a board file such as ./board.toml"


class Chosen(Record):
    """`owned`: what the guard is to own; None for the greenhouse. `gpio`: None on a simulated board.

    `sensors`, `sources`: what is read without the guard.
    """

    owned: Owned | None = None
    gpio: Gpio | None = None
    socket: str = SERVICE
    users: tuple[str, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    sources: tuple[Source, ...] = ()
    ports: tuple[Port, ...] = ()

    @property
    def real(self) -> bool:
        return self.owned is not None and self.owned.kind == "lines"

    @property
    def lines(self) -> bool:
        """Whether lines of GPIO chips were declared on a real board: a board of sensors and ports needs no chip."""
        if not self.real or self.owned is None:
            return False
        free = self.gpio is not None and (self.gpio.chip or self.gpio.lines or self.gpio.lab)
        return bool(self.owned.lines or free)


def choose(settings: Settings) -> Chosen:
    """The board of these settings; ConfigFault when there is none of that name or its file is wrong."""
    told = settings.board
    if told == "sim":
        return Chosen()
    if told.startswith("sim:"):
        return _world(told[len("sim:") :])
    if told == "auto":
        return _declared(settings)
    if "/" in told or told.endswith(".toml"):
        return _file(told)
    raise ConfigFault(f"there is no board {told[:60]!r}", FIX, key="board")


def headed(gpio: Gpio | None) -> Gpio | None:
    """It with the header that this board has: told by the board itself, else by the label of the chip behind it.

    Chips of a model are another board's than this computer. What cannot be looked at has no header that is known.
    """
    if gpio is None:
        return None
    from edge.cli.doctor_nodes import here
    from edge.peripherals.boards.identity import Board, header_of, identify
    from edge.record import replace

    board = Board() if gpio.chips else identify(here(True).data)
    label = "" if board.family else gpio.chip or _label(gpio.chips)
    return replace(gpio, header=header_of(board, label))


def _label(chips: str) -> str:
    """The label of the chip with the header, "" when there is none or it is not clear."""
    from edge.peripherals.gpiochip import find, seam

    try:
        looked = seam.of(chips)
    except HardwareFault:
        return ""
    try:
        chip = find.find(looked)
        label = chip.label
        chip.close()
    except HardwareFault:
        label = ""
    end = getattr(looked, "end", None)  # a model of chips is a connection
    if end is not None:
        end()
    return label


def start(settings: Settings, state: str, run: str) -> Board:
    """The running board of these settings; HardwareFault when it cannot be started or joined."""
    from edge.peripherals.guard.client import Board

    chosen = choose(settings)
    if chosen.real and os.path.exists(chosen.socket):
        notes = _differs(chosen)
        board = Board.join(chosen.socket, run, state)
        board.notes += notes
        return board
    return Board.start(state, run=run, owned=chosen.owned)


def _differs(chosen: Chosen) -> tuple[str, ...]:
    """What is to be told of a service that owns other things than these settings say.

    HardwareFault for one that keeps a simulated board: it would say of a line that it is on, and nothing would be.
    """
    from edge.peripherals.guard import door
    from edge.peripherals.guard.owned import text

    told = door.description(chosen.socket)
    if told is None or chosen.owned is None or told == text(chosen.owned):
        return ()
    if _kind(told) == "sim":
        sentence = f"the guard at {chosen.socket} keeps a simulated board, not these lines"
        raise HardwareFault(sentence, "start it anew with these settings, or name another [guard] socket in them")
    here = f"the guard at {chosen.socket} was started with other settings than these"
    return (f"{here}, and its own hold: start it anew to have it read these",)


def _kind(told: str) -> str:
    """What a guard says it owns, "" where it is another version's."""
    from edge.peripherals.guard.owned import read

    try:
        return read(told).kind
    except ValueError:
        return ""


def _world(name: str) -> Chosen:
    from edge.peripherals.sim import worlds

    try:
        return _simulated(worlds.text(name))
    except ValueError as error:
        raise ConfigFault(f"there is no simulated world {name[:60]!r}", str(error), key="board") from error


def _simulated(text: str) -> Chosen:
    from edge.peripherals.sim import worlds

    outputs, sensors = worlds.declared(text)
    return Chosen(Owned("sim", outputs, sensors, world=text))


def _declared(settings: Settings) -> Chosen:
    from edge.call import Gpio

    found = settings.declared
    if found is None:
        return Chosen(Owned("lines"), Gpio())
    return _real(found)


def _real(found: Declared) -> Chosen:
    socket = found.socket or SERVICE
    return Chosen(found.owned, found.gpio, socket, found.users, found.sensors, found.sources, found.ports)


def _file(path: str) -> Chosen:
    from edge import config, config_board
    from edge.config_keys import BOARD_TABLES, CHECKS

    tables, lines = config.board_file(path)
    if "sim" in tables:
        from edge.peripherals.sim import describe

        try:
            chosen = _simulated(describe.from_tables(tables))
        except ValueError as error:
            raise ConfigFault(f"the world of {path} is wrong: {error}", key="board") from error
        if chosen.owned is not None and len(owned_text(chosen.owned)) > config_board.LARGEST:
            sentence = f"so much is declared in {path} that no board can be told it"
            raise ConfigFault(sentence, "shorten words and labels", key="board")
        return chosen
    for name in tables:
        if name not in BOARD_TABLES:
            where = f"{path}:{lines[name]}" if name in lines else path
            shown = ascii(name[:60])[1:-1]
            raise ConfigFault(
                f"a board file has no {shown}", f"it has [sim], or {', '.join(BOARD_TABLES)}", where, name
            )
    found = config_board.read(tables, lines, path, CHECKS)
    return _real(found)
