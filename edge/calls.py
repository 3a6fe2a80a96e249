"""The life of a call, from the gate to its outcome: decide, ask, intend, run, tell.

Rules:
1. Nothing that changes something runs before its intent is on the card, in the tape and in the audit.
2. A question is bound to a digest of the call, the folder and the policy; an answer to another digest is a no.
   A grant made at the command line answers before a person is asked, and its text stands in the record.
3. Every call has one outcome, and one record in the audit, whatever came of it. Only a success has a receipt.
4. What a call brings is cleaned of known secrets once, before anybody keeps or reads it.
5. What may be untrusted is told to the taint before the model can read it; what is written afterwards is marked.
6. A shell in the background or an open port is still of its call (lasting.py). What it wrote is marked when the call is
   told, and again at its end, also when untrusted words came only meanwhile.
7. What a call says is clipped to what its tool may say (edge.tool), in `parallel` to its part. What is longer than
   that is kept aside where a tool can read it.
"""

from __future__ import annotations

import time

from edge import parallel
from edge import turn as t
from edge.approve import Question, digest
from edge.call import Decision, Observation
from edge.faults import Fault, Refused, TapeFault
from edge.gate import taint
from edge.gate.decide import decide
from edge.gate.policy import State
from edge.hands import Hands
from edge.keeping import facts
from edge.lasting import Lasting
from edge.record import replace
from edge.text import clip
from edge.verdicts import Repeats, Troubles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from edge.approve import Answer
    from edge.call import Call, Effect, Scene
    from edge.keeping import Keeper
    from edge.parts import Parts

HOUR = 3600.0
ENDING = 5.0  # seconds within which a shell that is over its time has been ended, with all it started, and tells so


class Granted:
    """What the gate said of a call, kept until its outcome. `by`: who let it; `started`: monotonic, 0 = not yet.

    `looked`: the words of the last stop that was seen since then, and its denial of this call, if it is one.
    `durable`: what is kept outlived a power cut when the gate decided.
    """

    __slots__ = ("by", "decision", "durable", "effects", "looked", "observes", "started", "wall")

    def __init__(self, decision: Decision, effects: tuple[Effect, ...], observes: bool) -> None:
        self.decision = decision
        self.effects = effects
        self.observes = observes
        self.by = decision.by or "gate"
        self.durable = False
        self.started = 0.0
        self.wall = 0.0
        self.looked: tuple[str, Decision | None] = ("", None)


