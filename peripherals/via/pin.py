"""One pin for gpiozero: one line of a GPIO chip, held from its first use to its close.

Rules this file keeps:
1. A pin that was only made has not touched its line: what is asked of it then (function, pull) is looked up. Its state
   is read as the line is: no direction, pull or level is changed by reading.
2. The line is asked for once. Function, pull, bounce and edges are changed in place on the same descriptor, so that
   nothing happens to the line in between; an output begins with its level in the same call.
3. An output without a level keeps the one that the line has.
4. close() lets go and drives nothing. What the line does then is the kernel's: see docs/gpiozero.md.
5. Bounce is done by the kernel. Edges carry the kernel's time (CLOCK_MONOTONIC), which is what `ticks` counts.

Source of the contract: gpiozero 2.0.1, pins/__init__.py (Pin) and pins/pi.py (PiPin).
"""

from __future__ import annotations

import math
import os
import warnings
from threading import RLock

from gpiozero import (
    PinEdgeDetectUnsupported,
    PinError,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinPWMFixedValue,
    PinPWMUnsupported,
    PinSetInput,
    PinWarning,
    PWMSoftwareFallback,
)
from gpiozero.pins.pi import PiPin

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.via import pinfault
from edge.peripherals.via.pinpwm import SoftPwm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.peripherals.gpiochip.request import Edge, Request

BIASES = {"up": "up", "down": "down", "floating": "off"}
PULLS = {bias: pull for pull, bias in BIASES.items()}
EDGES = ("none", "rising", "falling", "both")
FASTEST = 200  # Hz of pulses by software
LONGEST_BOUNCE = 4294.0  # seconds; the kernel takes 32 bits of microseconds
JITTER = (
    "pulses are made by software here: each is up to a millisecond late when the board is busy, which a servo shows as "
    "jitter; a PWM channel of the kernel does not (see pwm= of FieldhandFactory)"
)


