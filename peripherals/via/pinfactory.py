"""A pin factory for gpiozero on the kernel's GPIO character device: any board, no compiled library.

    GPIOZERO_PIN_FACTORY=fieldhand python3 program.py
    LED(17, pin_factory=FieldhandFactory())

Rules this file keeps:
1. The chip is found by its label: the one that is named, that of a known header, the only one, or the one that the
   settings name ([gpio] chip).
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
from edge.peripherals.sysfs.files import Files
from edge.peripherals.sysfs.pwm import find as find_pwm
from edge.peripherals.via import pinboard, pinfault, pinreserved
from edge.peripherals.via.pin import FieldhandPin
from edge.peripherals.via.pinchannel import ChannelPin, places
from edge.peripherals.via.pinedges import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.peripherals.gpiochip.chip import Chip
    from edge.peripherals.gpiochip.seam import Seam
    from edge.peripherals.sysfs.files import Tree
    from edge.peripherals.via.pinreserved import Reserved

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
    None takes those of the settings. `pwm`: pins that the hardware drives, as `{"GPIO18": "pwmchip0/2"}`; None takes
    FIELDHAND_PWM (`GPIO18=pwmchip0/2,...`). `root`: where /proc and /sys are. BadPinFactory when there is no such chip.
    """

    def __init__(
        self,
        chips: str | Seam | None = None,
        chip: str | None = None,
        reserved: tuple[Reserved, ...] | None = None,
        pwm: Mapping[str, str] | None = None,
        root: str = "/",
    ) -> None:
        super().__init__()
        told = os.environ.get("FIELDHAND_CHIPS", "") if chips is None else chips
        label = os.environ.get("FIELDHAND_CHIP", "") if chip is None else chip
        self.watcher = Watcher()
        self.tree: Tree = Files(root)
        self._reserved = reserved
        self._warned: set[str] = set()
        try:
            self._seam = seam.of(told) if isinstance(told, str) else told
            self.chip: Chip = self._found(label)
            self._info, self._offsets = pinboard.look(self.chip, lambda path: _bytes(root + path))
        except HardwareFault as fault:
            raise BadPinFactory(str(fault)) from fault
        self.pin_class = self._made
        self._channels = self._placed(os.environ.get("FIELDHAND_PWM", "") if pwm is None else pwm)

    def close(self) -> None:
        """Let go of all lines and of the chip; drives nothing."""
        super().close()
        self.watcher.close()
        self.chip.close()
        end = getattr(self._seam, "end", None)  # a model's connection; the kernel has none
        if end is not None:
            end()

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

    def refuse_line(self, pin: str) -> None:
        """GPIOPinInUse for a pin that is an output of the settings; BadPinFactory when these cannot be read."""
        for one in self._outputs():
            if one.line and one.chip in ("", self.chip.label) and self._offset_of(one.line) == self._offsets[pin]:
                raise pinfault.declared(pin, one.output)

    def refuse_channel(self, pin: str, chip: str, channel: int) -> None:
        """The same for a pin at a PWM channel."""
        for one in self._outputs():
            if one.channel == channel and self._folder(one.chip) == self._folder(chip):
                raise pinfault.declared(pin, one.output)

    def warn_once(self, kind: type[Warning], sentence: str) -> None:
        """A warning the first time that it is due."""
        if sentence not in self._warned:
            self._warned.add(sentence)
            warnings.warn(kind(sentence), stacklevel=2)

    def _made(self, factory: FieldhandFactory, info: Any) -> Any:
        place = self._channels.get(info.name)
        return FieldhandPin(factory, info) if place is None else ChannelPin(factory, info, *place)

    def _placed(self, said: Mapping[str, str] | str) -> dict[str, tuple[str, int]]:
        """The first name of each pin that is at a PWM channel -> where."""
        try:
            return {self.board_info.to_gpio(name): place for name, place in places(said).items()}
        except ValueError as error:  # PinInvalidPin is one
            self.close()
            raise BadPinFactory(f"pins at PWM channels: {error}") from error

    def _found(self, label: str) -> Chip:
        """The chip, by the settings' own word where there is no other way to tell."""
        try:
            return find.find(self._seam, label)
        except HardwareFault:
            named = "" if label else self._settings(pinreserved.chip)
            if not named:
                raise
        return find.find(self._seam, named)

    def _settings(self, ask: Callable[[Mapping[str, str]], Any]) -> Any:
        try:
            return ask(os.environ)
        except ConfigFault as fault:
            raise BadPinFactory(f"which lines are the guard's is not known, so none is given: {fault}") from fault

    def _outputs(self) -> tuple[Reserved, ...]:
        if self._reserved is None:
            self._reserved = self._settings(pinreserved.declared)
        return self._reserved

    def _offset_of(self, line: str) -> int:
        """The offset that a line of the settings has here; -1 when it is another chip's."""
        try:
            return self.chip.offset_of(line)
        except HardwareFault:
            return bcm(line) if self.chip.label in HEADER_CHIPS else -1

    def _folder(self, chip: str) -> str:
        """The folder of a PWM chip, by which two names for one are told; its name when there is none."""
        try:
            return find_pwm(self.tree, chip)
        except HardwareFault:
            return chip


def _bytes(path: str) -> bytes | None:
    """The beginning of a file that tells of the board; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(_MOST)
    except OSError:
        return None
