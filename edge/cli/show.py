"""Shows a turn on stderr: for people as lines, with `--trace json` as one JSON object a line.

What a call is about to touch is written out (edge.text.visible), because people decide by it; what came back is
cleaned (edge.text.plain), because people read it.
"""

from __future__ import annotations

import time

from edge.cli import telling
from edge.text import fold, plain, visible
from edge.watch import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.call import Call, Decision, Observation
    from edge.faults import StepFault
    from edge.step import Step
    from edge.tool import Schema

SPIN_AFTER = 1.0
SHOWN_LINES = 12


class Lines(Watcher):
    """For people. A progress line with seconds appears when something takes longer than one, only on a terminal."""

    def __init__(self) -> None:
        self._schemas: Mapping[str, Schema] = {}
        self._number = 0
        self._numbers: dict[str, int] = {}  # of the calls that are not over
        self._running: dict[str, str] = {}  # the tools of those that run
        self._at = 0  # the number of the call that the last line was about
        self._waits = ""
        self._since = 0.0
        self._direct = False
        self._verdict: dict[str, Decision] = {}
        self._typed: Callable[[], str] | None = None
        self._printer = telling()

    def _line(self, text: str, now: bool = False) -> None:
        """One line, folded on a terminal, above a prompt at which one may type. `now`: no question holds it."""
        width = self._printer.width
        typed = self._typed() if self._typed is not None and self._printer.tty else ""
        self._printer.say(fold(text, width - 1, "     ") if width else text, typed, now)

    def knows(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas

    def prompt(self, typed: Callable[[], str] | None) -> None:
        self._typed = typed

    def _wait(self, what: str) -> None:
        self._waits, self._since = what, time.monotonic()

    def asking(self, model: str) -> None:
        self._direct = model == "direct"
        self._wait(f"waiting for {plain(model)}")

    def waiting(self, what: str) -> None:
        """Say what the run waits for: once as a line, then as progress."""
        if self._waits.split(":")[0] != what.split(":")[0]:
            self._line(f"waiting for {what}; Ctrl-C ends it")
            self._wait(what)
        self._waits = what
        self.tick()

    def step(self, step: Step) -> None:
        self._waits = ""
        for repaired in step.repairs:
            self._line(f"  (read with a repair: {plain(repaired)})")

    def repair(self, fault: StepFault) -> None:
        self._line(f"  the reply was not a step: {plain(fault.sentence)}; asking again")

    def decided(self, call: Call, decision: Decision) -> None:
        from edge.cli.spelling import say as spell

        self._number += 1
        self._at = self._numbers[call.id] = self._number
        args = spell(call.args, self._schemas[call.tool])
        self._line(f"{self._number} {call.tool} {visible(args)}".rstrip())
        if decision.verdict == "deny":
            self._gate(decision, "deny")
        else:
            self._verdict[call.id] = decision

    def _about(self, call: Call) -> None:
        """Say which call the next lines are about, where those before were about another."""
        number = self._numbers.get(call.id, self._at)
        if number != self._at:
            self._line(f"{number} {call.tool}:")
            self._at = number

    def _gate(self, decision: Decision, verdict: str) -> None:
        self._line(f"  {decision.risk} risk, {verdict} [{decision.rule}]: {visible(decision.sentence)}")

    def granted(self, call: Call, decision: Decision, by: str) -> None:
        self._verdict.pop(call.id, None)
        self._about(call)
        self._gate(decision, "allow" if by == "gate" else f"ask, yes by {by}")
        self._running[call.id] = call.tool
        self._wait(call.tool)

    def outcome(self, call: Call, status: str, found: Observation) -> None:
        self._running.pop(call.id, None)
        self._waits = next(iter(self._running.values()), "")  # others of the same step may still run
        decision = self._verdict.pop(call.id, None)
        self._about(call)
        self._numbers.pop(call.id, None)
        if decision is not None:
            self._gate(decision, "ask, not allowed")
        if self._direct and found.ok:
            return  # the same text follows as the answer
        lines = plain(found.text).splitlines() or [""]
        mark = "->" if found.ok else "!!"
        for line in lines[:SHOWN_LINES]:
            self._line(f"  {mark} {line}")
        if len(lines) > SHOWN_LINES:
            self._line(f"  {mark} ({len(lines) - SHOWN_LINES} more lines)")

    def board(self, event: Mapping[str, Any]) -> None:
        kind, name, why = (plain(str(event.get(field, ""))) for field in ("event", "name", "why"))
        if kind in ("note", "lost", "stopped", "resumed"):
            self._line(f"board: {why}", now=True)
        elif kind in ("fault", "cleared", "override"):
            self._line(f"board: {name}: {why}", now=True)
        else:
            state = {True: "on", False: "off"}.get(event.get("state"), "unknown")  # type: ignore[arg-type]
            self._line(f"board: {name} {state}, {why or kind}", now=True)

    def note(self, text: str) -> None:
        self._line(plain(text))

    def tick(self) -> None:
        seconds = time.monotonic() - self._since
        if self._waits and seconds > SPIN_AFTER:
            self._printer.spin(f"  ... {self._waits[:60]} ({seconds:.0f} s)")


class Trace(Watcher):
    """Every event as one JSON object a line, with a monotonic time in seconds."""

    def __init__(self) -> None:
        self._printer = telling()

    def _event(self, happened: str, **fields: Any) -> None:
        import json

        told = {"event": happened, "mono": round(time.monotonic(), 6), **fields}
        self._printer.say(json.dumps(told, ensure_ascii=True, default=str))

    def asking(self, model: str) -> None:
        self._event("asking", model=model)

    def step(self, step: Step) -> None:
        from edge.record import as_dict

        self._event("step", **as_dict(step))

    def repair(self, fault: StepFault) -> None:
        self._event("repair", why=fault.why, sentence=fault.sentence)

    def decided(self, call: Call, decision: Decision) -> None:
        self._event(
            "decided",
            call=call.id,
            tool=call.tool,
            args=dict(call.args),
            verdict=decision.verdict,
            risk=decision.risk,
            rule=decision.rule,
            sentence=decision.sentence,
        )

    def granted(self, call: Call, decision: Decision, by: str) -> None:
        self._event("granted", call=call.id, by=by)

    def outcome(self, call: Call, status: str, found: Observation) -> None:
        data = None if found.data is None else dict(found.data)
        self._event("outcome", call=call.id, status=status, ok=found.ok, text=found.text, data=data)

    def board(self, event: Mapping[str, Any]) -> None:
        fields = {key: value for key, value in event.items() if key != "event"}
        self._event("board", what=event.get("event"), **fields)

    def note(self, text: str) -> None:
        self._event("note", text=text)
