"""A pin whose pulses the hardware makes: a channel of /sys/class/pwm instead of a GPIO line.

Rules this file keeps:
1. Such a pin is an output for ever: an overlay gave it to the PWM unit, and asking for its GPIO line would end that.
2. Nothing is touched before the first function, state or frequency. Without a level it keeps the one it has.
3. Without a frequency it is 0 or 1; the hardware makes that as a duty of nothing or all of REST Hz.
4. Another frequency is another period of the same channel: the driver changes it without a break.
5. close() lets go and the channel goes on with what it has.
6. A channel is exported at its first use, and udev gives a user's group the right to it a moment later: that is waited
   for, PATIENCE seconds at most.
"""

from __future__ import annotations

from threading import RLock
from time import monotonic, sleep

from gpiozero import (
    PinEdgeDetectUnsupported,
    PinFixedPull,
    PinInvalidFunction,
    PinInvalidState,
    PinPWMUnsupported,
)
from gpiozero.pins.pi import PiPin

from edge.faults import HardwareFault
from edge.peripherals.sysfs.pwm import Channel
from edge.peripherals.via import pinfault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

REST = 1000.0  # Hz
FASTEST = 1_000_000  # Hz
PATIENCE = 2.0  # seconds
LOOK = 0.02


def places(said: Mapping[str, str] | str) -> dict[str, tuple[str, int]]:
    """Pin -> PWM chip and channel, of `{"GPIO18": "pwmchip0/2"}` or `GPIO18=pwmchip0/2,GPIO19=pwmchip0/3`.

    ValueError with a sentence for what is neither.
    """
    pairs = said.items() if not isinstance(said, str) else [one.split("=", 1) for one in said.split(",") if one.strip()]
    found = {}
    for pair in pairs:
        pin, where = (*pair, "")[:2]
        chip, _, channel = where.strip().rpartition("/")
        if not (chip and channel.isascii() and channel.isdecimal() and len(channel) < 4):
            raise ValueError(f"{'='.join(pair)[:60]!r} is no pin at a PWM channel: write GPIO18=pwmchip0/2")
        found[pin.strip()] = chip, int(channel)
    return found


def _taken(channel: Channel, level: float, hold: bool) -> None:
    """Take a channel (rule 6). HardwareFault."""
    until = monotonic() + PATIENCE
    while True:
        try:
            return channel.take(level, hold)
        except HardwareFault as fault:
            late = isinstance(fault.__cause__, PermissionError) and channel.exported
            if not late or monotonic() > until:
                raise
        sleep(LOOK)


class ChannelPin(PiPin):  # type: ignore[misc]
    """A pin of FieldhandFactory at channel `channel` of the PWM chip `chip` (a folder or a device)."""

    def __init__(self, factory: Any, info: Any, chip: str, channel: int) -> None:
        super().__init__(factory, info)
        self._place = chip, channel
        self._lock = RLock()
        self._held: Channel | None = None
        self._frequency: float | None = None

    def close(self) -> None:
        """Let go of the channel, which goes on."""
        with self._lock:
            if self._held is not None:
                self._held.close(hold=True)
            self._held, self._frequency = None, None

    # --- function and state ---

    def _get_function(self) -> str:
        return "output"

    def _set_function(self, value: str) -> None:
        if value != "output":
            raise PinInvalidFunction(f"{self!r} is at a PWM channel: it is an output, not {value!r}")
        with self._lock:
            self._channel()

    def output_with_state(self, state: Any) -> None:
        with self._lock:
            self._frequency = None
            self._put(self._level(state))

    def _get_state(self) -> Any:
        with self._lock:
            level = self._asked(self._channel().get)
            return level if self._frequency is not None else level == 1

    def _set_state(self, value: Any) -> None:
        with self._lock:
            self._put(self._level(value))

    def _level(self, value: Any) -> float:
        if not 0 <= value <= 1 or (self._frequency is None and value not in (0, 1)):
            most = "0 or 1 while it has no frequency" if self._frequency is None else "between 0 and 1"
            raise PinInvalidState(f"{self!r} is {most}, not {value!r}")
        return float(value)

    def _put(self, level: float) -> None:
        if self._held is None:
            self._held = self._take(REST, level, False)
        else:
            self._asked(self._held.set, level)

    def _channel(self) -> Channel:
        if self._held is None:
            self._held = self._take(REST, 0.0, True)
        return self._held

    def _take(self, frequency: float, level: float, hold: bool) -> Channel:
        self._factory.refuse_channel(self._info.name, *self._place)
        made = Channel(self._factory.tree, *self._place, frequency)
        self._asked(_taken, made, level, hold)
        return made

    def _asked(self, ask: Callable[..., Any], *args: Any) -> Any:
        try:
            return ask(*args)
        except HardwareFault as fault:
            raise pinfault.told(fault) from fault

    # --- pulses ---

    def _get_frequency(self) -> float | None:
        return self._frequency

    def _set_frequency(self, value: float | None) -> None:
        with self._lock:
            if value and not 0 < value <= FASTEST:
                raise PinPWMUnsupported(f"{self!r} can have pulses of at most {FASTEST} Hz, not {value!r} Hz")
            if value and value != self._frequency:
                level = float(self._asked(self._channel().get))
                self._channel().close(hold=True)
                self._held = self._frequency = None
                self._held = self._take(value, level, False)
                self._frequency = value
            elif not value and self._frequency is not None:
                self._put(float(self._asked(self._channel().get) == 1))
                self._frequency = None

    # --- what a channel has not ---

    def _get_pull(self) -> str:
        return str(self._info.pull) or "floating"

    def _set_pull(self, value: str) -> None:
        raise PinFixedPull(f"{self!r} is at a PWM channel: only an input is pulled")

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            self._no_edges()

    def _set_edges(self, value: str) -> None:
        if value != "none":
            self._no_edges()

    def _set_when_changed(self, value: Any) -> None:
        if value is not None:
            self._no_edges()

    def _no_edges(self) -> NoReturn:
        raise PinEdgeDetectUnsupported(f"{self!r} is at a PWM channel, which has no edges")