class FieldhandPin(PiPin):  # type: ignore[misc]
    """A pin of FieldhandFactory, which makes it."""

    def __init__(self, factory: Any, info: Any) -> None:
        super().__init__(factory, info)
        self._offset: int = factory.offset(info.name)
        self._lock = RLock()
        self._request: Request | None = None
        self._pwm: SoftPwm | None = None
        self._forget()

    def _forget(self) -> None:
        self._direction = ""  # what was asked for: input, output, or nothing yet
        self._bias = ""
        self._edges = "both"
        self._bounce: float | None = None
        self._watched = False
        self._lost = False

    def close(self) -> None:
        """Let go of the line; the pin may be used again, as new."""
        with self._lock:
            self._when_changed = None
            if self._pwm is not None:
                self._pwm.abandon()
                self._pwm = None
            if self._request is not None:
                self._factory.watcher.remove(self._request.fd)
                self._request.close()
                self._request = None
            self._forget()

    # --- function ---

    def _get_function(self) -> str:
        return self._direction or str(self._asked(self._factory.chip.info, self._offset).direction)

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f"{self!r} can be an input or an output, not {value!r}")
        with self._lock:
            if value == "input":
                self._become_input(self._bias)
            elif self._direction != "output":
                self._become_output(self._level())

    def output_with_state(self, state: Any) -> None:
        with self._lock:
            self._become_output(self._digital(state))

    def input_with_pull(self, pull: str) -> None:
        with self._lock:
            self._become_input(self._bias_of(pull))

    def _become_input(self, bias: str) -> None:
        self._end_pulses()
        self._hold(self._as_input(bias, self._bounce, self._edges, self._watched))
        self._direction, self._bias = "input", bias

    def _become_output(self, level: bool) -> None:
        self._end_pulses()
        self._hold(Settings("output", value=level))
        # An input again, it is not pulled: gpiozero's own pins forget their pull too, and LightSensor counts on it.
        self._direction, self._bias = "output", "off" if self._bias else ""

    def _as_input(self, bias: str, bounce: float | None, edges: str, watched: bool) -> Settings:
        return Settings("input", bias=bias, edges=edges if watched and edges != "none" else "", debounce=bounce or 0.0)

    def _hold(self, settings: Settings) -> None:
        """Ask for the line, or change how it is held."""
        if self._request is not None:
            self._asked(self._request.change, settings)
            return
        self._factory.refuse_line(self._info.name)
        self._request = self._asked(self._factory.chip.request, self._offset, settings, f"gpiozero {os.getpid()}")

    def _asked(self, ask: Callable[..., Any], *args: Any) -> Any:
        """What the chip or line answers, its faults as gpiozero's."""
        try:
            return ask(*args)
        except HardwareFault as fault:
            raise pinfault.told(fault, self._holder()) from fault

    def _holder(self) -> str:
        try:
            return str(self._factory.chip.info(self._offset).consumer)
        except HardwareFault:
            return ""

    # --- state ---

    def _level(self) -> bool:
        """The level of the line, which is held as it is when nobody asked for it before."""
        if self._request is None:
            self._hold(Settings("as-is"))
        assert self._request is not None
        return bool(self._asked(self._request.get))

    def _get_state(self) -> Any:
        with self._lock:
            return self._level() if self._pwm is None else self._pwm.duty

    def _set_state(self, value: Any) -> None:
        with self._lock:
            if self._pwm is not None:
                if not 0 <= value <= 1:
                    raise PinInvalidState(f"the duty of {self!r} is between 0 and 1, not {value!r}")
                self._asked(setattr, self._pwm, "duty", value)
                return
            if self._direction != "output" or self._request is None:
                raise PinSetInput(f"{self!r} is no output: set its function to 'output' before its state")
            self._asked(self._request.set, self._digital(value))

    def _digital(self, value: Any) -> bool:
        if value not in (0, 1):
            raise PinInvalidState(f"{self!r} is 0 or 1 while it has no frequency, not {value!r}")
        return bool(value)

    # --- pull ---

    def _get_pull(self) -> str:
        """up, down, floating, or `as-is`: whatever the board gave it, for nobody has said."""
        fixed = str(self._info.pull)
        if self._direction and self._bias:
            return PULLS[self._bias]
        return fixed or PULLS.get(self._asked(self._factory.chip.info, self._offset).bias, "as-is")

    def _set_pull(self, value: str) -> None:
        bias = self._bias_of(value)
        with self._lock:
            if self._get_function() != "input":
                raise PinFixedPull(f"{self!r} is an output: only an input is pulled")
            self._become_input(bias)

    def _bias_of(self, pull: str) -> str:
        if pull not in BIASES:
            raise PinInvalidPull(f"{self!r} can be pulled up or down, or be floating, not {pull!r}")
        if self._info.pull not in ("", pull):
            raise PinFixedPull(f"{self!r} has a resistor on the board that pulls it {self._info.pull}")
        return BIASES[pull]

    # --- edges ---

    def _get_bounce(self) -> float | None:
        return self._bounce

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and not (0 <= value <= LONGEST_BOUNCE):
            raise PinInvalidBounce(f"the bounce of {self!r} is 0 to {LONGEST_BOUNCE:.0f} seconds, not {value!r}")
        bounce = math.ceil(round(value * 1e6, 3)) / 1e6 if value else None
        with self._lock:
            if self._direction == "input" and bounce != self._bounce:
                self._hold(self._as_input(self._bias, bounce, self._edges, self._watched))
            self._bounce = bounce

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in EDGES:
            raise PinInvalidEdges(f"the edges of {self!r} are {', '.join(EDGES)}, not {value!r}")
        with self._lock:
            if self._direction == "input" and self._watched and value != self._edges:
                self._hold(self._as_input(self._bias, self._bounce, value, True))
            self._edges = value

    def _enable_event_detect(self) -> None:
        with self._lock:
            self._watched = True
            try:
                if self._direction != "output":
                    self._become_input(self._bias)
            except PinError as error:
                self._watched, self._when_changed = False, None
                if not pinfault.no_edges(error):
                    raise
                sentence = f"{self!r} has no edges: its chip has no interrupts; read its state from time to time"
                raise PinEdgeDetectUnsupported(sentence) from error
            assert self._request is not None
            self._factory.watcher.add(self._request.fd, self._read_edges)

    def _disable_event_detect(self) -> None:
        with self._lock:
            self._watched = False
            if self._request is not None:
                self._factory.watcher.remove(self._request.fd)
                if self._direction == "input":
                    self._hold(self._as_input(self._bias, self._bounce, self._edges, False))

    def _read_edges(self) -> list[Callable[[], None]]:
        """On the watcher's thread: what is to be told, one call for each edge."""
        with self._lock:
            if self._request is None or not self._watched:
                return []
            try:
                edges = self._request.events()
            except HardwareFault as fault:
                self._factory.watcher.remove(self._request.fd)
                warnings.warn(PinWarning(f"{self!r} gives no edges any more: {fault}"), stacklevel=1)
                return []
        return [self._telling(edge) for edge in edges]

    def _telling(self, edge: Edge) -> Callable[[], None]:
        def tell() -> None:
            if edge.lost and not self._lost:
                self._lost = True
                count = f"{edge.lost} edge{'s' if edge.lost > 1 else ''}"
                sentence = f"{count} of {self!r} came faster than this program took them, and were lost"
                warnings.warn(PinWarning(sentence), stacklevel=1)
            self._call_when_changed(edge.ns / 1e9, int(edge.rising))

        return tell

    def _call_when_changed(self, ticks: float, state: int) -> None:
        held = self._when_changed
        if held is None:
            return  # nobody wants them any more: closed between the edge and now
        method = held()
        if method is None:
            self._nobody_hears()
        else:
            method(ticks, state)

    def _nobody_hears(self) -> None:
        """On the watcher's thread, where nobody could catch it: what the line says to that is a warning."""
        try:
            self.when_changed = None
        except PinError as error:
            warnings.warn(PinWarning(str(error)), stacklevel=1)

    # --- pulses ---

    def _get_frequency(self) -> float | None:
        return None if self._pwm is None else self._pwm.frequency

    def _set_frequency(self, value: float | None) -> None:
        with self._lock:
            if not value:
                self._end_pulses()
            elif not 0 < value <= FASTEST:
                raise PinPWMUnsupported(
                    f"{self!r} has pulses by software, of at most {FASTEST} Hz, not {value!r} Hz: faster ones need a "
                    "PWM channel of the kernel (see pwm= of FieldhandFactory)"
                )
            elif self._pwm is not None:
                self._pwm.frequency = value
            else:
                self._begin_pulses(value)

    def _begin_pulses(self, frequency: float) -> None:
        if self._direction != "output" or self._request is None:
            raise PinPWMFixedValue(f"{self!r} is no output: set its function to 'output' before its frequency")
        self._factory.warn_once(PWMSoftwareFallback, JITTER)
        self._pwm = SoftPwm(self._request.set, frequency, float(self._level()))

    def _end_pulses(self) -> None:
        if self._pwm is not None:
            pulses, self._pwm = self._pwm, None
            self._asked(pulses.stop)
