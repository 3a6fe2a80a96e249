"""The one shell around the table of turn.py: it does what the table wants and tells it what happened.

Rules:
1. The main thread only watches: it wakes at least every 100 ms for Ctrl-C, deadlines and the person who
   is asked. Models and tools work in threads of their own and can never hold it up.
2. Every event goes through `feed`, under one lock; what the table wants is done in order. Quick actions
   (deciding, recording) are done by the thread that fed; slow ones (the model, a tool) become jobs.
3. A result that comes after its turn or its deadline is dropped by the table, not by luck.
4. A tape that fails ends the turn; nothing that changes something runs without its intent on the card.
5. The same call with the same result three times in a row is told to the model, five times ends the turn.
"""

from __future__ import annotations

import time

from edge import turn as t
from edge.approve import Question, digest
from edge.call import Decision, Observation
from edge.faults import BudgetFault, Fault, Interrupted, ModelFault, Refused, StepFault, TapeFault
from edge.gate.decide import decide
from edge.gate.policy import State
from edge.hands import Hands
from edge.jobs import Jobs
from edge.model import Request
from edge.parts import Ending, Parts
from edge.record import as_dict, replace
from edge.step import read
from edge.text import clip
from edge.verdicts import Repeats, Troubles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.approve import Answer
    from edge.call import Call, Effect
    from edge.model import Model

TICK = 0.1
WELL = 1.5
HOUR = 3600.0


class Granted:
    """What the gate said of a call, kept until its outcome. `by`: who let it; `started`: monotonic, 0 = not yet."""

    __slots__ = ("by", "decision", "effects", "observes", "started")

    def __init__(self, decision: Decision, effects: tuple[Effect, ...], observes: bool) -> None:
        self.decision = decision
        self.effects = effects
        self.observes = observes
        self.by = "gate"
        self.started = 0.0


