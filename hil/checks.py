"""What the file of a board says, value by value, before anything is started: a wrong line is named while it is written.

Rules:
1. Capabilities and ways are names that are known here, and what one of them needs stands in the file.
2. A part has a kind of the board's driver, an address that a bus has and nobody else uses, and a name that neither a
   line, nor the bus, nor the agent's settings take for something else.
3. What only QEMU or the far end can tell (a machine, a bus, a port that is not there) is theirs to tell at the start.
"""

from __future__ import annotations

import re

from edge.peripherals.sim import onewire
from hil.drivers import far_parts, parts
from hil.resources import CAPABILITIES, WAYS, Board, Emulator, Login, Part, Serial, Switch
from hil.tables import Tables
from images import product

# What a board on a desk can do at all, and the table that says how.
_REAL = {"power": "switch", "port": "port"}
# What a test asks the board's own end for.
_GUEST = {"lines": "lines", "edges": "lines", "parts": "bus", "port": "port"}
_NAME = re.compile(r"(?!gpio\d|bus$)[a-z][a-z0-9_]{0,31}", re.ASCII)
_FIRST, _LAST = 0x08, 0x77  # the rest of 7 bits is reserved (UM10204)
_BRIDGED = "ds18b20"
_MOST_LINES = 1024
_DEVICE = re.compile(r"/.+|[a-z0-9]+://.+")


def check(board: Board, tables: Tables) -> None:
    """The rules; ConfigFault for the first line that is wrong."""
    _check_names(board, tables)
    _check_login(board.login, tables)
    if (board.emulator is None) == (board.console is None):
        raise tables.fault("", "a board has either [emulator] or [console]", "write one of the two tables")
    if board.emulator is None:
        _check_real(board, tables)
    else:
        _check_emulator(board, board.emulator, tables)
        _check_parts(board, board.emulator, tables)
    for one in board.has:
        if one in _GUEST and getattr(board.guest, _GUEST[one]) in ("", -1):
            raise tables.fault("guest", f"the board has {one}, and [guest] has no {_GUEST[one]}", "add it")


def _check_names(board: Board, tables: Tables) -> None:
    """Rule 1, and the product."""
    for key, given in (("has", board.has), ("lacks", tuple(board.lacks))):
        for one in given:
            _one_of(tables, key, one, "capability", tuple(CAPABILITIES))
    both = sorted(set(board.has) & set(board.lacks))
    if both:
        raise tables.fault("has", f"the board has {both[0]} and lacks it", "say one of the two")
    _one_of(tables, "product", board.product, "product", tuple(product.names()))


def _one_of(tables: Tables, key: str, one: str, noun: str, known: tuple[str, ...]) -> None:
    if one not in known:
        raise tables.fault(key, f"{one[:40]!r} is no {noun}", "one of " + ", ".join(known))


def _check_login(login: Login, tables: Tables) -> None:
    try:
        re.compile(login.prompt)
    except re.error as error:
        raise tables.fault(
            "login.prompt", f"{login.prompt[:40]!r} is no pattern: {error}", "see re of Python"
        ) from error
    for key in ("user", "prompt", "operator"):
        if not getattr(login, key):
            raise tables.fault(f"login.{key}", f"login.{key} is empty", "leave it out where it is that of the image")


def _check_emulator(board: Board, emulator: Emulator, tables: Tables) -> None:
    _one_of(tables, "emulator.way", emulator.way, "way to start", WAYS)
    needed = ("lines",) if emulator.way == "direct" else ("uboot", "tree", "registers")
    for name in needed:
        if not getattr(emulator, name):
            raise tables.fault("emulator", f"[emulator] has no {name}, which the way {emulator.way} needs", "add it")
    if not 0 <= emulator.lines <= _MOST_LINES:
        raise tables.fault("emulator.lines", f"there are no {emulator.lines} lines", f"1 to {_MOST_LINES}")
    if {emulator.console, emulator.port} != {0, 1}:
        told = f"console and port are {emulator.console} and {emulator.port}"
        raise tables.fault("emulator.console", told, "one of them is 0, the other 1")
    if emulator.way != "direct":
        _check_loaded(board.product, emulator, tables)


