"""Carrying out a plan: what to ask for next, and what to say of what came back. Pure.

Rules:
1. A plan is carried out by a generator that yields what it wants and is sent the outcome. Run again over the
   outcomes so far it comes to the same place, so nothing but the tape needs to be kept.
2. Only what an outcome shows is said. A value goes with unit and age, and with its quality when that is not ok.
3. A condition is judged by a fresh reading of quality ok; on any other nothing is done, in neither branch.
4. After an order that was not carried out only orders towards a safe value are tried. What became of it is read
   back, unless the refusal says that nothing was done.
5. What was read or listed serves for all clauses until something was switched, but only while it is fresh.
"""

from __future__ import annotations

from edge.call import Call
from edge.model import intents as i
from edge.model.wording import (
    Outcome,
    lit,
    one_of,
    quantity,
    reason,
    rows,
    shown,
    stands,
    state_of,
    value_of,
    word,
)
from edge.record import Record
from edge.text import plain, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from typing import Any

    from edge.call import Scene

    Steps = Generator["Want", Outcome, None]

RECENT = 5
LONGEST_TEXT = 8000
# How edge.turn begins the text of a call that the gate or a person refused: nothing of it was done.
REFUSALS = ("refused by ", "refused: ")
# And of a call that a person answered with words of their own; it was not run.
INSTEAD = "not run; the operator answers instead: "


class Want(Record):
    """A call that is needed next. `instead`: an earlier outcome of it that will do when it is fresh enough."""

    call: Call
    thought: str
    instead: Outcome | None = None


