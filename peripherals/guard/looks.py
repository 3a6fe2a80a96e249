"""What may end a lease at any time: interlocks, feedback, a person's hand; looked at before an act and again after it.

Rules this file keeps:
1. A look reads each sensor at most once. When it drove an output, it looks once more, and so on: by hand, by its
   feedback or by an interlock, an output is driven at most once in each of these ways, so the looks come to an end.
2. A person's hand goes before all; what it holds away from safe still keeps max_on, min_off, interlocks and the stop.
3. Where nothing is declared and nobody holds anything by hand, nothing is looked at, and the language of conditions is
   not even loaded: the guard's process is small.
4. Whoever asks whether an output may be driven looks anew: `holding`, `obeying`, `unless_by_hand` raise what forbids.
"""

from __future__ import annotations

from edge.faults import Fault, HardwareFault, Refused
from edge.peripherals.guard import feedback, manual, protocol
from edge.peripherals.guard.leases import OVERRIDE_KEY, Ask, Row, safe_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Output
    from edge.peripherals.guard.driver import Driver
    from edge.peripherals.guard.interlock import Condition, Look

CHECK = 0.2  # real seconds between two looks while something depends on them
IDLE = 2.0  # and at override contacts while everything is safe: a request looks for itself
RULE_INTERLOCK = "guard.interlock"
LIFT = "fieldhand resume lifts it"


