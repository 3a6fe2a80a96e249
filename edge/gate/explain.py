"""The policy in words: the whole table, or why one call gets what it gets. Pure: lines of text for 80 columns."""

from __future__ import annotations

from edge.gate import rules
from edge.gate.decide import verdict
from edge.gate.policy import PRESETS, Policy
from edge.gate.row import Row
from edge.gate.rules_run import EMPTY, MANY_COMMANDS, READONLY_SHELL
from edge.text import fold, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Decision, Permit
    from edge.gate.decide import Judged, Ruling
    from edge.gate.profile import Profile

WIDTH = 79
# What decides after the table, by the rules of decide.py.
AFTER = (
    ("taint.send", "an allowed send asks after untrusted words were heard"),
    ("taint.output", "an allowed switching of an output asks after untrusted words were heard"),
    ("taint.shell", "an allowed command that does not provably only read asks after untrusted words were heard"),
    ("profile.always-ask", "a call that would be allowed asks because always_ask names its tool"),
    ("unattended.nobody", "what would ask is denied because nobody is there and no grant of the operator covers it"),
)
# How the keys of a profile are called in a Policy, where they are called differently.
_LISTS = (
    *("deny_all_tools", "allowed_tools", "excluded_tools", "always_ask", "auto_approve", "ask_for", "hosts"),
    *("internal_hosts", "programs", "roots", "forbidden_paths", "sandbox", "unattended"),
)


def rows() -> tuple[Row, ...]:
    """Every row that can decide, each id once, in the order of the files."""
    table = (*rules.BEFORE, *rules.RULES.values(), READONLY_SHELL, MANY_COMMANDS, EMPTY, *rules.ANYWHERE)
    return tuple({row.id: row for row in reversed(table)}.values())[::-1]


def table(policy: Policy, profile: Profile | None = None) -> list[str]:
    """Every rule: what it is for, its verdict in each preset, and what the policy in force makes of it."""
    lines = [*in_force(policy, profile), ""]
    lines += _folded("named: denied, or asked about where ask_for of the risk profile names the rule or its group", "")
    lines.append(_columns("rule", "risk", PRESETS))
    for row in rows():
        lines.append(_columns(row.id, row.risk, row.verdicts))
        lines += _folded(row.sentence.format(what="..."), "    ")
        column = PRESETS.index(policy.preset)
        if row.verdicts[column] == "named" and verdict(row, (column,), policy) == "ask":
            lines += _folded(f"here: ask, by ask_for{_at(profile, 'ask_for')}", "    ")
    lines += ["", "after the table:"]
    for name, sentence in AFTER:
        lines += [name, *_folded(sentence, "    ")]
    return lines


def _columns(name: str, risk: str, verdicts: tuple[str, ...]) -> str:
    return (f"{name:<20} {risk:<6} " + " ".join([f"{said:<10}" for said in verdicts])).rstrip()


def in_force(policy: Policy, profile: Profile | None = None) -> list[str]:
    """The mode, the profile with all it says and where it says so, and the digest."""
    lines = [f"mode {policy.preset}, policy {policy.digest[:16]}"]
    if not policy.profile:
        return [*lines, "no risk profile"]
    level = profile.level if profile is not None else policy.preset
    beaten = "" if level == policy.preset else f", which --mode {policy.preset} beats"
    lines.append(f"risk profile {policy.profile}, level {level}{beaten}")
    for key in _LISTS:
        value = getattr(policy, key)
        if profile is not None and not profile.where(key):
            continue
        said = ", ".join(value) if isinstance(value, tuple) else str(value).lower()
        lines += _folded(f"{key}: {said or '(empty)'}{_at(profile, key)}", "  ")
    return lines


def _at(profile: Profile | None, key: str) -> str:
    where = profile.where(key) if profile is not None else ""
    return f" ({where})" if where else ""


def call(ruling: Ruling, policy: Policy, profile: Profile | None = None) -> list[str]:
    """Why one call gets what it gets: each effect, its row, what changed the verdict afterwards, the permit."""
    lines = _folded(headline(ruling.decision), "")
    if ruling.judged:
        lines.append("what it would do:")
    for judged in ruling.judged:
        lines += _effect(judged, policy, profile)
    if ruling.steps:
        lines.append("then:")
    for step in ruling.steps:
        lines += _folded(step, "  ")
    permit = ruling.decision.permit
    return [*lines, *(_permit(permit) if permit is not None else ["no permit"]), *in_force(policy, profile)]


def headline(decision: Decision) -> str:
    """`ask (medium risk) [write.workspace]: writes ...`"""
    return f"{decision.verdict} ({decision.risk} risk) [{decision.rule}]: {visible(decision.sentence)}"


def _effect(judged: Judged, policy: Policy, profile: Profile | None) -> list[str]:
    effect, row = judged.finding.effect, judged.row
    deep = " and all below" if effect.deep else ""
    # The text of a command stands in the call; only what was found in it is told here.
    on = visible(effect.on if not effect.on.startswith("shell:sh") else "the command", 160)
    by = f", by ask_for{_at(profile, 'ask_for')}" if _named(judged, policy) else ""
    sentence = visible(row.sentence.format(what=judged.finding.what))
    told = f"{judged.verdict} ({row.risk} risk) [{row.id}]{by}: {sentence}"
    return [*_folded(f"{effect.verb} {on}{deep}", "  "), *_folded(told, "    ")]


def _named(judged: Judged, policy: Policy) -> bool:
    return judged.verdict == "ask" and judged.row.verdicts[PRESETS.index(policy.preset)] == "named"


def _permit(permit: Permit) -> list[str]:
    lines = [f"permit: {permit.seconds:g} s, {permit.bytes} bytes, wall {permit.wall}"]
    for grant in permit.grants:
        if grant.root == "system":
            name = "/" if grant.path == "." else f"/{grant.path}"
        else:
            name = f"{grant.root}:{grant.path}"
        lines += _folded(f"{grant.verb} {visible(name)}{' and all below' if grant.deep else ''}", "  ")
    if permit.barred:
        lines += _folded("closed: " + ", ".join(map(visible, permit.barred)), "  ")
    return lines


def _folded(text: str, indent: str) -> list[str]:
    return [indent + line for line in fold(text, WIDTH - len(indent), "").split("\n")]
