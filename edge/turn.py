"""A turn as a table. Pure: (turn, event) -> (turn, actions). Nothing here waits, reads or writes.

Rules:
1. Everything that changes the state of a turn is a row of TABLE; an event that has no row where it
   arrives is stale and changes nothing.
2. Phases: idle, asking (the model), acting (calls are open), closing. Waiting for a person is the status
   of a call, not a phase.
3. Replies carry the number of their request, results the id of their call: what belongs to an earlier
   request or a finished call is dropped.
4. A call goes new -> deciding -> (waiting ->) granted -> intending -> running -> done. Its intent is
   kept before it starts, and it gets exactly one outcome.
5. Calls are taken in order, and told in order. Observing calls may run side by side; a call that changes something
   runs alone.
6. The model is asked only when no call is open. More than REPAIRS unreadable replies in a row end the turn.
7. In every phase but idle somebody is expected to answer: the model, the gate, a person, the tape or a tool.
"""

from __future__ import annotations

from edge.call import Call, Decision, Observation
from edge.faults import BudgetFault, Fault, ModelFault, StepFault
from edge.record import Record, replace
from edge.step import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REPAIRS = 2


class Doing(Record):
    """One call of the turn with its status (rule 4). `outcome`: told when those of all earlier calls are (rule 5)."""

    call: Call
    status: str = "new"
    observes: bool = False
    outcome: Tell | None = None


class Turn(Record):
    """The state of a turn. `request` numbers model requests, `steps` those of this turn, `misread` in a row."""

    phase: str = "idle"
    request: int = 0
    steps: int = 0
    misread: int = 0
    made: int = 0
    calls: tuple[Doing, ...] = ()
    allowed_steps: int = 32


class Event(Record):
    """Base of all events: what happened."""


class Line(Event):
    """The operator gave a goal."""

    text: str


class Replied(Event):
    """The model's reply was read as a step."""

    request: int
    step: Step


class Misread(Event):
    """The model's reply was no step."""

    request: int
    fault: StepFault


class Failed(Event):
    """The model gave no reply."""

    request: int
    fault: Fault


class Decided(Event):
    """The gate decided; `observes` when no effect of the call changes anything."""

    call: str
    decision: Decision
    observes: bool


class Answered(Event):
    """A person (or a pre-approval) answered; `by` says who, `sentence` why not, `text` what to take for a result."""

    call: str
    yes: bool
    by: str
    sentence: str = ""
    text: str = ""


class Intended(Event):
    """The intent is on the tape."""

    call: str


class Finished(Event):
    """The tool came back. status: done, failed, refused, deadline, stopped, or the kind of a fault."""

    call: str
    status: str
    observation: Observation


class Stop(Event):
    """The turn must end now: interrupted, out of budget, the tape failed."""

    fault: Fault


class Closed(Event):
    """The end of the turn is on the tape."""


class Action(Record):
    """Base of all actions: what the loop is to do."""


class KeepLine(Action):
    """Put the operator's line on the card."""

    text: str


class Ask(Action):
    """Ask the model."""

    request: int


class KeepStep(Action):
    """Record the step; its calls now have ids."""

    request: int
    step: Step


class KeepRepair(Action):
    """Record an unreadable reply and tell the model what was wrong."""

    request: int
    fault: StepFault


class Decide(Action):
    """Let the gate decide this call."""

    call: Call


class Approve(Action):
    """Ask a person."""

    call: Call
    decision: Decision


class Intend(Action):
    """Record the intent: durable before anything that changes something."""

    call: Call
    observes: bool


class Start(Action):
    """Run the tool."""

    call: Call
    observes: bool


class Tell(Action):
    """Record the outcome of a call and give it to the model."""

    call: Call
    status: str
    observation: Observation


class Cut(Action):
    """End whatever still runs: the model's exchange, the tools."""


class End(Action):
    """Close the turn: with an answer, or with the fault that ended it."""

    answer: str
    fault: Fault | None = None


if TYPE_CHECKING:
    Moved = tuple[Turn, tuple[Action, ...]]
    Rule = Callable[[Turn, "Event"], Moved]
    Calls = tuple[Doing, ...]

