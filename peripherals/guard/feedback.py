"""Whether outputs do what they were told: a contact that shows it, looked at a while after each change.

Rules this file keeps:
1. `settle` board seconds after a drive the output's `feedback` must show what was driven: not 0 when it is on, 0 when
   it is off. Until then it is not looked at; away from safe it is looked at again and again, for a relay may drop.
2. A reading that failed, is not `ok` or is too old is a mismatch: nobody knows whether the output obeyed.
3. A fault stays until somebody sets the output safe once more and the contact then agrees. That the guard itself drove
   it safe, or that the contact agrees by itself, does not end it: somebody has to have looked.
4. Nothing is driven here: `look` says what it found.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from edge.call import Output
    from edge.peripherals.guard.interlock import Look

RULE = "guard.feedback"
FOREVER = float("inf")


class Watch:
    """One output's feedback: `on` is what it must show from `due` on (board s; infinite once looked at).

    `fault`: what is wrong, "" nothing. `clearing`: somebody made it safe after that, and the next look decides.
    """

    __slots__ = ("clearing", "due", "fault", "on", "output")

    def __init__(self, output: Output, on: bool, now: float) -> None:
        self.output = output
        self.fault = ""
        self.clearing = False
        self.driven(on, now, False)

    def driven(self, on: bool, now: float, asked: bool) -> None:
        """The output was driven; `asked` to its safe value by somebody, which may end a fault."""
        self.on = on
        self.due = now + self.output.settle
        self.clearing = bool(self.fault) and (asked or self.clearing)

    def look(self, look: Look, now: float, away: bool) -> str | None:
        """What is news at `now`: a fault, "" for one that is over, None for none. `away`: the output is not safe."""
        if now < self.due and not (away and self.due == FOREVER):
            return None
        self.due = FOREVER
        wrong = self._wrong(look)
        if wrong:
            news = wrong if self.clearing or not self.fault else None
            self.fault, self.clearing = self.fault or wrong, False
            return news
        if not self.clearing:
            return None
        self.fault, self.clearing = "", False
        return ""

    def _wrong(self, look: Look) -> str:
        output = self.output
        found = look.value(output.feedback, output.max_age)
        said = "on" if self.on else "off"
        if isinstance(found, str):
            return f"whether {output.name} is {said} is not known: {found}"
        if bool(found) == self.on:
            return ""
        return f"{output.name} was switched {said} and {output.feedback} shows {'off' if self.on else 'on'}"


def watches(outputs: Iterable[Output], now: float) -> dict[str, Watch]:
    """A watch of each output that declares feedback, all of them made safe at `now`."""
    return {output.name: Watch(output, output.safe, now) for output in outputs if output.feedback}
