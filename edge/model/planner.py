"""From a goal to a plan, or to a sentence that says what was not understood. Pure.

Rules:
1. Every name, unit and duration is settled before anything is done. What fits two things is asked back.
2. "it" is the last sensor named before (in a comparison), or the last outputs (in an order). Without one: a fault.
3. Nothing is switched by a question, behind a quotation, by words that also deny it, or in an order that may hang
   on the answer to a question before it.
4. The planner never waits. What comes "then" after a timed run would have to wait: only reading is done at once,
   and "then turn it off" is left to the lease.
"""

from __future__ import annotations

from edge.faults import UsageFault
from edge.model import intents as i
from edge.model import phrases
from edge.model.grammar import ORDERS, Choice, Reader, Tables, understood
from edge.model.names import IT, THEM, Slots, Test, Vocabulary
from edge.model.tokens import converted, sentences
from edge.model.wording import figure, one_of, shown
from edge.record import replace
from edge.text import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from edge.call import Scene
    from edge.model.grammar import Found, Lost, Match, Said
    from edge.model.names import Bound, Names
    from edge.model.tokens import Token

LONGEST = 2000
NO_WAITING = "the built-in planner acts at once: it does not wait, repeat or keep schedules"
NO_LASTING = "a condition is judged once, not over a time; put a comma before what is to be done for a time"
NO_VALUE = 'say a value to compare with, as in "above 30"'
NO_QUESTION = "a question is no order, and it is answered only about readings and states"


def puzzled(text: str, why: str = "") -> UsageFault:
    """The fault of a clause without a meaning."""
    clause = shown(text).replace('"', "'")
    return UsageFault(f'I did not understand "{clause}"' + (f": {why}" if why else ""))


class Planner:
    """Plans for one board."""

    def __init__(self, scene: Scene) -> None:
        self.vocabulary = Vocabulary(scene)
        self.tables = Tables()
        self.units = {sensor.name: sensor.unit for sensor in scene.sensors}

    def plan(self, goal: str) -> i.Plan:
        """The whole plan; empty when the goal says nothing. UsageFault: a sentence that quotes what has no meaning."""
        if len(goal) > LONGEST:
            raise UsageFault(f"The goal has {len(goal)} characters; the built-in planner reads at most {LONGEST}")
        said = understood(self.tables, self.vocabulary, goal)
        if not isinstance(said, list):
            raise puzzled(said.clause, self._why(goal, said))
        _hold_back(goal, said)
        plan = _Builder(self).clauses([found for sentence in said for found in sentence.found])
        denied = i.spared(plan).intersection(name for order in i.switches(plan) for name in order.outputs)
        if denied:
            raise puzzled(goal, f"it orders and forbids the same thing ({one_of(sorted(denied))})")
        return plan

    def _why(self, goal: str, lost: Lost) -> str:
        """The likeliest reason why a clause has no meaning; may be empty."""
        words = lost.words
        if not words:
            return ""
        if any(token.kind == "quote" for token in words):
            return "text in quotation marks is not read as an order"
        if _waits(words):
            return NO_WAITING
        if words[0].word in phrases.IFS and any(token.word == "for" for token in words):
            return NO_LASTING
        reader = Reader(self.tables, Slots(self.vocabulary, goal, words), False)
        if any(reader.fitting(self.tables.vague, 0)):
            return NO_VALUE
        for kind, bound, end in reader.fitting(self.tables.unknown, 0):
            if end == len(words):
                return f'there is no {kind} called "{bound["THING"]}" here'
        return NO_QUESTION if words[0].word in phrases.ASKING else ""


def _waits(words: Sequence[Token]) -> bool:
    for place, token in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else None
        if token.word in phrases.WAITING:
            return True
        if after and (token.word, "#" if after.kind == "number" else after.word) in phrases.WAITING_PAIRS:
            return True
    return False


def _hold_back(goal: str, said: Sequence[Said]) -> None:
    """UsageFault for orders that stand where no order is taken: in a question, behind a quotation."""
    quoted = [token.start for sentence in sentences(goal) for token in sentence.tokens if token.kind == "quote"]
    for sentence in said:
        for order in _orders(sentence.found):
            if sentence.question:
                raise puzzled(order.text, NO_QUESTION)
            if quoted and order.start > quoted[0]:
                raise puzzled(order.text, "an order behind a quotation is not carried out")


