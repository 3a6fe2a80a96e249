"""Outputs of a guard at PWM channels of the hardware.

Rules this file keeps: those of `held` for lines, as far as a channel has them. Its safe value is a level of 0 or 1, and
it is asked for with that, or with the level it has where it is to `hold` one.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.sysfs.pwm import Channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Output
    from edge.peripherals.guard.owned import PwmChannel
    from edge.peripherals.sysfs.files import Tree

GONE = (2, 6, 19)  # ENOENT, ENXIO, ENODEV


class ChannelOutput:
    """Like held.OutputLine, with levels from 0.0 to 1.0."""

    waits = False

    def __init__(self, output: Output, wired: PwmChannel, tree: Tree) -> None:
        self.output = output
        self.why = "it was not asked for yet"
        self.said = ""
        self._hold = output.on_start == "hold"
        self._channel = Channel(tree, wired.chip, wired.channel, wired.frequency, wired.active_low)

    @property
    def source(self) -> str:
        return self._channel.source

    def take(self) -> bool:
        """Ask for the channel unless it is held; True when it is now and was not before."""
        if not self.why:
            return False
        try:
            self._channel.take(1.0 if self.output.safe else 0.0, self._hold)
        except HardwareFault as fault:
            self.why = str(fault)
            return False
        self.why, self._hold = "", False
        if self._channel.taken_over:
            self.said = f"{self.output.name}: {self.source} was exported already, by an earlier run or another program"
        return True

    def drive(self, level: float) -> None:
        """HardwareFault: the state is unknown. UsageFault: no level."""
        if not 0.0 <= level <= 1.0:
            from edge.faults import UsageFault

            raise UsageFault(f"{level:g} is no level of {self.output.name}", "a level lies between 0 and 1")
        if self.why:
            raise HardwareFault(f"{self.output.name} is not available: {self.why}")
        try:
            self._channel.set(level)
        except HardwareFault as fault:
            self._note(fault)
            raise

    def level(self) -> float | None:
        """What the channel reads; None when that is not known."""
        if self.why:
            return None
        try:
            return self._channel.get()
        except HardwareFault as fault:
            self._note(fault)
            return None

    def look(self) -> None:
        """Find out whether a held channel is still there."""
        self.level()

    def release(self) -> None:
        """Let it go as it is."""
        if not self.why:
            self._channel.close(self.output.on_exit == "hold")
            self.why = "it was released"

    def _note(self, fault: HardwareFault) -> None:
        """A channel whose chip is gone is let go, and asked for again."""
        if getattr(fault.__cause__, "errno", None) in GONE:
            self._channel.close(True)
            self.why = str(fault)
