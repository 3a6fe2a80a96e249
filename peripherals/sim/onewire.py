"""A 1-wire line and what hangs on it, slot by slot.

Rules this file keeps:
1. A slot is one bit: the line is low when the master or any part pulls it low. A part is told what the line had.
2. A part's life between two resets is a generator: it yields what it leaves the line at (1) or pulls it to (0), and is
   sent what the line had. One that is done stays off the line until the next reset.
3. A part is asked what it measures at each reset and each conversion; by HardwareFault it is not there, as one whose
   wire broke. Its scratchpad, once asked for, is a reading: `taken` is told.

Sources: Analog Devices (Maxim) DS18B20 19-7487; application note 187 (search).
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sim.registers import unheard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Protocol

    Life = Generator[int, int, None]

    class Slave(Protocol):
        """What hangs on the line."""

        def life(self) -> Life | None:
            """What it does from this reset on, None when it does not answer it."""


_SEARCH, _MATCH, _SKIP, _READ = 0xF0, 0x55, 0xCC, 0x33
_CONVERT, _SCRATCHPAD, _WRITE = 0x44, 0xBE, 0x4E


class Wire:
    """The line, as a master has it."""

    def __init__(self, slaves: Sequence[Slave]) -> None:
        self._slaves = slaves
        self._lives: list[tuple[Life, int]] = []  # and what each puts on the line in the next slot

    def reset(self) -> bool:
        """Whether any part answered."""
        lives = [life for life in (slave.life() for slave in self._slaves) if life is not None]
        self._lives = [(life, next(life)) for life in lives]
        return bool(lives)

    def touch(self, bit: int) -> int:
        """One slot: the master writes 0, or writes 1 and reads what the line has."""
        level = int(bool(bit) and all(put for _, put in self._lives))
        self._lives = [(life, after) for life, _ in self._lives if (after := _sent(life, level)) is not None]
        return level

    def write(self, byte: int) -> None:
        for at in range(8):
            self.touch(byte >> at & 1)

    def read(self) -> int:
        return sum(self.touch(1) << at for at in range(8))


class Ds18b20:
    """A thermometer; `number` as Linux writes it: 28-060504030201."""

    def __init__(self, number: str, measured: Callable[[], float], taken: Callable[[], None] = unheard) -> None:
        self.rom = rom(number)
        self._measured, self._taken = measured, taken
        self._scratchpad = bytearray.fromhex("5005 4b46 7f ff0c10")  # 85 degrees, as after power-on

    def life(self) -> Life | None:
        try:
            self._measured()
        except HardwareFault:
            return None
        return self._live()

    def _live(self) -> Life:
        if (yield from self._selected()):
            yield from self._asked()

    def _selected(self) -> Generator[int, int, bool]:
        """The part of a talk in which the master says whom it means."""
        command = yield from _heard(8)
        if command == _READ:
            yield from _said(self.rom, 64)
        elif command == _MATCH:
            return (yield from _heard(64)) == self.rom
        elif command == _SEARCH:
            for at in range(64):
                own = self.rom >> at & 1
                yield own
                yield 1 - own
                if (yield 1) != own:
                    return False
        return command in (_READ, _SKIP, _SEARCH)

    def _asked(self) -> Life:
        command = yield from _heard(8)
        if command == _CONVERT:
            self._convert()
        elif command == _SCRATCHPAD:
            self._taken()
            told = bytes([*self._scratchpad, crc(self._scratchpad)])
            yield from _said(int.from_bytes(told, "little"), 72)
        elif command == _WRITE:
            for place in (2, 3, 4):
                self._scratchpad[place] = yield from _heard(8)

    def _convert(self) -> None:
        """Bits beyond the resolution are 0. A part that is gone by now keeps what it has."""
        try:
            steps = int(min(125.0, max(-55.0, self._measured())) * 16.0 // 1)
        except HardwareFault:
            return
        off = 3 - (self._scratchpad[4] >> 5 & 3)
        self._scratchpad[0:2] = (steps >> off << off).to_bytes(2, "little", signed=True)


def rom(number: str) -> int:
    """The 64 bits of a part's number, the first on the wire lowest; ValueError when it is none."""
    family, serial = number.split("-")
    if len(family) != 2 or len(serial) != 12:
        raise ValueError(f"{number!r} is no number of a 1-wire part, as 28-060504030201 is")
    own = bytes([int(family, 16), *int(serial, 16).to_bytes(6, "little")])
    return int.from_bytes(own + bytes([crc(own)]), "little")


def crc(data: bytes | bytearray) -> int:
    """The checksum of 1-wire, x^8 + x^5 + x^4 + 1."""
    found = 0
    for byte in data:
        for at in range(8):
            found = found >> 1 ^ (0x8C if (found ^ byte >> at) & 1 else 0)
    return found


def _sent(life: Life, level: int) -> int | None:
    try:
        return life.send(level)
    except StopIteration:
        return None


def _heard(bits: int) -> Generator[int, int, int]:
    found = 0
    for at in range(bits):
        found |= (yield 1) << at
    return found


def _said(value: int, bits: int) -> Life:
    for at in range(bits):
        yield value >> at & 1