class Calls:
    """The calls of one loop. `ring` wakes the thread that asks people."""

    def __init__(self, parts: Parts, keeper: Keeper, ring: Callable[[], None]) -> None:
        from collections import deque

        self._parts = parts
        self._keeper = keeper
        self._ring = ring
        self._tools = {tool.name: tool for tool in parts.catalogue.tools}
        self._granted: dict[str, Granted] = {}
        self._hour: deque[float] = deque()
        self.lasting = Lasting(parts.world, keeper)
        self._scene = parts.world.scene
        self._policy = parts.policy.digest
        self.question: Question | None = None
        self.begin()
        parts.world.heard, parts.world.hear = lambda: parts.taint.source, parts.taint.heard
        parts.world.redact = parts.redact.text
        parts.world.judge = lambda call, effect: self.judge(call, (effect,))
        parts.world.forbidden = lambda call: self._stopped(call) is not None

    def begin(self) -> None:
        """A turn begins: what repeats and what went wrong is counted anew."""
        self._repeats, self.troubles = Repeats(), Troubles()

    # --- the gate ---

    def decide(self, action: t.Decide) -> t.Event:
        """What the gate says of a call."""
        call = action.call
        try:
            effects = self._tools[call.tool].effects(call.args, self._scene)
        except Fault as fault:  # the tool knows already that this cannot be: nobody is asked
            decision = Decision("deny", "low", "call.impossible", str(fault))
            return self._decided(call, Granted(decision, (), True))
        if self._parts.taint.marked:
            heard = self._parts.taint.of(taint.touched(effects, self._scene, "read"))
            if heard and taint.source(effects, self._scene) == "":
                self._parts.taint.heard(heard)  # before the decision: the words are about to be read
        now = time.monotonic()
        while self._hour and now - self._hour[0] > HOUR:
            self._hour.popleft()
        decision = self.judge(call, effects)
        self._hour.append(now)
        return self._decided(call, Granted(decision, effects, _observes(effects, decision)))

    def judge(self, call: Call, effects: tuple[Effect, ...]) -> Decision:
        """The gate's decision at this moment; hands ask it too, about what they find only in the act."""
        parts = self._parts
        stop = parts.stopped()
        state = State(
            durable=self._keeper.durable,
            simulated=self._scene.simulated,
            calls_last_hour=len(self._hour) - (call.id in self._granted),  # a call does not use up its own budget
            tainted=parts.taint.source,
            unattended=parts.unattended,
            stopped=stop.words if stop is not None else "",
            granted=parts.grants.fits(call, effects, time.monotonic()),
        )
        return decide(call, effects, parts.policy, state, self._scene)

    def _stopped(self, call: Call) -> Decision | None:
        """The denial when a stop that came after the decision forbids this call."""
        stop, granted = self._parts.stopped(), self._granted.get(call.id) or self.lasting.find(call)
        if stop is None or granted is None:
            return None
        if granted.looked[0] != stop.words:
            decision = self.judge(call, granted.effects)
            granted.looked = (stop.words, decision if decision.rule.startswith("stop.") else None)
        return granted.looked[1]

    def _decided(self, call: Call, granted: Granted) -> t.Event:
        granted.durable = self._keeper.durable
        self._granted[call.id] = granted
        self._parts.watcher.decided(call, granted.decision)
        return t.Decided(call.id, granted.decision, granted.observes)

    # --- a person ---

    def _digest(self, call: Call) -> str:
        return digest(call, self._scene.cwd, self._policy)

    def approve(self, action: t.Approve) -> t.Event | None:
        """Answer by a grant, at once, or put the question to whoever answers (then None)."""
        call, decision = action.call, action.decision
        granted = self._granted[call.id]
        given = self._parts.grants.take(call, granted.effects, time.monotonic())
        if given:
            granted.by = given
            return t.Answered(call.id, True, given)
        asked = Question(
            call,
            self._tools[call.tool].words(call.args, self._scene),
            decision.sentence,
            decision.risk,
            decision.rule,
            self._digest(call),
            self._parts.budgets.approval_seconds,
            *_inside(granted.effects, self._scene, decision.sentence),
            self._parts.world.tape.name,
        )
        answer = self._parts.approver.at_once(asked)
        if answer is None:
            self.question = asked
            self._ring()
            return None
        granted.by = answer.by
        return t.Answered(call.id, answer.yes, answer.by, answer.sentence, answer.text)

    def take(self, answer: Answer, asked: Question | None) -> t.Event | None:
        """The event of an answer to the question `asked`; None when it does not stand any more."""
        if asked is None or asked is not self.question:
            return None
        self.question = None
        if asked.call.id not in self._granted:
            return None
        if answer.yes and asked.digest != self._digest(asked.call):
            answer = replace(answer, yes=False, sentence="the call changed after it was shown")
        stopped = self._stopped(asked.call)
        if answer.yes and stopped is not None:
            self._granted[asked.call.id].decision = stopped
            answer = replace(answer, yes=False, sentence=stopped.sentence)
        self._granted[asked.call.id].by = answer.by
        return t.Answered(asked.call.id, answer.yes, answer.by, answer.sentence, answer.text)

    # --- the act ---

    def intend(self, action: t.Intend) -> t.Event:
        """Keep the intent (rule 1), and mark what is about to be written from untrusted words (rule 5)."""
        call = action.call
        granted = self._granted[call.id]
        if granted.durable and not action.observes and not self._keeper.durable:
            raise TapeFault(f"{call.tool} was not run: the record failed after it was allowed", "start again")
        if self._parts.taint.source and not action.observes:
            self._mark(granted)
        self._keeper.intend(call, self._facts(call, granted), not action.observes)
        self._parts.watcher.granted(call, granted.decision, granted.by)
        return t.Intended(call.id)

    def _mark(self, granted: Granted) -> tuple[tuple[str, bool], ...]:
        """Mark what a call writes by name; all that it writes."""
        written = taint.touched(granted.effects, self._scene, "write")
        roots = [root.path for root in self._scene.roots]
        self._parts.taint.mark((path, deep) for path, deep in written if path not in roots)
        return written

    def _facts(self, call: Call, granted: Granted) -> Mapping[str, Any]:
        return facts(call, granted.decision, _touched(granted.effects), granted.by, self._policy)

    def start(self, call: Call) -> Callable[[], t.Event]:
        """The job that runs a call."""
        granted = self._granted[call.id]
        granted.started, granted.wall = time.monotonic(), time.time()
        permit, most = granted.decision.permit, self._parts.world.job_seconds
        if permit is not None and permit.wall != "hands" and permit.seconds < most:
            # Here a shell may be waited for as long as it may last.
            granted.decision = replace(granted.decision, permit=replace(permit, seconds=most))
        return lambda: self._work(call, granted)

    def _work(self, call: Call, granted: Granted) -> t.Event:
        permit = granted.decision.permit
        assert permit is not None
        stopped = self._stopped(call)
        if stopped is not None:
            granted.decision = stopped
            return t.Finished(call.id, "refused", self._clean(Observation(False, f"not run: {stopped.sentence}")))
        try:
            found = self._tools[call.tool].run(call.args, Hands(permit, call, self._parts.world))
        except Refused as fault:
            return t.Finished(call.id, "refused", self._clean(Observation(False, str(fault))))
        except Fault as fault:
            return t.Finished(call.id, fault.kind, self._clean(Observation(False, str(fault))))
        except Exception as error:  # a tool's own fault is an observation; the turn goes on
            failed = Observation(False, f"{call.tool} failed: {type(error).__name__}: {error}")
            return t.Finished(call.id, "failed", self._clean(failed))
        return t.Finished(
            call.id, "done" if found.ok else "failed", self._short(call, self._clean(found), permit.bytes)
        )

    def _short(self, call: Call, found: Observation, most: int) -> Observation:
        """Rule 7."""
        most = parallel.room(call.parent, self._tools[call.tool].most or most)
        spill, whole = self._parts.world.spill, found.whole or found.text
        if not found.whole and len(found.text) <= most // 4:
            return found
        text = clip(found.text, most)
        if spill is not None and (found.whole or text is not found.text) and len(whole) >= spill.threshold > 0:
            text = f"{clip(text, most - spill.hint)}\n{spill.put(whole, call.tool)}"
        return replace(found, text=text, whole="")

    def _clean(self, found: Observation) -> Observation:
        """Rule 4."""
        text = self._parts.redact.text(found.text)
        whole = self._parts.redact.text(found.whole) if found.whole else ""
        data = found.data if found.data is None else self._parts.redact.json(found.data)
        if text is found.text and data is found.data and whole == found.whole:
            return found
        return replace(found, text=text, data=data, whole=whole)

    def late(self, now: float) -> Iterator[t.Event]:
        """The end of each call that ran longer than its permit says, and of a question about what was stopped."""
        asked = self.question  # read once: other threads end questions too
        granted = self._granted.get(asked.call.id) if asked is not None else None
        stopped = self._stopped(asked.call) if asked is not None else None
        if asked is not None and granted is not None and stopped is not None:
            granted.decision = stopped
            yield t.Answered(asked.call.id, False, "nobody", stopped.sentence)  # it is dropped when that is told
        for call, granted in list(self._granted.items()):
            permit = granted.decision.permit
            extra = ENDING if permit and permit.wall != "hands" else 0.0
            if granted.started and permit and now - granted.started > permit.seconds + extra:
                text = f"stopped waiting after {permit.seconds:g} s; what it did is unknown"
                yield t.Finished(call, "deadline", Observation(False, text))

    # --- the outcome ---

    def tell(self, action: t.Tell) -> t.Event | None:
        """Keep an outcome, give it to the model; the event that ends the turn when the call only repeats itself."""
        call, status, found = action.call, action.status, action.observation
        granted = self._granted.pop(call.id, None) or Granted(Decision("deny", "low", "", ""), (), False)
        if self.question is not None and self.question.call.id == call.id:
            self.drop(granted.decision.sentence if status == "refused" else status)
        if granted.started:
            self._tainted(granted)
            self.lasting.told(call, granted, status)
        fields: dict[str, Any] = {"call": call.id, "ok": found.ok, "status": status, "text": found.text}
        if not found.untrusted:
            fields["untrusted"] = False
        if found.data is not None:
            fields["data"] = found.data
        if self._parts.taint.source:
            fields["taint"] = self._parts.taint.source
        if status == "refused":
            fields["rule"] = granted.decision.rule
        receipt = self._keeper.end(call, status, found, self._facts(call, granted), not granted.observes)
        if receipt:
            fields["receipt"] = receipt
        self._keeper.keep("outcome", fields, not granted.observes)
        self.troubles.outcome(call, status, found.ok, granted.observes, granted.decision.rule)
        nudge, stop = self._repeats.seen(call, found)
        news = self.lasting.news(found.text)
        told = replace(found, text="\n".join([found.text, *news, *[nudge] * bool(nudge)])) if nudge or news else found
        self._parts.watcher.outcome(call, status, told)
        self._parts.context.observation(call, told, time.monotonic(), receipt)
        return t.Stop(stop) if stop is not None else None

    def over(self, call: Call, facts: Mapping[str, Any]) -> None:
        """What went on of this call has ended (rule 6). TapeFault."""
        granted = self.lasting.over(call, facts) or self._granted.get(call.id)
        if granted is not None:
            self._tainted(granted)
        self.lasting.keep(call, facts)

    def _tainted(self, granted: Granted) -> None:
        """Rule 5, after the act."""
        heard = self._parts.taint
        heard.heard(taint.source(granted.effects, self._scene))
        if not granted.observes and heard.source:
            # Also for words that came by the call itself, or while its shell went on.
            written = self._mark(granted)
            if any(deep for _, deep in written):
                # Also right when the clock was set back meanwhile.
                since = min(granted.wall, time.time() - (time.monotonic() - granted.started))
                heard.changed([root.path for root in self._scene.roots], since)

    def clear(self) -> None:
        """The turn is over."""
        self._granted.clear()
        if self.question is not None:
            self.drop("the turn is over")

    def drop(self, why: str) -> None:
        """The question that stands needs no answer any more."""
        self.question = None
        self._parts.approver.over(why)


def _observes(effects: tuple[Effect, ...], decision: Decision) -> bool:
    """True when a call changes nothing: by its effects, or because all of its shell text is of low risk."""
    for effect in effects:
        if not effect.observes and not (decision.risk == "low" and effect.on.startswith("shell:")):
            return False
    return True


def _touched(effects: tuple[Effect, ...]) -> tuple[str, ...]:
    """All that a call touches, one a piece."""
    return tuple([f"{effect.verb} {effect.on}" for effect in effects])


def _inside(effects: tuple[Effect, ...], scene: Scene, said: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """For the person who is asked: all that is touched, of a shell text what it does, and remarks not `said` yet."""
    touched: list[str] = []
    remarks: list[str] = []
    for effect in effects:
        if effect.on.startswith("shell:"):
            from edge.gate.shell import read

            script = read(effect.detail, scene, effect.on)
            touched += _touched(script.effects)
            remarks += [remark for remark in script.remarks if remark not in said]
        else:
            touched += _touched((effect,))
    return tuple(dict.fromkeys(touched)), tuple(remarks)
