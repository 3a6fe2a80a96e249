"""The risk gate: from the effects that a call declares to one decision. Pure.

Rules, in their order:
1. Everything passes `decide`: one call, one decision.
2. What decides before the effects: the operator's stop, then the lists of tools (lists.py), the budget of calls, a
   call that declares nothing.
3. Each effect is judged by its row (judge.py); `readonly` has no shell. What changes something needs a tape.
4. The worst effect decides: deny before ask before allow; among equals the higher risk names the rule. When nobody is
   there, a row is read in the stricter of two columns: the level, and the level for nobody.
5. `auto_approve` answers an ask about its tools: of medium risk only, and never after untrusted words were heard.
6. Taint: after untrusted words what sends, switches or runs a shell that does not provably only read is asked about.
7. `always_ask` turns an allow into an ask, never a denial into one.
8. Who is asked is told what else is asked about, and what the reader remarked. With nobody there an ask that no grant
   of the operator answers is a denial, and says so.
9. From 5 on nothing but rule 5 raises anything. No rule, no permit; the permit holds what was declared (permit.py).
"""

from __future__ import annotations

from edge.call import Decision
from edge.gate import rules
from edge.gate.judge import Survey, survey
from edge.gate.lists import missing
from edge.gate.names import called
from edge.gate.permit import permit
from edge.gate.policy import PRESETS
from edge.gate.rules_run import READONLY_SHELL
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Effect, Scene
    from edge.gate.judge import Finding
    from edge.gate.policy import Policy, State
    from edge.gate.row import Row

_OTHERS = 4  # things of one kind that a person is told beside the worst
_WEIGHT = {"allow": 0, "ask": 1, "deny": 2, "low": 0, "medium": 1, "high": 2}


class Judged(Record):
    """One finding, the row that decided it and what it says here: allow, ask or deny."""

    finding: Finding
    row: Row
    verdict: str


class Case(Record):
    """What the rules after the table look at. `names`: all that lists may call the tool (names.py)."""

    names: tuple[str, ...]
    judged: tuple[Judged, ...]
    seen: Survey
    policy: Policy
    state: State


class Ruling(Record):
    """A decision with how it came about. `steps`: sentences on what raised or lowered it after the table."""

    decision: Decision
    judged: tuple[Judged, ...] = ()
    steps: tuple[str, ...] = ()


def decide(call: Call, effects: tuple[Effect, ...], policy: Policy, state: State, scene: Scene) -> Decision:
    """Allow, ask or deny `call`, with risk, rule id, sentence and (unless denied) the permit."""
    return ruling(call, effects, policy, state, scene).decision


def ruling(call: Call, effects: tuple[Effect, ...], policy: Policy, state: State, scene: Scene) -> Ruling:
    """The decision, each finding with its row and verdict, and what happened to the worst of them afterwards."""
    gone = missing(call, effects, policy, state)
    if gone is not None:
        return _denied(*gone, policy.profile)
    if state.calls_last_hour >= policy.calls_per_hour:
        return _denied(rules.CALLS_USED_UP, str(policy.calls_per_hour))
    if not effects:
        return _denied(rules.NO_EFFECTS, "")
    columns = policy.columns(state.unattended)
    readonly = 0 in columns
    seen = survey(effects, policy, scene, not readonly)
    if seen.shell and readonly:
        return _denied(READONLY_SHELL, "")
    judged = tuple([_judged(finding, columns, policy, state) for finding in seen.findings])
    worst = judged[0] if len(judged) == 1 else max(judged, key=_weight)
    row, says = worst.row, worst.verdict
    given = None if says == "deny" else permit(call, seen, policy, scene, state.unattended)
    decision = Decision(says, row.risk, row.id, _sentence(worst, columns, policy), given)
    if says == "allow" and not state.tainted and not policy.always_ask:
        return Ruling(decision, judged)  # the rules below change no plain allow: most calls are one
    case = Case(called(call, effects), judged, seen, policy, state)
    steps: list[str] = []
    for step in (_approved, _tainted, _always_asked, _remarked, _alone):
        after = step(decision, case)
        if after is not decision:
            steps.append(after.sentence)
            decision = after
    if decision.verdict == "deny" and decision.permit is not None:
        decision = replace(decision, permit=None)
    return Ruling(decision, judged, tuple(steps))


def _weight(one: Judged) -> tuple[int, int]:
    return _WEIGHT[one.verdict], _WEIGHT[one.row.risk]


def _denied(row: Row, what: str, profile: str = "") -> Ruling:
    """The denial of a row; where its sentence is about the risk profile, that is named."""
    sentence = row.sentence.replace("the risk profile", "the risk profile{named}")
    named = f" {profile}" if profile else ""
    return Ruling(Decision("deny", row.risk, row.id, sentence.format(what=what, named=named)))