OPEN = frozenset(("new", "deciding", "waiting", "granted", "intending", "running"))


def begin(turn: Turn, event: Line) -> Moved:
    asked = replace(turn, phase="asking", request=turn.request + 1, steps=1, misread=0, calls=())
    return asked, (KeepLine(event.text), Ask(asked.request))


def take_step(turn: Turn, event: Replied) -> Moved:
    if event.request != turn.request:
        return turn, ()
    step = event.step
    if step.final is not None:
        return replace(turn, phase="closing", calls=()), (KeepStep(event.request, step), End(step.final))
    made = turn.made + len(step.calls)
    calls = tuple([Call(c.tool, c.args, f"c{turn.made + n}", c.parent) for n, c in enumerate(step.calls, 1)])
    doing, action = _advance(tuple([Doing(call) for call in calls]))
    acting = Turn("acting", turn.request, turn.steps, 0, made, doing, turn.allowed_steps)
    return acting, (KeepStep(event.request, Step(step.thought, calls, None, step.repairs)), *action)


def repair(turn: Turn, event: Misread) -> Moved:
    if event.request != turn.request:
        return turn, ()
    misread = turn.misread + 1
    kept = KeepRepair(event.request, event.fault)
    if misread > REPAIRS:
        why = ModelFault(
            f"the model gave {misread} replies in a row that are no step; the last: {event.fault.sentence}",
            "try another model, or the other reply mode",
        )
        return replace(turn, phase="closing"), (kept, End("", why))
    return _ask(replace(turn, misread=misread), (kept,))


def fail(turn: Turn, event: Failed) -> Moved:
    if event.request != turn.request:
        return turn, ()
    return replace(turn, phase="closing"), (End("", event.fault),)


def decided(turn: Turn, event: Decided) -> Moved:
    doing = _find(turn, event.call, "deciding")
    if doing is None:
        return turn, ()
    verdict = event.decision.verdict
    if verdict == "deny":
        refusal = Observation(False, f"refused by {event.decision.rule}: {event.decision.sentence}")
        return _finish(turn, doing, "refused", refusal)
    if verdict == "ask":
        waiting = Doing(doing.call, "waiting", event.observes)
        return _with(turn, _put(turn.calls, waiting)), (Approve(doing.call, event.decision),)
    return _move(turn, Doing(doing.call, "granted", event.observes))


def answered(turn: Turn, event: Answered) -> Moved:
    doing = _find(turn, event.call, "waiting")
    if doing is None:
        return turn, ()
    if event.text:
        instead = Observation(True, f"not run; the operator answers instead: {event.text}")
        return _finish(turn, doing, "replaced", instead)
    if not event.yes:
        return _finish(turn, doing, "refused", Observation(False, f"refused: {event.sentence}"))
    return _move(turn, Doing(doing.call, "granted", doing.observes))


def intended(turn: Turn, event: Intended) -> Moved:
    doing = _find(turn, event.call, "intending")
    if doing is None:
        return turn, ()
    start = Start(doing.call, doing.observes)
    return _move(turn, Doing(doing.call, "running", doing.observes), start)


def finished(turn: Turn, event: Finished) -> Moved:
    doing = _find(turn, event.call, "running")
    if doing is None:
        return turn, ()
    return _finish(turn, doing, event.status, event.observation)


def stop(turn: Turn, event: Stop) -> Moved:
    actions: list[Action] = [Cut()]
    for doing in turn.calls:
        if doing.status in OPEN:
            text = "ended before it ran"
            if doing.status == "running":
                text = "ended while it ran" + ("" if doing.observes else ": what it did is unknown")
            actions.append(Tell(doing.call, "interrupted", Observation(False, f"{text} ({event.fault.sentence})")))
        elif doing.outcome is not None:
            actions.append(doing.outcome)
    actions.append(End("", event.fault))
    ended = tuple(replace(doing, status="done") for doing in turn.calls)
    return replace(turn, phase="closing", calls=ended), tuple(actions)


