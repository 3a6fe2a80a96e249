"""A bus of register models as a program sees it through the kernel: the double of edge/peripherals/via/i2c.py.

Rules this file keeps:
1. What a part does not acknowledge is EREMOTEIO, as the Pi's adapter says; a part that a driver of the kernel has is
   EBUSY; a bus that is held low is ETIMEDOUT.
2. The lock is of an opening, as of a file: two openings exclude each other.
"""

from __future__ import annotations

from edge.faults import HardwareFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.sim.registers import Bus

ENOENT, EBUSY, ETIMEDOUT, EREMOTEIO = 2, 16, 110, 121


class Buses:
    """The buses of a board by number; `opened` is what edge.peripherals.bus opens one with.

    `driven`: (bus, address) of parts that the kernel's own drivers have. `stuck`: buses that are held low. `failing`:
    errors for the next readings, one each. `asked`: every reading, as (bus, address, register).
    """

    def __init__(self, buses: dict[int, Bus]) -> None:
        self.buses = buses
        self.driven: set[tuple[int, int]] = set()
        self.stuck: set[int] = set()
        self.failing: list[int] = []
        self.asked: list[tuple[int, int, int]] = []
        self.holder: dict[int, ModelBus] = {}

    def opened(self, number: int) -> ModelBus:
        if number not in self.buses:
            raise OSError(ENOENT, "No such file or directory")
        return ModelBus(self, number)


class ModelBus:
    """One opening of a bus. See edge.peripherals.bus.Adapter."""

    def __init__(self, board: Buses, number: int) -> None:
        self._board, self._number = board, number

    def lock(self) -> bool:
        return self._board.holder.setdefault(self._number, self) is self

    def register(self, address: int, number: int, count: int) -> bytes:
        board, bus = self._board, self._board.buses[self._number]
        if (self._number, address) in board.driven:
            raise OSError(EBUSY, "Device or resource busy")
        board.asked.append((self._number, address, number))
        if self._number in board.stuck:
            raise OSError(ETIMEDOUT, "Connection timed out")
        if board.failing:
            raise OSError(board.failing.pop(0), "scripted")
        try:
            bus.write(address, bytes([number]))
            return bus.read(address, count)
        except HardwareFault as fault:
            raise OSError(EREMOTEIO, "Remote I/O error") from fault

    def close(self) -> None:
        if self._board.holder.get(self._number) is self:
            del self._board.holder[self._number]
