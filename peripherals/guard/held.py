"""Lines that a guard holds: an output with its value, a contact, and the chips they are on.

Rules this file keeps:
1. An output is asked for as an output with its safe value in one request, so that it shows no other in between. It is
   then held through everything: set and read back on the same descriptor, never asked for again, never closed.
2. An output that is to `hold` what it has is first looked at. Only when the kernel says that it is an output that
   nobody holds, and an as-is request finds it an output still, is its value read and kept, on the same descriptor. A
   lab line is taken when it is first switched; one that is found driven like that is held at its safe value at once.
3. What is told and what is read back must agree; else the state is unknown, which is a fault.
4. A chip that is gone takes its lines along: they are asked for again when a chip of that label is back, an output then
   with its safe value whatever it had. A chip that was found without a label is looked for by the label it had.
5. A line that cannot be had says why (`why`) and is asked for again by whoever keeps time (`take`).
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.call import Output, Sensor
    from edge.peripherals.gpiochip.chip import Chip
    from edge.peripherals.gpiochip.request import Request
    from edge.peripherals.gpiochip.seam import Seam
    from edge.peripherals.guard.owned import GpioLine

CONSUMER = 31  # bytes that the kernel keeps of a consumer's name, its closing zero aside
GONE = (6, 19)  # ENXIO, ENODEV


def consumer(name: str) -> str:
    """What the kernel is told of who holds a line."""
    return f"fieldhand:{name}".encode()[:CONSUMER].decode("utf-8", "ignore")


class Chips:
    """The open chips of one guard by the label they were asked for with."""

    def __init__(self, seam: Seam) -> None:
        self._seam = seam
        self._open: dict[str, Chip] = {}
        self._labels: dict[str, str] = {}
        self.owners: dict[tuple[str, int], Held] = {}  # (label, offset) -> who has that line here

    def chip(self, label: str) -> Chip:
        """HardwareFault: there is none of that label."""
        from edge.peripherals.gpiochip.find import find

        if label not in self._open:
            self._open[label] = find(self._seam, self._labels.get(label, label))
            self._labels[label] = self._open[label].label
        return self._open[label]

    def gone(self, label: str) -> None:
        """Let a chip go that does not answer any more: the next `chip` looks for it anew."""
        if label in self._open:
            self._open.pop(label).close()

    def close(self) -> None:
        for label in tuple(self._open):
            self.gone(label)


class Held:
    """One line by its name. `why` says why it is not held, "" when it is; `said` what else is to know of it."""

    waits = False  # True: it is asked for at its first use only

    def __init__(self, wired: GpioLine, chips: Chips) -> None:
        self.name = wired.name
        self.wired = wired
        self.why = "it was not asked for yet"
        self.said = ""
        self.source = ""
        self._chips = chips
        self._request: Request | None = None

    def _attempt(self, ask: Callable[[Chip], Request | None]) -> bool:
        """Ask for the line unless it is held; True when it is now and was not before."""
        if self._request is not None:
            return False
        try:
            self._request = ask(self._chips.chip(self.wired.chip))
        except HardwareFault as fault:
            self._note(fault)
            return False
        self.why = ""
        return True

    def read(self) -> bool:
        """Whether it is active, at the wire. HardwareFault: it is not held, or does not answer."""
        return self._at_wire(None)

    def look(self) -> None:
        """Find out whether a held line is still there."""
        if self._request is not None:
            try:
                self._request.get()
            except HardwareFault as fault:
                self._note(fault)

    def release(self) -> None:
        """Close the descriptor: the line is free for others, what it does then is the kernel's."""
        if self._request is not None:
            self._request.close()
            self._request = None
            self.why = "it was released"

    def _place(self, chip: Chip) -> int:
        """The offset of the line, which is this name's alone. HardwareFault: no such line, or not for this."""
        from edge.peripherals.guard import wiring

        offset = chip.offset_of(self.wired.line)
        name = chip.info(offset).name
        barred = wiring.barred(chip.label, str(offset))
        if barred:
            raise HardwareFault(barred, "wire it to another line")
        doubt = wiring.doubtful(chip.label, str(offset) if wiring.header(chip.label) else name or str(offset))
        self.said = doubt and f"{self.name}: {doubt}"
        self.source = f"{name or f'line {offset}'} of {chip.label or chip.name}"
        owner = self._chips.owners.setdefault((chip.label, offset), self)
        if owner is not self:
            self._other(owner)
        return offset

    def _other(self, owner: Held) -> None:
        raise HardwareFault(f"{self.source} is {owner.name} already: a line has one name", "wire it to another line")

    def _at_wire(self, value: bool | None) -> bool:
        """What the wire shows, after it was given `value` unless that is None."""
        if self._request is None:
            raise HardwareFault(f"{self.name} is not available: {self.why}")
        try:
            if value is not None:
                self._request.set(value)
            return self._request.get()
        except HardwareFault as fault:
            self._note(fault)
            raise HardwareFault(f"{self.name}: {fault.sentence}", fault.fix) from fault

    def _note(self, fault: HardwareFault) -> None:
        """Remember why; a line whose chip is gone is let go."""
        if getattr(fault.__cause__, "errno", None) in GONE:
            self.release()
            self._chips.gone(self.wired.chip)
        if self._request is None:
            self.why = str(fault)


