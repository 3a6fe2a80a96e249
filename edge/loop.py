"""The one shell around the table of turn.py: it does what the table wants and tells it what happened.

Rules:
1. The main thread only watches: it wakes at least every 100 ms for Ctrl-C, deadlines, the operator's stop and the
   person who is asked. Models and tools work in threads of their own and can never hold it up.
2. Every event goes through `feed`, under one lock; what the table wants is done in order. Quick actions
   (deciding, recording) are done by the thread that fed; slow ones (the model, a tool) become jobs.
3. A result that comes after its turn or its deadline is dropped by the table, not by luck.
4. A tape that fails ends the turn; nothing that changes something runs without its intent on the card.
5. The same call with the same result three times in a row is told to the model, five times ends the turn.
6. A stop of everything ends the turn, whatever runs.
"""

from __future__ import annotations

import time

from edge import turn as t
from edge.calls import Calls
from edge.faults import BudgetFault, Fault, Interrupted, Refused, TapeFault
from edge.jobs import Jobs
from edge.keeping import Keeper
from edge.parts import Ending, Parts
from edge.record import replace
from edge.talk import Talk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.approve import Answer, Question
    from edge.call import Call
    from edge.model import Model

TICK = 0.1


class Loop:
    """Runs turns one after the other over one tape, one context, one model."""

    def __init__(self, parts: Parts) -> None:
        import _thread

        self.parts = parts
        self.turn_state = t.Turn(allowed_steps=parts.budgets.steps)
        self.interrupted = 0
        self.keeper = Keeper(parts.world.tape, parts.audit, parts.redact.text)
        self._lock: Any = _thread.allocate_lock()
        self._jobs = Jobs(self.feed)
        self._talk = Talk(parts, self.keeper)
        self._calls = Calls(parts, self.keeper, self._jobs.ring)
        self._ending: Ending | None = None
        self._said: tuple[Question, Answer] | None = None  # an answer that could not be taken yet
        self._ticked = 0.0
        self._rests = True
        self._do: dict[type[t.Action], Callable[[Any], t.Event | None]] = {
            t.KeepLine: self._talk.line,
            t.Ask: self._ask,
            t.KeepStep: self._talk.step,
            t.KeepRepair: self._talk.repair,
            t.Decide: self._calls.decide,
            t.Approve: self._calls.approve,
            t.Intend: self._calls.intend,
            t.Start: self._start,
            t.Tell: self._calls.tell,
            t.Cut: self._cut,
            t.End: self._end,
        }

    # --- the main thread ---

    def run(self, line: str, model: Model | None = None) -> Ending:
        """Carry one line to its end, with another model than usual if told so.

        Never raises for what a model, a tool or the tape did.
        """
        self._talk.model = model or self.parts.model
        self.seen()
        self._ending = None
        self._calls.begin()
        self._talk.began = time.monotonic()
        self.interrupted = 0
        try:
            self.feed(t.Line(line))
            while self._ending is None:
                self._tick()
            if self._ending.fault is not None:
                self._jobs.quiet(1.0)  # what was cut ends now, not beside the next turn
        finally:
            self._rests = True
        return self._ending

    def _tick(self) -> None:
        """One look around, at most TICK seconds long."""
        self._ticked = time.monotonic()
        asked = self._calls.question
        if asked is not None:
            self._hear(asked)
        else:
            self._jobs.wait(TICK)
        self.parts.watcher.tick()
        now = time.monotonic()
        stop = self._reason_to_stop(now)
        if stop is not None and self._ending is None:
            self._feed_soon(lambda: t.Stop(stop))
        else:
            for event in self._calls.late(now):
                self._feed_soon(_just(event))

    def _hear(self, asked: Question) -> None:
        """Look for the answer to a question. One that a busy card keeps from being taken is taken at a later tick."""
        said = self._said
        if said is None or said[0] is not asked:
            answer = self.parts.approver.poll(TICK)
            said = None if answer is None else (asked, answer)
        taken = said is not None and self._feed_soon(_taking(self._calls, *said))
        self._said = None if taken else said

    def _reason_to_stop(self, now: float) -> Fault | None:
        if self.interrupted:
            return Interrupted("interrupted by the operator")
        stopped = self._stopped()
        if stopped is not None:
            return stopped
        if now - self._talk.began > self.parts.budgets.turn_seconds:
            return BudgetFault(f"the turn took longer than {self.parts.budgets.turn_seconds:g} s", "ask for less")
        return None

    def _stopped(self) -> Fault | None:
        stop = self.parts.stopped()
        if stop is None or not stop.everything:
            return None
        return Refused(stop.everything, "stop.all", "fieldhand resume lifts it")

    def silence(self) -> float:
        """For how many seconds the main thread was not seen; 0 while it waits at its prompt, as long as it likes.

        That a turn has ended does not say that the main thread has seen it: it says itself that it rests.
        """
        return 0.0 if self._rests else time.monotonic() - self._ticked

    def seen(self) -> None:
        """The main thread is there, and will say so again and again until the next turn has ended."""
        self._ticked, self._rests = time.monotonic(), False

    def note(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> bool:
        """Record something that is no part of a turn; False when the tape is busy: try again later."""
        if not self._lock.acquire(timeout=TICK):
            return False
        try:
            self.keeper.keep(kind, fields, sync)
        except TapeFault:
            pass  # the keeper knows that it failed, and the gate asks the keeper
        finally:
            self._lock.release()
        return True

    def over(self, call: Call, facts: Mapping[str, Any]) -> None:
        """A shell in the background or an open port has ended. Not for the main thread: it waits for the card."""
        with self._lock:
            try:
                self._calls.over(call, facts)
            except TapeFault:
                return  # the keeper knows that it failed

    def news(self) -> list[str]:
        """What the model does not know yet, for the line that is being kept."""
        return self._calls.lasting.news()

    # --- events in, actions out ---

    def feed(self, event: t.Event, job_done: bool = False) -> None:
        """Give the table an event and do what it wants. Any thread may call this."""
        with self._lock:
            if job_done:
                self._jobs.done()
            self._carry_out(event)

    def _feed_soon(self, make: Callable[[], t.Event | None]) -> bool:
        """Like feed, for the main thread: gives up after a tick, and is False, when the lock is held by a slow card."""
        if not self._lock.acquire(timeout=TICK):
            return False
        try:
            event = make()
            if event is not None:
                self._carry_out(event)
        finally:
            self._lock.release()
        return True

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

    def _ask(self, action: t.Ask) -> t.Event | None:
        stopped = self._stopped()
        if stopped is not None:
            return t.Stop(stopped)
        self.parts.watcher.asking(self._talk.model.name)
        made = time.monotonic()
        self._jobs.add(lambda: self._talk.exchange(action.request, made))
        return None

    def _start(self, action: t.Start) -> None:
        self._jobs.add(self._calls.start(action.call))

    def _cut(self, action: t.Cut) -> None:
        self._talk.model.cut()
        self.parts.world.cut()
        if self._calls.question is not None:
            self._calls.drop("the turn was cut")

    def _end(self, action: t.End) -> t.Event:
        fault, answer = action.fault, action.answer
        code = self._calls.troubles.code() if fault is None else fault.code
        try:
            if fault is None:
                for receipt in self.keeper.unknown_receipts(answer):
                    answer += f"\n[no call ever got the receipt {receipt} that this answer names]"
                self.keeper.keep("answer", {"text": answer, "code": code}, True)
            else:
                sentence = self.keeper.clean(str(fault))
                self.keeper.keep("fault", {"kind": fault.kind, "sentence": sentence, "code": code}, True)
            self.keeper.rest()
        except TapeFault as lost:
            fault, code = fault or lost, lost.code
        self._calls.clear()
        self._ending = Ending(code, answer, fault)
        self._jobs.ring()
        return t.Closed()


def _taking(calls: Calls, asked: Question, answer: Answer) -> Callable[[], t.Event | None]:
    return lambda: calls.take(answer, asked)


def _just(event: t.Event) -> Callable[[], t.Event]:
    return lambda: event


def _inside(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
