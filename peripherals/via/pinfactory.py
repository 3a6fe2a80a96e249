"""A pin factory for gpiozero on the kernel's GPIO character device: any board, no compiled library.

    GPIOZERO_PIN_FACTORY=fieldhand python3 program.py
    LED(17, pin_factory=FieldhandFactory())

Rules this file keeps:
1. The chip is found by its label: the one of a known header, the only one, or the one that is named.
2. The guard's lines are not for gpiozero: what the settings declare as outputs is refused, what it holds is busy.
3. Loaded by gpiozero or a program that uses it, never by the agent.

Source of the contract: gpiozero 2.0.1, pins/__init__.py (Factory) and pins/pi.py (PiFactory).
"""

from __future__ import annotations

import os
import warnings
from time import monotonic

from gpiozero import BadPinFactory, PinInvalidPin
from gpiozero.pins.local import (
    LocalPiHardwareSPI,
    LocalPiHardwareSPIShared,
    LocalPiSoftwareSPI,
    LocalPiSoftwareSPIShared,
)
from gpiozero.pins.pi import PiFactory

from edge.faults import ConfigFault, HardwareFault
from edge.peripherals.boards.header import bcm
from edge.peripherals.boards.reserved import HEADER_CHIPS
from edge.peripherals.gpiochip import find, seam
from edge.peripherals.via import pinboard, pinfault, pinreserved
from edge.peripherals.via.pin import FieldhandPin
from edge.peripherals.via.pinedges import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.peripherals.gpiochip.chip import Chip
    from edge.peripherals.gpiochip.seam import Seam

_SPI = {
    (False, True): LocalPiHardwareSPI,
    (True, True): LocalPiHardwareSPIShared,
    (False, False): LocalPiSoftwareSPI,
    (True, False): LocalPiSoftwareSPIShared,
}
_MOST = 1 << 16  # bytes of a file that tells of the board


class FieldhandFactory(PiFactory):  # type: ignore[misc]
    """Pins of one GPIO chip.

    `chips`: where chips are: "" the kernel's, `model:SOCKET`, or a seam; None takes FIELDHAND_CHIPS. `chip`: the label
    of the chip; None takes FIELDHAND_CHIP, "" the header's or the only one. `reserved`: outputs that are the guard's;
    None takes those of the settings. `root`: where /proc is looked for. BadPinFactory when there is no such chip.
    """

    def __init__(
        self,
        chips: str | Seam | None = None,
        chip: str | None = None,
        reserved: tuple[pinreserved.Reserved, ...] | None = None,
        root: str = "/",
    ) -> None:
        super().__init__()
        told = os.environ.get("FIELDHAND_CHIPS", "") if chips is None else chips
        label = os.environ.get("FIELDHAND_CHIP", "") if chip is None else chip
        self.watcher = Watcher()
        self._reserved = reserved
        self._taken: dict[int, str] | None = None
        self._warned: set[str] = set()
        try:
            self.chip: Chip = find.find(seam.of(told) if isinstance(told, str) else told, label)
            self._info, self._offsets = pinboard.look(self.chip, lambda path: _bytes(root + path))
        except HardwareFault as fault:
            raise BadPinFactory(str(fault)) from fault
        self.pin_class = FieldhandPin

    def close(self) -> None:
        """Let go of all lines and of the chip; drives nothing."""
        super().close()
        self.watcher.close()
        self.chip.close()

    def pin(self, name: Any) -> Any:
        """The pin of a name: 17, "17", "GPIO17", a line's own; at a Raspberry Pi "BCM17", "J8:11", "BOARD11" too."""
        for _, info in self.board_info.find_pin(name):
            if "gpio" not in info.interfaces:
                raise PinInvalidPin(f"{name} is {info.name}, which is no GPIO pin")
            return super().pin(name)
        known = sorted(self._offsets, key=lambda one: int(one[4:]))
        most = f"{known[0]} to {known[-1]}" if known else "none"
        raise PinInvalidPin(f"{name!r} is no pin of this board ({self.board_info.description}); its pins are {most}")

    @staticmethod
    def ticks() -> float:
        """Seconds of the clock that the kernel stamps edges with."""
        return monotonic()

    @staticmethod
    def ticks_diff(later: float, earlier: float) -> float:
        return later - earlier

    def _get_board_info(self) -> Any:
        return self._info

    def _get_spi_class(self, shared: bool, hardware: bool) -> Any:
        return _SPI[shared, hardware]

    def offset(self, pin: str) -> int:
        """Which line of the chip a pin is, by its first name."""
        return self._offsets[pin]

    def refuse_reserved(self, pin: str) -> None:
        """GPIOPinInUse for a pin that is an output of the settings; BadPinFactory when these cannot be read."""
        if self._taken is None:
            self._taken = self._taken_lines()
        output = self._taken.get(self._offsets[pin])
        if output is not None:
            raise pinfault.declared(pin, output)

    def warn_once(self, kind: type[Warning], sentence: str) -> None:
        """A warning the first time that it is due."""
        if sentence not in self._warned:
            self._warned.add(sentence)
            warnings.warn(kind(sentence), stacklevel=2)

    def _taken_lines(self) -> dict[int, str]:
        """Offset of this chip -> the output that it is."""
        reserved = self._reserved
        if reserved is None:
            try:
                reserved = pinreserved.declared(os.environ)
            except ConfigFault as fault:
                raise BadPinFactory(f"which lines are the guard's is not known, so none is given: {fault}") from fault
        here = [one for one in reserved if one.line and one.chip in ("", self.chip.label)]
        return {offset: one.output for one in here for offset in self._offset_of(one.line)}

    def _offset_of(self, line: str) -> list[int]:
        """The offset that a line of the settings has here; none when it is another chip's."""
        try:
            return [self.chip.offset_of(line)]
        except HardwareFault:
            number = bcm(line) if self.chip.label in HEADER_CHIPS else -1
            return [number] if number >= 0 else []


def _bytes(path: str) -> bytes | None:
    """The beginning of a file that tells of the board; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(_MOST)
    except OSError:
        return None
