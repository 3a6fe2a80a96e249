"""The built-in planner: the model that needs no network, and understands only what it says it does.

Rules:
1. It emits the same steps as any model, one action each, and passes the same gate.
2. It keeps nothing between two requests: the plan is made anew from the operator's last line, and carried out
   again over the outcomes since, so that a resumed tape goes on where it stood.
3. An order that is on the record is never given again, also when no answer to it ever came.
4. A reading that is the last thing on the record serves for FRESH seconds; then it is made again.
5. What is not understood is said, with three examples that work on this board; then nothing is done at all.
"""

from __future__ import annotations

from edge.faults import UsageFault
from edge.model import Reply, phrases
from edge.model import intents as i
from edge.model.carry import Carrier, Want
from edge.model.planner import Planner
from edge.model.wording import Outcome, one_of, shown
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from edge.call import Scene
    from edge.context import Entry
    from edge.model import Request
    from edge.model.carry import Steps

FRESH = 10.0
ABOUT = (
    "This is the built-in planner: it reads sensors, switches outputs, shows files and follows a plain "
    '"if ... then ..., otherwise ...". It does not wait or repeat.'
)
ACTS = frozenset(("output_set",))


class Offline:
    """Implements the model protocol for one scene. `clock`: seconds of the monotonic clock, as in the entries."""

    name = "offline"
    mode = "json"
    endpoint = ""

    def __init__(self, scene: Scene, clock: Callable[[], float] | None = None) -> None:
        import time

        self._scene = scene
        self._clock = clock or time.monotonic
        self._planner: Planner | None = None

    def ask(self, request: Request) -> Reply:
        """The next step towards the last line. Never raises and never waits."""
        import json

        offered = frozenset(tool.name for tool in request.tools)
        want = self._next(request.context.entries, offered)
        if isinstance(want, Want):
            step = {"thought": want.thought, "action": want.call.tool, "action_input": want.call.args}
        else:
            step = {"thought": "Say what came of it.", "action": "final", "action_input": plain(want)}
        return Reply(json.dumps(step), "json")

    def cut(self) -> None:
        """Nothing runs that could be cut: a step takes milliseconds."""

    def close(self) -> None:
        """Nothing is open."""

    def plan(self, goal: str) -> i.Plan:
        """What a goal means on this board. UsageFault says what of it has no meaning."""
        if self._planner is None:
            self._planner = Planner(self._scene)
        return self._planner.plan(plain(goal))

    def _next(self, entries: Sequence[Entry], offered: frozenset[str]) -> Want | str:
        """The call that is wanted next, or the answer."""
        start = max((place for place, entry in enumerate(entries) if entry.role == "user"), default=-1)
        if start < 0:
            return f"{ABOUT} {self._help(offered)}"
        since = entries[start + 1 :]
        fault = next((entry for entry in since if entry.role == "fault"), None)
        if fault is not None:
            return f"My step was not accepted: {shown(fault.text, 300)}. I stopped there."
        try:
            plan = self.plan(entries[start].text)
        except UsageFault as puzzle:
            return f"{puzzle.sentence}.\nNothing was done. {self._help(offered)}"
        missing = sorted(i.tools(plan) - offered)
        if missing:
            return f"This needs {one_of(missing)}, which is not offered here. Nothing was done."
        past = [outcome for outcome in outcomes(entries[:start]) if outcome.tool == "sensor_read" and outcome.ok]
        carrier = Carrier(self._scene, past, offered, self._clock())
        want = self._replay(carrier.carry(plan), outcomes(since))
        if want is not None:
            return want
        asked = not plan or any(isinstance(clause.intent, i.Help) for clause in plan)
        return "\n".join([*carrier.lines, *([f"{ABOUT} {self._help(offered)}"] if asked else [])])

    def _replay(self, steps: Steps, log: Sequence[Outcome]) -> Want | None:
        """Carry out the plan over what happened so far: the first call that is not on the record, or None."""
        place = 0
        try:
            want = next(steps)
            while True:
                found, place = self._found(want, log, place)
                if found is None:
                    return want
                want = steps.send(found)
        except StopIteration:
            return None

    def _found(self, want: Want, log: Sequence[Outcome], place: int) -> tuple[Outcome | None, int]:
        """The outcome of a wanted call at or behind `place`, and the place behind it; None when it must be made."""
        if want.instead is not None:
            if place == len(log) and self._fresh(want.instead):
                return want.instead, place
            if place < len(log) and not _same(want, log[place]):
                return want.instead, place
        for at in range(place, len(log)):
            if _same(want, log[at]):
                break
        else:
            return None, place
        if want.call.tool in ACTS:
            return log[at], at + 1
        while at + 1 < len(log) and _same(want, log[at + 1]):
            at += 1
        served = at + 1 < len(log) or self._fresh(log[at])
        return (log[at] if served else None), at + 1

    def _fresh(self, outcome: Outcome) -> bool:
        return outcome.at > 0.0 and 0.0 <= self._clock() - outcome.at <= FRESH

    # --- what can be said here ---

    def _help(self, offered: frozenset[str]) -> str:
        sensors = one_of([sensor.name for sensor in self._scene.sensors]) or "none"
        outputs = one_of([output.name for output in self._scene.outputs]) or "none"
        said = "\n".join(f"- {example}" for example in examples(self._scene, offered))
        return f"Sensors here: {sensors}. Outputs here: {outputs}. Three examples that work here:\n{said}"


def examples(scene: Scene, offered: frozenset[str]) -> list[str]:
    """Three goals that the planner understands on this board, with the tools that are offered."""
    measured = [one for one in scene.sensors if not one.states]
    sensor = next(iter([*measured, *scene.sensors]), None)
    output = scene.outputs[0] if scene.outputs else None
    unit = sensor.unit if sensor else ""
    words = {
        "sensor": sensor.name.replace("_", " ") if sensor else "",
        "output": output.name.replace("_", " ") if output else "",
        "value": phrases.EXAMPLE_VALUES.get(unit, phrases.EXAMPLE_VALUE),
        "unit": f" {unit}" if unit else "",
    }
    here = {*offered, *("S" for _ in scene.sensors), *("M" for _ in measured), *("O" for _ in scene.outputs)}
    found = [text.format(**words) for text, needs in phrases.EXAMPLES if here.issuperset(needs.split())]
    return found[:3]


def outcomes(entries: Sequence[Entry]) -> list[Outcome]:
    """Calls with what came of them, in the order of the calls. Of those without an answer only orders are told."""
    calls: dict[str, Outcome] = {}
    for entry in entries:
        if entry.role == "step":
            calls.update((c.id, Outcome(c.tool, c.args, False, "", {}, entry.at, False)) for c in entry.calls)
        elif entry.role == "observation" and entry.call in calls:
            call = calls[entry.call]
            data: Mapping[str, Any] = entry.data if entry.data is not None else {}
            calls[entry.call] = Outcome(call.tool, call.args, entry.ok, entry.text, data, entry.at)
    return [outcome for outcome in calls.values() if outcome.known or outcome.tool in ACTS]


def _same(want: Want, outcome: Outcome) -> bool:
    return outcome.tool == want.call.tool and dict(outcome.args) == dict(want.call.args)