class Looks:
    """The conditions of one table of outputs, and the driver that obeys them."""

    def __init__(self, driver: Driver) -> None:
        self.outputs = driver.plant.outputs
        self.driver = driver
        self.manual = driver.manual
        self.leases = driver.leases
        self.stopped = ""
        self._conditions: dict[str, list[Condition]] = {}
        if any(output.interlock for output in self.outputs):
            self._parse()

    def view(self, now: float) -> Look:
        """The world at `now`, each part of it read when it is first asked for."""
        from edge.peripherals.guard.interlock import Look

        driver = self.driver
        return Look(lambda name: driver.plant.sense(name, now), lambda name: driver.known(name, now), self.leases.rows)

    def pause(self) -> float:
        """Real seconds between two looks; infinite when nothing depends on them."""
        if self.driver.stuck or any(name not in self.manual.spent for name in self.manual.words):
            return CHECK
        for row in self.leases.away():
            if row.output.interlock or row.output.feedback or row.output.override:
                return CHECK
        return IDLE if any(output.override for output in self.outputs) else float("inf")

    def settles(self) -> float:
        """Board time at which the next feedback must show what was driven; infinite when none must."""
        return min((watch.due for watch in self.driver.watches.values()), default=float("inf"))

    def look(self, now: float) -> None:
        """Look at everything; what does not hold makes safe."""
        self.driver.again(now)
        for _ in range(3 * len(self.leases.rows) + 1):
            self.driver.changed = False
            self._once(self.view(now), now)
            if not self.driver.changed:
                return
        self.driver.changed = False

    def _once(self, view: Look, now: float) -> None:
        """A person's hand, else feedback, else interlocks: what drove an output has made this view an old one."""
        for output in self.outputs:
            self.by_hand(output, view, now)
        for output in () if self.driver.changed else self.outputs:
            self._obeyed(output, view, now)
        for row in () if self.driver.changed else self.leases.away():
            wrong = self._broken(row.output, view)
            if wrong:
                self.driver.safe(row, f"{protocol.INTERLOCK}{wrong}", now)

    def unless_by_hand(self, row: Row, now: float) -> None:
        """Refused while a person holds the output."""
        if not self.manual.concerns(row.output):
            return
        said, _ = self.manual.verdict(row.output, self.view(now))
        if said:
            raise Refused(f"{row.output.name} is {said}", manual.RULE, "whoever holds it by hand lets go of it")

    def obeying(self, row: Row) -> None:
        """Refused while an output shows something else than it was driven; HardwareFault while it cannot be driven."""
        name = row.output.name
        if name in self.driver.stuck:
            raise HardwareFault(f"{self.driver.fault(name)}; the state of {name} is unknown", "read it back")
        fault = self.driver.fault(name)
        if fault:
            fix = f"look at it, then make {name} safe: when {row.output.feedback} agrees it may be switched again"
            raise Refused(f"{name} does not obey: {fault}", feedback.RULE, fix)

    def holding(self, row: Row, now: float) -> None:
        """Refused when a condition of the output does not hold over fresh readings; it is made safe if it is not."""
        wrong = self._broken(row.output, self.view(now)) if row.output.name in self._conditions else ""
        if not wrong:
            return
        if not row.safe:
            self.driver.safe(row, f"{protocol.INTERLOCK}{wrong}", now)
        raise Refused(f"{row.output.name} may not be switched: {wrong}", RULE_INTERLOCK, "see to what does not hold")

    def by_hand(self, output: Output, view: Look, now: float) -> None:
        """Drive an output as a person's hand wants it, and tell when that changes."""
        said, level = self.manual.verdict(output, view)
        row = self.leases.rows[output.name]
        if self.manual.news(output.name, said):
            self.driver.tell("override", row, said or "it is not held by hand any more", now)
        if level is None:
            if row.owner == OVERRIDE_KEY:
                self.driver.safe(row, protocol.LIFTED, now)
        elif level == safe_level(output):
            if not row.safe:
                self.driver.safe(row, f"{protocol.OVERRIDE}{said}", now)
        elif row.owner != OVERRIDE_KEY and output.name not in self.manual.spent:
            self._hand_on(row, level, said, now)

    def said(self, now: float) -> dict[str, str]:
        """name -> how a person's hand holds it now, "" when none does."""
        found: dict[str, str] = {}
        concerned = [output for output in self.outputs if self.manual.concerns(output)]
        if not concerned:
            return found
        view = self.view(now)
        for output in concerned:
            verdict, level = self.manual.verdict(output, view)
            known = self.manual.said.get(output.name, "")
            found[output.name] = known if verdict and known.startswith(verdict) else verdict
            if verdict and level != safe_level(output) and output.name in self.manual.spent:
                found[output.name] = f"{verdict}, but was made safe ({self.leases.rows[output.name].why})"
        return found

    def _parse(self) -> None:
        from edge.peripherals.guard.interlock import Condition, vocabulary

        words = vocabulary(self.outputs, self.driver.plant.sensors)
        for output in self.outputs:
            if output.interlock:
                self._conditions[output.name] = [Condition(text, words) for text in output.interlock]

    def _hand_on(self, row: Row, level: float, said: str, now: float) -> None:
        """Drive an output away from safe by hand, or say what it waits for."""
        ask = Ask(OVERRIDE_KEY, "override", row.output.name, level)
        try:
            if self.stopped:
                raise Refused(self.stopped, protocol.RULE_STOP, LIFT)
            self.obeying(row)
            self.holding(row, now)
            self.driver.away(self.leases.granted(ask, now, hourly=False), now)
        except Fault as fault:
            self.manual.said[row.output.name] = f"{said}, but waits: {fault.sentence}"

    def _obeyed(self, output: Output, view: Look, now: float) -> None:
        """Look at an output's feedback; what does not obey is driven safe."""
        watch = self.driver.watches.get(output.name)
        if not watch:
            return
        row = self.leases.rows[output.name]
        news = watch.look(view, now, not row.safe)
        if news == "":
            self.driver.tell("cleared", row, f"{output.feedback} agrees with {output.name} again", now)
        elif news:
            self.driver.tell("fault", row, f"{protocol.FEEDBACK}{news}", now)
            self.driver.safe(row, f"{protocol.FEEDBACK}{news}", now)

    def _broken(self, output: Output, view: Look) -> str:
        """The first condition of an output that does not hold, as a sentence."""
        for condition in self._conditions.get(output.name, ()):
            wrong = condition.fails(view, output.max_age)
            if wrong:
                return wrong
        return ""
