"""A DS2482-100, the bridge from I2C to a 1-wire line, by its commands.

Rules this file keeps:
1. A command is done when its message ends: the line is never busy.
2. A command that it has not, or a configuration whose upper half is not the complement of the lower, is not
   acknowledged; so a driver finds out that this is not the DS2482-800, which can select channels.

Source: Analog Devices (Maxim) DS2482-100 19-4930.
"""

from __future__ import annotations

from edge.faults import HardwareFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.sim.onewire import Wire

_DEVICE_RESET, _SET_POINTER, _CONFIGURE, _RESET = 0xF0, 0xE1, 0xD2, 0xB4
_BIT, _WRITE, _READ, _TRIPLET = 0x87, 0xA5, 0x96, 0x78
_STATUS, _DATA, _CONFIG = 0xF0, 0xE1, 0xC3
_PRESENCE, _LINE_HIGH, _WAS_RESET, _SINGLE, _SECOND, _DIRECTION = 0x02, 0x08, 0x10, 0x20, 0x40, 0x80


class Bridge:
    """See Device in edge.peripherals.sim.registers."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._registers = {_STATUS: _LINE_HIGH | _WAS_RESET, _DATA: 0, _CONFIG: 0}
        self._pointer = _STATUS

    def write(self, data: bytes) -> None:
        if not data:
            return
        command, value = data[0], data[1] if len(data) > 1 else None
        act = _ACTS.get((command, value is not None))
        if act is None:
            raise HardwareFault(f"the DS2482 does not acknowledge the command 0x{command:02x}")
        self._pointer = _STATUS
        act(self, value or 0)

    def read(self, count: int) -> bytes:
        """The register that the pointer is at, over and over."""
        return bytes([self._registers[self._pointer]]) * count

    def _reset_device(self, _value: int) -> None:
        self._registers = {_STATUS: _LINE_HIGH | _WAS_RESET, _DATA: 0, _CONFIG: 0}

    def _point(self, value: int) -> None:
        if value not in self._registers:
            raise HardwareFault(f"the DS2482 has no register 0x{value:02x}")
        self._pointer = value

    def _configure(self, value: int) -> None:
        if value >> 4 != ~value & 0x0F:
            raise HardwareFault("the DS2482 takes no configuration without its complement")
        self._registers[_CONFIG], self._pointer = value & 0x0F, _CONFIG
        self._registers[_STATUS] &= ~_WAS_RESET

    def _reset(self, _value: int) -> None:
        self._told(_PRESENCE if self._wire.reset() else 0, _PRESENCE)

    def _bit(self, value: int) -> None:
        self._told(_SINGLE if self._wire.touch(value >> 7) else 0, _SINGLE)

    def _write(self, value: int) -> None:
        self._wire.write(value)

    def _read(self, _value: int) -> None:
        self._registers[_DATA] = self._wire.read()

    def _triplet(self, value: int) -> None:
        """A step of a search: a bit, its complement, and the way on: the one that is told where both are there."""
        first, second = self._wire.touch(1), self._wire.touch(1)
        way = first if first or second else value >> 7
        self._wire.touch(way)
        found = (_SINGLE if first else 0) | (_SECOND if second else 0) | (_DIRECTION if way else 0)
        self._told(found, _SINGLE | _SECOND | _DIRECTION)

    def _told(self, bits: int, of: int) -> None:
        self._registers[_STATUS] = self._registers[_STATUS] & ~of | bits


# command, whether a byte follows it -> what is done
_ACTS = {
    (_DEVICE_RESET, False): Bridge._reset_device,
    (_SET_POINTER, True): Bridge._point,
    (_CONFIGURE, True): Bridge._configure,
    (_RESET, False): Bridge._reset,
    (_BIT, True): Bridge._bit,
    (_WRITE, True): Bridge._write,
    (_READ, False): Bridge._read,
    (_TRIPLET, True): Bridge._triplet,
}
