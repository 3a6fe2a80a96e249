"""What a goal asks for, as records: the plan that the built-in planner carries out in order. Pure.

Rules:
1. Names in a plan are declared names, limits are in the sensor's own unit, durations are seconds.
2. A plan is whole or not at all: it is made only when every clause of the goal was understood.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Intent = Union[
        "Read", "Was", "Been", "Ask", "States", "Status", "Listing", "Files", "Switch", "Spare", "If", "Help"
    ]
    Plan = tuple["Clause", ...]


class Limit(Record):
    """A comparison in the sensor's unit. op: > < >= <= in. `note` tells a conversion (`86 F is 30.0 C`)."""

    op: str
    low: float
    high: float
    said: str
    note: str = ""

    def holds(self, value: float) -> bool:
        """True when `value` meets the comparison; `in` takes both its ends in."""
        if self.op == "in":
            return self.low <= value <= self.high
        above, same = value > self.low, value == self.low
        return {">": above, "<": not above and not same, ">=": above or same, "<=": not above}[self.op]


class Condition(Record):
    """A sensor against a limit, or (limit None) an output that is on or off."""

    name: str
    limit: Limit | None = None
    state: bool = True


class Read(Record):
    """Read sensors now."""

    sensors: tuple[str, ...]


class Was(Record):
    """The last reading of earlier turns; without one, a new reading."""

    sensors: tuple[str, ...]


class Been(Record):
    """The recent readings of sensors, against a limit when one was said."""

    sensors: tuple[str, ...]
    limit: Limit | None = None


class Ask(Record):
    """A yes or no about a condition."""

    condition: Condition


class States(Record):
    """Which outputs are on. `names` empty: all; `asked` is the state asked about, None: just tell."""

    names: tuple[str, ...] = ()
    asked: bool | None = None


class Status(Record):
    """Every output's state, and readings of all sensors."""

    sensors: tuple[str, ...]


class Listing(Record):
    """What is declared. what: sensors, outputs."""

    what: str


class Files(Record):
    """A file's text, or what is in a folder."""

    path: str
    folder: bool


class Switch(Record):
    """Switch outputs. `seconds` None: no time was said. `leave`: it ends with a lease that was just asked for."""

    outputs: tuple[str, ...]
    state: bool
    seconds: float | None = None
    leave: bool = False


class Spare(Record):
    """Outputs that are to be left alone."""

    outputs: tuple[str, ...]


class If(Record):
    """Carry out one of two plans. `when`: it was said with "when", and is taken as "if it is so now"."""

    condition: Condition
    body: Plan
    otherwise: Plan = ()
    when: bool = False


class Help(Record):
    """Say what can be asked."""


class Clause(Record):
    """One part of a plan with the words it came from. `then`: it was said to come after the one before."""

    intent: Intent
    text: str
    then: bool = False


def switches(plan: Plan) -> list[Switch]:
    """Every switching in a plan, in both branches of every condition."""
    found: list[Switch] = []
    for clause in plan:
        if isinstance(clause.intent, Switch):
            found.append(clause.intent)
        elif isinstance(clause.intent, If):
            found += switches(clause.intent.body) + switches(clause.intent.otherwise)
    return found


def spared(plan: Plan) -> set[str]:
    """Every output that is to be left alone."""
    found: set[str] = set()
    for clause in plan:
        if isinstance(clause.intent, Spare):
            found.update(clause.intent.outputs)
        elif isinstance(clause.intent, If):
            found |= spared(clause.intent.body) | spared(clause.intent.otherwise)
    return found


def tools(plan: Plan) -> set[str]:
    """The tools that carrying out a plan may need, whichever way its conditions go."""
    found: set[str] = set()
    for clause in plan:
        found |= _tools(clause.intent)
    return found


def _tools(intent: Intent) -> set[str]:
    if isinstance(intent, If):
        return _needs(intent.condition) | tools(intent.body) | tools(intent.otherwise)
    if isinstance(intent, Ask):
        return _needs(intent.condition)
    if isinstance(intent, Listing):
        return {"sensor_list" if intent.what == "sensors" else "output_list"}
    if isinstance(intent, Status):
        return {"output_list"} | ({"sensor_read"} if intent.sensors else set())
    if isinstance(intent, Switch):
        return set() if intent.leave else {"output_set"}
    if isinstance(intent, (Read, Was, Been)):
        return {"sensor_read"}
    if isinstance(intent, Files):
        return {"file_read"}
    return {"output_list"} if isinstance(intent, States) else set()


def _needs(condition: Condition) -> set[str]:
    return {"output_list"} if condition.limit is None else {"sensor_read"}
