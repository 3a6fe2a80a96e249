"""Pulses by software: one thread for one line.

Rules this file keeps:
1. A duty of 0 or 1 is a level: it is set at once, and the thread sleeps until there is another.
2. Another duty or frequency begins with the next pulse. The high part is measured from when the line was driven high,
   so that lateness never shortens it, and a short one is finished before the pulses end: a servo never sees a position
   that nobody asked for.
3. Periods are counted from a fixed beginning on the monotonic clock, so lateness does not add up; a period that is
   over already is left out.
4. What the line says (HardwareFault) ends the pulses and is raised at the next setting.
"""

from __future__ import annotations

import threading
from time import monotonic

from edge.faults import HardwareFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WHOLE = 0.02  # seconds: a high part up to here is finished


class SoftPwm:
    """Pulses of `frequency` Hz; `duty` between 0 and 1. `put` drives the line."""

    def __init__(self, put: Callable[[bool], None], frequency: float, duty: float) -> None:
        self._put = put
        self._change = threading.Condition()
        self._frequency, self._duty = frequency, duty
        self._stopped = False
        self._fault: HardwareFault | None = None
        self._thread = threading.Thread(target=self._run, name="fieldhand-pwm", daemon=True)
        self._thread.start()

    @property
    def frequency(self) -> float:
        return self._frequency

    @frequency.setter
    def frequency(self, value: float) -> None:
        with self._change:
            self._frequency = value

    @property
    def duty(self) -> float:
        return self._duty

    @duty.setter
    def duty(self, value: float) -> None:
        with self._change:
            if self._fault is not None:
                raise self._fault
            self._duty = value
            if value in (0, 1):
                self._put(value == 1)
            self._change.notify()

    def stop(self) -> bool:
        """End the pulses; the line is at the level that is returned: high only if it was high all the time."""
        with self._change:
            self._stopped = True
            self._change.notify()
        self._thread.join()
        level = self._duty == 1
        if self._fault is None:
            self._put(level)
        return level

    def abandon(self) -> None:
        """End the pulses and drive nothing more."""
        with self._change:
            self._stopped = True
            self._change.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            with self._change:
                self._pulses()
        except HardwareFault as fault:
            self._fault = fault

    def _pulses(self) -> None:
        begin = monotonic()
        while not self._stopped:
            if self._duty in (0, 1):
                self._change.wait()
                begin = monotonic()
                continue
            period, high = 1 / self._frequency, self._duty / self._frequency
            begin = max(begin, monotonic() - period)
            self._put(True)
            if self._until(monotonic() + high, high <= WHOLE):
                self._put(False)
                self._until(begin + period)
            begin += period

    def _until(self, moment: float, whole: bool = False) -> bool:
        """Wait for a moment; False when it ends before: the line has a level now, or (not `whole`) nobody wants it."""
        while (whole or not self._stopped) and self._duty not in (0, 1):
            rest = moment - monotonic()
            if rest <= 0:
                return True
            self._change.wait(rest)
        return False