class Carrier:
    """Carries out one plan on the board of `scene`.

    `past`: readings of earlier turns, oldest first; `now`: the clock at this step. `lines` is the answer so far,
    complete when `carry` has ended.
    """

    def __init__(self, scene: Scene, past: Sequence[Outcome], offered: frozenset[str], now: float) -> None:
        self.lines: list[str] = []
        self._safe = {output.name: output.safe for output in scene.outputs}
        self._past = past
        self._offered = offered
        self._now = now
        self._fresh: dict[tuple[str, ...], Outcome] = {}
        self._told: dict[str, Outcome] = {}
        self._stopped = ""
        self._switched = False
        self._ending: set[str] = set()

    def carry(self, plan: i.Plan) -> Steps:
        """All clauses in order."""
        for clause in plan:
            left = isinstance(clause.intent, i.Switch) and clause.intent.leave
            if clause.then and self._ending and not left:
                self._say("What follows was done at once, without waiting for the run to end.")
            yield from self._clause(clause.intent)

    def _say(self, sentence: str) -> None:
        if sentence not in self.lines:
            self.lines.append(sentence)

    def _clause(self, intent: i.Intent) -> Steps:
        if isinstance(intent, i.Switch):
            return self._switch(intent)
        if isinstance(intent, i.If):
            return self._if(intent)
        if isinstance(intent, (i.Was, i.Been)):
            return self._earlier_readings(intent)
        if isinstance(intent, i.Read):
            return self._readings(intent.sensors)
        if isinstance(intent, i.Ask):
            return self._ask(intent)
        if isinstance(intent, i.Files):
            return self._file(intent)
        if isinstance(intent, i.Listing):
            return self._listing(intent.what)
        if isinstance(intent, i.States):
            return self._states(intent.names, intent.asked)
        return self._status(intent.sensors) if isinstance(intent, i.Status) else self._spare(intent)

    # --- readings ---

    def _look(self, thought: str, tool: str, **args: str) -> Generator[Want, Outcome, Outcome]:
        """What a call that changes nothing brings, or brought since something was last switched (rule 5)."""
        key = (tool, *args.values())
        outcome = yield Want(Call(tool, args), thought, self._fresh.get(key))
        self._fresh[key] = outcome
        return outcome

    def _read(self, name: str) -> Generator[Want, Outcome, Outcome]:
        return self._look(f"Read {name}.", "sensor_read", name=name)

    def _readings(self, names: Sequence[str]) -> Steps:
        for name in names:
            outcome = yield from self._read(name)
            self._tell(name, outcome, len(names) > 1)

    def _tell(self, name: str, outcome: Outcome, short: bool = False) -> None:
        """Say a reading, once."""
        if self._told.get(name) is outcome:
            return
        self._told[name] = outcome
        if value_of(outcome) is None:
            self._say(f"There is no reading of {name}: {reason(outcome)}.")
        elif short:
            self._say(f"{name}: {self._reading(outcome)}.")
        else:
            self._say(f"It is {quantity(outcome)} ({name}, {state_of(outcome, self._now)}).")

    def _reading(self, outcome: Outcome) -> str:
        return f"{quantity(outcome)} ({state_of(outcome, self._now)})"

    def _earlier_readings(self, intent: i.Was | i.Been) -> Steps:
        for name in intent.sensors:
            earlier = self._earlier(name)
            # A reading of another run has no age that could be told: the same is read now as well.
            if not earlier or (isinstance(intent, i.Was) and earlier[-1].at <= 0):
                before = f"The last reading of {name}: {self._reading(earlier[-1])}." if earlier else ""
                self._say(before or f"There is no earlier reading of {name} in this session; it was read now.")
                outcome = yield from self._read(name)
                self._tell(name, outcome)
                earlier = [outcome] if value_of(outcome) is not None else []
            elif isinstance(intent, i.Been):
                count = f"{len(earlier)} readings" if len(earlier) > 1 else "one reading"
                said = "; ".join(map(self._reading, earlier))
                self._say(f"This session has {count} of {name}, the latest last: {said}.")
            else:
                self._say(f"The last reading of {name}: {self._reading(earlier[-1])}.")
            if isinstance(intent, i.Been) and intent.limit is not None:
                self._count(earlier, intent.limit)

    def _earlier(self, name: str) -> list[Outcome]:
        """The latest readings with a value, those of this turn too."""
        found = [outcome for outcome in self._past if outcome.data.get("name") == name]
        fresh = self._fresh.get(("sensor_read", name))
        found += [fresh] if fresh is not None else []
        return [outcome for outcome in found if value_of(outcome) is not None][-RECENT:]

    def _count(self, found: Sequence[Outcome], limit: i.Limit) -> None:
        self._note(limit)
        met = sum(limit.holds(value) for value in map(value_of, found) if value is not None)
        self._say(f"{met} of {len(found)} {'is' if met == 1 else 'are'} {limit.said}; nothing is known in between.")

    # --- conditions ---

    def _judge(self, condition: i.Condition) -> Generator[Want, Outcome, bool | None]:
        """Whether a condition holds; None when it cannot be judged. Says what it was judged by."""
        name = condition.name
        if condition.limit is None:
            outcome = yield from self._look(f"See how {name} stands.", "output_list")
            row = _row(outcome, name)
            self._say(stands(name, row))
            state = row.get("state")
            return state is condition.state if isinstance(state, bool) else None
        outcome = yield from self._read(name)
        self._tell(name, outcome)
        value = value_of(outcome)
        if value is None:
            self._say("Without a reading the condition cannot be judged.")
            return None
        quality = outcome.data.get("quality", "of unknown quality")
        if quality != "ok":
            self._say(f"No condition is judged by a reading that is {quality}.")
            return None
        self._note(condition.limit)
        holds = condition.limit.holds(value)
        self._say(f"{quantity(outcome)} is {'' if holds else 'not '}{condition.limit.said}.")
        return holds

    def _note(self, limit: i.Limit) -> None:
        if limit.note:
            self._say(f"{limit.note}.")

    def _ask(self, intent: i.Ask) -> Steps:
        place = len(self.lines)
        holds = yield from self._judge(intent.condition)
        if holds is not None and len(self.lines) > place:
            self.lines[place] = f"{'Yes' if holds else 'No'}. {self.lines[place]}"

    def _if(self, intent: i.If) -> Steps:
        if intent.when:
            self._say('"When" was taken as: if it is so now. The built-in planner does not wait.')
        holds = yield from self._judge(intent.condition)
        chosen: i.Plan = () if holds is None else intent.body if holds else intent.otherwise
        going = {name for order in i.switches(chosen) for name in order.outputs}
        every = [name for order in i.switches((*intent.body, *intent.otherwise)) for name in order.outputs]
        kept = [name for name in dict.fromkeys(every) if name not in going]
        if kept:
            self._say(f"The {one_of(kept)} {'was' if len(kept) == 1 else 'were'} left as {_it(kept)}.")
        yield from self.carry(chosen)

    # --- orders ---

    def _spare(self, intent: i.Intent) -> Steps:
        if isinstance(intent, i.Spare):
            self._say(f"The {one_of(intent.outputs)}: left alone as asked, for this goal; no standing order is kept.")
        yield from ()

    def _switch(self, intent: i.Switch) -> Steps:
        for name in intent.outputs:
            if intent.leave and name in self._ending:
                self._say(f"The {name} was not switched off at once: it goes off by itself when its time is over.")
            elif intent.leave:
                self._say(f"The {name} was not switched off: its run before that was not confirmed.")
            elif self._stopped and intent.state is not self._safe.get(name):
                self._say(f"The {name} was not switched {word(intent.state)}, because {self._stopped}.")
            else:
                yield from self._order(name, intent)

    def _order(self, name: str, intent: i.Switch) -> Steps:
        args: dict[str, Any] = {"name": name, "state": intent.state}
        how = word(intent.state)
        if intent.seconds is not None:
            args["for_seconds"] = int(intent.seconds) if intent.seconds == int(intent.seconds) else intent.seconds
            how += f" for {span(intent.seconds)}"
        outcome = yield Want(Call("output_set", args), f"Switch {name} {how}.")
        self._fresh.clear()
        if outcome.ok and outcome.data.get("state") is intent.state:
            self._switched = True
            self._say(self._confirmed(name, how, intent, outcome.data.get("left")))
            return
        self._stopped = f"{name} was not switched as ordered"
        if outcome.text.startswith(INSTEAD):
            said = shown(outcome.text[len(INSTEAD) :], 300)
            self._say(f"The {name} was not switched {how}: the operator answered instead: {said}")
            return
        if not outcome.ok and outcome.known and outcome.text.startswith(REFUSALS):
            nothing = "" if self._switched else " Nothing was switched."
            self._say(f"The {name} was not switched {how}: {reason(outcome)}.{nothing}")
            return
        said = reason(outcome) if not outcome.ok else f"the board answered {shown(outcome.text) or 'without a state'}"
        self._say(f"That the {name} is {how} was not confirmed: {said}.")
        yield from self._read_back(name)

    def _read_back(self, name: str) -> Steps:
        if "output_list" not in self._offered:
            self._say(f"The state of {name} is not known.")
            return
        outcome = yield from self._look(f"See how {name} stands after that.", "output_list")
        self._say(f"Read back: {stands(name, _row(outcome, name))}")

    def _confirmed(self, name: str, how: str, intent: i.Switch, left: object) -> str:
        state = word(intent.state)
        if isinstance(left, (int, float)) and left > 0:
            self._ending.add(name)
            end = f"{span(round(left, 1))} left, then it goes back by itself"
            if intent.seconds is None:
                end = f"no time was asked for: {end}"
            return f"The {name} is {how}, confirmed by the board ({end})."
        self._ending.discard(name)
        open_end = "" if intent.seconds is None else ", which gave it no end"
        return f"The {name} is {state}, confirmed by the board{open_end}."

    # --- lists ---

    def _file(self, intent: i.Files) -> Steps:
        outcome = yield from self._look(f"Read {shown(intent.path)}.", "file_read", path=intent.path)
        path = "the working folder" if intent.path == "." else shown(intent.path)
        entries = outcome.data.get("entries")
        if not outcome.ok:
            self._say(f"{path} could not be read: {reason(outcome)}.")
        elif isinstance(entries, (list, tuple)):
            names = plain(", ".join(map(str, entries)))
            self._say(_cut(f"In {path}: {names or 'nothing'}."))
        else:
            self._say(_cut(f"{path}:\n{plain(outcome.text)}"))

    def _listing(self, what: str) -> Steps:
        outcome = yield from self._look(f"List the {what}.", "sensor_list" if what == "sensors" else "output_list")
        if not outcome.ok:
            self._say(f"The {what} could not be listed: {reason(outcome)}.")
            return
        said = [
            f"{row.get('name')} ({row.get('label')}, {lit(row) if what == 'outputs' else row.get('unit')})"
            for row in rows(outcome, what)
        ]
        self._say(plain(f"{what.capitalize()}: {'; '.join(said) or 'none are declared'}."))

    def _status(self, sensors: Sequence[str]) -> Steps:
        yield from self._states((), None)
        yield from self._readings(sensors)

    def _states(self, names: Sequence[str], asked: bool | None) -> Steps:
        outcome = yield from self._look("See how the outputs stand.", "output_list")
        found = {str(row.get("name")): row for row in rows(outcome, "outputs")}
        if not outcome.ok:
            self._say(f"How the outputs stand is not known: {reason(outcome)}.")
            return
        said = [stands(name, found.get(name, {})) for name in names or found]
        if asked is None:
            self._say(" ".join(said) or "The board declares no outputs.")
        elif names:
            states = [found.get(name, {}).get("state") for name in names]
            verdict = "Yes. " if all(state is asked for state in states) else "No. "
            self._say(("" if None in states else verdict) + " ".join(said))
        else:
            told = [stands(name, row) for name, row in found.items() if row.get("state") in (asked, None)]
            self._say(" ".join(told) or f"Nothing is {word(asked)}.")


def _row(outcome: Outcome, name: str) -> Mapping[str, Any]:
    """One output as the board reports it; empty when it does not."""
    return next((row for row in rows(outcome, "outputs") if row.get("name") == name), {})


def _it(names: Sequence[str]) -> str:
    return "it was" if len(names) == 1 else "they were"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}\n[cut: {len(text) - LONGEST_TEXT} characters]"