def verdict(row: Row, columns: tuple[int, ...], policy: Policy) -> str:
    """What a row says in the strictest of these columns, `named` resolved by the profile."""
    worst = "allow"
    for column in columns:
        found = row.verdicts[column]
        if found == "named":
            found = "ask" if row.id in policy.ask_for or row.group in policy.ask_for else "deny"
        if _WEIGHT[found] > _WEIGHT[worst]:
            worst = found
    return worst


def _judged(finding: Finding, columns: tuple[int, ...], policy: Policy, state: State) -> Judged:
    row = finding.row
    if not (finding.looks or state.durable or (finding.grant.root == "output" and state.simulated)):
        row = rules.NO_TAPE
    elif finding.shell and finding.grant.root == "socket" and "network" in state.stopped.replace(",", " ").split():
        row = rules.STOPPED_NETWORK
    return Judged(finding, row, verdict(row, columns, policy))


def _sentence(worst: Judged, columns: tuple[int, ...], policy: Policy) -> str:
    """Why, in words; a denial of the mode names the mode, and the name that would have it asked about."""
    row = worst.row
    sentence = row.sentence.format(what=worst.finding.what)
    if worst.verdict != "deny" or set(row.verdicts) == {"deny"}:
        return sentence
    column = max(columns, key=lambda one: _WEIGHT[verdict(row, (one,), policy)])
    sentence += f"; mode {PRESETS[column]} does not allow that"
    if row.verdicts[column] == "named":
        sentence += f" unless `ask_for` of the risk profile names {row.group}"
    return sentence


def _approved(now: Decision, case: Case) -> Decision:
    """Rule 5."""
    tool, inner = case.names[0], case.names[1:]
    named = tool in case.policy.auto_approve or (inner and set(inner) <= set(case.policy.auto_approve))
    if now.verdict != "ask" or case.state.tainted or not named:
        return now
    if any(one.verdict == "ask" and (one.row.risk == "high" or one.row.firm) for one in case.judged):
        return now
    return replace(now, verdict="allow", sentence=f"{now.sentence}; auto_approve names {tool}", by="auto_approve")


def _tainted(now: Decision, case: Case) -> Decision:
    """Rule 6."""
    if not case.state.tainted or now.verdict == "deny":
        return now
    for one in case.judged:
        kind = _exposed(one.finding, case.seen)
        if not kind:
            continue
        why = f"untrusted words were heard before, from {case.state.tainted}"
        if now.verdict == "ask":
            return replace(now, sentence=f"{now.sentence}; {why}")
        sentence = f"{one.finding.sentence}; it is asked about because {why}"
        return replace(now, verdict="ask", risk=one.row.risk, rule=f"taint.{kind}", sentence=sentence, by="")
    return now


def _exposed(finding: Finding, seen: Survey) -> str:
    """Which kind of act that untrusted words may have asked for this is, "" when none."""
    if finding.shell:
        return "" if seen.reads_only else "shell"
    return {"send": "send", "call": "send", "actuate": "output"}.get(finding.effect.verb, "")


def _always_asked(now: Decision, case: Case) -> Decision:
    """Rule 7."""
    if now.verdict != "allow":
        return now
    for name in case.names:
        if name in case.policy.always_ask:
            sentence = f"{now.sentence}; always_ask names {name}"
            return replace(now, verdict="ask", rule="profile.always-ask", sentence=sentence, by="")
    return now


def _remarked(now: Decision, case: Case) -> Decision:
    """What whoever is asked has to know beside the worst: what else is asked about, and what the reader remarked."""
    if now.verdict != "ask":
        return now
    asked = [one.row.sentence.format(what=one.finding.what) for one in case.judged if one.verdict == "ask"]
    others = [said for said in dict.fromkeys(asked) if said not in now.sentence]
    told = [f"also {said}" for said in others[:_OTHERS]]
    if len(others) > _OTHERS:
        told.append(f"and {len(others) - _OTHERS} things more")
    told += [remark for script in case.seen.scripts for remark in script.remarks][:_OTHERS]
    return replace(now, sentence="; ".join([now.sentence, *told])) if told else now


def _alone(now: Decision, case: Case) -> Decision:
    """Rule 8."""
    if now.verdict != "ask" or not case.state.unattended or case.state.granted:
        return now
    sentence = f"{now.sentence}; nobody is there to be asked, and no grant covers it"
    return replace(now, verdict="deny", rule="unattended.nobody", sentence=sentence)