def _check_loaded(name: str, emulator: Emulator, tables: Tables) -> None:
    """What QEMU loads is on the card of the product."""
    made = product.load(name)
    trees = tuple(f"{one}.dtb" for one in made.machines)
    _one_of(tables, "emulator.tree", emulator.tree, f"device tree of {name}", trees)
    loaders = tuple(dict.fromkeys(f"u-boot-{one}.bin" for one in made.uboot.values()))
    _one_of(tables, "emulator.uboot", emulator.uboot, f"U-Boot of {name}", loaders)


def _check_parts(board: Board, emulator: Emulator, tables: Tables) -> None:
    """Rule 2."""
    far = emulator.way == "direct"
    kinds = tuple(far_parts.KINDS if far else parts.KINDS)
    if "parts" in board.has and not board.parts:
        raise tables.fault("has", "the board has parts, and none is described", "write [parts.NAME]")
    for name, part in board.parts.items():
        _check_part(f"parts.{name}", part, tables)
        _one_of(tables, f"parts.{name}.kind", part.kind, "kind of part here", kinds)
        if part.bus < 0 or (far and part.bus != board.guest.bus):
            fix = f"bus = {board.guest.bus}, as [guest] says" if far else "0 or more"
            raise tables.fault(f"parts.{name}.bus", f"the board has no bus {part.bus}", fix)
    _check_addresses(board, tables)


def table(name: str, tables: Tables) -> str:
    """The table of the part of this name; ConfigFault where it could be none (rule 2)."""
    if not _NAME.fullmatch(name):
        fix = "a small letter, then small letters, digits and _, at most 32; not bus, and not as a line"
        raise tables.fault(f"parts.{name}", f"{name[:40]!r} is no name for a part", fix)
    return f"parts.{name}"


def _check_part(key: str, part: Part, tables: Tables) -> None:
    if not _FIRST <= part.address <= _LAST:
        raise tables.fault(f"{key}.address", f"no part has the address {part.address:#x}", f"{_FIRST:#x} to {_LAST:#x}")
    if part.kind != _BRIDGED:
        if part.wire:
            raise tables.fault(f"{key}.wire", f"a {part.kind} hangs on no 1-wire line", "remove it")
        return
    try:
        onewire.rom(part.wire)
    except (ValueError, OverflowError):
        fix = "as Linux writes it: 28-060504030201"
        raise tables.fault(f"{key}.wire", f"{part.wire[:40]!r} is no number of a 1-wire part", fix) from None


def _check_addresses(board: Board, tables: Tables) -> None:
    """An address has one part; a bridge has as many as there are numbers."""
    taken: dict[tuple[int, int, str], str] = {}
    for name, part in board.parts.items():
        for other, (bus, address, wire) in [(other, place) for place, other in taken.items()]:
            same = (bus, address) == (part.bus, part.address)
            if same and (not wire or not part.wire or wire == part.wire):
                raise tables.fault(f"parts.{name}.address", f"{name} is where {other} is", "give each its own place")
        taken[part.bus, part.address, part.wire] = name


def _check_real(board: Board, tables: Tables) -> None:
    for one in board.has:
        if one not in _REAL:
            raise tables.fault("has", f"no driver here gives a board on a desk {one}", "leave it out of `has`")
        if not tables.has(_REAL[one]):
            raise tables.fault("has", f"the board has {one} and no [{_REAL[one]}]", f"write [{_REAL[one]}]")
    for key, serial in (("console", board.console), ("port", board.port)):
        _check_serial(key, serial, tables)
    _check_switch(board.switch, tables)


def _check_serial(key: str, serial: Serial | None, tables: Tables) -> None:
    if serial and not _DEVICE.fullmatch(serial.device):
        fix = "a path as /dev/ttyUSB0, or socket://HOST:PORT"
        raise tables.fault(f"{key}.device", f"{serial.device[:40]!r} is no serial port", fix)
    if serial and serial.speed <= 0:
        raise tables.fault(f"{key}.speed", f"a serial port has no speed {serial.speed}", "as 115200")


def _check_switch(switch: Switch | None, tables: Tables) -> None:
    for key in ("on", "off"):
        if switch and not getattr(switch, key):
            raise tables.fault(f"switch.{key}", f"switch.{key} is no command", "write it word by word")