def _orders(found: Sequence[Found]) -> list[Match]:
    orders: list[Match] = []
    for one in found:
        if isinstance(one, Choice):
            orders += _orders(one.body) + _orders(one.otherwise)
        elif one.kind in ORDERS:
            orders.append(one)
    return orders


class _Builder:
    """Settles names from left to right, with what "it" means so far."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.sensor = ""
        self.outputs: tuple[str, ...] = ()

    def clauses(self, found: Sequence[Found]) -> i.Plan:
        """One list of clauses in order."""
        plan: list[i.Clause] = []
        asked = False
        for one in found:
            clause = i.Clause(self._intent(one), one.text, one.then)
            if asked and isinstance(clause.intent, i.Switch):
                raise puzzled(one.text, 'does it hang on the question before it? Then say it with "if"')
            asked = asked or _open(clause)
            plan.append(_timely(plan, clause))
        return tuple(plan)

    def _intent(self, found: Found) -> i.Intent:
        if isinstance(found, Choice):
            return self._choice(found)
        if found.kind == "denied":
            orders = [self._intent(order) for order in found.denied]
            return i.Spare(tuple(name for order in orders if isinstance(order, i.Switch) for name in order.outputs))
        if found.kind in ORDERS:
            return self._switch(found)
        if found.kind in ("lit", "state"):
            return self._states(found)
        if found.kind in ("folder", "file"):
            return i.Files(found.bound.get("PATH") or found.bound.get("DOTTED") or ".", found.kind == "folder")
        if found.kind in ("sensors", "outputs"):
            return i.Listing(found.kind)
        if found.kind in ("help", "status"):
            return i.Help() if found.kind == "help" else i.Status(self.planner.vocabulary.all_sensors)
        return self._about_sensors(found)

    def _about_sensors(self, found: Match) -> i.Intent:
        if found.kind == "ask":
            return i.Ask(self._condition(found))
        if found.kind == "been" and ("TEST" in found.bound or "WARMER" in found.bound):
            condition = self._condition(found)
            return i.Been((condition.name,), condition.limit)
        names = self._sensors(found.bound["SENSORS"], found.text)
        if found.kind == "been":
            return i.Been(names)
        return i.Was(names) if found.kind == "was" else i.Read(names)

    # --- names ---

    def _sensors(self, parts: Names, text: str) -> tuple[str, ...]:
        names = [self._one(part, text, "sensors") for part in parts]
        self.sensor = names[-1]
        return tuple(dict.fromkeys(names))

    def _one(self, names: tuple[str, ...], text: str, kind: str) -> str:
        if len(names) > 1:
            choice = one_of(names)
            raise UsageFault(f'"{shown(text)}" fits {len(names)} {kind}, {choice}: which one do you mean?')
        return names[0]

    def _outputs(self, parts: Names, text: str) -> tuple[str, ...]:
        names: list[str] = []
        for part in parts:
            if part in (IT, THEM):
                if not self.outputs:
                    raise puzzled(text, f'"{part[0]}" stands for nothing named before')
                if part == IT:
                    self._one(self.outputs, text, "outputs")
                names += self.outputs
            else:
                names.append(self._one(part, text, "outputs"))
        self.outputs = tuple(dict.fromkeys(names))
        return self.outputs

    # --- orders and conditions ---

    def _switch(self, found: Match) -> i.Switch:
        seconds = found.bound.get("FOR")
        state = found.bound.get("STATE", found.kind == "on")
        if found.kind == "alloff":
            self.outputs = self.planner.vocabulary.all_outputs
            if not self.outputs:
                raise UsageFault("This board declares no outputs")
        else:
            self._outputs(found.bound.get("USE") or found.bound["OUTPUTS"], found.text)
        if seconds is not None and not state:
            raise puzzled(found.text, f"switching on again later would need waiting, and {NO_WAITING}")
        if seconds is not None and seconds <= 0:
            raise puzzled(found.text, "a time to run must be longer than nothing")
        return i.Switch(self.outputs, state, seconds)

    def _states(self, found: Match) -> i.States:
        asked = found.bound.get("STATE")
        if asked is None and any(word in ("running", "active", "working", "going") for word in found.text.split()):
            asked = True
        if found.kind == "lit":
            return i.States((), True if asked is None else asked)
        return i.States(self._outputs(found.bound["OUTPUTS"], found.text), asked)

    def _choice(self, found: Choice) -> i.If:
        if found.when and found.condition.kind == "event":
            raise puzzled(found.text, NO_WAITING)
        body: i.Plan = ()
        if found.last:
            body = self.clauses(found.body)
        condition = self._condition(found.condition)
        if not found.last:
            body = self.clauses(found.body)
        return i.If(condition, body, self.clauses(found.otherwise), found.when)

    def _condition(self, found: Match) -> i.Condition:
        bound = found.bound
        if "OUTPUTS" in bound:
            names = self._outputs(bound["OUTPUTS"], found.text)
            if len(names) > 1:
                raise puzzled(found.text, "a condition takes one output")
            return i.Condition(names[0], None, bound.get("STATE", True))
        name = self._compared(bound, found.text)
        self.sensor = name
        test: Test = bound["WARMER"][1] if "WARMER" in bound else bound["TEST"]
        return i.Condition(name, self._limit(name, test))

    def _compared(self, bound: Bound, text: str) -> str:
        if "WARMER" in bound:
            return self._one(bound["SENSORS"][0], text, "sensors")
        subject: tuple[str, ...] = bound["SUBJECT"][0]
        if subject != IT:
            return self._one(subject, text, "sensors")
        if not self.sensor:
            raise puzzled(text, '"it" stands for nothing named before')
        return self.sensor

    def _limit(self, name: str, test: Test) -> i.Limit:
        unit = self.planner.units[name]
        low, high = converted(test.low, test.unit, unit), converted(test.high, test.unit, unit)
        if low is None or high is None:
            raise UsageFault(f'"{shown(test.said)}" does not fit {name}, which is measured in {unit or "no unit"}')
        if low > high:
            raise puzzled(test.said, "the lower value must stand first")
        said = f"{phrases.SAID[test.op]} {figure(low)}" + (f" and {figure(high)}" if test.op == "in" else "")
        note = ""
        if low != test.low:
            pairs = [(test.low, low)] if test.op != "in" else [(test.low, low), (test.high, high)]
            note = " and ".join(f"{figure(there)} {test.unit} is {figure(here)} {unit}" for there, here in pairs)
        return i.Limit(test.op, low, high, f"{said} {unit}".rstrip(), note)


def _open(clause: i.Clause) -> bool:
    """True for what asks yes or no: an order behind it may be meant to hang on the answer."""
    words = clause.text.casefold().split()
    asks = bool(words) and words[0] in ("is", "are", "has", "was")
    return (
        asks
        or isinstance(clause.intent, i.Ask)
        or (not isinstance(clause.intent, i.If) and not {"if", "whether"}.isdisjoint(words))
    )


def _timely(before: Sequence[i.Clause], clause: i.Clause) -> i.Clause:
    """The clause, with an order to end a timed run left to the lease; a fault when it would have to wait."""
    orders = i.switches((clause,))
    timed = [order for order in i.switches(tuple(before)) if order.seconds is not None and order.state]
    if not orders or not timed:
        return clause
    running = {name for order in timed for name in order.outputs}
    order = clause.intent
    if isinstance(order, i.Switch) and not order.state and running.intersection(order.outputs):
        plainly = {n for c in before if isinstance(c.intent, i.Switch) and c.intent.seconds for n in c.intent.outputs}
        if plainly.issuperset(order.outputs):
            return replace(clause, intent=replace(order, leave=True))
        raise puzzled(clause.text, f"it would have to wait for the run before it, and {NO_WAITING}")
    if clause.then:
        longest = span(max(order.seconds or 0.0 for order in timed))
        raise puzzled(clause.text, f"it comes after a run of {longest}, and {NO_WAITING}")
    return clause
