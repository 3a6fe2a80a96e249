"""The talk with the model: what it is asked, how its reply becomes a step, and what is kept of both."""

from __future__ import annotations

import time

from edge import turn as t
from edge.faults import Fault, ModelFault, StepFault
from edge.model import Request
from edge.record import as_dict
from edge.step import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.keeping import Keeper
    from edge.model import Model
    from edge.parts import Parts
    from edge.step import Step


class Talk:
    """`model` may be another for one line; `began` is when the turn did (monotonic seconds)."""

    def __init__(self, parts: Parts, keeper: Keeper) -> None:
        self.model: Model = parts.model
        self.began = 0.0
        self._parts = parts
        self._keeper = keeper
        self._usage: Mapping[str, Any] | None = None

    def line(self, action: t.KeepLine) -> None:
        """The operator's line, on the card before the model is asked."""
        text = self._keeper.clean(action.text)
        self._keeper.keep("line", {"text": text}, True)
        self._parts.context.user(text, time.monotonic(), self._parts.clock())

    def exchange(self, number: int, made: float) -> t.Event:
        """Job: one model request, made at `made` (a cut after that ends it), read into a step."""
        parts = self._parts
        left = parts.budgets.turn_seconds - (time.monotonic() - self.began)
        request = Request(parts.context, parts.catalogue.shown, max(left, 0.1), parts.watcher.heard, made)
        try:
            reply = self.model.ask(request)
            step = read(reply.raw, reply.mode, parts.catalogue.schemas)
            if self.model is parts.model and not isinstance(step, StepFault):
                step = self._loaded(step)
        except StepFault as fault:
            return t.Misread(number, fault)
        except Fault as fault:
            return t.Failed(number, fault)
        except Exception as error:  # a back end's own fault must end the turn, not the thread
            why = f"the {self.model.name} back end failed: {type(error).__name__}: {error}"
            return t.Failed(number, ModelFault(why))
        self._usage = None if reply.usage is None else as_dict(reply.usage)
        return t.Misread(number, step) if isinstance(step, StepFault) else t.Replied(number, step)

    def _loaded(self, step: Step) -> Step | StepFault:
        """`step`, unless it calls a tool whose form the model has not seen yet."""
        for call in step.calls:
            if self._parts.catalogue.waits(call.tool):
                why = f"{call.tool} is not loaded yet: its form comes with tool_search and query select:{call.tool}"
                return StepFault("unknown_tool", why)
        return step

    def step(self, action: t.KeepStep) -> None:
        """Keep a step and give it to the context."""
        step = action.step
        fields: dict[str, Any] = {"request": action.request, "thought": step.thought}
        if step.final is None:
            fields["calls"] = [{"id": c.id, "tool": c.tool, "args": c.args} for c in step.calls]
        else:
            fields["final"] = step.final
        if step.repairs:
            fields["repairs"] = list(step.repairs)
        if self._usage:
            fields["usage"], self._usage = self._usage, None
        self._keeper.keep("step", fields)
        now = time.monotonic()
        if step.final is None:
            self._parts.context.step(step.thought, step.calls, now)
        else:
            self._parts.context.answer(step.final, now)
        self._parts.watcher.step(step)

    def repair(self, action: t.KeepRepair) -> None:
        """Keep what was wrong with a reply and tell the model."""
        fault = action.fault
        self._keeper.keep("repair", {"request": action.request, "why": fault.why, "sentence": fault.sentence})
        self._parts.context.fault(fault.sentence, time.monotonic())
        self._parts.watcher.repair(fault)
