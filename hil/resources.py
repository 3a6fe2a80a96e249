"""What exists: boards, emulated or on a desk, as TOML describes them: `hil/boards/NAME.toml`, or a user's own file.

Rules:
1. A board says of each capability whether it has it (`has`) or why not (`lacks`): a test that needs one that is
   missing is left out with that reason.
2. A board is emulated (`[emulator]`) or reached over a serial port (`[console]`), never both.
3. Where a file of a user's own says nothing of a capability, the board has not got it, as its file does not name it.

What was tried with QEMU 10.0.2: Debian's own U-Boot runs on all three boards, from the card and with the script of the
card, so that what is tested is the way a real board takes behind its firmware. The firmware itself (bootcode.bin,
start.elf, config.txt) is not in QEMU: it loads U-Boot itself (`way`), the 64-bit one with the device tree it would get.

raspi2b: with -bios all four processors run into U-Boot at once, and nothing comes. With -kernel QEMU keeps three of
them waiting at their mailboxes, as the firmware does; it loads a file to a place of its own in U-Boot's legacy form.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from edge.faults import ConfigFault, UsageFault
from edge.record import Record
from hil.tables import Tables

R = TypeVar("R", bound=Record)
HERE = Path(__file__).resolve().parent / "boards"
WAYS = ("bios", "kernel", "wrapped", "direct")
# capability -> what it lets a test do
CAPABILITIES = {
    "lines": "set and see GPIO lines from outside",
    "edges": "have edges of lines reported in the guest",
    "parts": "set what the parts on an I2C bus measure",
    "iio": "have one of the parts read through the kernel's industrial I/O",
    "faults": "make a part on a bus fail",
    "onewire": "set what a 1-wire sensor measures",
    "loader": "be started by the boot loader of the card",
    "port": "be the far end of a second serial port",
    "power": "take the power away and bring it back",
    "resets": "count the resets that the board made itself",
    "usb": "have a network card or a serial adapter plugged in, with this machine behind it",
}


class Emulator(Record):
    """A machine of QEMU. `machine`: QEMU's name. `way`: how it begins: bios, kernel, or wrapped: kernel, with the head
    that says 0x8000, where a 32-bit U-Boot was linked to; direct: the slot's own kernel, no U-Boot (hil/direct.py).
    `console` and `port`: which -serial the console and the second port are on (of a Pi: 0 PL011, 1 mini UART).
    `uboot`: the file on p1. `tree`: the device tree, in dtb/ of a slot. `registers`: where those of the SoC begin.
    `timer`: where the system timer is, when the kernel has no other. `accel`: of the emulation. `words`: for the
    kernel, because the model lacks something. For the second port `okay` are nodes of the device tree that are
    switched on, `removed` those that are taken out. `lines`: how many GPIO lines the far side in this process has."""

    machine: str
    way: str
    console: int
    port: int
    uboot: str = ""
    tree: str = ""
    registers: int = 0
    timer: int = 0
    accel: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    okay: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    lines: int = 0


class Serial(Record):
    """A serial port of this machine: a device, or `socket://HOST:PORT` of a console server."""

    device: str
    speed: int = 115200


class Switch(Record):
    """Commands of this machine that switch a board's power, word by word; `cycle` where off and on is one command."""

    on: tuple[str, ...]
    off: tuple[str, ...]
    cycle: tuple[str, ...] = ()


class Login(Record):
    """Who gets a shell on the console, and its prompt as a pattern."""

    user: str = "rescue"
    password: str = "fieldhand"
    prompt: str = r"# $"
    operator: str = "operator"
    operator_password: str = "fieldhand"


class Guest(Record):
    """What the board calls its own end of things: the GPIO chip, the number of the I2C bus, the second serial port.
    `chip`: the label of the GPIO chip, where the agent cannot tell which one has the lines."""

    lines: str = ""
    chip: str = ""
    bus: int = -1
    port: str = ""


class Part(Record):
    """A part on an I2C bus. `kind`: as in hil/drivers/parts.py, or, where the far side is in this process, as in
    hil/drivers/far_parts.py. `wire`: the number of a part at the 1-wire bridge of that address."""

    kind: str
    bus: int
    address: int
    wire: str = ""


class Board(Record):
    """A board. `product`: whose image it starts from."""

    name: str
    title: str
    product: str
    has: tuple[str, ...]
    lacks: dict[str, str]
    emulator: Emulator | None
    console: Serial | None
    port: Serial | None
    switch: Switch | None
    login: Login
    guest: Guest
    parts: dict[str, Part]

    def misses(self, *wanted: str) -> str:
        """Why the board cannot do one of these, "" when it can do all."""
        for one in wanted:
            if one not in self.has:
                return f"{self.name} has no {one}: {self.lacks.get(one, 'its file does not name it')}"
        return ""

    @property
    def switched(self) -> bool:
        """Whether its power can be taken away from here."""
        return "power" in self.has

    def emulated(self) -> Emulator:
        """How QEMU starts it; UsageFault for a board on a desk."""
        if self.emulator is None:
            raise UsageFault(f"{self.name} is not emulated", "name one of " + ", ".join(names()))
        return self.emulator


def names() -> list[str]:
    """The boards that are described here."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def having(*capabilities: str) -> list[str]:
    """Those of them that can do all this."""
    return [name for name in names() if not named(name).misses(*capabilities)]


def named(name: str) -> Board:
    """The board of this name, or the one that a file describes (a name with a slash or the ending `.toml`)."""
    if "/" in name or name.endswith(".toml"):
        path = Path(name)
    elif name in names():
        path = HERE / f"{name}.toml"
    else:
        raise UsageFault(
            f"there is no board {name[:40]!r}", f"there are {', '.join(names())}; a file of your own ends in .toml"
        )
    if path.stem in names() and path.resolve().parent != HERE:
        raise ConfigFault(f"a board here is called {path.stem} already", "give the file another name", str(path))
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigFault(f"the board's file cannot be read: {fault}", "name a TOML file", str(path)) from fault
    return read(text, path)


def read(text: str, path: Path) -> Board:
    """The board in this text; `path` gives its name and the place for faults."""
    from hil import checks  # which asks the drivers, and they know boards

    tables = Tables(text, str(path))
    board = tables.record(
        Board,
        name=path.stem,
        lacks=tables.texts("lacks"),
        emulator=_maybe(tables, Emulator, "emulator"),
        console=_maybe(tables, Serial, "console"),
        port=_maybe(tables, Serial, "port"),
        switch=_maybe(tables, Switch, "switch"),
        login=_maybe(tables, Login, "login") or Login(),
        guest=_maybe(tables, Guest, "guest") or Guest(),
        parts={name: tables.record(Part, checks.table(name, tables)) for name in tables.names("parts")},
    )
    checks.check(board, tables)
    return board


def _maybe(tables: Tables, kind: type[R], at: str) -> R | None:
    return tables.record(kind, at) if tables.has(at) else None
