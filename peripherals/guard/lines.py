"""Outputs and contacts at real lines and channels, as the plant of a guard.

Rules this file keeps:
1. Making the plant makes every output safe that can be had (`on_start` hold aside), before anything else is done, and
   outputs before contacts. One that cannot be had keeps none of the others from it.
2. What could not be had, and what was lost, is asked for again every RETRY seconds (`retry`).
3. Nothing is assumed: `level` and `sense` ask the wire, and what cannot be asked is None or a fault.
4. The end (`close`) drives all outputs safe first, `on_exit` hold aside, and only then releases the first of them.
"""

from __future__ import annotations

from edge.call import Reading
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard.held import Chips, Contact, OutputLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Output, Sensor
    from edge.peripherals.gpiochip.seam import Seam
    from edge.peripherals.guard.channels import ChannelOutput
    from edge.peripherals.guard.owned import Owned
    from edge.peripherals.sysfs.files import Tree

RETRY = 1.0  # seconds


class LinesPlant:
    """See edge.peripherals.guard.core.Plant. `root`: above the `sys` of the PWM channels; `tree`: instead of that."""

    def __init__(self, owned: Owned, seam: Seam, root: str = "/", tree: Tree | None = None) -> None:
        self.outputs: tuple[Output, ...] = owned.outputs
        self.sensors: tuple[Sensor, ...] = owned.sensors
        self._chips = Chips(seam)
        self._tried: float | None = None
        lines = {wired.name: wired for wired in owned.lines}
        self._ends: dict[str, OutputLine | ChannelOutput] = {
            output.name: OutputLine(output, lines[output.name], self._chips)
            for output in owned.outputs
            if output.name in lines
        }
        if owned.channels:
            self._add_channels(owned, root, tree)
        for end in self._ends.values():
            end.take()
        for end in self._ends.values():
            if isinstance(end, OutputLine):
                end.take_back()
        self._contacts = {
            sensor.name: Contact(sensor, lines[sensor.name], self._chips)
            for sensor in owned.sensors
            if sensor.name in lines
        }
        for contact in self._contacts.values():
            contact.take()

    @property
    def missing(self) -> dict[str, str]:
        """The outputs and contacts that cannot be used now, and why. Those not asked for yet are not among them."""
        found = {name: end.why for name, end in self._all() if end.why and not end.waits}
        wired = {name for name, _ in self._all()}
        declared = [one.name for one in self.outputs] + [one.name for one in self.sensors]
        return {**found, **{name: "it is wired nowhere" for name in declared if name not in wired}}

    def waits(self, name: str) -> bool:
        """True for an output that nobody switched yet and that is only taken then."""
        return name in self._ends and self._ends[name].waits

    def left(self, name: str) -> bool:
        """True for one that waits and may be driven all the same, by who had it before."""
        end = self._ends.get(name)
        return isinstance(end, OutputLine) and end.waits and end.left()

    @property
    def notes(self) -> list[str]:
        """What is to be told of the board as it stands, as sentences."""
        missing = [f"{name} is not available: {why}" for name, why in self.missing.items()]
        return missing + [end.said for _, end in self._all() if end.said]

    def drive(self, name: str, level: float, now: float) -> None:
        """Switch an output to 0.0 or 1.0, a PWM output also between; it is read back.

        HardwareFault: its state is unknown. UsageFault: no such output, or no such level of it.
        """
        self._end(name).drive(level)

    def level(self, name: str, now: float) -> float | None:
        """What an output shows, read at what is held; None when that is unknown."""
        return self._end(name).level() if name in self._ends else None

    def sense(self, name: str, now: float) -> Reading:
        """A contact: 1.0 active, 0.0 not. UsageFault: no such sensor. HardwareFault: it did not answer."""
        contact = self._contacts.get(name)
        if contact is None:
            if any(sensor.name == name for sensor in self.sensors):
                raise HardwareFault(f"sensor {name} is wired nowhere", "give it a line")
            raise UsageFault(f"there is no sensor {name[:40]!r}", f"the sensors are: {', '.join(self._contacts)}")
        return Reading(name, 1.0 if contact.read() else 0.0, "", "ok", 0.0, contact.source)

    def retry(self, now: float) -> tuple[str, ...]:
        """Ask again for what is missing, and look whether what is held is still there, at most every RETRY seconds.

        The outputs that came back, which now have their safe value.
        """
        if self._tried is not None and 0.0 <= now - self._tried < RETRY:
            return ()
        self._tried = now
        for _, end in self._all():
            end.look()
        return tuple([name for name, end in self._all() if end.take() and name in self._ends])

    def close(self, wholly: bool = False) -> None:
        """Every output safe, then every line released; `on_exit` hold leaves an output as it is unless `wholly`."""
        for output in self.outputs:
            end = self._ends.get(output.name)
            if end is not None and (wholly or output.on_exit != "hold") and not end.waits:
                try:
                    end.drive(1.0 if output.safe else 0.0)
                except HardwareFault as fault:
                    end.said = f"{output.name} may not be safe: {fault}"
        for _, held in self._all():
            held.release()
        self._chips.close()

    def _add_channels(self, owned: Owned, root: str, tree: Tree | None) -> None:
        from edge.peripherals.guard.channels import ChannelOutput
        from edge.peripherals.sysfs.files import Files

        outputs = {output.name: output for output in owned.outputs}
        for channel in owned.channels:
            if channel.name in outputs:
                self._ends.setdefault(channel.name, ChannelOutput(outputs[channel.name], channel, tree or Files(root)))

    def _all(self) -> list[tuple[str, OutputLine | ChannelOutput | Contact]]:
        return [*self._ends.items(), *self._contacts.items()]

    def _end(self, name: str) -> OutputLine | ChannelOutput:
        if name not in self._ends:
            if any(output.name == name for output in self.outputs):
                raise HardwareFault(f"output {name} is wired nowhere", "give it a line")
            raise UsageFault(f"there is no output {name[:40]!r}", f"the outputs are: {', '.join(self._ends)}")
        return self._ends[name]