class Loop:
    """Runs turns one after the other over one tape, one context, one model."""

    def __init__(self, parts: Parts) -> None:
        import _thread
        from collections import deque

        self.parts = parts
        self.model = parts.model
        self.turn_state = t.Turn(allowed_steps=parts.budgets.steps)
        self.interrupted = 0
        self._tools = {tool.name: tool for tool in parts.tools}
        self._schemas = {tool.name: tool.schema for tool in parts.tools}
        self._granted: dict[str, Granted] = {}
        self._question: Question | None = None
        self._ending: Ending | None = None
        self._calls: deque[float] = deque()
        self._usage: Mapping[str, Any] | None = None
        self._repeats = Repeats()
        self._troubles = Troubles()
        self._lock: Any = _thread.allocate_lock()
        self._jobs = Jobs(self.feed)
        self._tape_failed = False
        self._ticked = 0.0
        self._do: dict[type[t.Action], Callable[[Any], t.Event | None]] = {
            t.KeepLine: self._keep_line,
            t.Ask: self._ask,
            t.KeepStep: self._keep_step,
            t.KeepRepair: self._keep_repair,
            t.Decide: self._decide,
            t.Approve: self._approve,
            t.Intend: self._intend,
            t.Start: self._start,
            t.Tell: self._tell,
            t.Cut: self._cut,
            t.End: self._end,
        }

    # --- the main thread ---

    def run(self, line: str, model: Model | None = None) -> Ending:
        """Carry one line to its end, with another model than usual if told so.

        Never raises for what a model, a tool or the tape did.
        """
        self.model = model or self.parts.model
        self._ending = None
        self._troubles = Troubles()
        self._began = time.monotonic()
        self.interrupted = 0
        self.feed(t.Line(line))
        while self._ending is None:
            self._tick()
        if self._ending.fault is not None:
            self._jobs.quiet(1.0)  # what was cut ends now, not beside the next turn
        return self._ending

    def _tick(self) -> None:
        """One look around, at most TICK seconds long."""
        self._ticked = time.monotonic()
        if self._question is not None:
            answer = self.parts.approver.poll(TICK)
            if answer is not None:
                self._take_answer(answer)
        else:
            self._jobs.wait(TICK)
        self.parts.watcher.tick()
        now = time.monotonic()
        stop: Fault | None = None
        if self.interrupted:
            stop = Interrupted("interrupted by the operator")
        elif now - self._began > self.parts.budgets.turn_seconds:
            stop = BudgetFault(f"the turn took longer than {self.parts.budgets.turn_seconds:g} s", "ask for less")
        if stop is not None and self._ending is None:
            self._feed_soon(t.Stop(stop))
        else:
            self._expire(now)

    def well(self) -> bool:
        """True when the main thread is idle at its prompt or was seen ticking lately."""
        return self._ending is not None or time.monotonic() - self._ticked < WELL

    def note(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> bool:
        """Record something that is no part of a turn; False when the tape is busy: try again later."""
        if not self._lock.acquire(timeout=TICK):
            return False
        try:
            self.keep(kind, fields, sync)
        except TapeFault:
            self._tape_failed = True
        finally:
            self._lock.release()
        return True

    def _expire(self, now: float) -> None:
        for call, granted in list(self._granted.items()):
            permit = granted.decision.permit
            if granted.started and permit and now - granted.started > permit.seconds:
                late = Observation(False, f"stopped waiting after {permit.seconds:g} s; what it did is unknown")
                self._feed_soon(t.Finished(call, "deadline", late))

    def _take_answer(self, answer: Answer) -> None:
        asked, self._question = self._question, None
        if asked is None:
            return
        if answer.yes and asked.digest != self._digest(asked.call):
            answer = replace(answer, yes=False, sentence="the call changed after it was shown")
        self._feed_soon(t.Answered(asked.call.id, answer.yes, answer.by, answer.sentence), answer.by)

    # --- events in, actions out ---

    def feed(self, event: t.Event, job_done: bool = False) -> None:
        """Give the table an event and do what it wants. Any thread may call this."""
        with self._lock:
            if job_done:
                self._jobs.done()
            self._carry_out(event)

    def _feed_soon(self, event: t.Event, by: str = "") -> None:
        """Like feed, for the main thread: gives up after a tick when the lock is held by a slow card."""
        if self._lock.acquire(timeout=TICK):
            try:
                if by and isinstance(event, t.Answered) and event.call in self._granted:
                    self._granted[event.call].by = by
                self._carry_out(event)
            finally:
                self._lock.release()

    def _carry_out(self, event: t.Event) -> None:
        pending = [event]
        while pending:
            try:
                self.turn_state, actions = t.advance(self.turn_state, pending.pop(0))
            except Exception as error:  # a table that fails must not leave a turn that nobody ends
                self.turn_state = replace(self.turn_state, phase="idle", calls=())
                self._finish(Fault(f"a fault of Fieldhand's own: {_inside(error)}", "report it with the tape"))
                return
            for action in actions:
                try:
                    follow = self._do[type(action)](action)
                except TapeFault as fault:
                    self._tape_failed = True
                    follow = t.Stop(fault)
                except Exception as error:  # our own fault ends the turn; it must not end the thread and hang the turn
                    follow = self._own_fault(action, error)
                if follow is not None:
                    pending.append(follow)

    def _own_fault(self, action: t.Action, error: Exception) -> t.Event:
        fault = Fault(f"a fault of Fieldhand's own: {_inside(error)}", "report it with the tape")
        if not isinstance(action, t.End):
            return t.Stop(fault)
        self._finish(fault)
        return t.Closed()

    def _finish(self, fault: Fault) -> None:
        """End the turn when the way through the table is barred."""
        self._ending = Ending(fault.code, "", fault)
        self._jobs.ring()

    def keep(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> None:
        """Put a record on the tape; once the tape has failed, nothing more is tried."""
        if not self._tape_failed:
            self.parts.world.tape.append(kind, fields, sync)

    def _keep_line(self, action: t.KeepLine) -> None:
        self.keep("line", {"text": action.text}, True)
        self.parts.context.user(action.text, time.monotonic(), self.parts.clock())

    def _ask(self, action: t.Ask) -> None:
        self.parts.watcher.asking(self.model.name)
        made = time.monotonic()
        self._jobs.add(lambda: self._exchange(action.request, made))

    def _exchange(self, number: int, made: float) -> t.Event:
        """Job: one model request, made at `made` (a cut after that ends it), read into a step."""
        parts = self.parts
        left = parts.budgets.turn_seconds - (time.monotonic() - self._began)
        request = Request(parts.context, parts.tools, max(left, 0.1), parts.watcher.heard, made)
        try:
            reply = self.model.ask(request)
            step = read(reply.raw, reply.mode, self._schemas)
        except StepFault as fault:
            return t.Misread(number, fault)
        except Fault as fault:
            return t.Failed(number, fault)
        except Exception as error:  # a back end's own fault must end the turn, not the thread
            return t.Failed(number, ModelFault(f"the {self.model.name} back end failed: {_inside(error)}"))
        self._usage = None if reply.usage is None else as_dict(reply.usage)
        return t.Misread(number, step) if isinstance(step, StepFault) else t.Replied(number, step)

    def _keep_step(self, action: t.KeepStep) -> None:
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
        self.keep("step", fields)
        now = time.monotonic()
        if step.final is None:
            self.parts.context.step(step.thought, step.calls, now)
        else:
            self.parts.context.answer(step.final, now)
        self.parts.watcher.step(step)

    def _keep_repair(self, action: t.KeepRepair) -> None:
        fault = action.fault
        self.keep("repair", {"request": action.request, "why": fault.why, "sentence": fault.sentence})
        self.parts.context.fault(fault.sentence, time.monotonic())
        self.parts.watcher.repair(fault)

    def _decide(self, action: t.Decide) -> t.Event:
        call = action.call
        parts = self.parts
        now = time.monotonic()
        while self._calls and now - self._calls[0] > HOUR:
            self._calls.popleft()
        scene = parts.world.scene
        try:
            effects = self._tools[call.tool].effects(call.args, scene)
        except Fault as fault:  # the tool knows already that this cannot be: nobody is asked
            decision = Decision("deny", "low", "call.impossible", str(fault))
            self._granted[call.id] = Granted(decision, (), True)
            parts.watcher.decided(call, decision)
            return t.Decided(call.id, decision, True)
        durable = parts.world.tape.durable and not self._tape_failed
        state = State(durable, scene.simulated, len(self._calls))
        decision = decide(call, effects, parts.policy, state, scene)
        self._calls.append(now)
        observes = all(effect.observes for effect in effects)
        self._granted[call.id] = Granted(decision, effects, observes)
        parts.watcher.decided(call, decision)
        return t.Decided(call.id, decision, observes)

    def _digest(self, call: Call) -> str:
        return digest(call, self.parts.world.scene.cwd, self.parts.policy.preset)

    def _approve(self, action: t.Approve) -> t.Event | None:
        call, decision = action.call, action.decision
        words = self._tools[call.tool].words(call.args, self.parts.world.scene)
        seconds = self.parts.budgets.approval_seconds
        asked = Question(call, words, decision.sentence, decision.risk, decision.rule, self._digest(call), seconds)
        answer = self.parts.approver.at_once(asked)
        if answer is None:
            self._question = asked
            self._jobs.ring()
            return None
        self._granted[call.id].by = answer.by
        return t.Answered(call.id, answer.yes, answer.by, answer.sentence)

    def _intend(self, action: t.Intend) -> t.Event:
        call = action.call
        granted = self._granted[call.id]
        decision = granted.decision
        fields = {
            "call": call.id,
            "tool": call.tool,
            "args": call.args,
            "effects": [f"{e.verb} {e.on}" for e in granted.effects],
            "risk": decision.risk,
            "verdict": decision.verdict,
            "rule": decision.rule,
            "by": granted.by,
        }
        self.keep("intent", fields, not action.observes)
        self.parts.watcher.granted(call, decision, granted.by)
        return t.Intended(call.id)

    def _start(self, action: t.Start) -> None:
        call = action.call
        self._granted[call.id].started = time.monotonic()
        self._jobs.add(lambda: self._work(call))

    def _work(self, call: Call) -> t.Event:
        """Job: run one tool inside its permit."""
        permit = self._granted[call.id].decision.permit
        assert permit is not None
        try:
            found = self._tools[call.tool].run(call.args, Hands(permit, call, self.parts.world))
        except Refused as fault:
            return t.Finished(call.id, "refused", Observation(False, str(fault)))
        except Fault as fault:
            return t.Finished(call.id, fault.kind, Observation(False, str(fault)))
        except Exception as error:  # a tool's own fault is an observation; the turn goes on
            return t.Finished(call.id, "failed", Observation(False, f"{call.tool} failed: {_inside(error)}"))
        if len(found.text) > permit.bytes:
            found = replace(found, text=clip(found.text, permit.bytes))
        return t.Finished(call.id, "done" if found.ok else "failed", found)

    def _tell(self, action: t.Tell) -> t.Event | None:
        call, found = action.call, action.observation
        granted = self._granted.pop(call.id, None)
        observes = granted is not None and granted.observes
        if self._question is not None and self._question.call.id == call.id:
            self._question = None
        fields = {"call": call.id, "ok": found.ok, "status": action.status, "text": found.text}
        if not found.untrusted:
            fields["untrusted"] = False
        if found.data is not None:
            fields["data"] = found.data
        if granted is not None and action.status == "refused":
            fields["rule"] = granted.decision.rule
        self.keep("outcome", fields, not observes)
        rule = granted.decision.rule if granted is not None else ""
        self._troubles.outcome(call, action.status, found.ok, observes, rule)
        nudge, stop = self._repeats.seen(call, found)
        told = replace(found, text=f"{found.text}\n{nudge}") if nudge else found
        self.parts.context.observation(call, told, time.monotonic())
        self.parts.watcher.outcome(call, action.status, told)
        return t.Stop(stop) if stop is not None else None

    def _cut(self, action: t.Cut) -> None:
        self.model.cut()
        self._question = None

    def _end(self, action: t.End) -> t.Event:
        fault = action.fault
        code = self._troubles.code() if fault is None else fault.code
        try:
            if fault is None:
                self.keep("answer", {"text": action.answer, "code": code}, True)
            else:
                self.keep("fault", {"kind": fault.kind, "sentence": str(fault), "code": code}, True)
        except TapeFault as lost:
            self._tape_failed = True
            fault, code = fault or lost, lost.code
        self._granted.clear()
        self._ending = Ending(code, action.answer, fault)
        self._jobs.ring()
        return t.Closed()


def _inside(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
