"""The risk gate: from the effects that a call declares to one decision. Pure.

Rules:
1. Everything passes `decide`: one call, one decision.
2. The worst effect decides: deny before ask before allow; among equals the higher risk names the rule.
3. The permit holds exactly the declared effects, normalised. What is not in it, no hand touches.
4. No rule, no permit.
"""

from __future__ import annotations

from edge.call import Decision, Grant, Permit
from edge.gate import rules
from edge.gate.paths import place
from edge.gate.policy import PRESETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Effect, Scene
    from edge.gate.policy import Policy, State
    from edge.gate.rules import Row

_WEIGHT = {"allow": 0, "ask": 1, "deny": 2, "low": 0, "medium": 1, "high": 2}
# Paths that lead to no place at all, whatever would be done there.
_NOWHERE = {"odd": rules.ODD_PATH, "adrift": rules.ADRIFT}


def decide(call: Call, effects: tuple[Effect, ...], policy: Policy, state: State, scene: Scene) -> Decision:
    """Allow, ask or deny `call`, with risk, rule id, sentence and (unless denied) the permit."""
    if state.calls_last_hour >= policy.calls_per_hour:
        return _denied(rules.CALLS_USED_UP, str(policy.calls_per_hour))
    if not effects:
        return _denied(rules.NO_EFFECTS, "")
    column = PRESETS.index(policy.preset)
    worst = weight = None
    grants = []
    for effect in effects:
        row, grant, what = _judge(effect, scene)
        if not effect.observes and not state.durable and not (grant.root == "output" and state.simulated):
            row = rules.NO_TAPE
        verdict = row.verdicts[column]
        heavy = (_WEIGHT[verdict], _WEIGHT[row.risk])
        if weight is None or heavy > weight:
            worst, weight = (verdict, row, what), heavy
        grants.append(grant)
    assert worst is not None
    verdict, row, what = worst
    sentence = row.sentence.format(what=what)
    if verdict == "deny" and set(row.verdicts) != {"deny"}:
        sentence += f"; mode {policy.preset} does not allow that"
    permit = None
    if verdict != "deny":
        permit = Permit(call.id, tuple(grants), (), policy.seconds, policy.bytes, "hands")
    return Decision(verdict, row.risk, row.id, sentence, permit)


def _denied(row: Row, what: str) -> Decision:
    return Decision("deny", row.risk, row.id, row.sentence.format(what=what))


def _judge(effect: Effect, scene: Scene) -> tuple[Row, Grant, str]:
    """The row for one effect, the grant it would get, and what to call the thing in a sentence."""
    kind, _, name = effect.on.partition(":")
    if kind == "file":
        spot = place(name, scene)
        kind = spot.kind if effect.observes else spot.change
        row = _NOWHERE.get(kind) or rules.RULES.get((effect.verb, "file", kind), rules.NO_RULE)
        return row, Grant(effect.verb, spot.root, spot.path, effect.deep), spot.full
    grant = Grant(effect.verb, kind, name, effect.deep)
    if kind == "output" and effect.verb == "actuate":
        for output in scene.outputs:
            if output.name == name:
                row = rules.RULES.get(("actuate", "output", output.risk), rules.NO_RULE)
                return row, grant, f"{output.label} {effect.detail}".rstrip()
        return rules.NOT_DECLARED, grant, f"output {name!r}"
    if kind == "sensor" and effect.verb == "sense":
        for sensor in scene.sensors:
            if sensor.name == name:
                return rules.RULES["sense", "sensor", "declared"], grant, name
        return rules.NOT_DECLARED, grant, f"sensor {name!r}"
    return rules.RULES.get((effect.verb, kind, name), rules.NO_RULE), grant, f"{effect.verb} {effect.on}"