def close(turn: Turn, event: Closed) -> Moved:
    return replace(turn, phase="idle", calls=()), ()


TABLE: dict[tuple[str, type[Event]], Rule] = {
    ("idle", Line): begin,  # type: ignore[dict-item]
    ("asking", Replied): take_step,  # type: ignore[dict-item]
    ("asking", Misread): repair,  # type: ignore[dict-item]
    ("asking", Failed): fail,  # type: ignore[dict-item]
    ("asking", Stop): stop,  # type: ignore[dict-item]
    ("acting", Decided): decided,  # type: ignore[dict-item]
    ("acting", Answered): answered,  # type: ignore[dict-item]
    ("acting", Intended): intended,  # type: ignore[dict-item]
    ("acting", Finished): finished,  # type: ignore[dict-item]
    ("acting", Stop): stop,  # type: ignore[dict-item]
    ("closing", Closed): close,  # type: ignore[dict-item]
}


def advance(turn: Turn, event: Event) -> Moved:
    """The turn after `event`, and what to do now, in this order. A stale event changes nothing."""
    rule = TABLE.get((turn.phase, type(event)))
    return (turn, ()) if rule is None else rule(turn, event)


def _with(turn: Turn, calls: Calls) -> Turn:
    return Turn(turn.phase, turn.request, turn.steps, turn.misread, turn.made, calls, turn.allowed_steps)


def _find(turn: Turn, call: str, status: str) -> Doing | None:
    for doing in turn.calls:
        if doing.call.id == call:
            return doing if doing.status == status else None
    return None


def _put(calls: Calls, changed: Doing) -> Calls:
    if len(calls) == 1:
        return (changed,)
    return tuple(changed if doing.call.id == changed.call.id else doing for doing in calls)


def _move(turn: Turn, changed: Doing, *before: Action) -> Moved:
    """One call changed its status; whatever can move now does."""
    calls, action = _advance(_put(turn.calls, changed))
    return _with(turn, calls), (*before, *action)


def _finish(turn: Turn, doing: Doing, status: str, observation: Observation) -> Moved:
    done = Doing(doing.call, "done", doing.observes, Tell(doing.call, status, observation))
    calls, tells = _in_order(_put(turn.calls, done))
    if all(other.status == "done" for other in calls):
        return _ask(turn, tells)
    calls, action = _advance(calls)
    return _with(turn, calls), (*tells, *action)


def _in_order(calls: Calls) -> tuple[Calls, tuple[Tell, ...]]:
    """The outcomes that wait for no earlier call, and the calls without them."""
    tells: list[Tell] = []
    for doing in calls:
        if doing.status != "done":
            break
        if doing.outcome is not None:
            tells.append(doing.outcome)
            calls = _put(calls, Doing(doing.call, "done", doing.observes))
    return calls, tuple(tells)


def _ask(turn: Turn, before: tuple[Action, ...] = ()) -> Moved:
    """Ask the model again, or end the turn when its steps are used up (rule 6)."""
    if turn.steps >= turn.allowed_steps:
        why = BudgetFault(
            f"the turn used up its {turn.allowed_steps} steps without an answer",
            "ask for less at a time, or raise budgets.steps",
        )
        return replace(turn, phase="closing", calls=()), (*before, End("", why))
    request = turn.request + 1
    asked = Turn("asking", request, turn.steps + 1, turn.misread, turn.made, (), turn.allowed_steps)
    return asked, (*before, Ask(request))


def _advance(calls: Calls) -> tuple[Calls, tuple[Action, ...]]:
    """Move the first call that can move (rule 5): at most one, its own event moves the next."""
    running = False
    for doing in calls:
        status = doing.status
        if status == "new":
            return _put(calls, Doing(doing.call, "deciding")), (Decide(doing.call),)
        if status == "granted" and (doing.observes or not running):
            ready = Doing(doing.call, "intending", doing.observes)
            return _put(calls, ready), (Intend(doing.call, doing.observes),)
        if status == "running" and doing.observes:
            running = True
        elif status != "done":
            break
    return calls, ()