class OutputLine(Held):
    """An output at a line. Levels are 0.0 and 1.0: a line has no other."""

    def __init__(self, output: Output, wired: GpioLine, chips: Chips) -> None:
        super().__init__(wired, chips)
        self.output = output
        self.waits = wired.lazy
        self._first = output.safe  # the value to be asked for
        self._hold = output.on_start == "hold"

    def take(self) -> bool:
        """Ask for the line unless it is held or waits; True when it is held now and was not before."""
        if self.waits:
            self.why = "it is taken when it is first switched"
            return False
        return self._attempt(self._ask)

    def left(self) -> bool:
        """Whether a line that waits may be driven all the same: the kernel calls it an output that nobody holds."""
        try:
            chip = self._chips.chip(self.wired.chip)
            info = chip.info(chip.offset_of(self.wired.line))
        except HardwareFault:
            return False
        return info.direction == "output" and not info.used

    def take_back(self) -> None:
        """A line that waits and was left driven, as by a guard that was killed: held safe. Any other is let be."""
        if self.waits and self.left():
            self.waits = not self._attempt(self._as_left)

    def _as_left(self, chip: Chip) -> Request:
        return self._found(chip, self._place(chip), None)

    def drive(self, level: float) -> None:
        """HardwareFault: the state is unknown. UsageFault: no level of a line."""
        value = self._value(level)
        if self.waits:
            self._take_late(value)
        seen = self._at_wire(value)
        if seen != value:
            told, read = ("on", "off") if value else ("off", "on")
            raise HardwareFault(
                f"{self.name} was told to be {told} and {self.source} reads {read}: something else drives that wire",
                "look at the wiring; the state is unknown",
            )

    def level(self) -> float | None:
        """What the wire shows; None when that is not known."""
        try:
            return 1.0 if self.read() else 0.0
        except HardwareFault:
            return None

    def _take_late(self, value: bool) -> None:
        """Ask for a line with the value it is driven to. Without success it waits on: nobody else asks with that."""
        self.waits, self._hold, self._first = False, False, value
        self.take()
        self.waits, self._first = self._request is None, self.output.safe

    def _value(self, level: float) -> bool:
        if level not in (0.0, 1.0):
            from edge.faults import UsageFault
            from edge.peripherals.guard import wiring

            raise UsageFault(*wiring.no_level(self.name))
        return level == 1.0

    def _ask(self, chip: Chip) -> Request:
        offset = self._place(chip)
        info = chip.info(offset)
        if self._hold and info.direction == "output" and not info.used:
            request = self._found(chip, offset, self._settings(self.output.safe))
        else:
            request = chip.request(offset, self._settings(self._first), consumer(self.name))
        self._hold, self._first = False, self.output.safe  # whatever comes after the first time is safe first
        return request

    def _found(self, chip: Chip, offset: int, otherwise: Settings | None) -> Request:
        """Held as it was found, if it is an output indeed; the kernel's memory of a free line can be wrong.

        A line that is to `hold` keeps its value, one that waits gets its safe one. `otherwise`: what an input becomes;
        without it the line is let go again, and that is a HardwareFault.
        """
        as_is = Settings("as-is", active_low=self.wired.active_low)
        request = chip.request(offset, as_is, consumer(self.name))
        try:
            if chip.info(offset).direction == "output":
                request.change(self._settings(request.get() if otherwise else self.output.safe))
            elif otherwise:
                request.change(otherwise)
            else:
                raise HardwareFault(f"{self.name} is an input", "it is taken when it is first switched")
        except HardwareFault:
            request.close()
            raise
        return request

    def _settings(self, value: bool) -> Settings:
        return Settings("output", value, self.wired.active_low, self.wired.bias)


class Contact(Held):
    """An input at a line; or, as the feedback of an output, at that output's own line, which the output holds."""

    def __init__(self, sensor: Sensor, wired: GpioLine, chips: Chips) -> None:
        super().__init__(wired, chips)
        self.sensor = sensor
        self._shares: OutputLine | None = None

    def take(self) -> bool:
        """Ask for the line unless it is held; True when it is now and was not before."""
        return self._shares is None and self._attempt(self._ask)

    def read(self) -> bool:
        if self._shares is not None:
            return self._shares.read() != (self._shares.wired.active_low != self.wired.active_low)
        return super().read()

    def _ask(self, chip: Chip) -> Request | None:
        offset = self._place(chip)
        if self._shares is not None:
            return None
        wired = self.wired
        settings = Settings("input", None, wired.active_low, wired.bias, debounce=wired.debounce)
        return chip.request(offset, settings, consumer(self.name))

    def _other(self, owner: Held) -> None:
        if not isinstance(owner, OutputLine) or owner.output.feedback != self.name:
            super()._other(owner)
        else:
            self._shares = owner
